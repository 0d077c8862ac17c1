/* SPDX-License-Identifier: MIT
 * pack_report.c: what a file was made of and what became of it: provenance and summary.
 */
#include <errno.h>
#include <string.h>
#include "import/import_process.h"
#include "text/json.h"
#include "text/keyword.h"
#include "text/memory_text.h"
#include "text/message.h"
#include "pack/pack_job.h"

/* ---- provenance ---------------------------------------------------------------------------- */

static void write_warnings(json *out, const pack_job *j)
{
    jsonw_array(out, "warnings");
    for (int i = 0; i < j->source_count; i++)
        for (uint32_t k = 0; k < j->sources[i].contents.warning_count; k++) {
            jsonw_inline_object(out, NULL);
            jsonw_text(out, "source", j->sources[i].name);
            jsonw_text(out, "text", j->sources[i].contents.warnings[k].text);
            jsonw_count(out, "count", j->sources[i].contents.warnings[k].count);
            jsonw_end(out);
        }
    jsonw_end(out);
}

/* Files that a model needs besides its own. */
static void write_files(json *out, const model *m)
{
    if (m->file_count == 0)
        return;
    jsonw_array(out, "files");
    for (uint32_t i = 0; i < m->file_count; i++) {
        jsonw_object(out, NULL);
        jsonw_text(out, "name", m->files[i].name);
        jsonw_count(out, "size", m->files[i].size);
        jsonw_hex(out, "hash", m->files[i].hash, sizeof m->files[i].hash);
        jsonw_end(out);
    }
    jsonw_end(out);
}

static void write_sources(json *out, const pack_job *j)
{
    jsonw_array(out, "sources");
    for (int i = 0; i < j->source_count; i++) {
        const pack_source *s = &j->sources[i];
        jsonw_inline_object(out, NULL);
        jsonw_text(out, "name", s->name);
        jsonw_count(out, "size", s->size);
        jsonw_hex(out, "hash", s->hash, sizeof s->hash);
        jsonw_text(out, "format", s->contents.format);
        write_files(out, &s->contents);
        jsonw_end(out);
    }
    jsonw_end(out);
}

static void write_hierarchies(json *out, const pack_job *j)
{
    jsonw_array(out, "hierarchies");
    for (uint32_t i = 0; i < j->hierarchy_count; i++) {
        const bvp_hierarchy_spec *s = &j->hierarchies[i];
        jsonw_inline_object(out, NULL);
        jsonw_text(out, "kind", kind_name(s->kind));
        jsonw_text(out, "split", split_name(s->split));
        if (s->plane_max > 0)
            jsonw_count(out, "planes", s->plane_max);
        if (s->offset_size > 0)
            jsonw_count(out, "offset_bits", 8 * (uint64_t)s->offset_size);
        jsonw_end(out);
    }
    jsonw_end(out);
}

static int refuse_memory(void)
{
    complain(NULL, "%s", strerror(ENOMEM));
    return EXIT_LIMIT;
}

/* Only what the bytes of the output depend on: no folders, no dates, no thread count. */
int pack_write_provenance(pack_job *j)
{
    memory_text text;
    json out;
    if (!memory_text_open(&text))
        return refuse_memory();
    jsonw_start(&out, text.out, 0);
    jsonw_object(&out, NULL);
    jsonw_text(&out, "program", "bvpack");
    jsonw_text(&out, "version", bvp_version());
    write_sources(&out, j);
    jsonw_object(&out, "options");
    jsonw_bool(&out, "ids", !j->set->no_ids);
    jsonw_bool(&out, "drop_invalid", j->set->drop_invalid);
    jsonw_count(&out, "leaf_size", j->set->leaf);
    write_hierarchies(&out, j);
    jsonw_bool(&out, "deformable", j->set->deformable);
    if (j->set->keep_strays)
        jsonw_bool(&out, "keep_strays", 1);
    jsonw_text(&out, "unit", j->set->unit);
    if (j->set->assume_unit)
        jsonw_text(&out, "assume_unit", j->set->assume_unit);
    jsonw_text(&out, "up", j->set->up);
    jsonw_text(&out, "format", j->set->format);
    jsonw_text(&out, "urdf", j->set->urdf);
    jsonw_text(&out, "joints", j->set->joints);
    if (j->tolerance > 0) {
        jsonw_number(&out, "chord", j->chord > 0 ? j->chord : IMPORT_CHORD);
        jsonw_number(&out, "angle", j->set->angle > 0 ? j->set->angle : IMPORT_ANGLE);
    }
    jsonw_end(&out);
    write_warnings(&out, j);
    jsonw_end(&out);
    const int failed = memory_text_close(&text) != 0;
    j->provenance = text.data;
    return failed ? refuse_memory() : 0;
}

