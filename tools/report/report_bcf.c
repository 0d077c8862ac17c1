/* SPDX-License-Identifier: MIT
 * report_bcf.c: a clash report as a zip in the BIM Collaboration Format: one topic for each issue,
 * and for each pair that is no more.
 * Spec: buildingSMART BCF-XML 3.0
 *
 * A topic is a folder of the archive, named by a GUID that is made of the issue's id: an issue that
 * comes again is the same topic, and is closed when all of its pairs are gone. Texts that go into
 * the archive are written in memory first: those of one topic while its pairs come; the archive
 * itself is written at the end.
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

/* Of a topic at most so many pairs are listed in its description. */
enum { PAIRS_LISTED = 100 };

/* The topic whose pairs are coming. */
typedef struct topic {
    int is_open, has_view, has_picture, is_resolved;
    char id[33]; /* of its issue, or of its one pair */
    char guid[37], view_guid[37];
    memory_text markup;   /* up to within its description */
    memory_text sides[2]; /* components in A's and in B's colour, as XML */
    report_view view;     /* of its first pair */
    uint64_t pair_count;
} topic;

typedef struct bcf {
    archive *zip;
    uint64_t topic_count, left_out;
    uint32_t picture_count;
    topic topic;
    uint32_t *seen[2]; /* of each instance of both files: the last topic that has it */
} bcf;

/* ---- kinds of topics ------------------------------------------------------------------------ */

static const struct {
    const char *type, *priority;
} kinds[BVP_VERDICT_COUNT] = {
    [BVP_VERDICT_CLEAR] = {"Clash", "Low"},
    [BVP_VERDICT_WITHIN] = {"Clearance", "Low"},
    [BVP_VERDICT_TOUCHING] = {"Contact", "Low"},
    [BVP_VERDICT_PENETRATING] = {"Clash", "High"},
    [BVP_VERDICT_ENCLOSED] = {"Clash", "High"},
    [BVP_VERDICT_DUPLICATE] = {"Duplicate", "Normal"},
    [BVP_VERDICT_UNKNOWN] = {"Undecided", "Normal"},
};

/* The verdict in the topic's type: for a resolved row the one it had. */
static bvp_verdict verdict_of(const clash_row *row)
{
    assert((unsigned)row->pair->verdict < BVP_VERDICT_COUNT);
    for (int v = 0; row->pair->verdict == BVP_VERDICT_CLEAR && v < BVP_VERDICT_COUNT; v++)
        if (strcmp(row->was, bvp_verdict_name((bvp_verdict)v)) == 0)
            return (bvp_verdict)v;
    return row->pair->verdict;
}

/* The issue that the row's topic is of, or NULL: a resolved pair of no issue. */
static const clash_issue *issue_of(const clash_row *row)
{
    return row->issue ? row->issue : row->was_in;
}

static const char *id_of(const clash_row *row)
{
    return issue_of(row) ? issue_of(row)->id : row->id;
}

