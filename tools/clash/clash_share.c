/* SPDX-License-Identifier: MIT
 * clash_share.c: writes a share of a clash run, and reads all of them as one run.
 *
 * A share is its head, packs of pairs, and a mark with its coverage, its count of pairs and the
 * uses of the rules; nothing is behind the mark. A pack holds pairs of one range of instances, so
 * that ranges, which go round among the shares, can be read in the order of the instances. Shares
 * are read twice: whole, before anything is reported, and then range by range, each file opened
 * when its turn comes: there may be more shares than a process may have open.
 *
 * What is checked: every hash; that a pair is one that such a run can write, in one of the share's
 * ranges and in order; that counts agree with the coverage; that the shares are of one run and
 * complete, and their ranges cover the instances once.
 */
#include "clash/clash_share.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "text/message.h"

static const uint32_t byte_order = 0x01020304;

/* ---- writing ------------------------------------------------------------------------------- */

static int refuse_writing(const clash_share_output *o)
{
    complain(o->path, "can't write the share: %s", strerror(errno));
    return EXIT_OUTPUT;
}

int clash_share_begin(clash_share_output *o, const char *path, const clash_share_head *head)
{
    o->path = path;
    o->head = *head;
    memcpy(o->head.magic, CLASH_SHARE_MAGIC, sizeof CLASH_SHARE_MAGIC);
    o->head.byte_order = byte_order;
    o->head.pair_size = sizeof(bvp_clash_pair);
    assert(head->range_count <= BVP_CLASH_SHARE_RANGES);
    o->pack.bytes = malloc(CLASH_RECORD_MAX);
    if (!o->pack.bytes)
        return complain_memory();
    clash_pack_begin(&o->pack);
    if (sizeof(clash_mark) + (uint64_t)head->rule_count * sizeof(uint64_t) > CLASH_RECORD_MAX) {
        complain(path, "has no room for so many rules");
        return EXIT_LIMIT;
    }
    const int code = output_open(&o->out, path);
    if (code != 0)
        return code;
    const int fd = dup(o->out.fd);
    o->stream = fd >= 0 ? fdopen(fd, "wb") : NULL;
    if (!o->stream) {
        const int why = errno;
        if (fd >= 0)
            close(fd);
        output_discard(&o->out);
        errno = why;
        return refuse_writing(o);
    }
    if (clash_record_put(o->stream, CLASH_RECORD_SHARE, &o->head, sizeof o->head) != 0)
        return refuse_writing(o);
    return 0;
}

static int write_pack(clash_share_output *o)
{
    const uint32_t size = o->pack.size;
    if (size > 0 && clash_record_put(o->stream, CLASH_RECORD_PAIRS, o->pack.bytes, size) != 0)
        return refuse_writing(o);
    clash_pack_begin(&o->pack);
    return 0;
}

int clash_share_add(clash_share_output *o, const bvp_clash_pair *pair)
{
    int code = 0;
    while (o->range < o->head.range_count && pair->a >= o->head.ranges[o->range].end) {
        o->range++;
        code = code ? code : write_pack(o);
    }
    assert(o->range < o->head.range_count && pair->a >= o->head.ranges[o->range].first);
    if (code == 0 && clash_pack_add(&o->pack, pair) != 0) {
        code = write_pack(o);
        const int is_full = code == 0 && clash_pack_add(&o->pack, pair) != 0;
        assert(!is_full);
        (void)is_full;
    }
    o->pair_count++;
    return code;
}

int clash_share_end(clash_share_output *o, const bvp_clash_coverage *coverage, const uint64_t *uses)
{
    const uint32_t use_bytes = o->head.rule_count * (uint32_t)sizeof *uses;
    const clash_mark mark = {o->head.count_a, o->head.count_a, *coverage, o->pair_count};
    int code = write_pack(o);
    if (code != 0)
        return code;
    memcpy(o->pack.bytes, &mark, sizeof mark);
    if (use_bytes > 0)
        memcpy(o->pack.bytes + sizeof mark, uses, use_bytes);
    if (clash_record_put(o->stream, CLASH_RECORD_MARK, o->pack.bytes,
                         (uint32_t)sizeof mark + use_bytes) != 0)
        return refuse_writing(o);
    FILE *stream = o->stream;
    if (fflush(stream) != 0)
        return refuse_writing(o);
    o->stream = NULL;
    fclose(stream);
    return output_commit(&o->out);
}

void clash_share_discard(clash_share_output *o)
{
    if (o->stream) {
        fclose(o->stream);
        output_discard(&o->out);
    }
    free(o->pack.bytes);
    memset(o, 0, sizeof *o);
}

/* ---- one share ------------------------------------------------------------------------------ */

