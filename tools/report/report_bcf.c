/* SPDX-License-Identifier: MIT
 * report_bcf.c: a clash report as a zip in the BIM Collaboration Format: one topic for each pair.
 * Spec: buildingSMART BCF-XML 3.0
 *
 * A topic is a folder of the archive, named by a GUID that is made of the pair's id and its
 * verdict: a pair that clashes again is the same topic. Texts that go into the archive are written
 * in memory first; the archive itself is written at the end.
 */
#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "text/memory_text.h"
#include "text/message.h"
#include "report/report_snapshot.h"
#include "report/report_text.h"
#include "files/archive.h"

/* Viewers load a whole BCF file at once; further topics are only counted, and the report says so.
 */
enum { TOPICS_MOST = 20000, WIDTH = 560, HEIGHT = 420 };

typedef struct bcf {
    archive *zip;
    uint64_t topic_count, left_out;
    uint32_t picture_count;
} bcf;

/* ---- what topics are called ------------------------------------------------------------------ */

static const struct {
    const char *type, *title, *priority;
} kinds[BVP_VERDICT_COUNT] = {
    [BVP_VERDICT_CLEAR] = {"Clash", "Clear", "Low"},
    [BVP_VERDICT_WITHIN] = {"Clearance", "Within clearance", "Low"},
    [BVP_VERDICT_TOUCHING] = {"Contact", "Touching", "Low"},
    [BVP_VERDICT_PENETRATING] = {"Clash", "Penetrating", "High"},
    [BVP_VERDICT_ENCLOSED] = {"Clash", "Enclosed", "High"},
    [BVP_VERDICT_DUPLICATE] = {"Duplicate", "Duplicate", "Normal"},
    [BVP_VERDICT_UNKNOWN] = {"Undecided", "Inside or outside unknown", "Normal"},
};

/* The verdict in the topic's identifier: for a resolved row the one it had, so that its topic is
 * found again. */
static bvp_verdict verdict_of(const clash_row *row)
{
    assert((unsigned)row->pair->verdict < BVP_VERDICT_COUNT);
    for (int v = 0; row->pair->verdict == BVP_VERDICT_CLEAR && v < BVP_VERDICT_COUNT; v++)
        if (strcmp(row->was, bvp_verdict_name((bvp_verdict)v)) == 0)
            return (bvp_verdict)v;
    return row->pair->verdict;
}

/* In every run the same for the same pair with the same verdict: RFC 9562, version 8. */
static void make_guid(const clash_row *row, const char *purpose, char guid[37])
{
    char text[128];
    uint8_t h[16];
    const int size = snprintf(text, sizeof text, "%s %s %s", row->id,
                              bvp_verdict_name(verdict_of(row)), purpose);
    assert(size > 0 && (size_t)size < sizeof text);
    bvp_hash(text, (size_t)size, h);
    h[6] = (uint8_t)(0x80 | (h[6] & 15));
    h[8] = (uint8_t)(0x80 | (h[8] & 63));
    snprintf(guid, 37, "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", h[0],
             h[1], h[2], h[3], h[4], h[5], h[6], h[7], h[8], h[9], h[10], h[11], h[12], h[13],
             h[14], h[15]);
}

/* ---- XML ------------------------------------------------------------------------------------- */

static const char declaration[] = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";

static void element(FILE *out, const char *name, const char *text)
{
    fprintf(out, "<%s>", name);
    report_xml(out, text);
    fprintf(out, "</%s>\n", name);
}

static void vector(FILE *out, const char *name, const double v[3])
{
    char x[3][32];
    fprintf(out, "<%s><X>%s</X><Y>%s</Y><Z>%s</Z></%s>\n", name, shortest(v[0], x[0]),
            shortest(v[1], x[1]), shortest(v[2], x[2]), name);
}

/* A point of a view's own world, in metres of the model's. */
static void write_point(FILE *out, const char *name, const clash_run *run, const report_view *v,
                        const double p[3])
{
    const double unit = run->info_a.unit_in_metres > 0 ? run->info_a.unit_in_metres : 1;
    double metres[3];
    for (int k = 0; k < 3; k++)
        metres[k] = (v->centre[k] + p[k]) * unit;
    vector(out, name, metres);
}

