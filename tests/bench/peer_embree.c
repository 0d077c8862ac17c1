/* SPDX-License-Identifier: MIT
 * peer_embree.c: Embree of medium quality, usual or compact or robust; rays one a call, in packets
 * and in streams; points.
 */
#include "peer.h"

#include <embree3/rtcore.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#ifdef __SSE__
#include <pmmintrin.h>
#endif

typedef struct model {
    RTCDevice device;
    RTCScene scene;
    const float (*vertices)[3];
    const unsigned (*corners)[3];
    uint64_t bytes;
} model;

static bool count_bytes(void *user, ssize_t bytes, bool post)
{
    (void)post;
    ((model *)user)->bytes += (uint64_t)bytes;
    return true;
}

static void *make_indexed(const float *positions, uint64_t vertex_count, const uint32_t *indices,
                          uint64_t triangle_count, int settings)
{
    model *m = malloc(sizeof *m);
    if (!m)
        abort();
    m->device = rtcNewDevice("threads=1");
    m->bytes = 0;
    rtcSetDeviceMemoryMonitorFunction(m->device, count_bytes, m);
    m->scene = rtcNewScene(m->device);
    rtcSetSceneFlags(m->scene, (settings & PEER_COMPACT ? RTC_SCENE_FLAG_COMPACT : 0) |
                                   (settings & PEER_ROBUST ? RTC_SCENE_FLAG_ROBUST : 0));
    RTCGeometry mesh = rtcNewGeometry(m->device, RTC_GEOMETRY_TYPE_TRIANGLE);
    float *vertices = rtcSetNewGeometryBuffer(mesh, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3,
                                              12, vertex_count);
    unsigned *corners = rtcSetNewGeometryBuffer(mesh, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3,
                                                12, triangle_count);
    memcpy(vertices, positions, vertex_count * 12);
    m->vertices = (const float(*)[3])vertices;
    m->corners = (const unsigned(*)[3])corners;
    for (uint64_t i = 0; i < 3 * triangle_count; i++)
        corners[i] = indices ? indices[i] : (unsigned)i;
    rtcCommitGeometry(mesh);
    rtcAttachGeometry(m->scene, mesh);
    rtcReleaseGeometry(mesh);
    rtcCommitScene(m->scene);
    return m;
}

