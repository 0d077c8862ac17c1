/* SPDX-License-Identifier: MIT
 * verify_file.c: the verifier: checks every rule, also of files that cannot be opened.
 *
 * Rules are checked chapter by chapter. After a violation the check goes on wherever what follows
 * can still be read safely, so one run reports everything. A check that needs an earlier rule to be
 * memory-safe is skipped if that rule is violated. Work is linear: bytes that two records claim are
 * read once.
 *
 * Held by tests/property/test_verify.c: for every rule a mutation that violates it.
 * Spec: format.md, all numbered rules
 */
#include "format/check/verify_file.h"

#include "base/checked.h"
#include "base/parallel.h"
#include "format/advise.h"
#include "format/attached.h"
#include "format/header.h"
#include "format/source.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The header's sums over the whole file. */
static void verify_totals(bvpi_verify *v)
{
    const bvpd_header *h = &v->file.header;
    const bvpi_span *parts = &v->file.section[BVPD_PART], *data = &v->file.section[BVPD_DATA];
    const bvpi_span *instances = &v->file.section[BVPD_INST];
    uint64_t unique = 0, total = 0;
    for (uint64_t i = 0; i < parts->count; i++)
        unique += ((const bvpd_part *)parts->data)[i].triangle_count;
    for (uint64_t i = 0; i < instances->count; i++) {
        const uint32_t part = bvpi_load_u32(instances->data + i * sizeof(bvpd_instance) +
                                            offsetof(bvpd_instance, part));
        if (part < parts->count)
            total += ((const bvpd_part *)parts->data)[part].triangle_count;
    }
    BVPI_SOUND(&v->report, "HDR-19", offsetof(bvpd_header, unique_triangle_count),
               h->unique_triangle_count == unique,
               "unique_triangle_count is %" PRIu64 "; the parts have %" PRIu64,
               h->unique_triangle_count, unique);
    BVPI_SOUND(
        &v->report, "HDR-20", offsetof(bvpd_header, triangle_count), h->triangle_count == total,
        "triangle_count is %" PRIu64 "; the instances have %" PRIu64, h->triangle_count, total);
    bvpi_verify_string_ref(v, offsetof(bvpd_header, store), h->store);
    BVPI_SOUND(&v->report, "HDR-24", offsetof(bvpd_header, store),
               h->store == 0 || (h->feature_incompatible & BVPD_FEATURE_THIN) != 0,
               "a file that holds its parts names a store");
    BVPI_SOUND(&v->report, "HDR-21", offsetof(bvpd_header, hierarchy_size),
               h->hierarchy_size == v->sums.node_bytes + v->file.section[BVPD_BINH].size &&
                   h->geometry_size == data->size - v->sums.part_nodes * BVPD_UNIT &&
                   h->id_size == v->file.section[BVPD_TIDS].size,
               "the sizes by purpose are not %" PRIu64 ", %" PRIu64 " and %" PRIu64,
               v->sums.node_bytes + v->file.section[BVPD_BINH].size,
               data->size - v->sums.part_nodes * BVPD_UNIT, v->file.section[BVPD_TIDS].size);
}

/* Buffers of a file that is not open: those of the GLB that it lies in. */
static void open_buffers(bvpi_verify *v, const bvpi_span *chunk, bvp_error *error)
{
    bvp_error said = {.status = BVP_OK};
    v->file.chunk = *chunk;
    const bvp_status status = bvpi_outside_open(&v->file, &said);
    if (status == BVP_OK || status == BVP_ERR_CORRUPT)
        return; /* what is wrong is found below */
    v->report.status = status;
    v->report.stopped = true;
    if (error)
        *error = said;
}

/* opened: the file whose bytes these are, or NULL. options->callback is in *report. */
static bvp_status verify_bytes(const bvpi_span *bytes, const bvpi_span *chunk,
                               const bvp_file *opened, const bvp_verify_options *options,
                               bvpi_report *report)
{
    const uint8_t *data = bytes->data;
    const size_t size = (size_t)bytes->size;
    if ((uintptr_t)data % BVPD_SECTION_ALIGN != 0)
        return bvpi_error_set(report->error, BVP_ERR_ARGUMENT, BVPI_NO_OFFSET, "",
                              "the memory is not aligned to 64 bytes");
    bvpi_verify *v = calloc(1, sizeof *v);
    if (!v)
        return bvpi_error_memory(report->error, sizeof *v);
    v->report = *report;
    v->control = options->control;
    v->thread_count = options->thread_count ? options->thread_count : bvpi_cpu_count();
    if (v->control && v->control->budget != 0)
        v->thread_count = 1; /* it is counted on one thread */
    if (bvpi_check_identity(data, size, &v->report)) {
        bvpi_map_unchecked(data, size, &v->file);
        void (*const chapters[])(bvpi_verify *) = {
            bvpi_verify_framing, bvpi_verify_strings, bvpi_verify_buffer_records,
            bvpi_verify_parts,   bvpi_verify_tree,    bvpi_verify_instances,
            verify_totals};
        bvpi_check_header(&v->file.header, v->file.base, v->file.size, &v->report);
        if (opened)
            v->file.outside = opened->outside;
        else
            open_buffers(v, chunk, report->error);
        for (size_t i = 0;
             i < sizeof chapters / sizeof *chapters && bvpi_report_goes_on(&v->report); i++)
            chapters[i](v);
        bvpi_bits_free(&v->strings);
        bvpi_bits_free(&v->linears);
        free(v->trials);
        if (!opened)
            bvpi_outside_close(&v->file);
    }
    bvp_status status = v->report.status;
    free(v);
    return status;
}

