// SPDX-License-Identifier: MIT
// Birds that look at their neighbours: Reynolds's flocks in space and
// Vicsek's model in a plane, both by a grid of neighbours.
//
// A bird sees as far as 1, and a cell is a little wider: whom a bird
// sees lies in its cell or in one beside it. The grid repeats itself
// in space, so flocks may fly anywhere. Birds of cells that share a
// place in the grid but not in space are too far away to be seen.
//
// In each step the birds are sorted by their cells, by counting:
//   count    how many are in each cell
//   (a scan  where each cell begins)
//   scatter  the numbers of the birds, into their cells
//   settle   birds of a cell in the order of their numbers
// The last one makes the order, and so each sum, the same in every
// run. A position's fourth number is not used.

// `across` cells along x and y, `deep` along z, which is 1 in a
// plane. `width` is that of a cell, `box` the side of a periodic box,
// or 0.
struct Grid {
    int across, deep;
    float width, box;
};

__device__ __forceinline__ float3 operator+(float3 a, float3 b)
{
    return {a.x + b.x, a.y + b.y, a.z + b.z};
}
__device__ __forceinline__ float3 operator-(float3 a, float3 b)
{
    return {a.x - b.x, a.y - b.y, a.z - b.z};
}
__device__ __forceinline__ float3 operator*(float s, float3 a)
{
    return {s * a.x, s * a.y, s * a.z};
}
__device__ __forceinline__ void operator+=(float3& a, float3 b)
{
    a = a + b;
}
__device__ __forceinline__ float3 xyz(float4 p)
{
    return {p.x, p.y, p.z};
}
__device__ __forceinline__ float length(float3 a) // never 0
{
    return sqrtf(a.x * a.x + a.y * a.y + a.z * a.z + 1e-12f);
}

__device__ __forceinline__ int wrapped(int i, int n)
{
    i %= n;
    return i < 0 ? i + n : i;
}

// The cell of a place along one axis.
__device__ __forceinline__ int along(float x, float width, int n)
{
    return wrapped(int(floorf(x / width)), n);
}

__device__ __forceinline__ int3 cell_of(float4 p, Grid g)
{
    return {along(p.x, g.width, g.across),
            along(p.y, g.width, g.across),
            g.deep > 1 ? along(p.z, g.width, g.deep) : 0};
}

// Counts the birds of each cell. counts: 0 before; cell and place:
// (n), where place is the bird's rank among those of its cell, in
// any order.
__global__ void count(const float4* position, int* counts, int* cell,
                      int* place, int n, Grid grid)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int3 at = cell_of(position[i], grid);
    int c = (at.z * grid.across + at.y) * grid.across + at.x;
    cell[i] = c;
    place[i] = atomicAdd(&counts[c], 1);
}

// Numbers of birds into their cells. starts: (cells + 1).
__global__ void scatter(const int* starts, const int* cell,
                        const int* place, int* order, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) order[starts[cell[i]] + place[i]] = i;
}

// Copies birds into the order of cells, and of numbers within a cell.
// bird: (n), the number of each.
__global__ void settle(const float4* position, const float4* velocity,
                       const int* starts, const int* cell,
                       const int* order, float4* at, float4* going,
                       int* bird, int n)
{
    int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= n) return;
    int i = order[s];
    int from = starts[cell[i]], to = starts[cell[i] + 1];
    int slot = from;
    for (int k = from; k < to; ++k) slot += order[k] < i;
    at[slot] = position[i];
    going[slot] = velocity[i];
    bird[slot] = i;
}

// Calls visit(k, d, d2) for each bird k within 1 of `here`, itself,
// too: d leads there, d2 is its square. Cells of a row lie one behind
// the other, so three are one span unless the row's end is between.
template <bool PERIODIC, class Visit>
__device__ __forceinline__ void
each_near(float4 here, const float4* at, const int* starts, Grid g,
          Visit visit)
{
    int3 cell = cell_of(here, g);
    int layers = g.deep > 1 ? 1 : 0;
    int span = cell.x > 0 && cell.x + 1 < g.across ? 3 : 1;
    float inverse = PERIODIC && g.box > 0 ? 1 / g.box : 0;
    for (int dz = -layers; dz <= layers; ++dz)
        for (int dy = -1; dy <= 1; ++dy)
            for (int dx = -1; dx <= 1; dx += span) {
                int row = wrapped(cell.z + dz, g.deep) * g.across +
                          wrapped(cell.y + dy, g.across);
                int c = row * g.across;
                c += wrapped(cell.x + dx, g.across);
                int end = starts[c + span];
                for (int k = starts[c]; k < end; ++k) {
                    float3 d = xyz(at[k]) - xyz(here);
                    if (PERIODIC) {
                        d.x -= g.box * rintf(d.x * inverse);
                        d.y -= g.box * rintf(d.y * inverse);
                    }
                    float d2 = d.x * d.x + d.y * d.y + d.z * d.z;
                    if (d2 < 1) visit(k, d, d2);
                }
            }
}

// How many birds each one sees, and the sum of their numbers modulo
// 2^32: what the check compares with all pairs.
__global__ void neighbours(const float4* at, const int* starts,
                           const int* bird, unsigned* seen,
                           unsigned* sum, int n, Grid grid)
{
    int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= n) return;
    unsigned count = 0, total = 0;
    each_near<true>(at[s], at, starts, grid,
                    [&](int k, float3, float) {
                        count += k != s;
                        total += k != s ? bird[k] : 0;
                    });
    seen[bird[s]] = count;
    sum[bird[s]] = total;
}