/* In every run the same for the same issue: RFC 9562, version 8. */
static void make_guid(const char *id, const char *purpose, char guid[37])
{
    char text[128];
    uint8_t h[16];
    const int size = snprintf(text, sizeof text, "%s %s", id, purpose);
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

static const char *file_b(const clash_run *run)
{
    return run->path_b[0] ? run->path_b : run->path_a;
}

/* Its components are an array of texts, closed. */
static void write_viewpoint(FILE *out, const clash_run *run, const topic *t)
{
    static const unsigned colours[2] = {REPORT_COLOUR_A, REPORT_COLOUR_B};
    const report_view *v = &t->view;
    fprintf(out, "%s<VisualizationInfo Guid=\"%s\">\n", declaration, t->view_guid);
    fputs("<Components>\n<Selection>\n", out);
    for (int i = 0; i < 2; i++)
        fwrite(t->sides[i].data, 1, t->sides[i].size, out);
    fputs("</Selection>\n<Visibility DefaultVisibility=\"true\"/>\n<Coloring>\n", out);
    for (int i = 0; i < 2; i++) {
        if (t->sides[i].size == 0) /* it is in the other side's colour */
            continue;
        fprintf(out, "<Color Color=\"%06X\"><Components>\n", colours[i]);
        fwrite(t->sides[i].data, 1, t->sides[i].size, out);
        fputs("</Components></Color>\n", out);
    }
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
    fputs("<Title>", out);
    if (row->issue) {
        report_xml(out, row->issue->title);
    } else if (row->was_in && row->was_in->title[0]) {
        fputs("Resolved: ", out);
        report_xml(out, row->was_in->title);
    } else {
        fprintf(out, "Resolved, was %s: ", row->was);
        report_xml(out, report_name(&row->a));
        fputs(" and ", out);
        report_xml(out, report_name(&row->b));
    }
    fprintf(out, measure[0] ? " (%s)</Title>\n" : "%s</Title>\n", measure);
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
    make_guid(id_of(row), "topic", guid);
    fprintf(out, "%s<Markup>\n<Header>\n<Files>\n", declaration);
    write_file(out, run->path_a);
    if (run->path_b[0])
        write_file(out, run->path_b);
    fprintf(out, "</Files>\n</Header>\n<Topic Guid=\"%s\" TopicType=\"%s\" TopicStatus=\"%s\">\n",
            guid, kinds[verdict].type, is_resolved ? "Closed" : "Open");
    write_title(out, run, row);
    element(out, "Priority", kinds[verdict].priority);
    const char *state = row->issue ? row->issue->state : row->state;
    if (state[0]) {
        fputs("<Labels>\n", out);
        element(out, "Label", state);
        fputs("</Labels>\n", out);
    }
    element(out, "CreationDate", run->created);
    element(out, "CreationAuthor", "bvpack");
}

/* The markup of a topic up to what is said of its first pair. */
static void begin_markup(FILE *out, const clash_run *run, const clash_row *row)
{
    char measure[64];
    write_head(out, run, row);
    fputs("<Description>", out);
    if (row->issue) {
        char number[64], count[64];
        line(out, "Pairs", counted(row->issue->pair_count, "pair", count));
        line(out, "Where", row->issue->where);
        if (row->issue->volume > 0)
            fprintf(out, "Common volume: at most %s%s%s\n", shortest(row->issue->volume, number),
                    run->unit[0] ? " cubic " : "", run->unit);
    }
    if (issue_of(row)) {
        char count[64];
        if (issue_of(row)->resolved_count > 0)
            line(out, "Resolved", counted(issue_of(row)->resolved_count, "pair", count));
        fprintf(out, "Issue: %s\n", issue_of(row)->id);
    }
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
    fprintf(out, "Clash id: %s\n", row->id);
}

/* What is said of another pair. */
static void add_markup(FILE *out, const clash_run *run, const clash_row *row)
{
    char measure[64];
    report_measure(run, row->pair, measure);
    fprintf(out, "Also%s%s: ", measure[0] ? ", " : "", measure);
    report_xml(out, row->a.path);
    fputs(" | ", out);
    report_xml(out, row->b.path);
    fprintf(out, " (%s)\n", row->id);
}

static void end_markup(FILE *out, const topic *t)
{
    char count[64];
    if (t->pair_count > PAIRS_LISTED)
        fprintf(out, "and %s more\n", counted(t->pair_count - PAIRS_LISTED, "pair", count));
    fputs("</Description>\n", out);
    if (t->has_view) {
        fprintf(out, "<Viewpoints>\n<ViewPoint Guid=\"%s\">\n", t->view_guid);
        element(out, "Viewpoint", "viewpoint.bcfv");
        if (t->has_picture)
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
                "<TopicLabels>\n<TopicLabel>new</TopicLabel>\n<TopicLabel>grown</TopicLabel>\n"
                "<TopicLabel>persistent</TopicLabel>\n"
                "<TopicLabel>resolved</TopicLabel>\n</TopicLabels>\n"
                "<Users>\n<User>bvpack</User>\n</Users>\n</Extensions>\n",
                declaration);
    return add_text(b, "extensions.xml", &t);
}

static int open_seen(bcf *b, int number, const bvp_file *file)
{
    bvp_file_info info;
    if (!file)
        return 1;
    bvp_get_info(file, &info);
    b->seen[number] = calloc((size_t)info.instance_count + 1, sizeof *b->seen[number]);
    return b->seen[number] != NULL;
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
    if (!b || !b->zip || !add_version(b) || !add_extensions(b) || !open_seen(b, 0, run->file_a) ||
        !open_seen(b, 1, run->file_b))
        return out_of_room(r);
    return 0;
}

static int take_picture(clash_report *r, topic *t)
{
    bcf *b = r->own;
    uint8_t *png;
    size_t size;
    char name[64];
    t->has_picture = b->picture_count < r->run->picture_max;
    if (!t->has_picture)
        return 0;
    const bvp_status status = report_snapshot(&t->view, r->run->thread_count, &png, &size);
    if (status != BVP_OK)
        return complain_status(r->path, status, NULL);
    snprintf(name, sizeof name, "%s/snapshot.png", t->guid);
    const int done = archive_add(b->zip, name, png, size, 1);
    free(png);
    b->picture_count++;
    return done ? 0 : out_of_room(r);
}

/* ---- topics ---------------------------------------------------------------------------------- */

static void close_texts(topic *t)
{
    memory_text *texts[] = {&t->markup, &t->sides[0], &t->sides[1]};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        memory_text_close(texts[i]);
        free(texts[i]->data);
    }
    t->is_open = 0;
}

