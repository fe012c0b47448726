// SPDX-License-Identifier: MIT
// A box of fluid with a moving lid, by the lattice Boltzmann method,
// and dye that the fluid carries along.
//
// A cell holds nine populations, each with a velocity that leads to a
// neighbour or stays:   6 2 5
//                       3 0 1     row 0 is the floor, y points up
//                       7 4 8
// Stored are their differences from those of fluid at rest: float32
// has more digits for them. f: (9, height, width).

#ifndef PERIODIC // walls that are open, with the other side behind
#define PERIODIC 0 // them: 0 none, 1 left and right, 2 all four
#endif

__device__ constexpr int CX[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
__device__ constexpr int CY[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
__device__ constexpr int BACK[9] = {0, 3, 4, 1, 2, 7, 8, 5, 6};
__device__ constexpr float WEIGHT[9] = {
    4 / 9.f,  1 / 9.f,  1 / 9.f,  1 / 9.f, 1 / 9.f,
    1 / 36.f, 1 / 36.f, 1 / 36.f, 1 / 36.f};

// Population I that streams into cell (x, y). One that would come out
// of a wall is the opposite one of the same cell, thrown back. The
// lid adds momentum: what it gives to a cell by a place between two
// of them it takes from the other. A corner has no other cell, and
// counts as wall at rest; errors then fall with the square of the
// width of a cell, and otherwise only with the width.
template <int I>
__device__ __forceinline__ float
    arriving(const float* f, int x, int y, int width, int height,
             float lid)
{
    int from_x = x - CX[I], from_y = y - CY[I];
    bool wall = false, lid_moves = false;
    if (CX[I] != 0) {
        bool out = from_x < 0 || from_x >= width;
        if (PERIODIC >= 1)
            from_x = out ? from_x + CX[I] * width : from_x;
        else
            wall = out;
    }
    if (CY[I] != 0) {
        bool out = from_y < 0 || from_y >= height;
        if (PERIODIC == 2)
            from_y = out ? from_y + CY[I] * height : from_y;
        else {
            lid_moves = CY[I] < 0 && out && !wall;
            wall = wall || out;
        }
    }
    int cells = width * height;
    float value = f[wall ? BACK[I] * cells + y * width + x
                         : I * cells + from_y * width + from_x];
    return lid_moves ? value + 6 * WEIGHT[I] * CX[I] * lid : value;
}

// One step of all cells: populations arrive, and collide. Collisions
// relax moments (Lallemand and Luo 2000): `shear` is the rate of the
// stresses and makes the viscosity (1 / shear - 1/2) / 3; `flux` is
// that of the third moments; `bulk` damps sound.
__global__ void step(const float* __restrict__ f,
                     float* __restrict__ f_next, int width,
                     int height,
                     float lid,   //@ hidden
                     float shear, //@ hidden
                     float flux,  //@ hidden
                     float bulk)  //@ hidden
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;

    float f0 = arriving<0>(f, x, y, width, height, lid);
    float f1 = arriving<1>(f, x, y, width, height, lid);
    float f2 = arriving<2>(f, x, y, width, height, lid);
    float f3 = arriving<3>(f, x, y, width, height, lid);
    float f4 = arriving<4>(f, x, y, width, height, lid);
    float f5 = arriving<5>(f, x, y, width, height, lid);
    float f6 = arriving<6>(f, x, y, width, height, lid);
    float f7 = arriving<7>(f, x, y, width, height, lid);
    float f8 = arriving<8>(f, x, y, width, height, lid);

    float axes = (f1 + f3) + (f2 + f4);
    float corners = (f5 + f7) + (f6 + f8);
    float density = f0 + axes + corners;
    float jx = (f1 - f3) + ((f5 - f7) + (f8 - f6));
    float jy = (f2 - f4) + ((f5 - f7) + (f6 - f8));
    float jj = jx * jx + jy * jy;
    float energy = 2 * corners - axes - 4 * f0;
    float square = corners - 2 * axes + 4 * f0;
    float qx = 2 * (f3 - f1) + ((f5 - f7) + (f8 - f6));
    float qy = 2 * (f4 - f2) + ((f5 - f7) + (f6 - f8));
    float pxx = (f1 + f3) - (f2 + f4);
    float pxy = (f5 + f7) - (f6 + f8);

    // What collisions change, over the squares of the moments' rows.
    float e = bulk / 36 * (3 * jj - 2 * density - energy);
    float s = bulk / 36 * (density - 3 * jj - square);
    float ax = flux / 12 * (-jx - qx);
    float ay = flux / 12 * (-jy - qy);
    float b = shear / 4 * (jx * jx - jy * jy - pxx);
    float c = shear / 4 * (jx * jy - pxy);

    int cells = width * height;
    float* out = f_next + (y * width + x);
    out[0 * cells] = f0 + 4 * (s - e);
    out[1 * cells] = f1 - e - 2 * s - 2 * ax + b;
    out[2 * cells] = f2 - e - 2 * s - 2 * ay - b;
    out[3 * cells] = f3 - e - 2 * s + 2 * ax + b;
    out[4 * cells] = f4 - e - 2 * s + 2 * ay - b;
    out[5 * cells] = f5 + 2 * e + s + ax + ay + c;
    out[6 * cells] = f6 + 2 * e + s - ax + ay - c;
    out[7 * cells] = f7 + 2 * e + s - ax - ay + c;
    out[8 * cells] = f8 + 2 * e + s + ax - ay - c;
}

// Velocities of all cells, (height, width), of cells a step.
__global__ void velocity(const float* f, float2* u, int width,
                         int height)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int cells = width * height;
    if (i >= cells) return;
    float f1 = f[1 * cells + i], f2 = f[2 * cells + i];
    float f3 = f[3 * cells + i], f4 = f[4 * cells + i];
    float f5 = f[5 * cells + i], f6 = f[6 * cells + i];
    float f7 = f[7 * cells + i], f8 = f[8 * cells + i];
    u[i] = make_float2((f1 - f3) + ((f5 - f7) + (f8 - f6)),
                       (f2 - f4) + ((f5 - f7) + (f6 - f8)));
}

