/* SPDX-License-Identifier: MIT
 * pack_report.c: what a file was made of, and the result of packing: provenance and summary.
 */
#include "pack/pack_report.h"

#include <assert.h>
#include <string.h>
#include "import/import_process.h"
#include "text/json.h"
#include "text/keyword.h"
#include "text/memory_text.h"
#include "text/message.h"

/* ---- provenance ---------------------------------------------------------------------------- */

static void write_warnings(json *out, const pack_input *in)
{
    jsonw_array(out, "warnings");
    for (int i = 0; i < in->source_count; i++)
        for (uint32_t k = 0; k < in->sources[i].contents.warning_count; k++) {
            jsonw_inline_object(out, NULL);
            jsonw_text(out, "source", in->sources[i].name);
            jsonw_text(out, "text", in->sources[i].contents.warnings[k].text);
            jsonw_count(out, "count", in->sources[i].contents.warnings[k].count);
            jsonw_end(out);
        }
    jsonw_end(out);
}

/* Each with the files that it needs besides its own. */
static void write_sources(json *out, const pack_input *in)
{
    jsonw_array(out, "sources");
    for (int i = 0; i < in->source_count; i++) {
        const pack_source *s = &in->sources[i];
        const model *m = &s->contents;
        jsonw_inline_object(out, NULL);
        jsonw_text(out, "name", s->name);
        jsonw_count(out, "size", s->size);
        jsonw_hex(out, "hash", s->hash, sizeof s->hash);
        jsonw_text(out, "format", m->format);
        if (m->file_count > 0)
            jsonw_array(out, "files");
        for (uint32_t k = 0; k < m->file_count; k++) {
            jsonw_object(out, NULL);
            jsonw_text(out, "name", m->files[k].name);
            jsonw_count(out, "size", m->files[k].size);
            jsonw_hex(out, "hash", m->files[k].hash, sizeof m->files[k].hash);
            jsonw_end(out);
        }
        if (m->file_count > 0)
            jsonw_end(out);
        jsonw_end(out);
    }
    jsonw_end(out);
}

/* Only what the bytes of the output depend on: no folders, no dates, no thread count. */
int pack_provenance(const pack_input *in, const pack_plan *plan, char **provenance)
{
    memory_text text;
    json out;
    if (!memory_text_open(&text))
        return complain_memory();
    jsonw_start(&out, text.out, 0);
    jsonw_object(&out, NULL);
    jsonw_text(&out, "program", "bvpack");
    jsonw_text(&out, "version", bvp_version());
    write_sources(&out, in);
    jsonw_object(&out, "options");
    jsonw_bool(&out, "ids", !plan->set->no_ids);
    jsonw_bool(&out, "drop_invalid", plan->set->drop_invalid);
    jsonw_count(&out, "leaf_size", plan->set->leaf);
    jsonw_array(&out, "hierarchies");
    for (uint32_t i = 0; i < plan->hierarchy_count; i++) {
        const bvp_hierarchy_spec *s = &plan->hierarchies[i];
        jsonw_inline_object(&out, NULL);
        jsonw_text(&out, "kind", kind_name(s->kind));
        jsonw_text(&out, "split", split_name(s->split));
        if (s->fit != BVP_FIT_DEFAULT)
            jsonw_text(&out, "fit", fit_name(s->fit));
        if (s->plane_max > 0)
            jsonw_count(&out, "planes", s->plane_max);
        if (s->offset_size > 0)
            jsonw_count(&out, "offset_bits", 8 * (uint64_t)s->offset_size);
        jsonw_end(&out);
    }
    jsonw_end(&out);
    jsonw_bool(&out, "deformable", plan->set->deformable);
    if (plan->set->rays)
        jsonw_bool(&out, "rays", 1);
    if (plan->set->share)
        jsonw_bool(&out, "share", 1);
    if (plan->set->keep_strays)
        jsonw_bool(&out, "keep_strays", 1);
    if (plan->set->ifc_spaces)
        jsonw_bool(&out, "ifc_spaces", 1);
    if (plan->set->asset_numbers)
        jsonw_bool(&out, "asset_numbers", 1);
    jsonw_text(&out, "unit", plan->set->unit);
    if (plan->set->assume_unit)
        jsonw_text(&out, "assume_unit", plan->set->assume_unit);
    jsonw_text(&out, "up", plan->set->up);
    jsonw_text(&out, "format", plan->set->format);
    jsonw_text(&out, "urdf", plan->set->urdf);
    jsonw_text(&out, "joints", plan->set->joints);
    if (in->tolerance > 0) {
        jsonw_number(&out, "chord", plan->chord > 0 ? plan->chord : IMPORT_CHORD);
        jsonw_number(&out, "angle", plan->set->angle > 0 ? plan->set->angle : IMPORT_ANGLE);
    }
    jsonw_end(&out);
    write_warnings(&out, in);
    jsonw_end(&out);
    const int failed = memory_text_close(&text) != 0;
    *provenance = text.data;
    return failed ? complain_memory() : 0;
}

