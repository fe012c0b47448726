// SPDX-License-Identifier: MIT
// Water with a free surface, as particles that carry their density
// along: weakly compressible smoothed particle hydrodynamics in a
// plane. A tank has a floor and two walls, and is open above.
//
// The depth of the water, gravity and its density are 1. Particles
// are dx apart and weigh dx^2; a particle sees others within 2 h.
//
// In each step the particles are sorted by cells as wide as they see:
//   count    how many are in each cell
//   (a scan  where each cell begins)
//   scatter  the numbers of the particles, into their cells
//   settle   particles of a cell in the order of their numbers
//   push     forces, and velocities
//   flow     densities, and places
// `settle` makes the order, and so each sum, the same in every run.

// Cells, and the tank: `width` is that of a cell, `tank` its own.
struct Grid {
    int columns, rows;
    float width, tank;
};

struct Water {
    float dx, h, sound; // speed of sound
    float viscosity;    // alpha of Monaghan's artificial viscosity
    float diffusion;    // delta of the densities' diffusion
    float gravity_x, gravity_y;
};

// A disc that takes water along; its radius is 0 without the mouse.
struct Hand {
    float x, y, radius, speed_x, speed_y;
};

__device__ __forceinline__ int2 cell_of(float4 p, Grid g)
{
    int x = int(p.x / g.width), y = int(p.y / g.width);
    return make_int2(min(max(x, 0), g.columns - 1),
                     min(max(y, 0), g.rows - 1));
}

// state (n): x, y and the velocity. counts: 0 before. place: (n), the
// particle's rank among those of its cell, in any order.
__global__ void count(const float4* state, int* counts, int* cell,
                      int* place, int n, Grid grid)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int2 at = cell_of(state[i], grid);
    int c = at.y * grid.columns + at.x;
    cell[i] = c;
    place[i] = atomicAdd(&counts[c], 1);
}

// starts: (cells + 1).
__global__ void scatter(const int* starts, const int* cell,
                        const int* place, int* order, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) order[starts[cell[i]] + place[i]] = i;
}

// more (n): by how much the density is above 1, and a tone that the
// particle keeps.
__global__ void settle(const float4* state, const float2* more,
                       const int* starts, const int* cell,
                       const int* order, float4* sorted,
                       float2* sorted_more, int n)
{
    int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= n) return;
    int i = order[s];
    int from = starts[cell[i]], to = starts[cell[i] + 1];
    int slot = from;
    for (int k = from; k < to; ++k) slot += order[k] < i;
    sorted[slot] = state[i];
    sorted_more[slot] = more[i];
}

// Where a neighbour is mirrored: a particle near a wall sees the
// water behind it as in a mirror, so nothing flows through it.
struct Mirrors {
    float x;    // of the wall near by, if `across`
    int across, below;
};

__device__ __forceinline__ Mirrors mirrors_of(float4 p, Grid g)
{
    Mirrors m;
    bool right = p.x > g.tank - g.width;
    m.across = right || p.x < g.width;
    m.x = right ? g.tank : 0;
    m.below = p.y < g.width;
    return m;
}

// Calls visit(k, d, d2, flip) for each particle k and mirror image
// within 2 h of particle i: d leads from there to here; velocities
// have to be multiplied by `flip`. Cells of a row lie one behind the
// other, so three are one span.
template <class Visit>
__device__ __forceinline__ void each_near(float4 here,
                                          const float4* state,
                                          const int* starts, Grid g,
                                          float reach, Visit visit)
{
    int2 cell = cell_of(here, g);
    Mirrors m = mirrors_of(here, g);
    int left = max(cell.x - 1, 0);
    int right = min(cell.x + 1, g.columns - 1);
    for (int y = max(cell.y - 1, 0);
         y <= min(cell.y + 1, g.rows - 1); ++y) {
        int end = starts[y * g.columns + right + 1];
        for (int k = starts[y * g.columns + left]; k < end; ++k) {
            float4 there = state[k];
            for (int a = 0; a <= m.across; ++a)
                for (int b = 0; b <= m.below; ++b) {
                    float dx =
                        here.x - (a ? 2 * m.x - there.x : there.x);
                    float dy = here.y - (b ? -there.y : there.y);
                    float d2 = dx * dx + dy * dy;
                    if (d2 < reach * reach)
                        visit(k, make_float2(dx, dy), d2,
                              make_float2(a ? -1 : 1, b ? -1 : 1));
                }
        }
    }
}

