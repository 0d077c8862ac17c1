/* SPDX-License-Identifier: MIT
 * defects.c: edges and triangles are put into one bucket for each vertex, by their smallest vertex
 * number. Welded meshes number neighbours alike: the buckets are filled almost in order.
 * Spec: format.md, chapter "Parts" (counts).
 */
#include "build/defects.h"

#include "base/sum.h"
#include "build/thread.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { INSERTION_MAX = 24 };

/* ---- degenerate triangles -------------------------------------------------------------------- */

/* Is the triangle's projection to the plane of the axes u and v no line, as doubles can tell? */
static bool has_area(const float *a, const float *b, const float *c, int u, int v)
{
    const double bu = (double)b[u] - a[u], bv = (double)b[v] - a[v];
    const double cu = (double)c[u] - a[u], cv = (double)c[v] - a[v];
    return fabs(bu * cv - bv * cu) > 0x1p-48 * (fabs(bu * cv) + fabs(bv * cu));
}

/* Is it a line? Products of two floats are exact doubles. */
static bool is_flat(const float *a, const float *b, const float *c, int u, int v)
{
    const double terms[6] = {(double)b[u] * c[v],  -(double)b[u] * a[v], -(double)a[u] * c[v],
                             -(double)b[v] * c[u], (double)b[v] * a[u],  (double)a[v] * c[u]};
    return bvpi_sum_sign(terms, 6) == 0;
}

bool bvpi_is_degenerate(const float *a, const float *b, const float *c)
{
    if (has_area(a, b, c, 0, 1) || has_area(a, b, c, 1, 2) || has_area(a, b, c, 2, 0))
        return false;
    return is_flat(a, b, c, 0, 1) && is_flat(a, b, c, 1, 2) && is_flat(a, b, c, 2, 0);
}

/* ---- sorting -------------------------------------------------------------------------------- */

static void sift(uint64_t *keys, uint64_t root, uint64_t count)
{
    for (uint64_t child; (child = 2 * root + 1) < count; root = child) {
        if (child + 1 < count && keys[child] < keys[child + 1])
            child++;
        if (keys[root] >= keys[child])
            return;
        const uint64_t swapped = keys[root];
        keys[root] = keys[child];
        keys[child] = swapped;
    }
}

/* Buckets are small but for hubs of many triangles: never slower than n log n. */
static void sort_keys(uint64_t *keys, uint64_t count)
{
    if (count <= INSERTION_MAX) {
        for (uint64_t i = 1; i < count; i++) {
            const uint64_t key = keys[i];
            uint64_t k = i;
            for (; k > 0 && keys[k - 1] > key; k--)
                keys[k] = keys[k - 1];
            keys[k] = key;
        }
        return;
    }
    for (uint64_t i = count / 2; i-- > 0;)
        sift(keys, i, count);
    for (uint64_t end = count - 1; end > 0; end--) {
        const uint64_t swapped = keys[0];
        keys[0] = keys[end];
        keys[end] = swapped;
        sift(keys, 0, end);
    }
}

/* ---- buckets -------------------------------------------------------------------------------- */

/* What is put into them: the bucket of a key is its upper half. */
typedef struct buckets {
    uint32_t count;  /* of buckets */
    uint64_t *begin; /* count + 1: where each begins in `keys` */
    uint64_t *keys;
} buckets;

static void order3(const uint32_t *index, uint32_t out[3])
{
    const uint32_t a = index[0], b = index[1], c = index[2];
    const uint32_t least = a < b ? a : b, most = a > b ? a : b;
    out[0] = least < c ? least : c;
    out[2] = most > c ? most : c;
    out[1] = a ^ b ^ c ^ out[0] ^ out[2];
}

/* Buckets and keys of a triangle; returns how many. */
typedef int (*key_fn)(const uint32_t *index, uint32_t bucket[3], uint64_t key[3]);

static int edge_keys(const uint32_t *index, uint32_t bucket[3], uint64_t key[3])
{
    uint32_t v[3];
    order3(index, v);
    if (v[0] == v[1] || v[1] == v[2])
        return 0;
    bucket[0] = bucket[1] = v[0];
    bucket[2] = v[1];
    key[0] = v[1];
    key[1] = key[2] = v[2];
    return 3;
}

static int triangle_keys(const uint32_t *index, uint32_t bucket[3], uint64_t key[3])
{
    uint32_t v[3];
    order3(index, v);
    bucket[0] = v[0];
    key[0] = (uint64_t)v[1] << 32 | v[2];
    return 1;
}

/* After this, bucket k is keys[begin[k - 1]] .. keys[begin[k]]: filling moves each begin on. */
static bool fill_buckets(const bvpi_mesh *mesh, key_fn keys_of, buckets *out)
{
    uint32_t bucket[3];
    uint64_t key[3], sum = 0;
    out->count = mesh->vertex_count;
    out->begin = calloc((uint64_t)out->count + 1, sizeof *out->begin);
    if (!out->begin)
        return false;
    for (uint64_t i = 0; i < mesh->triangle_count; i++)
        for (int k = keys_of(mesh->indices + 3 * i, bucket, key); k-- > 0;)
            out->begin[bucket[k]]++;
    for (uint32_t k = 0; k < out->count; k++) {
        const uint64_t size = out->begin[k];
        out->begin[k] = sum;
        sum += size;
    }
    out->keys = malloc(sum * sizeof *out->keys + 1);
    if (!out->keys)
        return false;
    for (uint64_t i = 0; i < mesh->triangle_count; i++)
        for (int k = keys_of(mesh->indices + 3 * i, bucket, key); k-- > 0;)
            out->keys[out->begin[bucket[k]]++] = key[k];
    return true;
}

/* Calls back with the length of each run of equal keys. */
static void for_each_run(buckets *b, void (*run)(bvpi_defects *, uint64_t), bvpi_defects *out)
{
    uint64_t begin = 0;
    for (uint32_t k = 0; k < b->count; k++) {
        const uint64_t end = b->begin[k];
        sort_keys(b->keys + begin, end - begin);
        for (uint64_t i = begin; i < end;) {
            uint64_t next = i + 1;
            while (next < end && b->keys[next] == b->keys[i])
                next++;
            run(out, next - i);
            i = next;
        }
        begin = end;
    }
}

static void count_edge(bvpi_defects *out, uint64_t triangles)
{
    out->open_edge_count += triangles == 1;
    out->nonmanifold_edge_count += triangles > 2;
}

static void count_triangle(bvpi_defects *out, uint64_t times)
{
    out->duplicate_count += times - 1;
}

typedef struct counting {
    const bvpi_mesh *mesh;
    bvpi_defects *out; /* the two pieces of work fill in different fields */
    uint32_t failed;   /* atomic */
} counting;

static void count_piece(void *user, uint32_t piece)
{
    counting *c = user;
    buckets b = {0};
    if (!fill_buckets(c->mesh, piece == 0 ? edge_keys : triangle_keys, &b))
        __atomic_store_n(&c->failed, 1, __ATOMIC_RELAXED);
    else
        for_each_run(&b, piece == 0 ? count_edge : count_triangle, c->out);
    free(b.begin);
    free(b.keys);
}

bool bvpi_count_defects(const bvpi_mesh *mesh, uint32_t thread_count, bvpi_defects *out)
{
    counting c = {.mesh = mesh, .out = out};
    *out = (bvpi_defects){0};
    bvpi_parallel(thread_count, 2, count_piece, &c);
    return !c.failed;
}
