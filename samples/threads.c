/* SPDX-License-Identifier: MIT
 * threads: four threads ask one handle the same questions at once and get the same answers.
 * Usage: threads FILE.bvp
 */
#include <bvpack.h>

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { THREADS = 4, POINTS = 500 };

typedef struct worker {
    const bvp_file *file;
    bvp_file_info info;
    bvp_closest_result nearest[POINTS];
    bvp_status status;
    pthread_t thread;
} worker;

/* Points on a spiral around the model; the handle is only read, nothing is locked. */
static void *work(void *user)
{
    worker *w = user;
    bvp_body body = {.file = w->file, .part = BVP_ASSEMBLY};
    for (int i = 0; i < POINTS && w->status == BVP_OK; i++) {
        double point[3], turn[3] = {cos(i * 0.1), sin(i * 0.1), 2.0 * i / POINTS - 1};
        for (int axis = 0; axis < 3; axis++)
            point[axis] = (w->info.lo[axis] + w->info.hi[axis]) / 2 +
                          turn[axis] * (w->info.hi[axis] - w->info.lo[axis]);
        w->status = bvp_closest(&body, point, INFINITY, &w->nearest[i], NULL);
    }
    return NULL;
}

/* Do two workers have the same answers, bit for bit? */
static int same(const worker *a, const worker *b)
{
    for (int i = 0; i < POINTS; i++)
        if (a->nearest[i].distance != b->nearest[i].distance ||
            a->nearest[i].id.triangle != b->nearest[i].id.triangle ||
            memcmp(a->nearest[i].point, b->nearest[i].point, sizeof a->nearest[i].point))
            return 0;
    return 1;
}

int main(int argc, char **argv)
{
    static worker workers[THREADS];
    bvp_file *file;
    bvp_error error;
    if (argc != 2) {
        fprintf(stderr, "usage: threads FILE.bvp\n");
        return 2;
    }
    if (bvp_open(argv[1], NULL, &file, &error)) {
        fprintf(stderr, "threads: %s\n", error.message);
        return 1;
    }
    int failed = 0, running = 0;
    for (; running < THREADS; running++) {
        workers[running].file = file;
        bvp_get_info(file, &workers[running].info);
        if (pthread_create(&workers[running].thread, NULL, work, &workers[running]))
            break;
    }
    for (int i = 0; i < running; i++) {
        pthread_join(workers[i].thread, NULL);
        failed |= workers[i].status != BVP_OK || !same(&workers[0], &workers[i]);
    }
    printf("%d threads, %d closest points each, %s\n", running, POINTS,
           failed ? "answers differ" : "the same answers");
    bvp_close(file);
    return failed || running < THREADS;
}
