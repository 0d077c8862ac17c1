/* SPDX-License-Identifier: MIT
 * peer_ode.c: ODE's triangle meshes: do two of them touch, and how deep?
 */
#include "peer.h"

#if BENCH_HAVE_ODE
#include <ode/ode.h>

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

typedef struct model {
    float *positions;
    dTriIndex *indices;
    dTriMeshDataID data;
    dGeomID geom[2]; /* to stand on either side */
} model;

/* Meshes that touch in many places make it print a line for each contact. */
static void keep_silent(int number, const char *text, va_list arguments)
{
    (void)number;
    (void)text;
    (void)arguments;
}

static void *make(const float *positions, uint64_t triangle_count)
{
    static int started;
    model *m = malloc(sizeof *m);
    if (!started) {
        dInitODE();
        dSetMessageHandler(keep_silent);
    }
    started = 1;
    m->positions = malloc(36 * triangle_count);
    m->indices = malloc(3 * triangle_count * sizeof *m->indices);
    memcpy(m->positions, positions, 36 * triangle_count);
    for (uint64_t k = 0; k < 3 * triangle_count; k++)
        m->indices[k] = (dTriIndex)k;
    m->data = dGeomTriMeshDataCreate();
    dGeomTriMeshDataBuildSingle(m->data, m->positions, 12, (int)(3 * triangle_count), m->indices,
                                (int)(3 * triangle_count), 3 * (int)sizeof *m->indices);
    for (int side = 0; side < 2; side++)
        m->geom[side] = dCreateTriMesh(NULL, m->data, NULL, NULL, NULL);
    return m;
}

static void drop(void *of)
{
    model *m = of;
    for (int side = 0; side < 2; side++)
        dGeomDestroy(m->geom[side]);
    dGeomTriMeshDataDestroy(m->data);
    free(m->positions);
    free(m->indices);
    free(m);
}

static void place(dGeomID geom, const double m[12])
{
    const dMatrix3 rotation = {(dReal)m[0], (dReal)m[1], (dReal)m[2],  0,
                               (dReal)m[4], (dReal)m[5], (dReal)m[6],  0,
                               (dReal)m[8], (dReal)m[9], (dReal)m[10], 0};
    dGeomSetRotation(geom, rotation);
    dGeomSetPosition(geom, (dReal)m[3], (dReal)m[7], (dReal)m[11]);
}

static int collide_placed(const void *a, const double at_a[12], const void *b,
                          const double at_b[12])
{
    const dGeomID one = ((const model *)a)->geom[0], other = ((const model *)b)->geom[1];
    dContactGeom contact;
    place(one, at_a);
    place(other, at_b);
    return dCollide(one, other, 1 | (int)CONTACTS_UNIMPORTANT, &contact, sizeof contact) > 0;
}

static int collide(const void *a, const void *b, const double placement[12])
{
    static const double identity[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    return collide_placed(a, identity, b, placement);
}

enum { CONTACTS = 1000 };

static double depth(const void *a, const void *b, const double placement[12])
{
    static const double identity[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    static dContactGeom contacts[CONTACTS];
    const dGeomID one = ((const model *)a)->geom[0], other = ((const model *)b)->geom[1];
    double deepest = 0;
    place(one, identity);
    place(other, placement);
    const int count = dCollide(one, other, CONTACTS, contacts, sizeof contacts[0]);
    for (int k = 0; k < count; k++)
        if ((double)contacts[k].depth > deepest)
            deepest = (double)contacts[k].depth;
    return deepest;
}

static const peer_pairs table = {.name = "ODE",
                                 .make = make,
                                 .drop = drop,
                                 .collide = collide,
                                 .collide_placed = collide_placed,
                                 .depth = depth};

const peer_pairs *const peer_ode = &table;
#endif
