// SPDX-License-Identifier: MIT
// Pendulums with friction that a periodic force drives, a thread for
// each:
//   angle'' + damping angle' + sin(angle) = drive cos(frequency t)
//
// Some swing in step with the force, some turn over and over, and
// some do what nobody can foretell. Change anything while it runs.

#ifndef REAL
#define REAL float // the check compiles with -DREAL=double
#endif
typedef REAL real;

// The tangent is a small difference to a pendulum that started close
// by: a difference of the angle, and of the velocity.
struct Pendulum {
    real angle, velocity, apart, parting;
};

// What has become of it: by how many e-folds the tangent has grown,
// and how often the pendulum has turned over.
struct Tale {
    real growth, turns;
};

struct Law {
    real drive, damping;
};

// The force now, and its turn in half a step.
struct Phase {
    real cosine, sine, half_cosine, half_sine;
};

__device__ __forceinline__ void sines(float x, float* s, float* c)
{
    sincosf(x, s, c);
}
__device__ __forceinline__ void sines(double x, double* s, double* c)
{
    sincos(x, s, c);
}

// How a pendulum changes while the force is `force`.
__device__ __forceinline__ Pendulum change(Pendulum p, Law law,
                                           real force)
{
    real s, c;
    sines(p.angle, &s, &c);
    return {p.velocity,
            law.drive * force - law.damping * p.velocity - s,
            p.parting, -law.damping * p.parting - c * p.apart};
}

__device__ __forceinline__ Pendulum along(Pendulum p, Pendulum d,
                                          real dt)
{
    return {p.angle + dt * d.angle, p.velocity + dt * d.velocity,
            p.apart + dt * d.apart, p.parting + dt * d.parting};
}

__device__ __forceinline__ void turn(real* c, real* s, Phase phase)
{
    real cosine = *c * phase.half_cosine - *s * phase.half_sine;
    *s = *s * phase.half_cosine + *c * phase.half_sine;
    *c = cosine;
}

// So many steps of dt, by Runge and Kutta's method of fourth order.
// pendulums, tales: (height, width). The law of the pendulum at
// column x and row y is law + x / width across + y / height up.
__global__ void advance(Pendulum* pendulums, Tale* tales, int width,
                        int height, Law law, Law across, Law up,
                        Phase phase,
                        real dt, //@ hidden
                        int steps)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    real u = (x + real(0.5)) / width, v = (y + real(0.5)) / height;
    law.drive += u * across.drive + v * up.drive;
    law.damping += u * across.damping + v * up.damping;

    int i = y * width + x;
    Pendulum p = pendulums[i];
    Tale tale = tales[i];
    real c = phase.cosine, s = phase.sine;
    for (int k = 0; k < steps; ++k) {
        Pendulum d1 = change(p, law, c);
        turn(&c, &s, phase);
        Pendulum d2 = change(along(p, d1, dt / 2), law, c);
        Pendulum d3 = change(along(p, d2, dt / 2), law, c);
        turn(&c, &s, phase);
        Pendulum d4 = change(along(p, d3, dt), law, c);
        p = along(p, d1, dt / 6);
        p = along(p, d2, dt / 3);
        p = along(p, d3, dt / 3);
        p = along(p, d4, dt / 6);

        const real PI = real(3.14159265358979324);
        real over = p.angle > PI ? 1 : p.angle < -PI ? -1 : 0;
        p.angle -= over * 2 * PI;
        tale.turns += over;
    }
    real length = sqrt(p.apart * p.apart + p.parting * p.parting);
    tale.growth += log(length);
    p.apart /= length;
    p.parting /= length;
    pendulums[i] = p;
    tales[i] = tale;
}

// The logistic map x -> r x (1 - x), and its growth; x: (n).
__global__ void logistic(real* x, real* growth, const real* r, int n,
                         int steps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    real here = x[i], sum = 0;
    for (int k = 0; k < steps; ++k) {
        sum += log(fabs(r[i] * (1 - 2 * here)));
        here = r[i] * here * (1 - here);
    }
    x[i] = here;
    growth[i] += sum;
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
    t = fminf(fmaxf(t, 0.f), 1.f);
    return (1 - t) * a + t * b;
}

// A picture of their tales, (height, width, 4). What goes in step is
// blue where it swings, green where it turns to the left and violet
// where it turns to the right, the darker the more it is in step.
// Chaos is red to yellow, the brighter the wilder.
__global__ void paint(const Tale* tales, float4* picture, int width,
                      int height,
                      float time,    //@ hidden
                      float periods) //@ hidden
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    int i = y * width + x;
    float growth = tales[i].growth / time;
    float turns = tales[i].turns / periods;

    float3 calm = mix(float3{0.45f, 0.70f, 0.95f},
                      float3{0.04f, 0.09f, 0.26f}, -growth * 4.5f);
    float3 left = mix(float3{0.55f, 0.95f, 0.70f},
                      float3{0.00f, 0.26f, 0.25f}, -growth * 4.5f);
    float3 right = mix(float3{0.85f, 0.65f, 0.98f},
                       float3{0.22f, 0.06f, 0.32f}, -growth * 4.5f);
    float3 order = mix(calm, turns > 0 ? left : right,
                       1.6f * fabsf(turns) - 0.3f);
    float3 wild = mix(float3{0.50f, 0.06f, 0.10f},
                      float3{0.96f, 0.42f, 0.10f}, growth * 9);
    wild = mix(wild, float3{1.0f, 0.95f, 0.70f}, growth * 9 - 0.9f);
    float3 color = mix(order, wild, growth * 60 + 0.5f);
    picture[i] = make_float4(color.x, color.y, color.z, 1);
}

// Their angles or velocities, (n).
__global__ void show(const Pendulum* pendulums, float* shown, int n,
                     bool velocities) //@ hidden
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Pendulum p = pendulums[i];
    shown[i] = velocities ? p.velocity : p.angle;
}

// Their places in the plane of angle and velocity, (n).
__global__ void scatter(const Pendulum* pendulums, float2* places,
                        int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Pendulum p = pendulums[i];
    places[i] = make_float2(p.angle, p.velocity);
}
