/* SPDX-License-Identifier: MIT
 * report_html.c: a clash report as one self-contained page: rows as JSON, pictures and meshes as
 * base64, which tools/html/page.js shows. Rows are written directly to the page; pictures and
 * meshes are kept in a file without a name until the rows are complete.
 *
 * Names in the page are JSON strings in which "<" is escaped, so no name can end a script element.
 * What would make the page too large for a browser is left out and counted.
 */
#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "report/clash_outputs.h"
#include "report/html_bytes.h"
#include "text/json.h"
#include "text/memory_text.h"
#include "text/message.h"
#include "report/report_mesh.h"
#include "report/report_pictures.h"
#include "report/report_snapshot.h"
#include "report/report_text.h"
#include "files/uri.h"

/* Limits for a page that a browser opens quickly. Further rows are only counted, further meshes
 * left out; the page says so. */
enum { ROWS_MOST = 50000, MESH_BYTES_MOST = 32 << 20 };

typedef struct html {
    FILE *blobs; /* script elements with pictures and meshes */
    uint64_t row_count, left_out, mesh_bytes;
    report_pictures *pictures;
    uint32_t picture_count, mesh_count;
    uint32_t *meshes[2]; /* of parts that are shown whole, or BVP_NONE: by file */
} html;

static int no_room(const clash_report *r)
{
    complain(r->path, "can't write: no memory or no room for temporary files");
    return EXIT_OUTPUT;
}

static int check_stream(const clash_report *r)
{
    if (!ferror(r->stream))
        return 0;
    complain(r->path, "can't write: %s", strerror(errno));
    return EXIT_OUTPUT;
}

/* ---- JSON inside a page ---------------------------------------------------------------------- */

typedef struct text {
    json j;
    memory_text memory;
} text;

static int open_text(text *t)
{
    if (!memory_text_open(&t->memory))
        return 0;
    jsonw_start(&t->j, t->memory.out, 0);
    jsonw_object(&t->j, NULL);
    return 1;
}

/* "<" occurs only in JSON's strings; because it is escaped, no name can end the element or begin a
 * comment. */
static int put_text(text *t, FILE *out)
{
    jsonw_end(&t->j);
    const int done = memory_text_close(&t->memory) == 0;
    const char *data = t->memory.data;
    const size_t size = t->memory.size;
    for (size_t i = 0, run; done && i < size; i += run) {
        run = strcspn(data + i, "<");
        fwrite(data + i, 1, run, out);
        if (i + run < size && data[i + run] == '<') {
            fputs("\\u003c", out);
            run++;
        }
    }
    free(t->memory.data);
    return done;
}

static void put_colour(json *j, const char *key, uint32_t colour)
{
    char word[8];
    snprintf(word, sizeof word, "#%06x", (unsigned)(colour & 0xffffff));
    jsonw_text(j, key, word);
}

/* ---- what is known at the beginning ---------------------------------------------------------- */

static int open_meshes(html *h, int number, const bvp_file *file)
{
    bvp_file_info info;
    if (!file)
        return 1;
    bvp_get_info(file, &info);
    const size_t size = ((size_t)info.part_count + 1) * sizeof *h->meshes[number];
    h->meshes[number] = malloc(size);
    if (h->meshes[number])
        memset(h->meshes[number], 0xff, size);
    return h->meshes[number] != NULL;
}

/* A report_picture_fn. */
static int put_picture(void *user, uint32_t number, const uint8_t *png, size_t size)
{
    html *h = user;
    fprintf(h->blobs, "<script type=\"text/plain\" id=\"picture-%u\">", number);
    uri_put_base64(h->blobs, png, size);
    fputs("</script>\n", h->blobs);
    return 0;
}