static void *make(const float *positions, uint64_t triangle_count, int settings)
{
    return make_indexed(positions, 3 * triangle_count, NULL, triangle_count, settings);
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

/* ---- many rays ------------------------------------------------------------------------------- */

static void fill(struct RTCRayHit *hit, const peer_ray *ray)
{
    hit->ray.org_x = ray->origin[0];
    hit->ray.org_y = ray->origin[1];
    hit->ray.org_z = ray->origin[2];
    hit->ray.dir_x = ray->direction[0];
    hit->ray.dir_y = ray->direction[1];
    hit->ray.dir_z = ray->direction[2];
    hit->ray.tnear = 0;
    hit->ray.tfar = ray->t_max;
    hit->ray.time = 0;
    hit->ray.mask = ~0u;
    hit->ray.flags = 0;
    hit->hit.geomID = RTC_INVALID_GEOMETRY_ID;
    hit->hit.instID[0] = RTC_INVALID_GEOMETRY_ID;
}

static void ask_one(RTCScene scene, struct RTCIntersectContext *context, int any_hit,
                    const peer_ray *rays, uint64_t count, float *hits)
{
    struct RTCRayHit hit;
    for (uint64_t i = 0; i < count; i++) {
        fill(&hit, &rays[i]);
        if (any_hit) {
            rtcOccluded1(scene, context, &hit.ray);
            hits[i] = hit.ray.tfar < 0 ? 1 : -1;
        } else {
            rtcIntersect1(scene, context, &hit);
            hits[i] = hit.hit.geomID == RTC_INVALID_GEOMETRY_ID ? -1 : hit.ray.tfar;
        }
    }
}

static void ask_eight(RTCScene scene, struct RTCIntersectContext *context, int any_hit,
                      const peer_ray *rays, uint64_t count, float *hits)
{
    static const int valid[8] __attribute__((aligned(32))) = {-1, -1, -1, -1, -1, -1, -1, -1};
    for (uint64_t i = 0; i < count; i += 8) {
        struct RTCRayHit8 hit;
        for (int k = 0; k < 8; k++) {
            const peer_ray *ray = &rays[i + (uint64_t)k];
            hit.ray.org_x[k] = ray->origin[0];
            hit.ray.org_y[k] = ray->origin[1];
            hit.ray.org_z[k] = ray->origin[2];
            hit.ray.dir_x[k] = ray->direction[0];
            hit.ray.dir_y[k] = ray->direction[1];
            hit.ray.dir_z[k] = ray->direction[2];
            hit.ray.tnear[k] = 0;
            hit.ray.tfar[k] = ray->t_max;
            hit.ray.time[k] = 0;
            hit.ray.mask[k] = ~0u;
            hit.ray.flags[k] = 0;
            hit.hit.geomID[k] = RTC_INVALID_GEOMETRY_ID;
            hit.hit.instID[0][k] = RTC_INVALID_GEOMETRY_ID;
        }
        if (any_hit)
            rtcOccluded8(valid, scene, context, &hit.ray);
        else
            rtcIntersect8(valid, scene, context, &hit);
        for (int k = 0; k < 8; k++)
            hits[i + (uint64_t)k] = any_hit ? (hit.ray.tfar[k] < 0 ? 1.0f : -1.0f)
                                    : hit.hit.geomID[k] == RTC_INVALID_GEOMETRY_ID
                                        ? -1
                                        : hit.ray.tfar[k];
    }
}

static void ask_stream(RTCScene scene, struct RTCIntersectContext *context, int any_hit,
                       const peer_ray *rays, uint64_t count, float *hits)
{
    enum { AT_ONCE = 256 };
    struct RTCRayHit stream[AT_ONCE];
    for (uint64_t from = 0; from < count; from += AT_ONCE) {
        const uint64_t here = count - from < AT_ONCE ? count - from : AT_ONCE;
        for (uint64_t i = 0; i < here; i++)
            fill(&stream[i], &rays[from + i]);
        if (any_hit)
            rtcOccluded1M(scene, context, &stream[0].ray, (unsigned)here, sizeof *stream);
        else
            rtcIntersect1M(scene, context, stream, (unsigned)here, sizeof *stream);
        for (uint64_t i = 0; i < here; i++)
            hits[from + i] = any_hit ? (stream[i].ray.tfar < 0 ? 1.0f : -1.0f)
                             : stream[i].hit.geomID == RTC_INVALID_GEOMETRY_ID ? -1
                                                                               : stream[i].ray.tfar;
    }
}

/* As the manual shows: the context made once, the processor's denormals off. */
static void ask(const void *user, peer_way way, int any_hit, int coherent, const peer_ray *rays,
                uint64_t count, float *hits)
{
    static void (*const ways[])(RTCScene, struct RTCIntersectContext *, int, const peer_ray *,
                                uint64_t, float *) = {ask_one, ask_eight, ask_stream};
    struct RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    if (coherent)
        context.flags = RTC_INTERSECT_CONTEXT_FLAG_COHERENT;
#ifdef __SSE__
    const unsigned control = _mm_getcsr();
    _MM_SET_FLUSH_ZERO_MODE(_MM_FLUSH_ZERO_ON);
    _MM_SET_DENORMALS_ZERO_MODE(_MM_DENORMALS_ZERO_ON);
#endif
    ways[way](((const model *)user)->scene, &context, any_hit, rays, count, hits);
#ifdef __SSE__
    _mm_setcsr(control);
#endif
}

/* ---- the closest point ----------------------------------------------------------------------- */

static float dot(const float a[3], const float b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* As in the library's own tutorial; Ericson, Real-Time Collision Detection, 2004, 5.1.5. */
static float distance_to(const float p[3], const float *const t[3])
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
    const unsigned *corners = m->corners[args->primID];
    const float *const t[3] = {m->vertices[corners[0]], m->vertices[corners[1]],
                               m->vertices[corners[2]]};
    const float distance = distance_to(p, t);
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

static const peer_rays table = {"Embree", make, make_indexed, drop,    bytes,
                                first,    any,  ask,          closest, build};
const peer_rays *const peer_embree = &table;
