/* SPDX-License-Identifier: MIT
 * pack_input.c: reads the models of the command line, whose meshes a sink may take at once, and
 * determines the unit and up axis of the whole.
 */
#include "pack/pack_input.h"

#include <assert.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "files/packed_file.h"
#include "text/message.h"
#include "cli/start_thread.h"
#include "cli/units.h"

enum { HASH_BESIDE = 1 << 20 }; /* bytes; fewer are not worth a thread */

/* ---- the sources ---------------------------------------------------------------------------- */

int pack_input_name(pack_input *in, char **paths, int count)
{
    int complete = 1;
    *in =
        (pack_input){.sources = calloc((size_t)count, sizeof *in->sources), .source_count = count};
    for (int i = 0; in->sources && i < count; i++) {
        pack_source *s = &in->sources[i];
        s->path = paths[i];
        s->kept = (input){.fd = -1};
        s->name = base_name(paths[i]);
        /* everything before the extension; a name that is only an extension stays whole */
        const char *dot = strrchr(s->name, '.');
        s->title =
            dot && dot > s->name ? strndup(s->name, (size_t)(dot - s->name)) : strdup(s->name);
        complete &= s->title != NULL;
    }
    if (in->sources && complete)
        return 0;
    return complain_memory();
}

void pack_input_free(pack_input *in)
{
    for (int i = 0; in->sources && i < in->source_count; i++) {
        model_free(&in->sources[i].contents);
        input_close(&in->sources[i].kept);
        free(in->sources[i].title);
    }
    free(in->sources);
}

/* ---- reading ------------------------------------------------------------------------------- */

int pack_failure(const char *path, bvp_status status, const bvp_error *error, int store_code)
{
    complain(message_names(error->message, path) ? NULL : path, "%s",
             error->message[0] ? error->message : bvp_status_name(status));
    if (status == BVP_ERR_SYSTEM && store_code != 0)
        return store_code;
    return status == BVP_ERR_NO_MEMORY || status == BVP_ERR_LIMIT ? EXIT_LIMIT : EXIT_INPUT;
}

/* The source's identity, which is not needed before the file is written. */
typedef struct hashing {
    const input *in;
    uint8_t *hash;
    pthread_t thread;
} hashing;

static void *hash_source(void *argument)
{
    const hashing *h = argument;
    bvp_hash(h->in->data, h->in->size, h->hash);
    return NULL;
}

import_options pack_import_options(const pack_plan *plan, const pack_source *s, progress *bar)
{
    return (import_options){.thread_count = (uint32_t)plan->set->jobs,
                            .drop_invalid = plan->set->drop_invalid,
                            .format = plan->set->format,
                            .pipe_dir = ".",
                            .any_path = plan->set->any_path,
                            .is_with_spaces = plan->set->ifc_spaces,
                            .urdf_visual = plan->set->urdf && *plan->set->urdf == 'v',
                            .joints = plan->set->joints,
                            .strays = plan->set->deformable || plan->set->keep_strays
                                          ? MODEL_STRAYS_KEEP
                                          : MODEL_STRAYS_PART,
                            .is_over_buffers = plan->set->share,
                            .package_path = plan->set->package_path,
                            .chord = plan->chord,
                            .angle = plan->set->angle,
                            .path = strcmp(s->path, "-") ? s->path : NULL,
                            .seconds = plan->set->import_timeout,
                            .megabytes = plan->set->import_memory,
                            .progress = progress_update,
                            .progress_user = bar};
}