static int begin(clash_report *r, const clash_run *run)
{
    text t;
    html *h = r->own = calloc(1, sizeof *h);
    if (h)
        h->blobs = tmpfile();
    if (h)
        h->pictures = report_pictures_open(run, put_picture, h);
    if (!h || !h->blobs || !h->pictures || !open_meshes(h, 0, run->file_a) ||
        !open_meshes(h, 1, run->file_b) || !open_text(&t))
        return no_room(r);
    fwrite(html_head, 1, html_head_size, r->stream);
    fputs("<script type=\"application/json\" id=\"run\">", r->stream);
    jsonw_text(&t.j, "file_a", report_base(run->path_a));
    jsonw_text(&t.j, "file_b", run->path_b[0] ? report_base(run->path_b) : "");
    jsonw_text(&t.j, "created", run->created);
    jsonw_text(&t.j, "unit", run->unit);
    jsonw_text(&t.j, "rules", report_base(run->rules));
    jsonw_text(&t.j, "baseline", report_base(run->baseline));
    jsonw_number(&t.j, "clearance", run->limits.clearance);
    jsonw_number(&t.j, "touch_gap", run->limits.touch_gap);
    jsonw_number(&t.j, "overlap", run->limits.overlap);
    jsonw_array(&t.j, "side_colours");
    put_colour(&t.j, NULL, REPORT_COLOUR_A);
    put_colour(&t.j, NULL, REPORT_COLOUR_B);
    jsonw_end(&t.j);
    jsonw_object(&t.j, "verdicts");
    for (int v = 0; v < BVP_VERDICT_COUNT; v++) {
        jsonw_object(&t.j, bvp_verdict_name((bvp_verdict)v));
        put_colour(&t.j, "colour", report_verdict_colour((bvp_verdict)v));
        jsonw_end(&t.j);
    }
    jsonw_end(&t.j);
    if (!put_text(&t, r->stream))
        return no_room(r);
    fputs("</script>\n<script type=\"application/json\" id=\"rows\">[\n", r->stream);
    return check_stream(r);
}

/* ---- pictures and meshes --------------------------------------------------------------------- */

/* Little-endian, as every browser has it. */
static bvp_status put_mesh_bytes(FILE *out, const report_mesh *mesh)
{
    const size_t floats = 3 * (size_t)mesh->vertex_count,
                 corners = 3 * (size_t)mesh->triangle_count;
    uint8_t *bytes = malloc(4 * floats + 2 * corners + 1), *to = bytes;
    if (!bytes)
        return BVP_ERR_NO_MEMORY;
    for (size_t i = 0; i < floats; i++, to += 4) {
        uint32_t word;
        memcpy(&word, &mesh->positions[i], sizeof word);
        for (int k = 0; k < 4; k++)
            to[k] = (uint8_t)(word >> (8 * k));
    }
    for (size_t i = 0; i < corners; i++, to += 2) {
        to[0] = (uint8_t)mesh->indices[i];
        to[1] = (uint8_t)(mesh->indices[i] >> 8);
    }
    assert((size_t)(to - bytes) == 4 * floats + 2 * corners);
    uri_put_base64(out, bytes, (size_t)(to - bytes));
    free(bytes);
    return BVP_OK;
}

/* " data-colours=..." : where colours of the source begin among the triangles; "-": none. Returns
 * the bytes written. */
static uint64_t put_colours(FILE *out, const report_mesh *mesh)
{
    int written = fprintf(out, " data-colours=\"");
    uint64_t size = (uint64_t)(written > 0 ? written : 0);
    for (uint32_t i = 0; i < mesh->triangle_count; i++) {
        if (i > 0 && mesh->colours[i] == mesh->colours[i - 1])
            continue;
        written = mesh->colours[i] == REPORT_NO_COLOUR
                      ? fprintf(out, "%u:- ", i)
                      : fprintf(out, "%u:%06x ", i, (unsigned)mesh->colours[i]);
        size += (uint64_t)(written > 0 ? written : 0);
    }
    fputc('"', out);
    return size;
}

static bvp_status put_mesh(html *h, const report_view *v, int side, uint32_t node, uint32_t *number)
{
    report_mesh mesh;
    bvp_status status = report_mesh_read(v, side, node, &mesh);
    if (status != BVP_OK)
        return status;
    *number = h->mesh_count++;
    fprintf(h->blobs,
            "<script type=\"text/plain\" id=\"mesh-%u\" data-vertices=\"%u\" "
            "data-triangles=\"%u\"",
            *number, mesh.vertex_count, mesh.triangle_count);
    if (mesh.colours)
        h->mesh_bytes += put_colours(h->blobs, &mesh);
    fputc('>', h->blobs);
    status = put_mesh_bytes(h->blobs, &mesh);
    fputs("</script>\n", h->blobs);
    h->mesh_bytes += 12 * (uint64_t)mesh.vertex_count + 6 * (uint64_t)mesh.triangle_count;
    report_mesh_free(&mesh);
    return status;
}

/* The number of a side's mesh: of a part that is shown whole, its one, in the colours of the
 * instance that came first. */