/* ---- the summary ---------------------------------------------------------------------------- */

static void summarise_sizes(FILE *out, const bvp_build_report *r)
{
    double per = r->unique_triangle_count ? 1.0 / (double)r->unique_triangle_count : 0;
    fprintf(out, "  bytes/triangle  %.2f: hierarchy %.2f, geometry %.2f, ids %.2f, other %.2f\n",
            (double)r->file_size * per, (double)r->hierarchy_size * per,
            (double)r->geometry_size * per, (double)r->id_size * per, (double)r->other_size * per);
}

/* What each kind takes, when there are several. */
static void summarise_kinds(FILE *out, const pack_job *j)
{
    const bvp_build_report *r = &j->report;
    const double triangles = r->unique_triangle_count ? (double)r->unique_triangle_count : 1;
    if (j->hierarchy_count == 1 && j->hierarchies[0].kind == BVP_KIND_WIDE)
        return;
    fputs("  hierarchies     ", out);
    for (uint32_t i = 0; i < j->hierarchy_count; i++) {
        const uint32_t kind = j->hierarchies[i].kind;
        fprintf(out, "%s%s %.2f", i > 0 ? ", " : "", kind_name(kind),
                (double)r->kind_size[kind] / triangles);
    }
    fputs(" bytes/triangle\n", out);
}

static void summarise_oddities(FILE *out, const pack_job *j)
{
    const bvp_build_report *r = &j->report;
    char a[64], b[64];
    if (r->degenerate_count || r->duplicate_count)
        fprintf(out, "  kept            %s, %s\n",
                counted(r->degenerate_count, "degenerate triangle", a),
                counted(r->duplicate_count, "duplicate triangle", b));
    if (r->dropped_triangle_count || r->dropped_node_count)
        fprintf(out, "  dropped         %s, %s\n",
                counted(r->dropped_triangle_count, "invalid triangle", a),
                counted(r->dropped_node_count, "invalid node", b));
    if (r->rounding_error > 0)
        fprintf(out, "  rounding        largest error of a coordinate %.3g %s\n", r->rounding_error,
                j->unit_in_metres > 0 ? unit_name(j->unit_in_metres) : "units");
    for (int i = 0; i < j->source_count; i++)
        for (uint32_t k = 0; k < j->sources[i].contents.warning_count; k++) {
            const model_warning *w = &j->sources[i].contents.warnings[k];
            fprintf(out, "  warning         ");
            print_plain(out, j->sources[i].name);
            fprintf(out, ": %s ", grouped(w->count, a));
            print_plain(out, w->text);
            fputc('\n', out);
        }
}

/* How much of it had been packed before. */
static void summarise_store(FILE *out, const pack_job *j)
{
    char a[64], b[64];
    if (!j->set->store)
        return;
    fprintf(out, "  store           %s packed now, %s known;",
            counted(j->new_part_count, "part", a), grouped(j->known_part_count, b));
    fprintf(out, " %s of %s unchanged", grouped(j->unchanged_file_count, a),
            counted(j->file_count, "source file", b));
    fprintf(out, ", %s of them by their times\n", grouped(j->unread_file_count, a));
}

static void summarise_shard(FILE *out, const pack_job *j)
{
    const pack_shard *shard = &j->shard;
    char a[32], b[64];
    if (shard->number.count == 0)
        return;
    const int is_model = shard->mesh_count > 0;
    fprintf(out, "  share           %u of %u: %s of ", shard->number.index, shard->number.count,
            grouped(is_model ? shard->own_mesh_count : shard->own_count, a));
    if (is_model)
        fprintf(out, "%s %s\n", grouped(shard->mesh_count, b),
                shard->mesh_count == 1 ? "mesh" : "meshes");
    else
        fprintf(out, "%s\n", counted(shard->file_count, "file", b));
}

/* What went into a store and into no file. */
static void summarise_stored(FILE *out, const pack_job *j)
{
    print_plain(out, j->set->store);
    fputs(":\n", out);
    summarise_shard(out, j);
    summarise_store(out, j);
    fprintf(out, "  time            %.3g s\n", j->seconds_import);
}

