/* SPDX-License-Identifier: MIT
 * bench_scan.c: makes what stands for scans: a bumpy sphere or torus of even triangles, each vertex
 * with noise of a tenth of an edge, as binary STL. The same bytes everywhere: nothing is called
 * whose last bit is the library's choice. Usage: bench_scan sphere|torus CELLS OUT.stl
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct scan {
    int torus, cells;
    FILE *out;
} scan;

static uint64_t mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* In [-1, 1), of a place on a lattice. */
static double hash(int64_t x, int64_t y, int64_t z, uint64_t seed)
{
    const uint64_t h =
        mix(mix(mix((uint64_t)x + 0x9e3779b97f4a7c15u * (seed + 1)) + (uint64_t)y) + (uint64_t)z);
    return (double)(h >> 11) * 0x1p-52 - 1;
}

/* Perlin's idea, values instead of gradients: smooth between the lattice's points. */
static double noise(const double p[3], uint64_t seed)
{
    double sum = 0, base[3], weight[3];
    for (int a = 0; a < 3; a++) {
        base[a] = floor(p[a]);
        const double f = p[a] - base[a];
        weight[a] = f * f * (3 - 2 * f);
    }
    for (int k = 0; k < 8; k++) {
        double w = 1;
        for (int a = 0; a < 3; a++)
            w *= k >> a & 1 ? weight[a] : 1 - weight[a];
        sum += w * hash((int64_t)base[0] + (k & 1), (int64_t)base[1] + (k >> 1 & 1),
                        (int64_t)base[2] + (k >> 2), seed);
    }
    return sum;
}

/* Bumps of four sizes. */
static double bumps(const double p[3])
{
    double sum = 0, size = 0.16, scale = 1.7;
    for (uint64_t octave = 0; octave < 4; octave++, size /= 2, scale *= 2.1)
        sum += size * noise((double[3]){scale * p[0], scale * p[1], scale * p[2]}, octave);
    return sum;
}

/* Corner (i, j) of a side of the cube, as whole numbers: the same on both sides of an edge. */
static void cube_point(int side, int i, int j, int cells, int64_t out[3])
{
    out[side % 3] = side < 3 ? cells : -cells;
    out[(side + 1) % 3] = 2 * i - cells;
    out[(side + 2) % 3] = 2 * j - cells;
    if (side >= 3) /* the outside stays the front */
        out[(side + 1) % 3] = -out[(side + 1) % 3];
}

/* k / count of a turn, by stretches of a tangent's half: rational points of the circle. */
static void circle(int k, int count, double out[2])
{
    const int quarter = (int)(4 * (int64_t)k / count) % 4;
    const double t = (double)(4 * (int64_t)k % count) / count;
    const double x = (1 - t * t) / (1 + t * t), y = 2 * t / (1 + t * t);
    out[0] = quarter == 0 ? x : quarter == 1 ? -y : quarter == 2 ? -x : y;
    out[1] = quarter == 0 ? y : quarter == 1 ? x : quarter == 2 ? -y : -x;
}

/* On the unit sphere, or on a torus of radii 1 and .4; outwards from it; how long an edge is. */
static void surface(const scan *s, const int64_t at[3], double p[3], double outwards[3])
{
    if (s->torus) {
        double around[2], tube[2];
        circle((int)at[0], 2 * s->cells, around);
        circle((int)at[1], s->cells, tube);
        for (int a = 0; a < 2; a++) {
            p[a] = around[a] * (1 + 0.4 * tube[0]);
            outwards[a] = around[a] * tube[0];
        }
        p[2] = 0.4 * tube[1];
        outwards[2] = tube[1];
        return;
    }
    double length = 0;
    for (int a = 0; a < 3; a++)
        length += (double)at[a] * (double)at[a];
    for (int a = 0; a < 3; a++)
        p[a] = outwards[a] = (double)at[a] / sqrt(length);
}

static void vertex(const scan *s, const int64_t at[3], float out[3])
{
    double p[3], outwards[3];
    surface(s, at, p, outwards);
    const double edge = (s->torus ? 3.0 : 1.6) / s->cells;
    const double up = (s->torus ? 0.5 : 1) * bumps(p) + 0.1 * edge * hash(at[0], at[1], at[2], 9);
    for (int a = 0; a < 3; a++)
        out[a] = (float)(p[a] + up * outwards[a]);
}

static void point_of(const scan *s, int side, int i, int j, float out[3])
{
    int64_t at[3] = {i % (2 * s->cells), j % s->cells, 0};
    if (!s->torus)
        cube_point(side, i, j, s->cells, at);
    vertex(s, at, out);
}

static int write_patch(const scan *s, int side, int columns, int rows)
{
    static const int corner[6][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 0}, {1, 1}, {0, 1}};
    int ok = 1;
    for (int j = 0; j < rows; j++)
        for (int i = 0; i < columns; i++)
            for (int half = 0; half < 2; half++) {
                unsigned char record[50] = {0};
                float p[9];
                for (int c = 0; c < 3; c++)
                    point_of(s, side, i + corner[3 * half + c][0], j + corner[3 * half + c][1],
                             p + 3 * c);
                memcpy(record + 12, p, sizeof p);
                ok &= fwrite(record, sizeof record, 1, s->out) == 1;
            }
    return ok;
}

int main(int argc, char **argv)
{
    scan s = {argc > 1 && strcmp(argv[1], "torus") == 0, argc > 2 ? atoi(argv[2]) : 0, NULL};
    if (argc != 4 || s.cells < 4 || s.cells > 4096) {
        fprintf(stderr, "usage: bench_scan sphere|torus CELLS OUT.stl\n");
        return 2;
    }
    unsigned char header[84] = {0};
    const uint32_t count = (uint32_t)s.cells * (uint32_t)s.cells * (s.torus ? 4 : 12);
    int ok = (s.out = fopen(argv[3], "wb")) != NULL;
    memcpy(header + 80, &count, sizeof count);
    ok = ok && fwrite(header, sizeof header, 1, s.out) == 1;
    if (s.torus)
        ok = ok && write_patch(&s, 0, 2 * s.cells, s.cells);
    for (int side = 0; side < 6 && !s.torus; side++)
        ok = ok && write_patch(&s, side, s.cells, s.cells);
    ok = ok && fclose(s.out) == 0;
    if (!ok)
        perror(argv[3]);
    return !ok;
}
