// SPDX-License-Identifier: MIT
// A ripple tank without host code: waves, rain, a wall with gaps.
//
// `lathe run ripples`, or `lathe run FILE.cu` for a copy of it. The
// wave equation with damping, leapfrog in time. The right mouse
// button pushes the water. docs/sketch.md explains the lines that
// begin with //@.

//@ title Ripple tank
//@ size 1280x720
//@ background 0,0,0
//@ buffer level float[360,640]
//@ buffer before float[360,640]
//@ buffer picture uchar3[360,640]
//@ launch ripple grid=640x360 block=32x8 times=4 swap=level:before
//@ launch rain grid=640x360 block=32x8
//@ launch shade grid=640x360 block=32x8
//@ image picture smooth

__device__ bool is_wall(int x, int y, int width, int height)
{
    if (x < width * 3 / 8 || x > width * 3 / 8 + 3) return false;
    int upper = y - height * 3 / 8, lower = y - height * 5 / 8;
    return (upper < -7 || upper > 7) && (lower < -7 || lower > 7);
}

__device__ unsigned hash(unsigned x)
{
    x = (x ^ 61) ^ (x >> 16);
    x *= 9;
    x ^= x >> 4;
    x *= 0x27d4eb2d;
    return x ^ (x >> 15);
}

// before: the level of a step ago on entry, the next level on exit;
// the two then change places.
__global__ void ripple(const float* level, float* before, int width,
                       int height, int frame,
                       float celerity, //@ 0.05..0.5 =0.25
                       float damping,  //@ 0..0.02 =0.001
                       float paddle,   //@ 0..0.5 =0.16
                       float period)   //@ 5..60 =11
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    int here = y * width + x;
    float centre = level[here];
    float laplace = level[x > 0 ? here - 1 : here] +
                    level[x < width - 1 ? here + 1 : here] +
                    level[y > 0 ? here - width : here] +
                    level[y < height - 1 ? here + width : here] -
                    4 * centre;
    int edge = min(min(x, width - 1 - x), min(y, height - 1 - y));
    float loss = damping; // and more on a beach all around
    if (edge < 20) loss += 0.006f * (20 - edge);
    float next = centre + (1 - loss) * (centre - before[here]) +
                 celerity * laplace;
    if (x == 30) next += paddle * sinf(6.2831853f * frame / period);
    before[here] = is_wall(x, y, width, height) ? 0.0f : next;
}

// A drop now and then, where the frame's number says, and where the
// mouse is.
__global__ void rain(float* level, int width, int height, int frame,
                     int mouse_down, float mouse_x, float mouse_y,
                     int pause) //@ 10..200 =70
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    unsigned seed = hash(frame / pause * 2 + 1);
    float dx = x - (0.05f + 0.3f * (seed % 1000) / 1000.0f) * width;
    float row = 0.1f + 0.8f * (seed / 1000 % 1000) / 1000.0f;
    float dy = y - row * height;
    float& here = level[y * width + x];
    if (frame % pause == 0)
        here += 1.6f * expf(-(dx * dx + dy * dy) / 18);
    dx = x - mouse_x;
    dy = y - mouse_y;
    if (mouse_down) here -= 0.3f * expf(-(dx * dx + dy * dy) / 30);
}

// Light from the upper left on the slopes.
// picture: (height, width, 3).
__global__ void shade(const float* level, unsigned char* picture,
                      int width, int height,
                      float relief) //@ 1..40 =14
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    int here = y * width + x;
    float dx = level[x < width - 1 ? here + 1 : here] -
               level[x > 0 ? here - 1 : here];
    float dy = level[y < height - 1 ? here + width : here] -
               level[y > 0 ? here - width : here];
    float nx = -relief * dx, ny = -relief * dy;
    float length = rsqrtf(nx * nx + ny * ny + 1);
    float slope = -0.45f * nx - 0.55f * ny + 0.7f;
    float light = fmaxf(0.0f, slope * length);
    float glint = powf(fminf(1.0f, light), 24.0f);
    float deep = 0.5f + 0.5f * tanhf(2 * level[here]);
    float red = 0.02f + 0.10f * deep + 0.16f * light + 0.8f * glint;
    float green =
        0.10f + 0.22f * deep + 0.30f * light + 0.75f * glint;
    float blue = 0.20f + 0.30f * deep + 0.38f * light + 0.6f * glint;
    if (is_wall(x, y, width, height)) red = green = blue = 0.75f;
    picture[here * 3] = (unsigned char)(255 * fminf(red, 1.0f));
    picture[here * 3 + 1] = (unsigned char)(255 * fminf(green, 1.0f));
    picture[here * 3 + 2] = (unsigned char)(255 * fminf(blue, 1.0f));
}
