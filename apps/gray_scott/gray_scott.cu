// SPDX-License-Identifier: MIT
// Gray-Scott reaction-diffusion, U + 2V -> 3V and V -> P, as Pearson
// simulated it: J. E. Pearson, "Complex Patterns in a Simple System",
// Science 261, 189 (1993). Periodic in both directions.
//
// Change anything here while it runs. `feed` and `kill` became
// sliders by being parameters.

#ifndef REAL
#define REAL float // the check compiles with -DREAL=double
#endif
typedef REAL real;

// One explicit Euler step of five-point stencils. u, v, u_next,
// v_next: (height, width). The diffusion coefficients are those of
// the equation divided by the square of the cell's width.
__global__ void step(const real* u, const real* v, real* u_next,
                     real* v_next, int width, int height,
                     real feed,        //@ 0.005..0.09 =0.040
                     real kill,        //@ 0.035..0.07 =0.060
                     real diffusion_u, //@ hidden
                     real diffusion_v, //@ hidden
                     real dt)          //@ hidden
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;

    int row = y * width;
    int left = row + (x == 0 ? width - 1 : x - 1);
    int right = row + (x == width - 1 ? 0 : x + 1);
    int above = (y == 0 ? height - 1 : y - 1) * width + x;
    int below = (y == height - 1 ? 0 : y + 1) * width + x;
    int here = row + x;

    real a = u[here];
    real b = v[here];
    real laplace_a =
        u[left] + u[right] + u[above] + u[below] - 4 * a;
    real laplace_b =
        v[left] + v[right] + v[above] + v[below] - 4 * b;
    real reaction = a * b * b;

    u_next[here] = a + dt * (diffusion_u * laplace_a - reaction +
                             feed * (real(1) - a));
    v_next[here] = b + dt * (diffusion_v * laplace_b + reaction -
                             (feed + kill) * b);
}

// A drop of V where the mouse is: column x, row y, in cells.
__global__ void paint(real* u, real* v, int width, int height,
                      real x,      //@ hidden
                      real y,      //@ hidden
                      real radius) //@ 2..20 =6
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (column >= width || row >= height) return;

    real dx = column - x;
    real dy = row - y;
    if (dx * dx + dy * dy > radius * radius) return;
    u[row * width + column] = real(0.5);
    v[row * width + column] = real(0.25);
}
