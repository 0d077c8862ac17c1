/* SPDX-License-Identifier: MIT
 * report_pictures.c: the pictures of a report, several at once.
 *
 * A picture is drawn by one thread, and threads take pictures from a counter. They are given away
 * in the order in which they were asked for, so reports do not depend on threads.
 */
#include "report/report_pictures.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cli/start_thread.h"
#include "report/report_snapshot.h"
#include "report/report_text.h"

enum { THREADS_MOST = 64 };

typedef struct drawn {
    uint8_t *png;
    size_t size;
    bvp_status status;
} drawn;

struct report_pictures {
    const clash_run *run;
    report_picture_fn take;
    void *user;
    snapshot_subject subjects[REPORT_PICTURES_TOGETHER];
    drawn pictures[REPORT_PICTURES_TOGETHER];
    uint32_t count, given; /* asked for and not drawn; taken */
    uint32_t thread_count;
    snapshot_room *rooms[THREADS_MOST];
    atomic_uint next, next_room;
};

report_pictures *report_pictures_open(const clash_run *run, report_picture_fn take, void *user)
{
    report_pictures *p = calloc(1, sizeof *p);
    const long there = run->thread_count ? (long)run->thread_count : sysconf(_SC_NPROCESSORS_ONLN);
    if (!p)
        return NULL;
    p->run = run;
    p->take = take;
    p->user = user;
    p->thread_count = there < 1 ? 1 : there > THREADS_MOST ? THREADS_MOST : (uint32_t)there;
    return p;
}

static void *work(void *argument)
{
    report_pictures *p = argument;
    const uint32_t number = atomic_fetch_add(&p->next_room, 1);
    assert(number < THREADS_MOST);
    if (!p->rooms[number])
        p->rooms[number] = snapshot_open();
    for (uint32_t i; p->rooms[number] && (i = atomic_fetch_add(&p->next, 1)) < p->count;)
        p->pictures[i].status = report_snapshot(p->rooms[number], &p->subjects[i],
                                                &p->pictures[i].png, &p->pictures[i].size);
    return NULL;
}

bvp_status report_pictures_flush(report_pictures *p)
{
    pthread_t threads[THREADS_MOST];
    uint32_t started = 0;
    bvp_status status = BVP_OK;
    for (uint32_t i = 0; i < p->count; i++)
        p->pictures[i] = (drawn){NULL, 0, BVP_ERR_NO_MEMORY};
    atomic_store(&p->next, 0);
    atomic_store(&p->next_room, 0);
    while (started + 1 < p->thread_count && started + 1 < p->count &&
           start_thread(&threads[started], work, p))
        started++;
    work(p); /* this thread draws as well, so no thread need start */
    while (started > 0)
        pthread_join(threads[--started], NULL);
    for (uint32_t i = 0; i < p->count; i++) {
        drawn *one = &p->pictures[i];
        if (status == BVP_OK)
            status = one->status;
        if (status == BVP_OK && p->take(p->user, p->given++, one->png, one->size) != 0)
            status = BVP_ERR_CANCELLED;
        free(one->png);
    }
    p->count = 0;
    return status;
}

bvp_status report_pictures_add(report_pictures *p, const report_view *view, const clash_row *row)
{
    assert(p->count < REPORT_PICTURES_TOGETHER);
    snapshot_subject *s = &p->subjects[p->count++];
    s->run = p->run;
    memcpy(&s->view, view, sizeof s->view); /* report_snapshot mends the pointers in it */
    s->files[0] = row->a.file;
    s->files[1] = row->b.file;
    s->instances[0] = row->a.instance;
    s->instances[1] = row->b.instance;
    report_measure(p->run, row->pair, s->measure);
    s->has_witnesses = row->pair->verdict == BVP_VERDICT_PENETRATING ||
                       row->pair->verdict == BVP_VERDICT_WITHIN ||
                       row->pair->verdict == BVP_VERDICT_TOUCHING;
    return p->count == REPORT_PICTURES_TOGETHER ? report_pictures_flush(p) : BVP_OK;
}

void report_pictures_close(report_pictures *p)
{
    if (!p)
        return;
    for (int i = 0; i < THREADS_MOST; i++)
        snapshot_close(p->rooms[i]);
    free(p);
}