/* ---- the summary ---------------------------------------------------------------------------- */

/* How much had been packed before. */
static void summarise_store(FILE *out, const pack_result *r)
{
    char a[64], b[64];
    if (!r->store)
        return;
    fprintf(out, "  store           %s packed now, %s known;",
            counted(r->store->new_part_count, "part", a), grouped(r->store->known_part_count, b));
    fprintf(out, " %s of %s unchanged", grouped(r->store->unchanged_file_count, a),
            counted(r->store->file_count, "source file", b));
    fprintf(out, ", %s of them by their times\n", grouped(r->store->unread_file_count, a));
}

static void summarise_shard(FILE *out, const pack_result *r)
{
    const shard_counts *shard = r->share;
    char a[32], b[64];
    if (shard->number.count == 0)
        return;
    const int is_model = shard->mesh_count > 0;
    fprintf(out, "  share           %u of %u: %s of ", shard->number.index, shard->number.count,
            grouped(is_model ? shard->own_mesh_count : shard->own_file_count, a));
    if (is_model)
        fprintf(out, "%s %s\n", grouped(shard->mesh_count, b),
                shard->mesh_count == 1 ? "mesh" : "meshes");
    else
        fprintf(out, "%s\n", counted(shard->file_count, "file", b));
}

void pack_summarise(FILE *out, const pack_result *r, const char *path)
{
    const bvp_build_report *report = &r->report;
    const pack_input *in = r->input;
    const double seconds = r->seconds_import + report->seconds_build + report->seconds_write;
    const double unique = (double)report->unique_triangle_count;
    const double per = report->unique_triangle_count ? 1.0 / unique : 0;
    const char *unit = unit_name(in->unit_in_metres);
    char a[64], b[64];

    if (!*path) { /* parts went into a store, and into no file */
        assert(r->store && r->plan->set->store);
        print_plain(out, r->plan->set->store);
        fputs(":\n", out);
        summarise_shard(out, r);
        summarise_store(out, r);
        fprintf(out, "  time            %.3g s\n", r->seconds_import);
        return;
    }
    print_plain(out, strcmp(path, "-") ? path : "standard output");
    fprintf(out, ": %s bytes\n", grouped(report->file_size, a));
    summarise_shard(out, r);
    fprintf(out, "  parts           %s", grouped(report->part_count, a));
    if (report->shared_part_count)
        fprintf(out, ", %s more equal to one of them", grouped(report->shared_part_count, a));
    fprintf(out, "\n  instances       %s in a tree of %s\n", grouped(report->instance_count, a),
            counted(report->node_count, "node", b));
    fprintf(out, "  triangles       %s, stored %s\n", grouped(report->triangle_count, a),
            grouped(report->unique_triangle_count, b));
    if (in->tolerance > 0)
        fprintf(out, "  tolerance       triangles up to %s %s from the surface\n",
                shortest(in->tolerance, a), unit[0] ? unit : "units");
    summarise_store(out, r);
    fprintf(out, "  bytes/triangle  %.2f: hierarchy %.2f, geometry %.2f, ids %.2f, other %.2f\n",
            (double)report->file_size * per, (double)report->hierarchy_size * per,
            (double)report->geometry_size * per, (double)report->id_size * per,
            (double)report->other_size * per);
    if (r->plan->hierarchy_count != 1 || r->plan->hierarchies[0].kind != BVP_KIND_WIDE ||
        r->plan->set->rays) {
        fputs("  hierarchies     ", out);
        for (uint32_t i = 0; i < r->plan->hierarchy_count; i++) {
            const uint32_t kind = r->plan->hierarchies[i].kind;
            fprintf(out, "%s%s %.2f", i > 0 ? ", " : "", kind_name(kind),
                    (double)report->kind_size[kind] / (unique > 0 ? unique : 1));
        }
        if (r->plan->set->rays)
            fprintf(out, ", rays %.2f",
                    (double)report->kind_size[BVP_KIND_RAYS] / (unique > 0 ? unique : 1));
        fputs(" bytes/triangle\n", out);
    }
    if (report->degenerate_count || report->duplicate_count)
        fprintf(out, "  kept            %s, %s\n",
                counted(report->degenerate_count, "degenerate triangle", a),
                counted(report->duplicate_count, "duplicate triangle", b));
    if (report->dropped_triangle_count || report->dropped_node_count)
        fprintf(out, "  dropped         %s, %s\n",
                counted(report->dropped_triangle_count, "invalid triangle", a),
                counted(report->dropped_node_count, "invalid node", b));
    if (report->rounding_error > 0)
        fprintf(out, "  rounding        largest error of a coordinate %.3g %s\n",
                report->rounding_error, in->unit_in_metres > 0 ? unit : "units");
    for (int i = 0; i < in->source_count; i++)
        for (uint32_t k = 0; k < in->sources[i].contents.warning_count; k++) {
            const model_warning *w = &in->sources[i].contents.warnings[k];
            fprintf(out, "  warning         ");
            print_plain(out, in->sources[i].name);
            fprintf(out, ": %s ", grouped(w->count, a));
            print_plain(out, w->text);
            fputc('\n', out);
        }
    if (r->unit_hint[0])
        fprintf(out, "  hint            %s\n", r->unit_hint);
    fprintf(out, "  time            %.3g s: import %.3g, build %.3g, write %.3g", seconds,
            r->seconds_import, report->seconds_build, report->seconds_write);
    if (report->seconds_build > 0)
        fprintf(out, "; %.2f million triangles/s built", 1e-6 * unique / report->seconds_build);
    fputc('\n', out);
}