// The mouse, at (x, y) in cells, takes the fluid around it along:
// that gets the velocity of the mouse.
__global__ void stir(float* f, const float2* u, int width, int height,
                     float x,       //@ hidden
                     float y,       //@ hidden
                     float radius,  //@ hidden
                     float speed_x, //@ hidden
                     float speed_y) //@ hidden
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (column >= width || row >= height) return;
    float dx = (column + 0.5f - x) / radius;
    float dy = (row + 0.5f - y) / radius;
    float share = expf(-dx * dx - dy * dy);
    int i = row * width + column;
    float kick_x = share * (speed_x - u[i].x);
    float kick_y = share * (speed_y - u[i].y);
    for (int k = 1; k < 9; ++k)
        f[k * width * height + i] +=
            3 * WEIGHT[k] * (CX[k] * kick_x + CY[k] * kick_y);
}

// Velocity at a place between the cells' middles.
__device__ float2 velocity_at(const float2* u, int width, int height,
                              float x, float y)
{
    x = fminf(fmaxf(x - 0.5f, 0.f), width - 1.f);
    y = fminf(fmaxf(y - 0.5f, 0.f), height - 1.f);
    int left = min(int(x), width - 2), low = min(int(y), height - 2);
    float s = x - left, t = y - low;
    const float2* p = u + (low * width + left);
    float2 a = p[0], b = p[1], c = p[width], d = p[width + 1];
    float2 r;
    r.x = (1 - t) * (a.x + s * (b.x - a.x)) +
          t * (c.x + s * (d.x - c.x));
    r.y = (1 - t) * (a.y + s * (b.y - a.y)) +
          t * (c.y + s * (d.y - c.y));
    return r;
}

__device__ __forceinline__ float4 operator+(float4 a, float4 b)
{
    return {a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w};
}
__device__ __forceinline__ float4 operator*(float s, float4 a)
{
    return {s * a.x, s * a.y, s * a.z, s * a.w};
}

// Keeps v between the least and the greatest of four.
__device__ __forceinline__ float limited(float v, float a, float b,
                                         float c, float d)
{
    float low = fminf(fminf(a, b), fminf(c, d));
    float high = fmaxf(fmaxf(a, b), fmaxf(c, d));
    return fminf(fmaxf(v, low), high);
}

