// SPDX-License-Identifier: MIT
// The solar system: `massive` bodies that attract everything, and
// test particles that attract nothing. Units: km, km/s, s; GM in
// km^3/s^2; axes of the ICRF. Classical Runge-Kutta of fourth order
// in double precision. `stages` keeps where the massive bodies were
// at each of the four evaluations of each step, so that the test
// particles feel exactly the same field.

#define LIGHT_SPEED  299792.458     // km/s
#define EARTH_RADIUS 6378.1363      // km, equatorial, DE421
#define EARTH_J2     0.001082625305 // flattening of its field, DE421
#define MAX_MASSIVE  32

struct Vector {
    double x, y, z;
};
__device__ Vector operator+(Vector a, Vector b)
{
    return {a.x + b.x, a.y + b.y, a.z + b.z};
}
__device__ Vector operator-(Vector a, Vector b)
{
    return {a.x - b.x, a.y - b.y, a.z - b.z};
}
__device__ Vector operator*(double s, Vector a)
{
    return {s * a.x, s * a.y, s * a.z};
}
__device__ double dot(Vector a, Vector b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

// Newton's attraction at `x` by all massive bodies but `self`
// (-1: by all).
__device__ Vector attraction(Vector x, const Vector* bodies,
                             const double* gm, int massive, int self)
{
    Vector sum = {0, 0, 0};
    for (int j = 0; j < massive; ++j) {
        if (j == self) continue;
        Vector d = bodies[j] - x;
        double r2 = dot(d, d);
        sum = sum + (gm[j] / (r2 * sqrt(r2))) * d;
    }
    return sum;
}

// First post-Newtonian term of the Sun's field: what turns Mercury's
// orbit by 43" a century.
__device__ Vector post_newtonian(Vector r, Vector v, double gm_sun)
{
    double distance = sqrt(dot(r, r));
    double scale = gm_sun / (LIGHT_SPEED * LIGHT_SPEED * distance *
                             distance * distance);
    return scale * ((4 * gm_sun / distance - dot(v, v)) * r +
                    (4 * dot(r, v)) * v);
}

// Acceleration at `r` from the centre of the Earth by its flattening;
// its axis is taken as that of J2000, the z axis of the ICRF.
__device__ Vector flattening(Vector r, double gm_earth)
{
    double r2 = dot(r, r);
    double s2 = r.z * r.z / r2;
    double k = -1.5 * EARTH_J2 * gm_earth * EARTH_RADIUS *
               EARTH_RADIUS / (r2 * r2 * sqrt(r2));
    return {k * r.x * (1 - 5 * s2), k * r.y * (1 - 5 * s2),
            k * r.z * (3 - 5 * s2)};
}

// The massive bodies: one block, one thread a body. body 0 is the
// Sun, `earth` and `moon` name their rows (-1: none). position,
// velocity: (massive, 3); stages: (steps, 4, massive, 3).
__global__ void advance_massive(double* position, double* velocity,
                                const double* gm, double* stages,
                                int massive, int earth, int moon,
                                int steps,
                                double dt,       //@ hidden
                                bool relativity, //@ =true
                                bool oblateness) //@ =true
{
    __shared__ Vector x[MAX_MASSIVE];
    __shared__ Vector v[MAX_MASSIVE];
    __shared__ double mass[MAX_MASSIVE];
    int i = threadIdx.x;
    bool alive = i < massive;
    Vector x0 = {0, 0, 0}, v0 = {0, 0, 0};
    if (alive) {
        x0 = reinterpret_cast<Vector*>(position)[i];
        v0 = reinterpret_cast<Vector*>(velocity)[i];
        mass[i] = gm[i];
    }
    for (int step = 0; step < steps; ++step) {
        Vector xs = x0, vs = v0, x_sum = {0, 0, 0}, v_sum = {0, 0, 0};
        for (int stage = 0; stage < 4; ++stage) {
            if (alive) {
                x[i] = xs;
                v[i] = vs;
                Vector* row = reinterpret_cast<Vector*>(stages) +
                              (step * 4 + stage) * massive;
                row[i] = xs;
            }
            __syncthreads();
            Vector a = {0, 0, 0};
            if (alive) {
                a = attraction(xs, x, mass, massive, i);
                Vector r = xs - x[0], w = vs - v[0]; // from the Sun
                if (relativity && i != 0)
                    a = a + post_newtonian(r, w, mass[0]);
                if (oblateness && moon >= 0) {
                    Vector d = x[moon] - x[earth];
                    if (i == moon) a = a + flattening(d, mass[earth]);
                    if (i == earth) a = a - flattening(d, mass[moon]);
                }
            }
            __syncthreads();
            double weight = stage == 0 || stage == 3 ? 1.0 : 2.0;
            x_sum = x_sum + weight * vs;
            v_sum = v_sum + weight * a;
            double ahead = stage < 2 ? 0.5 * dt : dt;
            xs = x0 + ahead * vs;
            vs = v0 + ahead * a;
        }
        x0 = x0 + (dt / 6) * x_sum;
        v0 = v0 + (dt / 6) * v_sum;
    }
    if (alive) {
        reinterpret_cast<Vector*>(position)[i] = x0;
        reinterpret_cast<Vector*>(velocity)[i] = v0;
    }
}

// Test particles, one thread each, in the field that advance_massive
// left in `stages`.
__global__ void advance_particles(double* position, double* velocity,
                                  const double* gm,
                                  const double* stages, int count,
                                  int massive, int steps,
                                  double dt) //@ hidden
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    Vector x0 = reinterpret_cast<Vector*>(position)[i];
    Vector v0 = reinterpret_cast<Vector*>(velocity)[i];
    const Vector* bodies = reinterpret_cast<const Vector*>(stages);
    for (int step = 0; step < steps; ++step) {
        Vector xs = x0, vs = v0, x_sum = {0, 0, 0}, v_sum = {0, 0, 0};
        for (int stage = 0; stage < 4; ++stage) {
            int row = (step * 4 + stage) * massive;
            Vector a = attraction(xs, bodies + row, gm, massive, -1);
            double weight = stage == 0 || stage == 3 ? 1.0 : 2.0;
            x_sum = x_sum + weight * vs;
            v_sum = v_sum + weight * a;
            double ahead = stage < 2 ? 0.5 * dt : dt;
            xs = x0 + ahead * vs;
            vs = v0 + ahead * a;
        }
        x0 = x0 + (dt / 6) * x_sum;
        v0 = v0 + (dt / 6) * v_sum;
    }
    reinterpret_cast<Vector*>(position)[i] = x0;
    reinterpret_cast<Vector*>(velocity)[i] = v0;
}

// Where to draw: ICRF kilometres -> ecliptic astronomical units
// around the Sun, the plane of the ecliptic as x and y, with
// distances r shown as r^compression (1: true to scale; 0.5: Neptune
// at 5.5 beside the Earth at 1). shown: (count, 3) float32.
__global__ void place(const double* position, const double* sun,
                      float* shown, int count,
                      float compression) //@ 0.3..1 =0.5
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    const double au = 149597870.6996262, cosine = 0.9174820620691818,
                 sine = 0.3977771559319137;
    double x = (position[3 * i] - sun[0]) / au;
    double y = (position[3 * i + 1] - sun[1]) / au;
    double z = (position[3 * i + 2] - sun[2]) / au;
    float ex = x, ey = cosine * y + sine * z,
          ez = -sine * y + cosine * z;
    float r = sqrtf(ex * ex + ey * ey + ez * ez);
    float scale = r > 0 ? powf(r, compression - 1) : 0.0f;
    shown[3 * i] = scale * ex;
    shown[3 * i + 1] = scale * ey;
    shown[3 * i + 2] = scale * ez;
}
