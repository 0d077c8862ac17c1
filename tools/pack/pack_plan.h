/* SPDX-License-Identifier: MIT
 * pack_plan.h: the options of packing, and what they mean. Both are constant while models are read
 * and built.
 */
#ifndef PACK_PLAN_H
#define PACK_PLAN_H

#include "bvpack_build.h"
#include "text/json.h"
#include "text/json_tree.h"
#include "pack/shard.h"

/* As they stand on the command line. */
typedef struct pack_settings {
    const char *output, *unit, *up, *format, *hierarchy, *split, *fit, *offset_bits, *chord, *store;
    const char *shard, *assume_unit;
    const char *memory, *temporary, *state;
    const char *urdf, *joints, *package_path;
    double angle;           /* degrees; 0: the default */
    double import_timeout;  /* seconds; 0: by the model's size */
    uint64_t import_memory; /* MiB; 0: by the model's size */
    uint64_t jobs, leaf, planes;
    int quiet, json, no_ids, drop_invalid, deformable, fast, small, any_path, thin, reread,
        trust_store, digests, rays;
    int keep_strays, asset_numbers, share, ifc_spaces, deal;
} pack_settings;

enum { PACK_HIERARCHIES = 5 };

typedef struct pack_plan {
    const pack_settings *set;
    shard_number shard;    /* count 0: everything is packed */
    double unit_in_metres; /* of --unit; 0: the models' own */
    double chord;          /* mm; 0: the default */
    uint64_t memory;       /* bytes; 0: models are read into memory */
    bvp_hierarchy_spec hierarchies[PACK_HIERARCHIES];
    uint32_t hierarchy_count;
} pack_plan;

/* ---- pack_plan.c ----------------------------------------------------------------------------- */

/* Reads unit, chord and hierarchies from plan->set. Returns the exit code. */
int pack_plan_read(pack_plan *plan);
/* What every part is built with. */
bvp_build_options pack_plan_build_options(const pack_plan *plan);

/* ---- pack_settings.c ------------------------------------------------------------------------- */

/* The settings that the bytes of the output depend on. */
void pack_settings_as_json(json *out, const char *key, const pack_settings *set);
/* Reads them back, with `quiet` set; texts stay the tree's. 0, or -1 when one is missing or wrong.
 */
int pack_settings_from_json(const json_value *object, pack_settings *out);

#endif