/* Puts the topic that is complete into the archive. */
static int end_topic(clash_report *r)
{
    bcf *b = r->own;
    topic *t = &b->topic;
    memory_text view;
    char name[64];
    if (!t->is_open)
        return 0;
    end_markup(t->markup.out, t);
    int done = memory_text_flush(&t->markup) == 0 && memory_text_flush(&t->sides[0]) == 0 &&
               memory_text_flush(&t->sides[1]) == 0;
    snprintf(name, sizeof name, "%s/markup.bcf", t->guid);
    done = done && archive_add(b->zip, name, t->markup.data, t->markup.size, 0);
    if (done && t->has_view) {
        if (memory_text_open(&view))
            write_viewpoint(view.out, r->run, t);
        snprintf(name, sizeof name, "%s/viewpoint.bcfv", t->guid);
        done = add_text(b, name, &view);
    }
    close_texts(t);
    return done ? 0 : out_of_room(r);
}

static int begin_topic(clash_report *r, const clash_row *row)
{
    bcf *b = r->own;
    topic *t = &b->topic;
    assert(!t->is_open && b->topic_count < TOPICS_MOST);
    memset(t, 0, sizeof *t);
    b->topic_count++;
    t->is_open = 1;
    if (!memory_text_open(&t->markup) || !memory_text_open(&t->sides[0]) ||
        !memory_text_open(&t->sides[1]))
        return out_of_room(r);
    snprintf(t->id, sizeof t->id, "%s", id_of(row));
    t->is_resolved = !row->issue;
    make_guid(t->id, "topic", t->guid);
    make_guid(t->id, "viewpoint", t->view_guid);
    t->has_view = report_view_of(row, r->run->info_a.up, WIDTH, HEIGHT, &t->view);
    begin_markup(t->markup.out, r->run, row);
    return t->has_view ? take_picture(r, t) : 0;
}

/* An instance that is in several pairs is one component. */
static void add_component(clash_report *r, const clash_side *side, FILE *out)
{
    bcf *b = r->own;
    const int number = side->file != r->run->file_a;
    uint32_t *seen = b->seen[number];
    if (!side->file || !seen || seen[side->instance] == b->topic_count)
        return;
    seen[side->instance] = (uint32_t)b->topic_count;
    component(out, side, number ? file_b(r->run) : r->run->path_a);
}

/* Pairs that an issue has lost have no topic: its own says how many they are. */
static int row(clash_report *r, const clash_row *row)
{
    bcf *b = r->own;
    topic *t = &b->topic;
    if (row->was_in && row->was_in->number > 0)
        return 0;
    const int goes_on =
        row->was_in && t->is_open && t->is_resolved && strcmp(t->id, id_of(row)) == 0;
    if ((!row->issue || row->begins_issue) && !goes_on) {
        int code = end_topic(r);
        if (code == 0 && b->topic_count < TOPICS_MOST)
            code = begin_topic(r, row);
        if (code != 0)
            return code;
    }
    if (!t->is_open) {
        b->left_out++;
        return 0;
    }
    if (t->pair_count > 0 && t->pair_count < PAIRS_LISTED)
        add_markup(t->markup.out, r->run, row);
    t->pair_count++;
    add_component(r, &row->a, t->sides[row->is_turned].out);
    add_component(r, &row->b, t->sides[!row->is_turned].out);
    return 0;
}

static int end(clash_report *r, const clash_summary *summary)
{
    bcf *b = r->own;
    char most[32], more[32];
    (void)summary;
    const int code = end_topic(r);
    if (code != 0)
        return code;
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
    if (b) {
        if (b->topic.is_open)
            close_texts(&b->topic);
        free(b->seen[0]);
        free(b->seen[1]);
        archive_free(b->zip);
    }
    free(b);
    r->own = NULL;
}

const clash_form report_bcf = {
    .ending = ".bcf", .begin = begin, .row = row, .end = end, .discard = discard};
