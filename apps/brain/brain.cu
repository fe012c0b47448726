// SPDX-License-Identifier: MIT
// What is done to a volume: averaged, smoothed, cut, projected, and
// turned into a surface of triangles.
//
// A volume has `x` voxels in a row, `y` rows in a layer, `z` layers.
// Kernels that work on voxels have one thread each, in that order.

struct Shape {
    int x, y, z;
};

// Where a volume lies: the middle of its first voxel, and how far the
// next ones are, in mm. What is beyond all of `cut`, towards the
// right, the front and the top, is cut away.
struct Place {
    float3 origin;
    float spacing;
    float3 cut;
};

__device__ __forceinline__ int at(Shape s, int i, int j, int k)
{
    return (k * s.y + j) * s.x + i;
}

// The mean of each^3 voxels of `whole` for each one of `out`; those
// beyond the edge are 0.
__global__ void shrink(const unsigned char* whole, Shape from,
                       float* out, Shape to, int each)
{
    int n = blockIdx.x * blockDim.x + threadIdx.x;
    if (n >= to.x * to.y * to.z) return;
    int x = n % to.x * each, y = n / to.x % to.y * each;
    int z = n / to.x / to.y * each;
    int sum = 0;
    for (int k = z; k < min(z + each, from.z); ++k)
        for (int j = y; j < min(y + each, from.y); ++j)
            for (int i = x; i < min(x + each, from.x); ++i)
                sum += whole[at(from, i, j, k)];
    out[n] = float(sum) / (each * each * each);
}

// A Gaussian along one axis, 0 for x to 2 for z. weights: (radius +
// 1), of the middle and of what is to both sides. Outside is 0.
__global__ void blur(const float* in, float* out, Shape s, int axis,
                     const float* weights, int radius)
{
    int n = blockIdx.x * blockDim.x + threadIdx.x;
    if (n >= s.x * s.y * s.z) return;
    int size = axis == 0 ? s.x : axis == 1 ? s.y : s.z;
    int step = axis == 0 ? 1 : axis == 1 ? s.x : s.x * s.y;
    int here = n / step % size;
    float sum = weights[0] * in[n];
    for (int r = 1; r <= radius; ++r) {
        float low = here >= r ? in[n - r * step] : 0.f;
        float high = here + r < size ? in[n + r * step] : 0.f;
        sum += weights[r] * (low + high);
    }
    out[n] = sum;
}

// The greatest value along an axis, as seen from its far end.
// picture: rows of what comes first among the other two axes, x
// before y before z. A thread for each of its elements.
__global__ void project(const float* v, Shape s, int axis,
                        float* picture)
{
    int size = axis == 0 ? s.x : axis == 1 ? s.y : s.z;
    int step = axis == 0 ? 1 : axis == 1 ? s.x : s.x * s.y;
    int wide = axis == 0 ? s.y : s.x;
    int high = axis == 2 ? s.y : s.z;
    int n = blockIdx.x * blockDim.x + threadIdx.x;
    if (n >= wide * high) return;
    int column = n % wide, row = n / wide;
    int first = axis == 0   ? at(s, 0, column, row)
                : axis == 1 ? at(s, column, 0, row)
                            : at(s, column, row, 0);
    float most = v[first];
    for (int i = 1; i < size; ++i)
        most = fmaxf(most, v[first + i * step]);
    picture[n] = most;
}

// How far a point of the grid is inside of what is cut away, in mm.
__device__ __forceinline__ float inside_cut(Place p, float i, float j,
                                            float k)
{
    float x = p.origin.x + p.spacing * i - p.cut.x;
    float y = p.origin.y + p.spacing * j - p.cut.y;
    float z = p.origin.z + p.spacing * k - p.cut.z;
    return fminf(x, fminf(y, z));
}

// Voxels that are not above `threshold`, or that are cut away, are 0.
__global__ void carve(const float* v, float* out, Shape s,
                      Place place,
                      float threshold) //@ 0..254 =0
{
    int n = blockIdx.x * blockDim.x + threadIdx.x;
    if (n >= s.x * s.y * s.z) return;
    int i = n % s.x, j = n / s.x % s.y, k = n / s.x / s.y;
    bool seen = v[n] > threshold && inside_cut(place, i, j, k) < 0;
    out[n] = seen ? v[n] : 0;
}

// ---- The surface. It is where `solid` is 0, by tetrahedra: six in
// each cube of eight voxels, around the diagonal from corner 0 to 7.
// Bits of a corner's number are steps along x, y and z. Each edge of
// a tetrahedron leads from a voxel to one with more bits; seven begin
// at each voxel, and one whose ends differ holds a vertex. So
// neighbours agree about all vertices, and no surface has a gap.

