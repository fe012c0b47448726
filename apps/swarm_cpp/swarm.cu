// SPDX-License-Identifier: MIT
// Points that a few wandering centres pull around.
// Forces fade with the distance.

__device__ float random_of(unsigned n)
{
    n = (n ^ 61) ^ (n >> 16);
    n *= 9;
    n ^= n >> 4;
    n *= 0x27d4eb2d;
    n ^= n >> 15;
    return n * (1.0f / 4294967296.0f);
}

__global__ void scatter(float* places, float* velocities, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    float height = 2 * random_of(3 * i) - 1;
    float angle = 6.2831853f * random_of(3 * i + 1);
    float radius = cbrtf(random_of(3 * i + 2));
    float flat = radius * sqrtf(1 - height * height);
    float x = flat * cosf(angle), y = flat * sinf(angle);
    float z = radius * height;
    places[3 * i] = x;
    places[3 * i + 1] = y;
    places[3 * i + 2] = z;
    velocities[3 * i] = -0.6f * y;
    velocities[3 * i + 1] = 0.6f * x;
    velocities[3 * i + 2] = 0;
}

__global__ void move(float* places, float* velocities, float* speeds,
                     int count, float time, float dt,
                     float pull, //@ 0..3 =0.4
                     float drag) //@ 0..1 =0.05
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    float x = places[3 * i];
    float y = places[3 * i + 1];
    float z = places[3 * i + 2];
    float ax = 0, ay = 0, az = 0;
    for (int k = 0; k < 3; ++k) {
        float phase = time * (0.3f + 0.1f * k) + 2.1f * k;
        float dx = 0.7f * cosf(phase) - x;
        float dy = 0.7f * sinf(phase) - y;
        float dz = 0.4f * sinf(1.7f * phase) - z;
        float near = pull / (dx * dx + dy * dy + dz * dz + 0.05f);
        ax += near * dx;
        ay += near * dy;
        az += near * dz;
    }
    float* v = velocities + 3 * i;
    float vx = v[0] + dt * (ax - drag * v[0]);
    float vy = v[1] + dt * (ay - drag * v[1]);
    float vz = v[2] + dt * (az - drag * v[2]);
    v[0] = vx;
    v[1] = vy;
    v[2] = vz;
    places[3 * i] = x + dt * vx;
    places[3 * i + 1] = y + dt * vy;
    places[3 * i + 2] = z + dt * vz;
    speeds[i] = sqrtf(vx * vx + vy * vy + vz * vz);
}