// Catmull and Rom's spline at t between its second and third point.
struct Spline {
    float a, b, c, d;
    __device__ Spline(float t)
    {
        a = t * (-0.5f + t * (1 - 0.5f * t));
        b = 1 + t * t * (-2.5f + 1.5f * t);
        c = t * (0.5f + t * (2 - 1.5f * t));
        d = t * t * (-0.5f + 0.5f * t);
    }
};

// Dye goes along with the fluid for a `span` of steps: each cell asks
// where its fluid was, half way first, and takes the dye from there,
// by a spline that never leaves the range of the four cells around.
// Dye has `fine` cells for one of the fluid. dye: (height, width, 4).
__global__ void carry(const float4* __restrict__ dye,
                      float4* __restrict__ dye_next,
                      const float2* __restrict__ u, int width,
                      int height, int fine,
                      float span) //@ hidden
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int columns = width * fine, rows = height * fine;
    if (x >= columns || y >= rows) return;

    float cx = (x + 0.5f) / fine, cy = (y + 0.5f) / fine;
    float2 v = velocity_at(u, width, height, cx, cy);
    v = velocity_at(u, width, height, cx - 0.5f * span * v.x,
                    cy - 0.5f * span * v.y);
    float px = (cx - span * v.x) * fine - 0.5f;
    float py = (cy - span * v.y) * fine - 0.5f;
    px = fminf(fmaxf(px, 0.f), columns - 1.f);
    py = fminf(fmaxf(py, 0.f), rows - 1.f);
    int left = min(int(px), columns - 2);
    int low = min(int(py), rows - 2);

    Spline s(px - left), t(py - low);
    int c0 = max(left - 1, 0), c3 = min(left + 2, columns - 1);
    float4 line[4], near[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        int row = min(max(low - 1 + k, 0), rows - 1) * columns;
        float4 b = dye[row + left], c = dye[row + left + 1];
        line[k] = s.a * dye[row + c0] + s.b * b + s.c * c +
                  s.d * dye[row + c3];
        if (k == 1 || k == 2) {
            near[2 * k - 2] = b;
            near[2 * k - 1] = c;
        }
    }
    float4 r = t.a * line[0] + t.b * line[1] + t.c * line[2] +
               t.d * line[3];
    const float4 &a = near[0], &b = near[1], &c = near[2],
                 &d = near[3];
    r.x = limited(r.x, a.x, b.x, c.x, d.x);
    r.y = limited(r.y, a.y, b.y, c.y, d.y);
    r.z = limited(r.z, a.z, b.z, c.z, d.z);
    r.w = limited(r.w, a.w, b.w, c.w, d.w);
    dye_next[y * columns + x] = r;
}

// A drop of dye of one colour around (x, y), in cells of the dye.
__global__ void drop(float4* dye, int columns, int rows,
                     float x,      //@ hidden
                     float y,      //@ hidden
                     float radius, //@ hidden
                     float red,    //@ hidden
                     float green,  //@ hidden
                     float blue)   //@ hidden
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (column >= columns || row >= rows) return;
    float dx = column + 0.5f - x, dy = row + 0.5f - y;
    float distance = sqrtf(dx * dx + dy * dy);
    float share = fminf(radius - distance + 0.5f, 1.f);
    if (share <= 0) return;
    float4* here = &dye[row * columns + column];
    *here = (1 - share) * *here + share * float4{red, green, blue, 1};
}

// Speed (kind 0) or vorticity (kind 1), in units of the lid's speed
// and the box.
__global__ void measure(const float2* u, float* shown, int width,
                        int height,
                        float lid, //@ hidden
                        int kind)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    const float2* row = u + y * width;
    if (kind == 0) {
        shown[y * width + x] = hypotf(row[x].x, row[x].y) / lid;
        return;
    }
    // Behind a wall fluid moves so that it stands still at the wall.
    float east = x + 1 < width ? row[x + 1].y : -row[x].y;
    float west = x > 0 ? row[x - 1].y : -row[x].y;
    float north =
        y + 1 < height ? row[x + width].x : 2 * lid - row[x].x;
    float south = y > 0 ? row[x - width].x : -row[x].x;
    shown[y * width + x] =
        (east - west - north + south) / 2 * height / lid;
}
