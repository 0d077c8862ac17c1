/* SPDX-License-Identifier: MIT
 * import_thread.c: an importer that runs in a thread of its own.
 *
 * There are two batches: the importer fills one while the other is read. A batch belongs to the
 * importer while it is free, and to the reader while it is full; `lock` guards which is which. The
 * importer waits for a free batch, the reader for a full one or the importer's end.
 *
 * The importer reads mapped bytes. Their pages are taken from the process after each batch and each
 * report of progress, so that few are in memory at a time; whatever is still needed comes back.
 */
#include "stream/import_thread.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "cli/start_thread.h"
#include "model/triangle_sink.h"

enum { BATCH = 4096, BATCHES = 2 };

typedef struct batch {
    void *corners;
    uint32_t *ids;
    size_t count; /* 0: it is free */
} batch;

struct import_thread {
    const mapped_model *from;
    import_options options;
    triangle_sink sink;
    batch batches[BATCHES];
    int filling;   /* the importer's */
    int reading;   /* the reader's */
    size_t read;   /* triangles of that batch that have gone out */
    int is_double; /* set when it has begun */
    uint64_t total;
    model model; /* the importer's until it has ended */
    bvp_error error;
    bvp_status status;
    pthread_t thread;
    int is_started;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int has_begun, has_ended, is_stopped; /* guarded by lock */
    uint64_t done, whole;                 /* progress; atomic */
};

static import_thread *of(triangle_sink *sink)
{
    return (import_thread *)((char *)sink - offsetof(import_thread, sink));
}

static void release_pages(const import_thread *t)
{
    /* data is the start of a mapping: page-aligned */
    madvise((void *)t->from->data, t->from->size, MADV_DONTNEED);
}

/* ---- the importer's side --------------------------------------------------------------------- */

static int begin(triangle_sink *sink, uint64_t total)
{
    import_thread *t = of(sink);
    pthread_mutex_lock(&t->lock);
    t->is_double = sink->is_double;
    t->total = total;
    t->has_begun = 1;
    pthread_cond_broadcast(&t->changed);
    const int is_stopped = t->is_stopped;
    pthread_mutex_unlock(&t->lock);
    return is_stopped;
}

static int flush(triangle_sink *sink)
{
    import_thread *t = of(sink);
    release_pages(t);
    pthread_mutex_lock(&t->lock);
    t->batches[t->filling].count = sink->count;
    t->filling = (t->filling + 1) % BATCHES;
    pthread_cond_broadcast(&t->changed);
    while (t->batches[t->filling].count > 0 && !t->is_stopped)
        pthread_cond_wait(&t->changed, &t->lock);
    const int is_stopped = t->is_stopped;
    pthread_mutex_unlock(&t->lock);
    sink->corners = t->batches[t->filling].corners;
    sink->ids = t->batches[t->filling].ids;
    sink->count = 0;
    return is_stopped;
}

static void note_progress(void *user, const char *stage, uint64_t done, uint64_t total)
{
    import_thread *t = user;
    (void)stage;
    __atomic_store_n(&t->done, done, __ATOMIC_RELAXED);
    __atomic_store_n(&t->whole, total, __ATOMIC_RELAXED);
    release_pages(t);
}

static void *import_model(void *argument)
{
    import_thread *t = argument;
    const bvp_status status = model_import_memory(t->from->data, t->from->size, t->from->name,
                                                  t->from->dir, &t->options, &t->model, &t->error);
    release_pages(t);
    pthread_mutex_lock(&t->lock);
    t->status = status;
    t->has_ended = 1;
    pthread_cond_broadcast(&t->changed);
    pthread_mutex_unlock(&t->lock);
    return NULL;
}

/* ---- the reader's side ----------------------------------------------------------------------- */

static bvp_status no_memory(bvp_error *error)
{
    *error = (bvp_error){.status = BVP_ERR_NO_MEMORY,
                         .offset = UINT64_MAX,
                         .message = "out of memory, or of threads, to read the model with"};
    return BVP_ERR_NO_MEMORY;
}

