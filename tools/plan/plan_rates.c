/* SPDX-License-Identifier: MIT
 * plan_rates.c: rates of formats, and headers that count triangles.
 */
#include "plan/plan_rates.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

/* Formats of curved surfaces have no size a triangle: what their files give varies by a factor of
 * ten, and their import takes longer than the packing. */
const plan_rate plan_rates[] = {
    {"stl", 50, 0.003}, {"obj", 37, 0.008},  {"ply", 19, 0.006}, {"off", 30, 0.008},
    {"glb", 18, 0.002}, {"gltf", 18, 0.003}, {"3mf", 8, 0.05},   {"rvm", 2, 0.1},
    {"step", 40, 1},    {"stp", 40, 1},      {"iges", 60, 1},    {"igs", 60, 1},
    {"ifc", 30, 0.5},   {NULL, 40, 0.05},
};

const plan_rate *plan_rate_of(const char *format, const char *path)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    const char *word = format ? format : dot ? dot + 1 : "";
    const plan_rate *rate = plan_rates;
    while (rate->format && strcasecmp(rate->format, word) != 0)
        rate++;
    return rate;
}

/* In a PLY's header: "element face N". */
static uint64_t count_in_ply(const char *head)
{
    const char *end = strstr(head, "end_header"), *face = strstr(head, "element face ");
    if (strncmp(head, "ply", 3) != 0 || !face || (end && face > end))
        return 0;
    const long long count = strtoll(face + strlen("element face "), NULL, 10);
    return count > 0 ? (uint64_t)count : 0;
}

uint64_t plan_count_triangles(const char *path, uint64_t size)
{
    enum { STL_HEAD = 84, STL_FACET = 50, HEAD_MAX = 4096 };
    char head[HEAD_MAX + 1];
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    const ssize_t got = fd < 0 ? -1 : pread(fd, head, HEAD_MAX, 0);
    if (fd >= 0)
        close(fd);
    if (got < STL_HEAD)
        return 0;
    head[got] = '\0';
    uint8_t n[4];
    memcpy(n, head + STL_HEAD - 4, sizeof n);
    const uint64_t count = n[0] | (uint64_t)n[1] << 8 | (uint64_t)n[2] << 16 | (uint64_t)n[3] << 24;
    if (size == STL_HEAD + STL_FACET * count)
        return count;
    const uint64_t faces = count_in_ply(head);
    return faces <= size ? faces : 0; /* a face takes more than a byte */
}