int pack_input_read(pack_input *in, const pack_plan *plan, const pack_sink *sink, progress *bar,
                    const int *store_code)
{
    for (int i = 0; i < in->source_count; i++) {
        pack_source *s = &in->sources[i];
        char folder[4096];
        const int is_stdin = strcmp(s->path, "-") == 0;
        bvp_error error = {0};
        bvp_status status;
        input file;

        bvp_file *packed;
        if (packed_open(s->path, NULL, &packed, NULL) == BVP_OK) {
            bvp_close(packed);
            complain(s->path, "is a packed file already; \"bvpack info\" shows what is in it");
            return EXIT_INPUT;
        }
        const int code = input_open(&file, s->path);
        if (code != 0)
            return code;
        if (folder_of(s->path, folder, sizeof folder) != 0)
            folder[0] = '\0';
        const pack_bytes from = {.file = &file,
                                 .label = is_stdin ? "standard input" : s->path,
                                 .dir = is_stdin ? NULL : folder};
        import_options options = pack_import_options(plan, s, bar);
        options.file = file.fd >= 0 ? &file.fd : NULL;
        options.is_share = plan->shard.count > 0;
        s->size = file.size;
        if (sink) {
            status = sink->take(sink->user, s, &from, &options, &error);
        } else {
            hashing h = {.in = &file, .hash = s->hash};
            const int is_beside = options.thread_count != 1 && file.size >= HASH_BESIDE &&
                                  start_thread(&h.thread, hash_source, &h);
            status = model_import_memory(file.data, file.size, from.label, from.dir, &options,
                                         &s->contents, &error);
            if (is_beside)
                pthread_join(h.thread, NULL);
            else
                hash_source(&h);
        }
        if (plan->set->share)
            s->kept = file;
        else
            input_close(&file);
        if (status == BVP_OK && plan->set->share && s->contents.buffer_count == 0) {
            complain(from.label,
                     "--share needs a GLB with triangles in its binary chunk, found "
                     "%s without; pack it without --share",
                     s->contents.format);
            return EXIT_INPUT;
        }
        if (status != BVP_OK)
            return pack_failure(from.label, status, &error, store_code ? *store_code : 0);
    }
    if (!plan->set->joints)
        return 0;
    /* Joint values for models without joints mean a wrong name or a wrong file: nothing would turn.
     */
    int has_joints = 0;
    for (int i = 0; i < in->source_count && !has_joints; i++)
        has_joints = strcmp(in->sources[i].contents.format, "URDF") == 0;
    if (has_joints)
        return 0;
    complain("--joints", "expected a robot (URDF), which has joints, found %s (%s)",
             in->sources[0].name, in->sources[0].contents.format);
    return EXIT_USAGE;
}

/* ---- the whole ------------------------------------------------------------------------------ */

int pack_input_settle(pack_input *in, const pack_plan *plan)
{
    static const char axes[] = "xyz";
    const pack_settings *set = plan->set;
    int code = 0, known = 0;
    assert(in->source_count > 0);
    for (int i = 0; i < in->source_count && code == 0; i++) {
        bvp_file_info info = {.unit_in_metres = in->sources[i].contents.unit_in_metres};
        code = units_assume(set->assume_unit, &info);
        in->sources[i].contents.unit_in_metres = info.unit_in_metres;
    }
    /* The unit and up axis of the whole: from the options, else from the first model that has them.
     */
    in->unit_in_metres = plan->unit_in_metres;
    assert(!set->up || (strlen(set->up) == 1 && strchr(axes, set->up[0])));
    in->up = set->up ? (bvp_up)(BVP_UP_X + (strchr(axes, set->up[0]) - axes)) : BVP_UP_UNKNOWN;
    for (int i = in->source_count - 1; i >= 0; i--) {
        const model *m = &in->sources[i].contents;
        if (!set->unit && m->unit_in_metres > 0)
            in->unit_in_metres = m->unit_in_metres;
        if (!set->up && m->up != BVP_UP_UNKNOWN)
            in->up = m->up;
    }
    /* A model in another unit is scaled by its node's placement. One without a unit beside one that
     * has it is easily a thousand times too large or small: units_scale refuses it. */
    const bvp_file_info whole = {.unit_in_metres = in->unit_in_metres};
    while (known < in->source_count - 1 && in->sources[known].contents.unit_in_metres == 0)
        known++;
    for (int i = 0; i < in->source_count && code == 0; i++) {
        pack_source *s = &in->sources[i];
        const bvp_file_info own = {.unit_in_metres = s->contents.unit_in_metres};
        s->scale = 1;
        if (!set->unit)
            code = units_scale(in->sources[known].path, &whole, s->path, &own, &s->scale);
        in->tolerance = fmax(in->tolerance, s->scale * s->contents.tolerance);
    }
    return code;
}
