/* SPDX-License-Identifier: MIT
 * report_bcf.c: a clash report as a zip in the BIM Collaboration Format: one topic for each issue,
 * and for each issue that is no more.
 * Spec: buildingSMART BCF-XML 2.1 and 3.0
 *
 * A topic is a folder of the archive, named by a GUID that is made of the issue's id: an issue that
 * comes again is the same topic, and is closed when all of its pairs are gone. Texts that go into
 * the archive are written in memory first: those of one topic while its pairs come; the archive
 * itself is written at the end.
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "bcf/bcf_markup.h"
#include "bcf/bcf_view.h"
#include "files/archive.h"
#include "report/report_pictures.h"
#include "report/report_snapshot.h"
#include "text/memory_text.h"
#include "text/message.h"

/* Viewers load a whole BCF file at once; further topics are only counted, and the report says so.
 */
enum { TOPICS_MOST = 20000 };

/* Of a topic at most so many pairs are listed in its description. */
enum { PAIRS_LISTED = 100 };

/* The topic whose pairs are coming. */
typedef struct topic {
    int is_open, has_view, has_picture, is_resolved;
    char id[33]; /* of its issue, or of its one pair */
    char guid[ISSUE_GUID_SIZE], view_guid[ISSUE_GUID_SIZE];
    memory_text markup;   /* up to within its description */
    memory_text sides[2]; /* components in A's and in B's colour, as XML */
    report_view view;     /* of its first pair */
    uint64_t pair_count;
} topic;

typedef struct bcf {
    bcf_version version;
    archive *zip;
    uint64_t topic_count, left_out;
    report_pictures *pictures;
    uint32_t picture_count;
    char guids[REPORT_PICTURES_TOGETHER][ISSUE_GUID_SIZE]; /* of topics with pictures to come */
    topic topic;
    uint32_t *seen[2]; /* of each instance of both files: the last topic that has it */
} bcf;

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
        bcf_markup_version(t.out, b->version);
    return add_text(b, "bcf.version", &t);
}

static int add_extensions(bcf *b, const clash_run *run)
{
    memory_text t;
    if (b->version == BCF_2_1)
        return 1; /* it has none */
    const int done = memory_text_open(&t) && bcf_markup_extensions(t.out, run) == 0;
    return add_text(b, "extensions.xml", &t) && done;
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

/* A report_picture_fn. */
static int put_picture(void *user, uint32_t number, const uint8_t *png, size_t size)
{
    bcf *b = user;
    char name[64];
    snprintf(name, sizeof name, "%s/snapshot.png", b->guids[number % REPORT_PICTURES_TOGETHER]);
    return !archive_add(b->zip, name, png, size, 1);
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
    if (b) {
        const int is_old = run->bcf ? strcmp(run->bcf, "2.1") == 0 : r->form == &report_bcfzip;
        b->version = is_old ? BCF_2_1 : BCF_3_0;
        b->zip = archive_new(run->created);
        b->pictures = report_pictures_open(run, put_picture, b);
    }
    if (!b || !b->zip || !b->pictures || !add_version(b) || !add_extensions(b, run) ||
        !open_seen(b, 0, run->file_a) || !open_seen(b, 1, run->file_b))
        return out_of_room(r);
    return 0;
}

static int picture_failure(const clash_report *r, bvp_status status)
{
    return status == BVP_ERR_CANCELLED ? out_of_room(r) : complain_status(r->path, status, NULL);
}

static int ask_picture(clash_report *r, const clash_row *row, topic *t)
{
    bcf *b = r->own;
    t->has_picture = b->picture_count < r->run->picture_max;
    if (!t->has_picture)
        return 0;
    memcpy(b->guids[b->picture_count++ % REPORT_PICTURES_TOGETHER], t->guid, sizeof t->guid);
    const bvp_status status = report_pictures_add(b->pictures, &t->view, row);
    return status == BVP_OK ? 0 : picture_failure(r, status);
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

static bcf_topic topic_of(const bcf *b)
{
    const topic *t = &b->topic;
    return (bcf_topic){.version = b->version,
                       .guid = t->guid,
                       .view_guid = t->view_guid,
                       .has_view = t->has_view,
                       .has_picture = t->has_picture,
                       .unlisted = t->pair_count > PAIRS_LISTED ? t->pair_count - PAIRS_LISTED : 0};
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
    const bcf_topic all = topic_of(b);
    const int code = bcf_markup_end(t->markup.out, r->run, t->id, &all);
    int done = memory_text_flush(&t->markup) == 0 && memory_text_flush(&t->sides[0]) == 0 &&
               memory_text_flush(&t->sides[1]) == 0;
    snprintf(name, sizeof name, "%s/markup.bcf", t->guid);
    done = done && archive_add(b->zip, name, t->markup.data, t->markup.size, 0);
    if (done && t->has_view) {
        const bcf_viewpoint whole = {
            b->version, t->view_guid, &t->view, {&t->sides[0], &t->sides[1]}};
        if (memory_text_open(&view))
            bcf_view_write(view.out, r->run, &whole);
        snprintf(name, sizeof name, "%s/viewpoint.bcfv", t->guid);
        done = add_text(b, name, &view);
    }
    close_texts(t);
    return code != 0 ? code : done ? 0 : out_of_room(r);
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
    snprintf(t->id, sizeof t->id, "%s", bcf_markup_id(row));
    t->is_resolved = !row->issue;
    issue_guid_make(t->id, "topic", t->guid);
    issue_guid_make(t->id, "viewpoint", t->view_guid);
    t->has_view = report_view_of(row, r->run->info_a.up, SNAPSHOT_WIDTH, SNAPSHOT_HEIGHT, &t->view);
    const bcf_topic all = topic_of(b);
    const int code = bcf_markup_begin(t->markup.out, r->run, row, &all);
    return code == 0 && t->has_view ? ask_picture(r, row, t) : code;
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
    const char *file = number && r->run->path_b[0] ? r->run->path_b : r->run->path_a;
    bcf_view_component(out, side, file);
}

/* Pairs that an issue has lost have no topic: its own says how many they are. */
static int row(clash_report *r, const clash_row *row)
{
    bcf *b = r->own;
    topic *t = &b->topic;
    if (row->was_in && row->was_in->number > 0)
        return 0;
    const int goes_on =
        row->was_in && t->is_open && t->is_resolved && strcmp(t->id, bcf_markup_id(row)) == 0;
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
        bcf_markup_add(t->markup.out, r->run, row);
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
    const bvp_status status = report_pictures_flush(b->pictures);
    if (status != BVP_OK)
        return picture_failure(r, status);
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
        report_pictures_close(b->pictures);
        archive_free(b->zip);
    }
    free(b);
    r->own = NULL;
}

const clash_form report_bcf = {
    .ending = ".bcf", .begin = begin, .row = row, .end = end, .discard = discard};
/* The ending that files of BCF 2 have. */
const clash_form report_bcfzip = {
    .ending = ".bcfzip", .begin = begin, .row = row, .end = end, .discard = discard};