static bvp_status mesh_of(clash_report *r, const clash_side *side, const report_view *v, int which,
                          uint32_t *number)
{
    html *h = r->own;
    uint32_t *known = h->meshes[side->file != r->run->file_a];
    if (!known || !report_mesh_is_whole(&v->bodies[which]))
        return put_mesh(h, v, which, side->node, number);
    known += v->bodies[which].part;
    bvp_status status = BVP_OK;
    if (*known == BVP_NONE)
        status = put_mesh(h, v, which, side->node, known);
    *number = *known;
    return status;
}

/* ---- a row ----------------------------------------------------------------------------------- */

static void put_side(json *j, const char *key, const clash_side *side)
{
    jsonw_object(j, key);
    jsonw_text(j, "path", side->path);
    jsonw_text(j, "name", report_name(side));
    jsonw_text(j, "part_number", side->part_number);
    jsonw_end(j);
}

static bvp_status put_meshes(clash_report *r, json *j, const clash_row *row, const report_view *v)
{
    const clash_side *sides[2] = {&row->a, &row->b};
    jsonw_array(j, "meshes");
    for (int i = 0; i < 2; i++) {
        uint32_t number;
        const bvp_status status = mesh_of(r, sides[i], v, i, &number);
        if (status != BVP_OK)
            return status;
        jsonw_object(j, NULL);
        jsonw_count(j, "mesh", number);
        jsonw_bool(j, "whole", report_mesh_is_whole(&v->bodies[i]));
        jsonw_numbers(j, "matrix", v->placements[i], 12);
        jsonw_end(j);
    }
    jsonw_end(j);
    return BVP_OK;
}

static bvp_status put_view(clash_report *r, json *j, const clash_row *row, const report_view *v)
{
    const html *h = r->own;
    const bvp_up up = r->run->info_a.up;
    const double world_up[3] = {up == BVP_UP_X, up == BVP_UP_Y,
                                up == BVP_UP_Z || up == BVP_UP_UNKNOWN};
    bvp_status status = BVP_OK;
    jsonw_object(j, "view");
    jsonw_numbers(j, "eye", v->eye.eye, 3);
    jsonw_numbers(j, "world_up", world_up, 3);
    jsonw_count(j, "angle", REPORT_ANGLE);
    jsonw_number(j, "radius", v->radius);
    jsonw_count(j, "smaller", (uint64_t)v->smaller);
    jsonw_numbers(j, "lo", v->lo, 3);
    jsonw_numbers(j, "hi", v->hi, 3);
    jsonw_array(j, "points");
    jsonw_numbers(j, NULL, v->points[0], 3);
    jsonw_numbers(j, NULL, v->points[1], 3);
    jsonw_end(j);
    if (html_view_size > 0 && h->mesh_bytes < MESH_BYTES_MOST)
        status = put_meshes(r, j, row, v);
    jsonw_end(j);
    return status;
}

/* The number of the row's issue; the row that begins it says what it is. */
static void put_issue(json *j, const clash_row *row)
{
    jsonw_count(j, "issue", row->issue->number);
    if (!row->begins_issue)
        return;
    jsonw_object(j, "begins");
    jsonw_text(j, "id", row->issue->id);
    jsonw_text(j, "title", row->issue->title);
    jsonw_text(j, "where", row->issue->where);
    jsonw_text(j, "state", row->issue->state);
    jsonw_count(j, "pairs", row->issue->pair_count);
    jsonw_number(j, "volume", row->issue->volume);
    jsonw_text(j, "status", row->issue->status);
    jsonw_text(j, "assignee", row->issue->assignee);
    jsonw_end(j);
}

static bvp_status put_row(clash_report *r, json *j, const clash_row *row)
{
    html *h = r->own;
    report_view v;
    jsonw_text(j, "id", row->id);
    jsonw_text(j, "verdict", bvp_verdict_name(row->pair->verdict));
    put_side(j, "a", &row->a);
    put_side(j, "b", &row->b);
    jsonw_text(j, "group", row->group);
    jsonw_text(j, "place", row->place);
    if (row->issue)
        put_issue(j, row);
    jsonw_text(j, "rule", row->rule);
    jsonw_text(j, "state", row->state);
    jsonw_text(j, "was", row->was);
    jsonw_text(j, "settled", row->settled);
    jsonw_number(j, "distance", row->pair->distance);
    jsonw_number(j, "depth", row->pair->depth);
    jsonw_number(j, "depth_upper", row->pair->depth_upper);
    jsonw_count(j, "triangle_pairs", row->pair->triangle_pairs);
    if (!report_view_of(row, r->run->info_a.up, SNAPSHOT_WIDTH, SNAPSHOT_HEIGHT, &v))
        return BVP_OK;
    jsonw_numbers(j, "at", v.centre, 3);
    /* one picture an issue, of its most severe pair */
    if ((!row->issue || row->begins_issue) && h->picture_count < r->run->picture_max) {
        jsonw_count(j, "picture", h->picture_count++);
        const bvp_status status = report_pictures_add(h->pictures, &v, row);
        if (status != BVP_OK)
            return status;
    }
    return put_view(r, j, row, &v);
}