bvp_status bvp_verify_with(const void *data, size_t size, const bvp_verify_options *options,
                           bvp_error *error)
{
    static const bvp_verify_options defaults = {0};
    if (!options)
        options = &defaults;
    for (size_t i = 0; i < sizeof options->reserved / sizeof *options->reserved; i++)
        if (options->reserved[i] != 0)
            return bvpi_error_set(error, BVP_ERR_ARGUMENT, BVPI_NO_OFFSET, "",
                                  "bvp_verify_options.reserved is not zero");
    bvpi_meter meter;
    bvpi_span chunk = {NULL, 0, 0};
    if (size >= 12 && bvpi_is_glb(data)) {
        const bvp_status status = bvpi_enter_glb(&data, &size, &chunk, error);
        if (status != BVP_OK)
            return status;
    }
    bvpi_report report = {.callback = options->callback,
                          .user = options->user,
                          .error = error,
                          .meter = bvpi_meter_init(&meter, options->control)};
    return verify_bytes(&(bvpi_span){data, size, 0}, &chunk, NULL, options, &report);
}

/* Buffers that nobody has bound are not here, and need not be. */
static bvp_status fetch_all(const bvp_file *file)
{
    const bvp_status status = bvpi_source_fetch_all(file);
    return status == BVP_OK ? bvpi_outside_fetch_all(file) : status;
}

static bvp_status verify_part(const bvp_file *file, uint32_t part, bvp_finding_fn callback,
                              void *user, bvp_error *error)
{
    const bvp_file *asked = file;
    bvpi_meter meter;
    const uint32_t number = part;
    if (part >= file->section[BVPD_PART].count)
        return bvpi_error_set(error, BVP_ERR_ARGUMENT, BVPI_NO_OFFSET, "",
                              "there is no part %" PRIu32, part);
    bvp_status status = fetch_all(file);
    if (status != BVP_OK)
        return bvpi_source_explain(file, error);
    status = bvpi_resolve(&file, &part);
    if (status != BVP_OK)
        return bvpi_thin_explain(asked, number, status, error);
    bvpi_verify *v = calloc(1, sizeof *v);
    if (!v)
        return bvpi_error_memory(error, sizeof *v);
    v->report = (bvpi_report){.callback = callback,
                              .user = user,
                              .error = error,
                              .meter = bvpi_meter_init(&meter, asked->control)};
    v->file = *file;
    bvpi_verify_part_alone(v, part);
    status = v->report.status;
    free(v);
    return status;
}

bvp_status bvp_verify_part(const bvp_file *file, uint32_t part, bvp_finding_fn callback, void *user,
                           bvp_error *error)
{
    bvpi_call call = bvpi_call_begin(file, NULL);
    return bvpi_call_end(&call, verify_part(file, part, callback, user, error));
}

bvp_status bvp_verify(const void *data, size_t size, bvp_finding_fn callback, void *user,
                      bvp_error *error)
{
    const bvp_verify_options options = {.thread_count = 1, .callback = callback, .user = user};
    return bvp_verify_with(data, size, &options, error);
}

bvp_status bvp_verify_file(const bvp_file *file, bvp_finding_fn callback, void *user,
                           bvp_error *error)
{
    bvpi_call call = bvpi_call_begin(file, NULL);
    bvp_status status = fetch_all(file);
    if (status != BVP_OK)
        return bvpi_call_end(&call, bvpi_source_explain(file, error));
    bvpi_advise_scan(file, true);
    bvpi_meter meter;
    bvpi_report report = {.callback = callback,
                          .user = user,
                          .error = error,
                          .meter = bvpi_meter_init(&meter, file->control)};
    const bvp_verify_options options = {.control = file->control, .thread_count = 1};
    status = verify_bytes(&(bvpi_span){file->base, file->size, 0}, NULL, file, &options, &report);
    bvpi_advise_scan(file, false);
    return bvpi_call_end(&call, status);
}
