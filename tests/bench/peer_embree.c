/* SPDX-License-Identifier: MIT
 * peer_embree.c: Embree, compact and robust, one ray a call.
 */
#include "peer.h"

#include <embree3/rtcore.h>
#include <stdlib.h>
#include <string.h>

typedef struct model {
    RTCDevice device;
    RTCScene scene;
} model;

static void *make(const float *positions, uint64_t triangle_count)
{
    model *m = malloc(sizeof *m);
    if (!m)
        abort();
    m->device = rtcNewDevice("threads=1");
    m->scene = rtcNewScene(m->device);
    rtcSetSceneFlags(m->scene, RTC_SCENE_FLAG_COMPACT | RTC_SCENE_FLAG_ROBUST);
    RTCGeometry mesh = rtcNewGeometry(m->device, RTC_GEOMETRY_TYPE_TRIANGLE);
    float *vertices = rtcSetNewGeometryBuffer(mesh, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3,
                                              12, 3 * triangle_count);
    unsigned *indices = rtcSetNewGeometryBuffer(mesh, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3,
                                                12, triangle_count);
    memcpy(vertices, positions, triangle_count * 36);
    for (uint64_t i = 0; i < 3 * triangle_count; i++)
        indices[i] = (unsigned)i;
    rtcCommitGeometry(mesh);
    rtcAttachGeometry(m->scene, mesh);
    rtcReleaseGeometry(mesh);
    rtcCommitScene(m->scene);
    return m;
}

static void drop(void *user)
{
    model *m = user;
    rtcReleaseScene(m->scene);
    rtcReleaseDevice(m->device);
    free(m);
}

static struct RTCRay ray_of(const float origin[3], const float direction[3], float t_max)
{
    struct RTCRay ray = {.org_x = origin[0],
                         .org_y = origin[1],
                         .org_z = origin[2],
                         .dir_x = direction[0],
                         .dir_y = direction[1],
                         .dir_z = direction[2],
                         .tfar = t_max,
                         .mask = ~0u};
    return ray;
}

static double first(const void *user, const float origin[3], const float direction[3], float t_max)
{
    struct RTCIntersectContext context;
    struct RTCRayHit hit = {.ray = ray_of(origin, direction, t_max)};
    hit.hit.geomID = RTC_INVALID_GEOMETRY_ID;
    rtcInitIntersectContext(&context);
    rtcIntersect1(((const model *)user)->scene, &context, &hit);
    return hit.hit.geomID == RTC_INVALID_GEOMETRY_ID ? -1 : hit.ray.tfar;
}

static int any(const void *user, const float origin[3], const float direction[3], float t_max)
{
    struct RTCIntersectContext context;
    struct RTCRay ray = ray_of(origin, direction, t_max);
    rtcInitIntersectContext(&context);
    rtcOccluded1(((const model *)user)->scene, &context, &ray);
    return ray.tfar < 0;
}

static const peer_rays table = {"Embree compact robust", make, drop, first, any};
const peer_rays *const peer_embree = &table;
