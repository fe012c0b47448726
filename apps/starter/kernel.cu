// Heat on a plate whose edges meet: what leaves on the left comes in
// on the right. Change anything here while it runs.

// One step: each cell moves towards the mean of its four neighbours.
// now, then: (height, width). Above 0.25 the rate is unstable.
__global__ void step(const float* now, float* then, int width,
                     int height,
                     float rate) //@ 0.01..0.25 =0.2
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;

    int row = y * width;
    int left = row + (x + width - 1) % width;
    int right = row + (x + 1) % width;
    int above = (y + height - 1) % height * width + x;
    int below = (y + 1) % height * width + x;

    float here = now[row + x];
    float sum = now[left] + now[right] + now[above] + now[below];
    then[row + x] = here + rate * (sum - 4 * here);
}

// A warm disc where the mouse is: column x, row y, in cells.
__global__ void warm(float* now, int width, int height,
                     float x,      //@ hidden
                     float y,      //@ hidden
                     float radius) //@ 2..30 =8
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (column >= width || row >= height) return;

    float dx = column - x, dy = row - y;
    if (dx * dx + dy * dy < radius * radius)
        now[row * width + column] = 1;
}