/* ---- a viewpoint ----------------------------------------------------------------------------- */

/* IFC's compressed identifiers: 128 bits in 22 digits of base 64. */
static int is_ifc_guid(bvp_string id)
{
    static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_$";
    if (id.size != 22 || id.data[0] < '0' || id.data[0] > '3')
        return 0;
    for (size_t i = 0; i < id.size; i++)
        if (id.data[i] == '\0' || !strchr(digits, id.data[i]))
            return 0;
    return 1;
}

static void component(FILE *out, const clash_side *side, const char *file)
{
    bvp_node_info node;
    const int known = side->file && bvp_get_node(side->file, side->node, &node) == BVP_OK;
    fputs("<Component", out);
    if (known && is_ifc_guid(node.source_id))
        fprintf(out, " IfcGuid=\"%.22s\"", node.source_id.data);
    fputs(">\n", out);
    element(out, "OriginatingSystem", report_base(file));
    element(out, "AuthoringToolId", side->path[0] ? side->path : report_name(side));
    fputs("</Component>\n", out);
}

static void colouring(FILE *out, const clash_side *side, const char *file, unsigned colour)
{
    fprintf(out, "<Color Color=\"%06X\"><Components>\n", colour);
    component(out, side, file);
    fputs("</Components></Color>\n", out);
}

static const char *file_b(const clash_run *run)
{
    return run->path_b[0] ? run->path_b : run->path_a;
}

static void write_viewpoint(FILE *out, const clash_run *run, const clash_row *row,
                            const report_view *v)
{
    char guid[37];
    make_guid(row, "viewpoint", guid);
    fprintf(out, "%s<VisualizationInfo Guid=\"%s\">\n", declaration, guid);
    fputs("<Components>\n<Selection>\n", out);
    component(out, &row->a, run->path_a);
    component(out, &row->b, file_b(run));
    fputs("</Selection>\n<Visibility DefaultVisibility=\"true\"/>\n<Coloring>\n", out);
    colouring(out, &row->a, run->path_a, REPORT_COLOUR_A);
    colouring(out, &row->b, file_b(run), REPORT_COLOUR_B);
    fputs("</Coloring>\n</Components>\n", out);
    char number[32];
    fputs("<PerspectiveCamera>\n", out);
    write_point(out, "CameraViewPoint", run, v, v->eye.eye);
    vector(out, "CameraDirection", v->eye.forward);
    vector(out, "CameraUpVector", v->eye.up);
    element(out, "FieldOfView", shortest(atan(v->eye.half_height) * 360 / M_PI, number));
    element(out, "AspectRatio", shortest(v->eye.width / v->eye.height, number));
    fputs("</PerspectiveCamera>\n", out);
    if (memcmp(v->points[0], v->points[1], sizeof v->points[0]) != 0) {
        fputs("<Lines>\n<Line>\n", out);
        write_point(out, "StartPoint", run, v, v->points[0]);
        write_point(out, "EndPoint", run, v, v->points[1]);
        fputs("</Line>\n</Lines>\n", out);
    }
    fputs("</VisualizationInfo>\n", out);
}

/* ---- a topic --------------------------------------------------------------------------------- */

static void write_title(FILE *out, const clash_run *run, const clash_row *row)
{
    char measure[64];
    report_measure(run, row->pair, measure);
    const int is_resolved = row->pair->verdict == BVP_VERDICT_CLEAR;
    fprintf(out, "<Title>%s%s%s%s: ", is_resolved ? "Resolved, was " : "",
            is_resolved ? row->was : kinds[verdict_of(row)].title, measure[0] ? ", " : "", measure);
    report_xml(out, report_name(&row->a));
    fputs(" and ", out);
    report_xml(out, report_name(&row->b));
    fputs("</Title>\n", out);
}

