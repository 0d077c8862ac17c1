/* SPDX-License-Identifier: MIT
 * pack_build.h: packs the models that were read into one file.
 */
#ifndef PACK_BUILD_H
#define PACK_BUILD_H

#include "pack/pack_input.h"
#include "pack/pack_store.h"

/* Where meshes that are packed already lie. */
typedef struct pack_finder {
    void *user;
    /* A file that has the mesh as a part, and the part's number there; or NULL. *stays: it is open
     * until the end; else until the next call. */
    const bvp_file *(*find)(void *user, const model_mesh *mesh, uint32_t *part, int *stays);
} pack_finder;

typedef struct pack_output {
    const char *path;
    pack_store *store; /* or NULL */
    progress *bar;
} pack_output;

/* Builds the file from the input, which is settled, and whose meshes are freed on the way. finder:
 * of meshes that are packed; or NULL: there are none. Returns the exit code. */
int pack_build(pack_input *in, const pack_plan *plan, const pack_finder *finder,
               const pack_output *out, bvp_build_report *report);
/* The same for one model that is read as a stream of triangles, in plan->memory. Fills in the
 * source. */
int pack_build_stream(pack_input *in, const pack_plan *plan, const pack_output *out,
                      bvp_build_report *report);
/* A hash of everything that is read: the options that are read by, then each file in turn. hash:
 * zeros at first. assume_unit: or NULL. */
void pack_begin_hash(uint8_t hash[16], const char *assume_unit, int keep_strays, int asset_numbers);
void pack_add_to_hash(uint8_t chain[16], const char *name, uint64_t size, const uint8_t hash[16]);
/* Finishes the builder as out->path. Returns the exit code. */
int pack_write(bvp_builder *builder, const pack_output *out, bvp_build_report *report);

#endif