// Wendland's kernel: its slope at the distance q h, over the distance
// and without the factor in front.
__device__ __forceinline__ float slope(float d2, float h)
{
    float rest = 1 - 0.5f * sqrtf(d2) / h;
    return -rest * rest * rest;
}
__device__ __forceinline__ float slope_scale(float h)
{
    float h2 = h * h;
    return 35 / (4 * 3.14159265f) / (h2 * h2);
}

// Velocities after a time dt, of particles that are sorted: pressures
// push neighbours apart, equally and oppositely. A mirror image has
// the pressure that is deeper down by its distance.
__global__ void push(const float4* state, const float2* more,
                     const int* starts, float2* velocity, int n,
                     Grid grid, Water w, Hand hand,
                     float dt) //@ hidden
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 here = state[i];
    float c2 = w.sound * w.sound;
    float e = more[i].x, density = 1 + e;
    float mine = c2 * e / (density * density);
    float ax = 0, ay = 0;
    float nu = w.viscosity * w.sound * w.h;
    each_near(here, state, starts, grid, 2 * w.h,
              [&](int k, float2 d, float d2, float2 flip) {
        float4 there = state[k];
        float pressure = c2 * more[k].x;
        // The way from the particle to its image, along gravity.
        pressure += w.gravity_x * (here.x - d.x - there.x) +
                    w.gravity_y * (here.y - d.y - there.y);
        float other = 1 + more[k].x;
        float along = (here.z - flip.x * there.z) * d.x +
                      (here.w - flip.y * there.w) * d.y;
        float drag = -nu * along / (d2 + 0.01f * w.h * w.h);
        float force = (mine + pressure / (other * other) + drag) *
                      slope(d2, w.h);
        ax -= force * d.x;
        ay -= force * d.y;
    });
    float mass = w.dx * w.dx * slope_scale(w.h);
    float2 v = make_float2(here.z + dt * (mass * ax + w.gravity_x),
                           here.w + dt * (mass * ay + w.gravity_y));
    float dx = here.x - hand.x, dy = here.y - hand.y;
    if (dx * dx + dy * dy < hand.radius * hand.radius) {
        v.x += 0.2f * (hand.speed_x - v.x);
        v.y += 0.2f * (hand.speed_y - v.y);
    }
    velocity[i] = v;
}

// Densities after the time, by the new velocities, and places. The
// diffusion (Molteni and Colagrossi 2009) takes noise out of the
// pressure; the weight of the water between is left out of it
// (Fourtakas et al. 2019).
__global__ void flow(const float4* state, const float2* more,
                     const int* starts, const float2* velocity,
                     float4* next, float2* next_more, int n,
                     Grid grid, Water w,
                     float dt) //@ hidden
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 here = state[i];
    float2 v = velocity[i];
    float e = more[i].x, change = 0;
    float deeper = 1 / (w.sound * w.sound);
    float mix = 2 * w.diffusion * w.h * w.sound;
    each_near(here, state, starts, grid, 2 * w.h,
              [&](int k, float2 d, float d2, float2 flip) {
        float4 there = state[k];
        float2 u = velocity[k];
        float fall = (v.x - flip.x * u.x) * d.x +
                     (v.y - flip.y * u.y) * d.y;
        // From here to the particle itself, not to its image.
        float weight = deeper * (w.gravity_x * (there.x - here.x) +
                                 w.gravity_y * (there.y - here.y));
        float excess = more[k].x - e - weight;
        change += (fall - mix * excess) * slope(d2, w.h);
    });
    change *= w.dx * w.dx * slope_scale(w.h);

    float x = here.x + dt * v.x, y = here.y + dt * v.y;
    // What is shot through a wall comes back.
    if (x < 0 || x > grid.tank) {
        x = x < 0 ? -x : 2 * grid.tank - x;
        v.x = -v.x;
    }
    if (y < 0) {
        y = -y;
        v.y = -v.y;
    }
    next[i] = make_float4(x, y, v.x, v.y);
    next_more[i] = make_float2(e + dt * change, more[i].y);
}