static void line(FILE *out, const char *what, const char *text)
{
    if (!text[0])
        return;
    fprintf(out, "%s: ", what);
    report_xml(out, text);
    fputc('\n', out);
}

static void write_file(FILE *out, const char *path)
{
    fputs("<File IsExternal=\"true\">\n", out);
    element(out, "Filename", report_base(path));
    fputs("</File>\n", out);
}

static void write_head(FILE *out, const clash_run *run, const clash_row *row)
{
    char guid[37];
    const bvp_verdict verdict = verdict_of(row);
    const int is_resolved = strcmp(row->state, "resolved") == 0;
    make_guid(row, "topic", guid);
    fprintf(out, "%s<Markup>\n<Header>\n<Files>\n", declaration);
    write_file(out, run->path_a);
    if (run->path_b[0])
        write_file(out, run->path_b);
    fprintf(out, "</Files>\n</Header>\n<Topic Guid=\"%s\" TopicType=\"%s\" TopicStatus=\"%s\">\n",
            guid, kinds[verdict].type, is_resolved ? "Closed" : "Open");
    write_title(out, run, row);
    element(out, "Priority", kinds[verdict].priority);
    if (row->state[0]) {
        fputs("<Labels>\n", out);
        element(out, "Label", row->state);
        fputs("</Labels>\n", out);
    }
    element(out, "CreationDate", run->created);
    element(out, "CreationAuthor", "bvpack");
}

static void write_markup(FILE *out, const clash_run *run, const clash_row *row, int has_view,
                         int has_picture)
{
    char guid[37];
    make_guid(row, "viewpoint", guid);
    write_head(out, run, row);
    char measure[64];
    fputs("<Description>", out);
    line(out, "Verdict", bvp_verdict_name(row->pair->verdict));
    line(out, "Measure", report_measure(run, row->pair, measure));
    line(out, "A", row->a.path);
    line(out, "B", row->b.path);
    line(out, "Group", row->group);
    line(out, "Place", row->place);
    line(out, "Rule", row->rule);
    line(out, "Against the baseline", row->state);
    line(out, "Before", row->was);
    if (run->info_a.unit_in_metres <= 0)
        fputs("The model has no unit: the camera takes its lengths for metres.\n", out);
    fprintf(out, "Clash id: %s</Description>\n", row->id);
    if (has_view) {
        fprintf(out, "<Viewpoints>\n<ViewPoint Guid=\"%s\">\n", guid);
        element(out, "Viewpoint", "viewpoint.bcfv");
        if (has_picture)
            element(out, "Snapshot", "snapshot.png");
        fputs("</ViewPoint>\n</Viewpoints>\n", out);
    }
    fputs("</Topic>\n</Markup>\n", out);
}

/* ---- the archive ----------------------------------------------------------------------------- */

/* Puts what was written into the archive. */
static int add_text(bcf *b, const char *name, memory_text *t)
{
    const int done = memory_text_close(t) == 0 && archive_add(b->zip, name, t->data, t->size, 0);
    free(t->data);
    return done;
}

static int out_of_room(const clash_report *r)
{
    complain(r->path, "can't write: no memory or no room for temporary files");
    return EXIT_OUTPUT;
}

static int add_version(bcf *b)
{
    memory_text t;
    if (memory_text_open(&t))
        fprintf(t.out, "%s<Version VersionId=\"3.0\"/>\n", declaration);
    return add_text(b, "bcf.version", &t);
}

/* All words that topics use. */
static int add_extensions(bcf *b)
{
    memory_text t;
    if (memory_text_open(&t))
        fprintf(t.out,
                "%s<Extensions>\n"
                "<TopicTypes>\n<TopicType>Clash</TopicType>\n<TopicType>Clearance</TopicType>\n"
                "<TopicType>Contact</TopicType>\n<TopicType>Duplicate</TopicType>\n"
                "<TopicType>Undecided</TopicType>\n</TopicTypes>\n"
                "<TopicStatuses>\n<TopicStatus>Open</TopicStatus>\n"
                "<TopicStatus>Closed</TopicStatus>\n</TopicStatuses>\n"
                "<Priorities>\n<Priority>High</Priority>\n<Priority>Normal</Priority>\n"
                "<Priority>Low</Priority>\n</Priorities>\n"
                "<TopicLabels>\n<TopicLabel>new</TopicLabel>\n<TopicLabel>persistent</TopicLabel>\n"
                "<TopicLabel>resolved</TopicLabel>\n</TopicLabels>\n"
                "<Users>\n<User>bvpack</User>\n</Users>\n</Extensions>\n",
                declaration);
    return add_text(b, "extensions.xml", &t);
}