// Above 0 in tissue that is not cut away. `level` is the border's
// value, and a mm of the cut counts as 20 of value. The outermost
// voxels count as empty.
__device__ __forceinline__ float solid(const float* v, Shape s,
                                       Place place, float level,
                                       int i, int j, int k)
{
    float value = v[at(s, i, j, k)] - level;
    value = fminf(value, -20 * inside_cut(place, i, j, k));
    bool edge = i <= 0 || j <= 0 || k <= 0 || i >= s.x - 1 ||
                j >= s.y - 1 || k >= s.z - 1;
    return edge ? fminf(value, -1.f) : value;
}

// Corners of the six tetrahedra; those of every other one are in the
// opposite order in space.
__device__ constexpr unsigned char TETRAHEDRA[6][4] = {
    {0, 1, 3, 7}, {0, 1, 5, 7}, {0, 2, 6, 7},
    {0, 2, 3, 7}, {0, 4, 5, 7}, {0, 4, 6, 7}};

// By a mask of the corners that are inside: these first, in an order
// that is an even permutation of 0 1 2 3.
__device__ constexpr unsigned char ORDER[13][4] = {
    {0, 1, 2, 3}, {0, 1, 2, 3}, {1, 0, 3, 2}, {0, 1, 2, 3},
    {2, 0, 1, 3}, {0, 2, 3, 1}, {1, 2, 0, 3}, {0, 1, 2, 3},
    {3, 0, 2, 1}, {0, 3, 1, 2}, {1, 3, 2, 0}, {0, 1, 2, 3},
    {2, 3, 0, 1}};

// Which of a tetrahedron's corners are inside, by those of the cube.
__device__ __forceinline__ int mask_of(int tetrahedron, int cube)
{
    int mask = 0;
    for (int c = 0; c < 4; ++c)
        mask |= (cube >> TETRAHEDRA[tetrahedron][c] & 1) << c;
    return mask;
}

// What the voxel and its cube have. cubes: a bit for each corner that
// is inside; vertices and triangles: their numbers.
__global__ void mark(const float* v, Shape s, Place place,
                     unsigned char* cubes, int* vertices,
                     int* triangles,
                     float level) //@ 10..200 =115
{
    int n = blockIdx.x * blockDim.x + threadIdx.x;
    if (n >= s.x * s.y * s.z) return;
    int i = n % s.x, j = n / s.x % s.y, k = n / s.x / s.y;
    int cube = 0, edges = 0, count = 0;
    if (i + 1 < s.x && j + 1 < s.y && k + 1 < s.z) {
        for (int c = 0; c < 8; ++c)
            cube |= (solid(v, s, place, level, i + (c & 1),
                           j + (c >> 1 & 1), k + (c >> 2)) > 0)
                    << c;
        for (int e = 1; e < 8; ++e) edges += (cube ^ cube >> e) & 1;
        for (int t = 0; t < 6 && cube != 0 && cube != 255; ++t) {
            int in = __popc(mask_of(t, cube));
            count += in == 2 ? 2 : in & 1;
        }
    }
    cubes[n] = cube;
    vertices[n] = edges;
    triangles[n] = count;
}

// The number of the vertex between corners a and b of voxel n's cube.
__device__ __forceinline__ int vertex_of(const unsigned char* cubes,
                                         const int* first, Shape s,
                                         int n, int a, int b)
{
    int low = min(a, b), edge = a ^ b;
    int begin = n + at(s, low & 1, low >> 1 & 1, low >> 2);
    int cube = cubes[begin], before = 0;
    for (int e = 1; e < edge; ++e) before += (cube ^ cube >> e) & 1;
    return first[begin] + before;
}