// What is drawn: places, and speeds (kind 0), pressures (1) or tones.
__global__ void tell(const float4* state, const float2* more,
                     float2* places, float* values, int n, int kind,
                     float sound) //@ hidden
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 p = state[i];
    places[i] = make_float2(p.x, p.y);
    values[i] = kind == 0   ? hypotf(p.z, p.w)
                : kind == 1 ? sound * sound * more[i].x
                            : more[i].y;
}

__device__ __forceinline__ float3 operator+(float3 a, float3 b)
{
    return {a.x + b.x, a.y + b.y, a.z + b.z};
}
__device__ __forceinline__ float3 operator*(float s, float3 a)
{
    return {s * a.x, s * a.y, s * a.z};
}
__device__ __forceinline__ float3 mix(float3 a, float3 b, float t)
{
    return a + t * (b + -1.f * a);
}
__device__ __forceinline__ float smooth(float from, float to, float x)
{
    x = fminf(fmaxf((x - from) / (to - from), 0.f), 1.f);
    return x * x * (3 - 2 * x);
}

// A picture of the water, (height, width, 4), row 0 at the bottom:
// `left` and `low` are the place of its corner, `pixel` the width of
// a pixel. The particles are blurred to a smooth body; its edge is
// lit from above, and fast water is bright.
__global__ void paint(const float4* state, const float2* more,
                      const int* starts, float4* picture, int width,
                      int height, Grid grid, Water w,
                      float left,  //@ hidden
                      float low,   //@ hidden
                      float pixel) //@ hidden
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (column >= width || row >= height) return;
    float x = left + (column + 0.5f) * pixel;
    float y = low + (row + 0.5f) * pixel;
    float up = row / float(height);
    float3 color = mix(float3{0.110f, 0.140f, 0.190f},
                       float3{0.035f, 0.048f, 0.080f}, up);

    bool inside = x > 0 && x < grid.tank && y > 0;
    float4 here = make_float4(x, y, 0, 0);
    float body = 0, speed = 0, pressure = 0, gx = 0, gy = 0;
    if (inside) {
        each_near(here, state, starts, grid, 2 * w.h,
                  [&](int k, float2 d, float d2, float2 flip) {
            float q = sqrtf(d2) / w.h, rest = 1 - 0.5f * q;
            float cube = rest * rest * rest;
            float share = cube * rest * (2 * q + 1);
            float4 there = state[k];
            body += share;
            speed += share * sqrtf(there.z * there.z +
                                   there.w * there.w);
            pressure += share * more[k].x;
            gx += cube * d.x;
            gy += cube * d.y;
        });
        float scale = 7 / (4 * 3.14159265f) / (w.h * w.h);
        float inverse = 1 / fmaxf(body, 1e-6f);
        speed *= inverse;
        pressure *= inverse * w.sound * w.sound;
        body *= scale * w.dx * w.dx;
        // The slope of the body, which is flat except at its edge.
        float steep = 5 * scale / w.h * w.dx * w.dx;
        gx *= -steep;
        gy *= -steep;

        float3 deep = {0.012f, 0.120f, 0.330f};
        float3 water = mix(float3{0.040f, 0.380f, 0.680f}, deep,
                           smooth(0.0f, 0.9f, pressure));
        water = mix(water, float3{0.13f, 0.66f, 0.84f},
                    smooth(0.2f, 1.5f, speed));
        water = mix(water, float3{0.78f, 0.95f, 0.97f},
                    smooth(1.4f, 2.4f, speed));
        float edge = sqrtf(gx * gx + gy * gy) + 1e-6f;
        float lit = (0.35f * gx - 0.94f * gy) / edge;
        float rim = smooth(0.98f, 0.45f, body);
        water = water + rim * (0.10f + 0.35f * fmaxf(lit, 0.f)) *
                            float3{0.62f, 0.85f, 1.0f};
        float blur = fminf(pixel * edge, 0.3f) + 0.02f;
        color = mix(color, water,
                    smooth(0.33f - blur, 0.33f + blur, body));
    }
    // The glass of the tank.
    float wall = fmaxf(fmaxf(-x, x - grid.tank), -y);
    if (wall > 0 && wall < 0.035f && y < 2.7f)
        color = mix(float3{0.36f, 0.46f, 0.56f},
                    float3{0.16f, 0.20f, 0.26f}, wall / 0.035f);
    picture[row * width + column] =
        make_float4(fminf(color.x, 1.f), fminf(color.y, 1.f),
                    fminf(color.z, 1.f), 1);
}