static int begin(clash_report *r, const clash_run *run)
{
    bcf *b;
    if (!archive_is_there()) {
        complain(r->path, "this bvpack was built without libzip, which BCF needs; write .html, "
                          ".csv or .jsonl, or build it with libzip");
        return EXIT_USAGE;
    }
    b = r->own = calloc(1, sizeof *b);
    if (b)
        b->zip = archive_new(run->created);
    if (!b || !b->zip || !add_version(b) || !add_extensions(b))
        return out_of_room(r);
    return 0;
}

/* Gives the picture of a view, when the row is to have one. */
static int take_picture(clash_report *r, const report_view *v, const char *folder, int *has_picture)
{
    bcf *b = r->own;
    uint8_t *png;
    size_t size;
    char name[64];
    *has_picture = b->picture_count < r->run->picture_max;
    if (!*has_picture)
        return 0;
    const bvp_status status = report_snapshot(v, r->run->thread_count, &png, &size);
    if (status != BVP_OK)
        return complain_status(r->path, status, NULL);
    snprintf(name, sizeof name, "%s/snapshot.png", folder);
    const int done = archive_add(b->zip, name, png, size, 1);
    free(png);
    b->picture_count++;
    return done ? 0 : out_of_room(r);
}

static int row(clash_report *r, const clash_row *row)
{
    bcf *b = r->own;
    report_view v;
    memory_text t;
    char guid[37], name[64];
    int has_picture = 0;
    if (b->topic_count == TOPICS_MOST) {
        b->left_out++;
        return 0;
    }
    assert(b->topic_count < TOPICS_MOST);
    b->topic_count++;
    make_guid(row, "topic", guid);
    const int has_view = report_view_of(row, r->run->info_a.up, WIDTH, HEIGHT, &v);
    const int code = has_view ? take_picture(r, &v, guid, &has_picture) : 0;
    if (code != 0)
        return code;
    if (memory_text_open(&t))
        write_markup(t.out, r->run, row, has_view, has_picture);
    snprintf(name, sizeof name, "%s/markup.bcf", guid);
    if (!add_text(b, name, &t))
        return out_of_room(r);
    if (!has_view)
        return 0;
    if (memory_text_open(&t))
        write_viewpoint(t.out, r->run, row, &v);
    snprintf(name, sizeof name, "%s/viewpoint.bcfv", guid);
    return add_text(b, name, &t) ? 0 : out_of_room(r);
}

static int end(clash_report *r, const clash_summary *summary)
{
    bcf *b = r->own;
    char most[32], more[32];
    (void)summary;
    const char *failure = archive_write(b->zip, r->stream);
    if (!failure && (fflush(r->stream) != 0 || ferror(r->stream)))
        failure = strerror(errno);
    if (failure) {
        complain(r->path, "can't write: %s", failure);
        return EXIT_OUTPUT;
    }
    if (b->left_out > 0)
        complain(r->path,
                 "holds the first %s topics; %s more pairs are in no topic: write .csv or "
                 ".jsonl too, or leave pairs out by rules",
                 grouped(TOPICS_MOST, most), grouped(b->left_out, more));
    return 0;
}

static void discard(clash_report *r)
{
    bcf *b = r->own;
    if (b)
        archive_free(b->zip);
    free(b);
    r->own = NULL;
}

const clash_form report_bcf = {
    .ending = ".bcf", .begin = begin, .row = row, .end = end, .discard = discard};