void pack_summarise(FILE *out, const pack_job *j, const char *path)
{
    const bvp_build_report *r = &j->report;
    double seconds = j->seconds_import + r->seconds_build + r->seconds_write;
    char a[32], b[64];

    if (!*path) {
        summarise_stored(out, j);
        return;
    }
    print_plain(out, strcmp(path, "-") ? path : "standard output");
    fprintf(out, ": %s bytes\n", grouped(r->file_size, a));
    summarise_shard(out, j);
    fprintf(out, "  parts           %s", grouped(r->part_count, a));
    if (r->shared_part_count)
        fprintf(out, ", %s more equal to one of them", grouped(r->shared_part_count, a));
    fprintf(out, "\n  instances       %s in a tree of %s\n", grouped(r->instance_count, a),
            counted(r->node_count, "node", b));
    fprintf(out, "  triangles       %s, stored %s\n", grouped(r->triangle_count, a),
            grouped(r->unique_triangle_count, b));
    if (j->tolerance > 0)
        fprintf(out, "  tolerance       triangles up to %s %s from the surface\n",
                shortest(j->tolerance, a),
                unit_name(j->unit_in_metres)[0] ? unit_name(j->unit_in_metres) : "units");
    summarise_store(out, j);
    summarise_sizes(out, r);
    summarise_kinds(out, j);
    summarise_oddities(out, j);
    fprintf(out, "  time            %.3g s: import %.3g, build %.3g, write %.3g", seconds,
            j->seconds_import, r->seconds_build, r->seconds_write);
    if (r->seconds_build > 0)
        fprintf(out, "; %.2f million triangles/s built",
                1e-6 * (double)r->unique_triangle_count / r->seconds_build);
    fputc('\n', out);
}

static void shard_as_json(json *out, const pack_shard *shard)
{
    if (shard->number.count == 0)
        return;
    jsonw_object(out, "shard");
    jsonw_count(out, "index", shard->number.index);
    jsonw_count(out, "count", shard->number.count);
    jsonw_count(out, "own_file_count", shard->own_count);
    jsonw_count(out, "file_count", shard->file_count);
    jsonw_count(out, "own_mesh_count", shard->own_mesh_count);
    jsonw_count(out, "mesh_count", shard->mesh_count);
    jsonw_end(out);
}

void pack_report_as_json(const pack_job *j, const char *path)
{
    const bvp_build_report *r = &j->report;
    json out;
    jsonw_start(&out, stdout, 1);
    jsonw_object(&out, NULL);
    jsonw_text(&out, "output", *path ? path : NULL);
    shard_as_json(&out, &j->shard);
    jsonw_count(&out, "file_size", r->file_size);
    jsonw_count(&out, "part_count", r->part_count);
    jsonw_count(&out, "shared_part_count", r->shared_part_count);
    jsonw_count(&out, "instance_count", r->instance_count);
    jsonw_count(&out, "node_count", r->node_count);
    jsonw_count(&out, "triangle_count", r->triangle_count);
    jsonw_count(&out, "unique_triangle_count", r->unique_triangle_count);
    jsonw_count(&out, "hierarchy_size", r->hierarchy_size);
    jsonw_object(&out, "kind_size");
    for (uint32_t i = 0; i < j->hierarchy_count; i++)
        jsonw_count(&out, kind_name(j->hierarchies[i].kind), r->kind_size[j->hierarchies[i].kind]);
    jsonw_end(&out);
    jsonw_count(&out, "geometry_size", r->geometry_size);
    jsonw_count(&out, "id_size", r->id_size);
    jsonw_count(&out, "other_size", r->other_size);
    if (j->set->store) {
        jsonw_object(&out, "store");
        jsonw_count(&out, "new_part_count", j->new_part_count);
        jsonw_count(&out, "known_part_count", j->known_part_count);
        jsonw_count(&out, "file_count", j->file_count);
        jsonw_count(&out, "unchanged_file_count", j->unchanged_file_count);
        jsonw_count(&out, "unread_file_count", j->unread_file_count);
        jsonw_count(&out, "copied_part_count", j->copied_part_count);
        jsonw_end(&out);
    }
    jsonw_count(&out, "degenerate_count", r->degenerate_count);
    jsonw_count(&out, "duplicate_count", r->duplicate_count);
    jsonw_count(&out, "dropped_triangle_count", r->dropped_triangle_count);
    jsonw_count(&out, "dropped_node_count", r->dropped_node_count);
    jsonw_number(&out, "rounding_error", r->rounding_error);
    jsonw_number(&out, "seconds_import", j->seconds_import);
    jsonw_number(&out, "seconds_build", r->seconds_build);
    jsonw_number(&out, "seconds_write", r->seconds_write);
    write_sources(&out, j);
    write_warnings(&out, j);
    jsonw_end(&out);
    jsonw_finish(&out);
}
