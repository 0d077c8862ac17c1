/* SPDX-License-Identifier: MIT
 * peer_embree.c: Embree, medium quality or compact and robust, one ray or point a call.
 */
#include "peer.h"

#include <embree3/rtcore.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

typedef struct model {
    RTCDevice device;
    RTCScene scene;
    const float (*triangles)[3][3];
    uint64_t bytes;
} model;

static bool count_bytes(void *user, ssize_t bytes, bool post)
{
    (void)post;
    ((model *)user)->bytes += (uint64_t)bytes;
    return true;
}

static void *make(const float *positions, uint64_t triangle_count, int robust)
{
    model *m = malloc(sizeof *m);
    if (!m)
        abort();
    m->device = rtcNewDevice("threads=1");
    m->bytes = 0;
    rtcSetDeviceMemoryMonitorFunction(m->device, count_bytes, m);
    m->scene = rtcNewScene(m->device);
    if (robust)
        rtcSetSceneFlags(m->scene, RTC_SCENE_FLAG_COMPACT | RTC_SCENE_FLAG_ROBUST);
    RTCGeometry mesh = rtcNewGeometry(m->device, RTC_GEOMETRY_TYPE_TRIANGLE);
    float *vertices = rtcSetNewGeometryBuffer(mesh, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3,
                                              12, 3 * triangle_count);
    unsigned *indices = rtcSetNewGeometryBuffer(mesh, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3,
                                                12, triangle_count);
    memcpy(vertices, positions, triangle_count * 36);
    m->triangles = (const float(*)[3][3])vertices;
    for (uint64_t i = 0; i < 3 * triangle_count; i++)
        indices[i] = (unsigned)i;
    rtcCommitGeometry(mesh);
    rtcAttachGeometry(m->scene, mesh);
    rtcReleaseGeometry(mesh);
    rtcCommitScene(m->scene);
    return m;
}

static void build(const float *positions, uint64_t vertex_count, const uint32_t *indices,
                  uint64_t triangle_count, int low)
{
    RTCDevice device = rtcNewDevice("threads=1");
    RTCScene scene = rtcNewScene(device);
    rtcSetSceneBuildQuality(scene, low ? RTC_BUILD_QUALITY_LOW : RTC_BUILD_QUALITY_MEDIUM);
    RTCGeometry mesh = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_TRIANGLE);
    memcpy(rtcSetNewGeometryBuffer(mesh, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, 12,
                                   vertex_count),
           positions, vertex_count * 12);
    memcpy(rtcSetNewGeometryBuffer(mesh, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, 12,
                                   triangle_count),
           indices, triangle_count * 12);
    rtcCommitGeometry(mesh);
    rtcAttachGeometry(scene, mesh);
    rtcReleaseGeometry(mesh);
    rtcCommitScene(scene);
    rtcReleaseScene(scene);
    rtcReleaseDevice(device);
}

static void drop(void *user)
{
    model *m = user;
    rtcReleaseScene(m->scene);
    rtcReleaseDevice(m->device);
    free(m);
}

/* Its own hierarchy, and the vertices and indices that it keeps. */
static uint64_t bytes(const void *user)
{
    return ((const model *)user)->bytes;
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

/* ---- the closest point ----------------------------------------------------------------------- */

static float dot(const float a[3], const float b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* As in the library's own tutorial; Ericson, Real-Time Collision Detection, 2004, 5.1.5. */
static float distance_to(const float p[3], const float t[3][3])
{
    float e[2][3], to[3][3], d[6], s = 0, r = 0, gap[3];
    for (int a = 0; a < 3; a++) {
        e[0][a] = t[1][a] - t[0][a];
        e[1][a] = t[2][a] - t[0][a];
        for (int k = 0; k < 3; k++)
            to[k][a] = p[a] - t[k][a];
    }
    for (int k = 0; k < 6; k++)
        d[k] = dot(e[k % 2], to[k / 2]);
    const float vc = d[0] * d[3] - d[2] * d[1], vb = d[4] * d[1] - d[0] * d[5];
    const float va = d[2] * d[5] - d[4] * d[3], along = d[3] - d[2], back = d[4] - d[5];
    if (d[2] >= 0 && d[3] <= d[2]) {
        s = 1;
    } else if (d[5] >= 0 && d[4] <= d[5]) {
        r = 1;
    } else if (vc <= 0 && d[0] >= 0 && d[2] <= 0) {
        s = d[0] / (d[0] - d[2]);
    } else if (vb <= 0 && d[1] >= 0 && d[5] <= 0) {
        r = d[1] / (d[1] - d[5]);
    } else if (va <= 0 && along >= 0 && back >= 0) {
        r = along / (along + back);
        s = 1 - r;
    } else if (d[0] > 0 || d[1] > 0) {
        s = vb / (va + vb + vc);
        r = vc / (va + vb + vc);
    }
    for (int a = 0; a < 3; a++)
        gap[a] = to[0][a] - s * e[0][a] - r * e[1][a];
    return sqrtf(dot(gap, gap));
}

static bool visit(struct RTCPointQueryFunctionArguments *args)
{
    const float p[3] = {args->query->x, args->query->y, args->query->z};
    const model *m = args->userPtr;
    const float distance = distance_to(p, m->triangles[args->primID]);
    if (!(distance < args->query->radius))
        return false;
    args->query->radius = distance;
    return true;
}

static double closest(const void *user, const float point[3])
{
    struct RTCPointQueryContext context;
    struct RTCPointQuery query = {.x = point[0], .y = point[1], .z = point[2], .radius = INFINITY};
    rtcInitPointQueryContext(&context);
    rtcPointQuery(((const model *)user)->scene, &query, &context, visit, (void *)user);
    return (double)query.radius;
}

static const peer_rays table = {"Embree", make, drop, bytes, first, any, closest, build};
const peer_rays *const peer_embree = &table;