typedef struct clash_piece {
    bvp_clash_range range;
    uint32_t file;
    uint64_t offset, pair_count; /* of its first pack; no pairs: 0 */
} piece;

typedef struct clash_share_file {
    const char *path;
    clash_share_head head;
    clash_mark mark;
    piece pieces[BVP_CLASH_SHARE_RANGES];
} share_file;

/* A share while it is checked. */
typedef struct checking {
    share_file *file;
    const clash_scope *scope;
    FILE *stream;
    uint8_t *bytes;        /* CLASH_RECORD_MAX */
    uint64_t at;           /* where the record begins */
    uint32_t range;        /* of the last pair */
    uint64_t pairs_before; /* of this record */
    uint64_t pair_count, verdicts[BVP_VERDICT_COUNT];
    bvp_clash_pair last;
} checking;

static int refuse_damaged(const char *path, uint64_t at)
{
    complain(path,
             "byte %" PRIu64 ": expected what a share of a clash run has there, found the end of "
             "the file or other bytes: it is cut off or damaged; run this share again",
             at);
    return EXIT_CORRUPT;
}

static int refuse_reading(const char *path)
{
    if (errno == ENOMEM)
        return complain_memory();
    complain(path, "can't be read: %s", strerror(errno));
    return EXIT_INPUT;
}

/* A clash_pair_fn. Nonzero: no run has written it. */
static int check_pair(void *user, const bvp_clash_pair *pair)
{
    checking *c = user;
    const clash_share_head *h = &c->file->head;
    if (!clash_scope_takes(c->scope, pair) ||
        (c->pair_count > 0 && !clash_pair_is_after(pair, &c->last)))
        return 1;
    while (c->range < h->range_count && pair->a >= h->ranges[c->range].end) {
        if (c->pair_count > c->pairs_before)
            return 1; /* a pack is of one range */
        c->range++;
    }
    if (c->range == h->range_count || pair->a < h->ranges[c->range].first)
        return 1;
    piece *p = &c->file->pieces[c->range];
    if (p->pair_count++ == 0)
        p->offset = c->at;
    c->verdicts[pair->verdict]++;
    c->pair_count++;
    c->last = *pair;
    return 0;
}

/* Is it the mark of all that has been read? */
static int is_end(const checking *c)
{
    const clash_mark *m = &c->file->mark;
    uint64_t clear = 0;
    for (int v = 0; v < BVP_VERDICT_COUNT; v++)
        if (v == BVP_VERDICT_CLEAR)
            clear = m->coverage.verdicts[v];
        else if (m->coverage.verdicts[v] != c->verdicts[v])
            return 0;
    return m->done == m->total && m->total == c->scope->count_a && m->row_count == c->pair_count &&
           clear <= m->coverage.box_pairs && clash_coverage_is_sound(&m->coverage);
}

static int are_ranges(const clash_share_head *h)
{
    uint32_t behind = 0;
    if (h->range_count > BVP_CLASH_SHARE_RANGES)
        return 0;
    for (uint32_t i = 0; i < h->range_count; i++) {
        const bvp_clash_range *r = &h->ranges[i];
        if (r->first < behind || r->first >= r->end || r->end > h->count_a)
            return 0;
        behind = r->end;
    }
    return h->index >= 1 && h->index <= h->count && h->count <= SHARD_MAX;
}

/* Is it a share of this run? */
static int match_head(const char *path, const clash_share_head *h, const clash_share_head *run)
{
    if (h->byte_order != byte_order || h->pair_size != sizeof(bvp_clash_pair)) {
        complain(path, "was written on another kind of machine; run its share on one of this kind");
        return EXIT_INPUT;
    }
    if (memchr(h->version, '\0', sizeof h->version) == NULL)
        return refuse_damaged(path, CLASH_RECORD_HEAD);
    if (strcmp(h->version, run->version) != 0) {
        complain(path,
                 "is a share of bvpack %s; this is %s, which may find otherwise: use one "
                 "version for all shares",
                 h->version, run->version);
        return EXIT_INPUT;
    }
    if (memcmp(h->a, run->a, sizeof h->a) != 0 || memcmp(h->b, run->b, sizeof h->b) != 0) {
        complain(path, "is a share of a run of other files than this; name those, or run the "
                       "shares anew");
        return EXIT_INPUT;
    }
    if (memcmp(h->options, run->options, sizeof h->options) != 0 ||
        h->rule_count != run->rule_count) {
        complain(path, "is a share of a run with other options (lengths, rules, zones, --place-b, "
                       "--fast, --contacts); give --merge those of the shares");
        return EXIT_INPUT;
    }
    if (h->count_a != run->count_a || h->count_b != run->count_b || h->is_same != run->is_same ||
        !are_ranges(h))
        return refuse_damaged(path, CLASH_RECORD_HEAD);
    return 0;
}