// Writes vertices and triangles. first_vertex and first_triangle: of
// each voxel, the sums of those before. Seen from outside, corners of
// a triangle go around to the left.
__global__ void build(const float* v, Shape s, Place place,
                      const unsigned char* cubes,
                      const int* first_vertex,
                      const int* first_triangle, float* vertices,
                      int* triangles,
                      float level) //@ 10..200 =115
{
    int n = blockIdx.x * blockDim.x + threadIdx.x;
    if (n >= s.x * s.y * s.z) return;
    int cube = cubes[n];
    if (cube == 0 || cube == 255) return;
    int i = n % s.x, j = n / s.x % s.y, k = n / s.x / s.y;

    float here = solid(v, s, place, level, i, j, k);
    float* vertex = vertices + 3 * first_vertex[n];
    for (int e = 1; e < 8; ++e) {
        if (!((cube ^ cube >> e) & 1)) continue;
        int dx = e & 1, dy = e >> 1 & 1, dz = e >> 2;
        float there =
            solid(v, s, place, level, i + dx, j + dy, k + dz);
        float part = here / (here - there);
        vertex[0] = place.origin.x + place.spacing * (i + part * dx);
        vertex[1] = place.origin.y + place.spacing * (j + part * dy);
        vertex[2] = place.origin.z + place.spacing * (k + part * dz);
        vertex += 3;
    }

    int* triangle = triangles + 3 * first_triangle[n];
    for (int t = 0; t < 6; ++t) {
        int mask = mask_of(t, cube);
        int in = __popc(mask);
        if (in == 0 || in == 4) continue;
        const unsigned char* order =
            ORDER[in == 3 ? 15 - mask : mask];
        int c[4];
        for (int m = 0; m < 4; ++m) c[m] = TETRAHEDRA[t][order[m]];
        bool turned = (in == 3) != (t & 1);
        if (in != 2) {
            // corner 0 alone: edges to 1, 2 and 3
            int a = vertex_of(cubes, first_vertex, s, n, c[0], c[1]);
            int b = vertex_of(cubes, first_vertex, s, n, c[0], c[2]);
            int d = vertex_of(cubes, first_vertex, s, n, c[0], c[3]);
            triangle[0] = a;
            triangle[1] = turned ? d : b;
            triangle[2] = turned ? b : d;
            triangle += 3;
        } else {
            // corners 0 and 1: edges to 2 and 3
            int a = vertex_of(cubes, first_vertex, s, n, c[0], c[2]);
            int b = vertex_of(cubes, first_vertex, s, n, c[0], c[3]);
            int d = vertex_of(cubes, first_vertex, s, n, c[1], c[3]);
            int e = vertex_of(cubes, first_vertex, s, n, c[1], c[2]);
            triangle[0] = a;
            triangle[1] = turned ? d : b;
            triangle[2] = turned ? b : d;
            triangle[3] = a;
            triangle[4] = turned ? e : d;
            triangle[5] = turned ? d : e;
            triangle += 6;
        }
    }
}

// The value between eight voxels.
__device__ float value_at(const float* v, Shape s, float x, float y,
                          float z)
{
    int i = min(max(int(x), 0), s.x - 2);
    int j = min(max(int(y), 0), s.y - 2);
    int k = min(max(int(z), 0), s.z - 2);
    float a = x - i, b = y - j, c = z - k, sum = 0;
    for (int m = 0; m < 8; ++m) {
        float share = (m & 1 ? a : 1 - a) * (m & 2 ? b : 1 - b) *
                      (m & 4 ? c : 1 - c);
        sum += share *
               v[at(s, i + (m & 1), j + (m >> 1 & 1), k + (m >> 2))];
    }
    return sum;
}

// Colours of vertices. On the cut they show the `sharp` volume's
// value. Else they are darker where much tissue is around, which the
// `wide` one says, smoothed over some mm: in the folds.
__global__ void paint(const float* v, const float* sharp,
                      const float* wide, Shape s, Place place,
                      const float* vertices, float4* colors,
                      int count,
                      float level, //@ 10..200 =115
                      float folds) //@ 0..2 =1
{
    int n = blockIdx.x * blockDim.x + threadIdx.x;
    if (n >= count) return;
    const float* p = vertices + 3 * n;
    float x = (p[0] - place.origin.x) / place.spacing;
    float y = (p[1] - place.origin.y) / place.spacing;
    float z = (p[2] - place.origin.z) / place.spacing;
    float value = value_at(v, s, x, y, z);
    float around = value_at(wide, s, x, y, z) / level;
    float light = 1.05f - 2 * folds * (around - 0.7f);
    light = fminf(fmaxf(light, 0.25f), 1.15f);
    float4 skin = {0.86f * light, 0.66f * light, 0.60f * light, 1};
    float tone = (value_at(sharp, s, x, y, z) - 60) / 170;
    tone = fminf(fmaxf(tone, 0.f), 1.f);
    float4 tissue = {0.15f + 0.85f * tone, 0.1f + 0.84f * tone,
                     0.1f + 0.76f * tone, 1};
    float face = fminf(fmaxf((value - level - 2) / 6, 0.f), 1.f);
    colors[n] = {skin.x + face * (tissue.x - skin.x),
                 skin.y + face * (tissue.y - skin.y),
                 skin.z + face * (tissue.z - skin.z), 1};
}