void pack_result_as_json(const pack_result *r, const char *path)
{
    const bvp_build_report *report = &r->report;
    const shard_counts *shard = r->share;
    json out;
    jsonw_start(&out, stdout, 1);
    jsonw_object(&out, NULL);
    jsonw_text(&out, "output", *path ? path : NULL);
    if (shard->number.count > 0) {
        jsonw_object(&out, "shard");
        jsonw_count(&out, "index", shard->number.index);
        jsonw_count(&out, "count", shard->number.count);
        jsonw_count(&out, "own_file_count", shard->own_file_count);
        jsonw_count(&out, "file_count", shard->file_count);
        jsonw_count(&out, "own_mesh_count", shard->own_mesh_count);
        jsonw_count(&out, "mesh_count", shard->mesh_count);
        jsonw_end(&out);
    }
    jsonw_count(&out, "file_size", report->file_size);
    jsonw_count(&out, "part_count", report->part_count);
    jsonw_count(&out, "shared_part_count", report->shared_part_count);
    jsonw_count(&out, "instance_count", report->instance_count);
    jsonw_count(&out, "node_count", report->node_count);
    jsonw_count(&out, "triangle_count", report->triangle_count);
    jsonw_count(&out, "unique_triangle_count", report->unique_triangle_count);
    jsonw_count(&out, "hierarchy_size", report->hierarchy_size);
    jsonw_object(&out, "kind_size");
    for (uint32_t i = 0; i < r->plan->hierarchy_count; i++)
        jsonw_count(&out, kind_name(r->plan->hierarchies[i].kind),
                    report->kind_size[r->plan->hierarchies[i].kind]);
    if (r->plan->set->rays)
        jsonw_count(&out, "rays", report->kind_size[BVP_KIND_RAYS]);
    jsonw_end(&out);
    jsonw_count(&out, "geometry_size", report->geometry_size);
    jsonw_count(&out, "id_size", report->id_size);
    jsonw_count(&out, "other_size", report->other_size);
    if (r->store) {
        jsonw_object(&out, "store");
        jsonw_count(&out, "new_part_count", r->store->new_part_count);
        jsonw_count(&out, "known_part_count", r->store->known_part_count);
        jsonw_count(&out, "file_count", r->store->file_count);
        jsonw_count(&out, "unchanged_file_count", r->store->unchanged_file_count);
        jsonw_count(&out, "unread_file_count", r->store->unread_file_count);
        jsonw_count(&out, "copied_part_count", r->store->copied_part_count);
        jsonw_end(&out);
    }
    jsonw_count(&out, "degenerate_count", report->degenerate_count);
    jsonw_count(&out, "duplicate_count", report->duplicate_count);
    jsonw_count(&out, "dropped_triangle_count", report->dropped_triangle_count);
    jsonw_count(&out, "dropped_node_count", report->dropped_node_count);
    jsonw_number(&out, "rounding_error", report->rounding_error);
    jsonw_number(&out, "seconds_import", r->seconds_import);
    jsonw_number(&out, "seconds_build", report->seconds_build);
    jsonw_number(&out, "seconds_write", report->seconds_write);
    write_sources(&out, r->input);
    write_warnings(&out, r->input);
    jsonw_text(&out, "unit_hint", r->unit_hint[0] ? r->unit_hint : NULL);
    jsonw_end(&out);
    jsonw_finish(&out);
}