static int row(clash_report *r, const clash_row *row)
{
    html *h = r->own;
    text t;
    if (h->row_count == ROWS_MOST) {
        h->left_out++;
        return 0;
    }
    if (!open_text(&t))
        return no_room(r);
    assert(h->row_count < ROWS_MOST);
    if (h->row_count++ > 0)
        fputs(",\n", r->stream);
    const bvp_status status = put_row(r, &t.j, row);
    if (!put_text(&t, r->stream) || ferror(h->blobs))
        return no_room(r);
    return status == BVP_OK ? check_stream(r) : complain_status(r->path, status, NULL);
}

/* ---- what is known at the end ---------------------------------------------------------------- */

static int end(clash_report *r, const clash_summary *summary)
{
    html *h = r->own;
    text t;
    if (!open_text(&t))
        return no_room(r);
    fputs("\n]</script>\n<script type=\"application/json\" id=\"summary\">", r->stream);
    const bvp_clash_coverage *c = &summary->coverage;
    jsonw_bool(&t.j, "complete", summary->complete);
    jsonw_count(&t.j, "done", summary->done);
    jsonw_count(&t.j, "total", summary->total);
    jsonw_count(&t.j, "issue_count", summary->issue_count);
    jsonw_count(&t.j, "row_count", summary->row_count);
    jsonw_count(&t.j, "left_out", h->left_out);
    jsonw_count(&t.j, "allowed", summary->allowed_count);
    report_jsonl_filtered(&t.j, &summary->filtered);
    jsonw_count(&t.j, "box_pairs", c->box_pairs);
    jsonw_count(&t.j, "excluded", c->excluded);
    jsonw_count(&t.j, "instances", c->instance_count);
    jsonw_count(&t.j, "open", c->open_count);
    jsonw_count(&t.j, "new", summary->new_count);
    jsonw_count(&t.j, "persistent", summary->persistent_count);
    jsonw_count(&t.j, "resolved", summary->resolved_count);
    jsonw_object(&t.j, "verdicts");
    for (int v = 0; v < BVP_VERDICT_COUNT; v++)
        jsonw_count(&t.j, bvp_verdict_name((bvp_verdict)v), c->verdicts[v]);
    jsonw_end(&t.j);
    report_jsonl_rules(&t.j, summary);
    if (!put_text(&t, r->stream))
        return no_room(r);
    fputs("</script>\n", r->stream);
    char block[1 << 14];
    size_t size;
    const bvp_status status = report_pictures_flush(h->pictures);
    if (status != BVP_OK)
        return complain_status(r->path, status, NULL);
    if (fflush(h->blobs) != 0 || fseeko(h->blobs, 0, SEEK_SET) != 0)
        return no_room(r);
    while ((size = fread(block, 1, sizeof block, h->blobs)) > 0)
        fwrite(block, 1, size, r->stream);
    if (ferror(h->blobs))
        return no_room(r);
    if (html_view_size > 0) {
        fputs("<script>\n", r->stream);
        fwrite(html_view, 1, html_view_size, r->stream);
        fputs("</script>\n", r->stream);
    }
    fputs("<script>\n", r->stream);
    fwrite(html_page, 1, html_page_size, r->stream);
    fputs("</script>\n</body>\n</html>\n", r->stream);
    fflush(r->stream);
    return check_stream(r);
}

static void discard(clash_report *r)
{
    html *h = r->own;
    if (!h)
        return;
    if (h->blobs)
        fclose(h->blobs);
    free(h->meshes[0]);
    free(h->meshes[1]);
    report_pictures_close(h->pictures);
    free(h);
    r->own = NULL;
}

const clash_form report_html = {
    .ending = ".html", .begin = begin, .row = row, .end = end, .discard = discard};