// One step of Reynolds's birds. Each keeps apart from those nearer
// than `room`, takes over the others' velocity, and flies to their
// middle. It turns back beyond `home`, and flees the hawk, which it
// fears as far as `hawk.w`. `agility` is the greatest acceleration.
// tone: what colours show, by `look`.
__global__ void flock(const float4* at, const float4* going,
                      const int* starts, const int* bird,
                      float4* position, float4* velocity, float* tone,
                      int n, Grid grid,
                      float home,       //@ hidden
                      float4 hawk,      //@ hidden
                      float dt,         //@ hidden
                      int look,         //@ hidden
                      float separation, //@ 0..40 =10
                      float alignment,  //@ 0..10 =3
                      float cohesion,   //@ 0..20 =6
                      float room,       //@ 0.2..1 =0.7
                      float speed,      //@ 0.5..8 =4
                      float agility)    //@ 1..60 =20
{
    int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= n) return;
    float3 p = xyz(at[s]), v = xyz(going[s]);
    float3 apart = {0, 0, 0}, middle = {0, 0, 0}, flow = {0, 0, 0};
    float edge = 1 / room;
    int seen = 0;
    each_near<false>(
        at[s], at, starts, grid, [&](int k, float3 d, float d2) {
            if (k == s) return;
            apart += fmaxf(rsqrtf(d2 + 1e-12f) - edge, 0.f) * d;
            middle += d;
            flow += xyz(going[k]);
            ++seen;
        });
    float share = seen ? 1.f / seen : 0.f;
    float3 pull = -separation * apart + cohesion * share * middle +
                  alignment * share * (flow - seen * v);

    float far = length(p);
    pull += fminf(home / far - 1, 0.f) * p;
    float3 away = p - xyz(hawk);
    float near = length(away);
    pull += 4 * agility * fmaxf(1 / near - 1 / hawk.w, 0.f) * away;
    pull.z -= 0.5f * v.z; // birds fly level

    v += dt * fminf(agility / length(pull), 1.f) * pull;
    float fast = length(v);
    float kept = fminf(fmaxf(fast, 0.7f * speed), 1.4f * speed);
    v = kept / fast * v;
    p += dt * v;

    int i = bird[s];
    position[i] = {p.x, p.y, p.z, 0};
    velocity[i] = {v.x, v.y, v.z, 0};
    tone[i] = look == 0   ? atan2f(v.y, v.x)
              : look == 1 ? kept / speed
                          : seen / 40.f;
}

// How birds are turned whose nose is at +z and whose top at +y: the
// nose along the velocity, the top as high as it can be. Quaternions
// x, y, z, w: those axes to x and z, then pitch, then yaw. sizes:
// along the bird's axes; the wings' height beats by `time`, each at
// its own moment.
__global__ void pose(const float4* velocity, float4* turned,
                     float3* sizes, int n,
                     float time,  //@ hidden
                     float size,  //@ 0.1..0.6 =0.23
                     float beats) //@ 0..10 =3
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 v = velocity[i];
    float yaw = 0.5f * atan2f(v.y, v.x);
    float pitch =
        0.5f * atan2f(v.z, sqrtf(v.x * v.x + v.y * v.y));
    float s = sinf(yaw), c = cosf(yaw);
    float t = sinf(pitch), d = cosf(pitch);
    float x = s * t, y = -c * t, z = s * d, w = c * d;
    turned[i] = {0.5f * (w + x + y - z), 0.5f * (w + y + z - x),
                 0.5f * (w + z + x - y), 0.5f * (w - x - y - z)};
    float beat = 1 + 0.9f * sinf(6.2832f * beats * time + 2.4f * i);
    sizes[i] = {size, size * beat, size};
}

// A random number of 0 to 1 for each bird and step: Wellons's hash,
// twice.
__device__ unsigned hashed(unsigned x)
{
    x = (x ^ (x >> 16)) * 0x7feb352du;
    x = (x ^ (x >> 15)) * 0x846ca68bu;
    return x ^ (x >> 16);
}
__device__ float random(int bird, unsigned step)
{
    unsigned bits = hashed(hashed(bird + 1) + step);
    return (bits >> 8) * 0x1p-24f;
}

// One step of Vicsek's model. A bird moves on, and takes the mean
// direction of those it saw before, itself among them, turned by a
// random angle of -noise / 2 to noise / 2.
__global__ void vicsek(const float4* at, const float4* going,
                       const int* starts, const int* bird,
                       float4* position, float4* velocity,
                       float* tone, int n, Grid grid,
                       unsigned step, //@ hidden
                       float noise,   //@ 0..6.2832 =1
                       float pace)    //@ 0.005..0.5 =0.03 log
{
    int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= n) return;
    float4 p = at[s], v = going[s];
    float x = 0, y = 0;
    each_near<true>(p, at, starts, grid, [&](int k, float3, float) {
        x += going[k].x;
        y += going[k].y;
    });
    p.x += v.x;
    p.y += v.y;
    p.x -= grid.box * floorf(p.x / grid.box);
    p.y -= grid.box * floorf(p.y / grid.box);

    int i = bird[s];
    float turn = noise * (random(i, step) - 0.5f);
    float scale = pace * rsqrtf(x * x + y * y + 1e-30f);
    float c = scale * cosf(turn), t = scale * sinf(turn);
    v.x = x * c - y * t;
    v.y = x * t + y * c;
    position[i] = p;
    velocity[i] = v;
    tone[i] = atan2f(v.y, v.x);
}