static int check_records(checking *c, uint64_t *uses)
{
    share_file *f = c->file;
    const uint32_t use_bytes = f->head.rule_count * (uint32_t)sizeof *uses;
    uint32_t size;
    for (;;) {
        c->at = (uint64_t)ftello(c->stream);
        c->pairs_before = c->pair_count;
        const clash_record_kind kind =
            clash_record_get(c->stream, c->bytes, CLASH_RECORD_MAX, &size);
        if (kind == CLASH_RECORD_PAIRS && clash_pack_each(c->bytes, size, check_pair, c) == 0)
            continue;
        if (ferror(c->stream))
            return refuse_reading(f->path);
        if (kind != CLASH_RECORD_MARK || size != sizeof f->mark + use_bytes)
            break;
        memcpy(&f->mark, c->bytes, sizeof f->mark);
        if (!is_end(c) || fgetc(c->stream) != EOF)
            break;
        for (uint32_t i = 0; i < f->head.rule_count; i++) {
            uint64_t of_share;
            memcpy(&of_share, c->bytes + sizeof f->mark + i * sizeof of_share, sizeof of_share);
            uses[i] += of_share;
        }
        return 0;
    }
    return refuse_damaged(f->path, c->at);
}

static int read_share(share_file *f, const char *path, const clash_share_head *run,
                      const clash_scope *scope, uint64_t *uses)
{
    uint32_t size;
    checking c = {.file = f, .scope = scope};
    f->path = path;
    c.bytes = malloc(CLASH_RECORD_MAX);
    c.stream = fopen(path, "rb");
    int code = !c.bytes ? complain_memory() : !c.stream ? refuse_reading(path) : 0;
    if (code == 0 &&
        (clash_record_get(c.stream, &f->head, sizeof f->head, &size) != CLASH_RECORD_SHARE ||
         size != sizeof f->head ||
         memcmp(f->head.magic, CLASH_SHARE_MAGIC, sizeof CLASH_SHARE_MAGIC) != 0))
        code = refuse_damaged(path, 0);
    if (code == 0)
        code = match_head(path, &f->head, run);
    for (uint32_t i = 0; code == 0 && i < f->head.range_count; i++)
        f->pieces[i].range = f->head.ranges[i];
    if (code == 0)
        code = check_records(&c, uses);
    if (c.stream)
        fclose(c.stream);
    free(c.bytes);
    return code;
}

/* ---- all of them ---------------------------------------------------------------------------- */

static int compare_files(const void *x, const void *y)
{
    const uint32_t a = ((const share_file *)x)->head.index, b = ((const share_file *)y)->head.index;
    return (a > b) - (a < b);
}

static int refuse_missing(const clash_shares *s, uint32_t count)
{
    char list[256] = ""; /* of the first ones */
    uint32_t listed = 0;
    for (uint32_t i = 0, k = 1; k <= count && listed < 16; k++)
        if (i < s->count && s->files[i].head.index == k)
            i++;
        else if (listed++ < 16)
            snprintf(list + strlen(list), sizeof list - strlen(list), " %u", k);
    complain("--merge", "%u of %u shares missing:%s%s", count - s->count, count, list,
             count - s->count > 16 ? " ..." : "");
    return EXIT_INPUT;
}

/* Puts them in the order of their numbers: all are there, each once. */
static int order_shares(const clash_shares *s)
{
    share_file *files = s->files;
    for (uint32_t i = 1; i < s->count; i++)
        if (files[i].head.count != files[0].head.count) {
            complain(files[i].path, "is a share of %u, but %s is one of %u; run all of them anew",
                     files[i].head.count, files[0].path, files[0].head.count);
            return EXIT_INPUT;
        }
    qsort(files, s->count, sizeof *files, compare_files);
    for (uint32_t i = 1; i < s->count; i++)
        if (files[i].head.index == files[i - 1].head.index) {
            complain(files[i].path, "is share %u of %u, as %s is; name each share once",
                     files[i].head.index, files[i].head.count, files[i - 1].path);
            return EXIT_USAGE;
        }
    return s->count == files[0].head.count ? 0 : refuse_missing(s, files[0].head.count);
}

static int compare_pieces(const void *x, const void *y)
{
    const piece *a = x, *b = y;
    return (a->range.first > b->range.first) - (a->range.first < b->range.first);
}