bvp_status import_thread_open(const mapped_model *from, const import_options *options,
                              const char *folder, import_thread **out, bvp_error *error)
{
    import_thread *t = calloc(1, sizeof *t);
    *out = NULL;
    if (!t)
        return no_memory(error);
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->changed, NULL);
    t->from = from;
    t->options = *options;
    t->options.sink = &t->sink;
    t->options.strays = MODEL_STRAYS_IGNORE;
    t->options.progress = note_progress;
    t->options.progress_user = t;
    int is_complete = 1;
    for (int i = 0; i < BATCHES; i++) {
        t->batches[i].corners = malloc(BATCH * 9 * sizeof(double));
        t->batches[i].ids = malloc(BATCH * sizeof *t->batches[i].ids);
        is_complete &= t->batches[i].corners && t->batches[i].ids;
    }
    t->sink = (triangle_sink){.corners = t->batches[0].corners,
                              .ids = t->batches[0].ids,
                              .capacity = BATCH,
                              .begin = begin,
                              .flush = flush,
                              .folder = folder};
    t->is_started = is_complete && start_thread(&t->thread, import_model, t);
    if (!t->is_started) {
        import_thread_close(t);
        return no_memory(error);
    }
    pthread_mutex_lock(&t->lock);
    while (!t->has_begun && !t->has_ended)
        pthread_cond_wait(&t->changed, &t->lock);
    const bvp_status status = t->has_begun ? BVP_OK : t->status;
    pthread_mutex_unlock(&t->lock);
    if (status != BVP_OK) {
        *error = t->error;
        import_thread_close(t);
        return status;
    }
    assert(t->has_begun); /* a model without triangles is refused */
    *out = t;
    return BVP_OK;
}

void import_thread_close(import_thread *t)
{
    if (!t)
        return;
    if (t->is_started) {
        pthread_mutex_lock(&t->lock);
        t->is_stopped = 1;
        pthread_cond_broadcast(&t->changed);
        pthread_mutex_unlock(&t->lock);
        pthread_join(t->thread, NULL);
        if (t->status == BVP_OK)
            model_free(&t->model);
    }
    for (int i = 0; i < BATCHES; i++) {
        free(t->batches[i].corners);
        free(t->batches[i].ids);
    }
    pthread_cond_destroy(&t->changed);
    pthread_mutex_destroy(&t->lock);
    free(t);
}

int import_thread_is_double(const import_thread *t)
{
    return t->is_double;
}

uint64_t import_thread_total(const import_thread *t)
{
    return t->total;
}

model *import_thread_model(import_thread *t)
{
    return &t->model;
}

void import_thread_progress(const import_thread *t, uint64_t *done, uint64_t *total)
{
    *done = __atomic_load_n(&t->done, __ATOMIC_RELAXED);
    *total = __atomic_load_n(&t->whole, __ATOMIC_RELAXED);
}

bvp_status import_thread_next(import_thread *t, void *corners, uint32_t *ids, size_t most,
                              size_t *count, bvp_error *error)
{
    const size_t width = 9 * (t->is_double ? sizeof(double) : sizeof(float));
    size_t taken = 0;
    *count = 0;
    while (taken < most) {
        batch *from = &t->batches[t->reading];
        pthread_mutex_lock(&t->lock);
        while (from->count == 0 && !t->has_ended)
            pthread_cond_wait(&t->changed, &t->lock);
        const size_t full = from->count;
        pthread_mutex_unlock(&t->lock);
        if (full == 0) /* it has ended, and all batches are read */
            break;
        assert(t->read < full);
        const size_t now = full - t->read < most - taken ? full - t->read : most - taken;
        memcpy((char *)corners + taken * width, (char *)from->corners + t->read * width,
               now * width);
        if (ids)
            memcpy(ids + taken, from->ids + t->read, now * sizeof *ids);
        taken += now;
        t->read += now;
        if (t->read < full)
            continue;
        t->read = 0;
        t->reading = (t->reading + 1) % BATCHES;
        pthread_mutex_lock(&t->lock);
        from->count = 0;
        pthread_cond_broadcast(&t->changed);
        pthread_mutex_unlock(&t->lock);
    }
    if (taken < most && t->status != BVP_OK) {
        *error = t->error;
        return t->status;
    }
    *count = taken;
    return BVP_OK;
}