/* The ranges of all shares, in order; they cover all instances once. */
static int order_pieces(clash_shares *s)
{
    uint32_t behind = 0;
    size_t at = 0;
    s->pieces = malloc(((size_t)s->count * BVP_CLASH_SHARE_RANGES + 1) * sizeof *s->pieces);
    if (!s->pieces)
        return complain_memory();
    for (uint32_t i = 0; i < s->count; i++)
        for (uint32_t k = 0; k < s->files[i].head.range_count; k++) {
            s->pieces[at] = s->files[i].pieces[k];
            s->pieces[at++].file = i;
        }
    s->piece_count = at;
    qsort(s->pieces, at, sizeof *s->pieces, compare_pieces);
    for (size_t i = 0; i < at && s->pieces[i].range.first == behind; i++)
        behind = s->pieces[i].range.end;
    if (behind == s->scope.count_a)
        return 0;
    complain("--merge",
             "expected instance %u of %u in one share, found it in none or in several: a share is "
             "forged; run all of them anew",
             behind, s->scope.count_a);
    return EXIT_CORRUPT;
}

/* Counts of different shares are of different pairs, so that no sum wraps around unless one is
 * forged. */
static int sum_up(clash_shares *s)
{
    bvp_clash_coverage *sum = &s->coverage;
    for (uint32_t i = 0; i < s->count; i++) {
        const bvp_clash_coverage *c = &s->files[i].mark.coverage;
        if (c->box_pairs > UINT64_MAX - sum->box_pairs)
            return refuse_damaged(s->files[i].path, CLASH_RECORD_HEAD);
        sum->box_pairs += c->box_pairs;
        sum->excluded += c->excluded;
        for (int v = 0; v < BVP_VERDICT_COUNT; v++)
            sum->verdicts[v] += c->verdicts[v];
    }
    return 0;
}

int clash_shares_open(clash_shares *s, char **paths, int count, const clash_share_head *run)
{
    assert(count > 0);
    s->scope = (clash_scope){run->count_a, run->count_b, (int)run->is_same};
    s->uses = calloc((size_t)run->rule_count + 1, sizeof *s->uses);
    s->files = calloc((size_t)count, sizeof *s->files);
    int code = s->files && s->uses ? 0 : complain_memory();
    for (int i = 0; i < count && code == 0; i++)
        code = read_share(&s->files[s->count++], paths[i], run, &s->scope, s->uses);
    if (code == 0)
        code = order_shares(s);
    if (code == 0)
        code = order_pieces(s);
    return code ? code : sum_up(s);
}

/* The pairs of a piece, which were all read before. */
typedef struct giving {
    const piece *piece;
    const clash_scope *scope;
    uint64_t left;
    int is_forged; /* since then */
    clash_pair_fn callback;
    void *user;
} giving;

static int give_pair(void *user, const bvp_clash_pair *pair)
{
    giving *g = user;
    g->is_forged = g->left == 0 || !clash_scope_takes(g->scope, pair) ||
                   pair->a < g->piece->range.first || pair->a >= g->piece->range.end;
    if (g->is_forged)
        return 1;
    g->left--;
    return g->callback(g->user, pair);
}

static int give_piece(const clash_shares *s, const piece *p, FILE *stream, uint8_t *bytes,
                      clash_pair_fn callback, void *user)
{
    giving g = {p, &s->scope, p->pair_count, 0, callback, user};
    const char *path = s->files[p->file].path;
    uint32_t size;
    if (fseeko(stream, (off_t)p->offset, SEEK_SET) != 0)
        return refuse_reading(path);
    while (g.left > 0) {
        const uint64_t at = (uint64_t)ftello(stream);
        if (clash_record_get(stream, bytes, CLASH_RECORD_MAX, &size) != CLASH_RECORD_PAIRS)
            return refuse_damaged(path, at);
        const int result = clash_pack_each(bytes, size, give_pair, &g);
        if (result < 0 || g.is_forged)
            return refuse_damaged(path, at);
        if (result != 0)
            return result;
    }
    return 0;
}

int clash_shares_each(const clash_shares *s, clash_pair_fn callback, void *user)
{
    uint8_t *bytes = malloc(CLASH_RECORD_MAX);
    FILE *stream = NULL;
    uint32_t open = 0; /* the file that `stream` is of */
    int code = bytes ? 0 : complain_memory();
    for (size_t i = 0; i < s->piece_count && code == 0; i++) {
        const piece *p = &s->pieces[i];
        if (p->pair_count == 0)
            continue;
        if (stream && open != p->file) {
            fclose(stream);
            stream = NULL;
        }
        if (!stream)
            stream = fopen(s->files[p->file].path, "rb");
        open = p->file;
        code = stream ? give_piece(s, p, stream, bytes, callback, user)
                      : refuse_reading(s->files[p->file].path);
    }
    if (stream)
        fclose(stream);
    free(bytes);
    return code;
}

void clash_shares_close(clash_shares *s)
{
    free(s->files);
    free(s->pieces);
    free(s->uses);
    memset(s, 0, sizeof *s);
}
