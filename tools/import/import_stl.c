/* SPDX-License-Identifier: MIT
 * import_stl.c: STL, binary (told by its size, whatever the header says) and ASCII.
 * A binary file is one mesh (records.c). So is an ASCII file; several solids in it become a part
 * each. Coordinates of ASCII files are floats, unless floats would not print as the text does.
 */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "import/crew.h"
#include "import/records.h"
#include "model/soup.h"
#include "model/triangle_sink.h"
#include "text/text_scan.h"

/* ---- ASCII ----------------------------------------------------------------------------------- */

typedef struct reader {
    text_scan scan;
    soup soup;               /* the facets of this solid */
    int needs_double;        /* a coordinate is no printed float, but the soup holds floats */
    uint64_t facet, dropped; /* in the file */
    const char *resume_at;   /* where facets may be read in pieces again */
    int is_round_whole;
} reader;

static bvp_status refuse_word(importer *im, const reader *s, const char *expected)
{
    char found[QUOTE_SIZE];
    text_scan word = s->scan;
    scan_past_word(&word);
    if (s->scan.at == s->scan.end)
        return import_refuse_line(im, BVP_ERR_CORRUPT, s->scan.at,
                                  "facet %llu: expected %s, found the end of the file; it is cut "
                                  "off, get it again",
                                  (unsigned long long)s->facet, expected);
    import_quote(s->scan.at, word.at, found);
    return import_refuse_line(
        im, BVP_ERR_CORRUPT, s->scan.at, "facet %llu: expected %s, found \"%s\"; %s",
        (unsigned long long)s->facet, expected, found,
        strchr(found, ',') ? "decimals need a point: export the model with another language setting"
                           : "repair the line or export the model again");
}

static int take(reader *s, const char *word)
{
    scan_spaces(&s->scan);
    return scan_word(&s->scan, word);
}

/* After "facet". The normal is ignored: many writers get it wrong, and it is not needed. */
static bvp_status read_facet(importer *im, reader *s)
{
    int finite = 1;
    void *corners = soup_next(&s->soup);
    if (!corners)
        return import_no_memory(im);
    if (take(s, "normal"))
        for (int i = 0; i < 3; i++) {
            scan_spaces(&s->scan);
            scan_past_word(&s->scan);
        }
    if (!take(s, "outer") || !take(s, "loop"))
        return refuse_word(im, s, "\"outer loop\"");
    for (int corner = 0; corner < 3; corner++) {
        const char *line = s->scan.at;
        if (!take(s, "vertex"))
            return refuse_word(im, s, "\"vertex\"");
        for (int i = 3 * corner; i < 3 * corner + 3; i++) {
            number n;
            scan_spaces(&s->scan);
            if (!scan_number(&s->scan, &n))
                return refuse_word(im, s, "a number");
            if (s->soup.is_double)
                ((double *)corners)[i] = n.value;
            else
                ((float *)corners)[i] = n.nearest;
            s->needs_double |= !s->soup.is_double && !n.prints_float;
            finite &= isfinite(n.value) != 0;
        }
        if (!finite && !im->options->drop_invalid) {
            while (line < s->scan.at && scan_is_space(*line))
                line++;
            return import_refuse_line(im, BVP_ERR_ARGUMENT, line,
                                      "facet %llu: expected finite coordinates; repair the model "
                                      "or leave such triangles out with --drop-invalid",
                                      (unsigned long long)s->facet);
        }
    }
    if (!take(s, "endloop"))
        return refuse_word(im, s, "\"endloop\" after three vertices");
    if (!take(s, "endfacet"))
        return refuse_word(im, s, "\"endfacet\"");
    s->facet++;
    s->dropped += !finite;
    return finite ? soup_keep(&s->soup, s->facet - 1) : BVP_OK;
}

/* ---- many facets at once --------------------------------------------------------------------- */

/* Where a solid goes on for long its facets are read in pieces, by several threads. A piece begins
 * behind an "endfacet", wherever that stands, and ends before the first facet with which anything
 * is odd: it is wrong, not finite, or no float. Pieces are added while one ends exactly where the
 * next begins, so that they are what reading facet by facet gives; from there on that goes on, and
 * says what is wrong. What was read in vain is not tried again before as much has been read. */
enum { PIECE_SIZE = 2 << 20, ROUND = 16 };

typedef struct facet_piece {
    importer im; /* nobody reads its message */
    bvp_error error;
    reader reader;
    const char *end;
    int is_odd; /* it ends before its end */
} facet_piece;

static void read_piece(void *user, uint32_t i)
{
    facet_piece *piece = &((facet_piece *)user)[i];
    reader *s = &piece->reader;
    while (s->scan.at < piece->end && !piece->is_odd) {
        const char *before = s->scan.at;
        const uint64_t facets = s->facet;
        if (!take(s, "facet") || read_facet(&piece->im, s) != BVP_OK || s->dropped > 0 ||
            s->needs_double) {
            s->scan.at = before;
            s->facet = facets;
            piece->is_odd = 1;
        }
    }
    if (soup_settle(&s->soup) != BVP_OK)
        piece->is_odd = 2; /* without its facets */
}

/* Behind the first "endfacet" from `at` on, or the end. */
static const char *find_end(const char *at, const char *end)
{
    text_scan s = {at, end};
    scan_past_word(&s); /* it may be cut in two */
    while (scan_spaces(&s), s.at < s.end) {
        if (scan_word(&s, "endfacet"))
            return s.at;
        scan_past_word(&s);
    }
    return end;
}

/* Adds pieces to the facets that have been read, as far as they go. */
static bvp_status add_pieces(reader *s, facet_piece *pieces, uint32_t count)
{
    bvp_status status = BVP_OK;
    for (uint32_t i = 0; i < count && status == BVP_OK; i++) {
        const facet_piece *piece = &pieces[i];
        if (piece->is_odd == 2)
            break;
        status = soup_append(&s->soup, &piece->reader.soup, s->facet);
        s->facet += piece->reader.facet;
        s->scan.at = piece->reader.scan.at;
        if (piece->is_odd || piece->reader.scan.at != piece->end)
            break;
    }
    return status;
}

static bvp_status read_round(importer *im, reader *s, uint32_t threads, uint32_t most)
{
    facet_piece *pieces = calloc(most, sizeof *pieces);
    import_options options = *im->options;
    uint32_t count = 0;
    const char *at = s->scan.at;
    if (!pieces)
        return import_no_memory(im);
    options.thread_count = 1;
    for (; count < most && at < s->scan.end; count++) {
        facet_piece *piece = &pieces[count];
        piece->im = *im;
        piece->im.options = &options;
        piece->im.error = &piece->error;
        piece->end =
            s->scan.end - at > PIECE_SIZE ? find_end(at + PIECE_SIZE, s->scan.end) : s->scan.end;
        piece->reader =
            (reader){.scan = {at, s->scan.end},
                     .soup = {.im = &piece->im, .is_double = s->soup.is_double, .is_piece = 1}};
        at = piece->end;
    }
    crew_run(threads, count, read_piece, pieces);
    const bvp_status status = add_pieces(s, pieces, count);
    for (uint32_t i = 0; i < count; i++)
        soup_free(&pieces[i].reader.soup);
    free(pieces);
    s->is_round_whole = s->scan.at == at;
    if (!s->is_round_whole && s->scan.end - at > at - s->scan.at)
        s->resume_at = at + (at - s->scan.at);
    else if (!s->is_round_whole)
        s->resume_at = s->scan.end;
    return status;
}

/* Rounds grow while all of one can be used. */
static bvp_status read_rounds(importer *im, reader *s)
{
    const uint32_t threads = crew_size(im->options->thread_count);
    const uint32_t largest = im->options->sink && 2 * threads < ROUND ? 2 * threads : ROUND;
    uint32_t most = threads < largest ? threads : largest;
    bvp_status status = BVP_OK;
    while (status == BVP_OK && threads > 1 && s->scan.at >= s->resume_at &&
           s->scan.end - s->scan.at > 2 * PIECE_SIZE) {
        status = read_round(im, s, threads, most);
        most = 2 * most < largest ? 2 * most : largest;
        import_progress(im, (uint64_t)(s->scan.at - (const char *)im->data), im->size);
        if (!s->is_round_whole)
            break;
    }
    return status;
}

/* ---- solids ---------------------------------------------------------------------------------- */

/* A solid's name: the rest of the line, or what comes before "facet normal" on it. */
static const char *name_end(const text_scan *s)
{
    text_scan word = *s;
    while (scan_blanks(&word), word.at < word.end && !scan_is_newline(*word.at)) {
        text_scan next = word;
        if (scan_word(&next, "facet") && (scan_blanks(&next), scan_word(&next, "normal")))
            break;
        scan_past_word(&word);
    }
    return word.at;
}

/* After "solid": its facets, up to and with "endsolid". */
static bvp_status read_solid(importer *im, reader *s)
{
    scan_blanks(&s->scan);
    const char *first = s->scan.at, *end = name_end(&s->scan);
    s->scan.at = end;
    while (end > first && scan_is_blank(end[-1]))
        end--;
    char *name = import_text(first, (size_t)(end - first));
    bvp_status status = name ? BVP_OK : import_no_memory(im);
    while (status == BVP_OK && !s->needs_double && (status = read_rounds(im, s)) == BVP_OK &&
           take(s, "facet")) {
        status = read_facet(im, s);
        if (s->facet % 65536 == 0)
            import_progress(im, (uint64_t)(s->scan.at - (const char *)im->data), im->size);
    }
    if (status != BVP_OK || s->needs_double) {
        free(name);
        return status;
    }
    if (take(s, "endsolid"))
        s->scan.at = name_end(&s->scan);
    else
        status = import_warn(im, 1, "solids without \"endsolid\"");
    if (status == BVP_OK && soup_count(&s->soup) > 0)
        return soup_finish(&s->soup, name);
    free(name);
    return status == BVP_OK ? import_warn(im, 1, "empty solids left out") : status;
}

/* Reads as floats first, and again as doubles if *needs_double is set. */
static bvp_status read_solids(importer *im, int is_double, int *needs_double)
{
    const char *text = (const char *)im->data;
    reader s = {.scan = {text, text + im->size},
                .soup = {.im = im, .is_double = is_double},
                .resume_at = text};
    bvp_status status = BVP_OK;
    while (status == BVP_OK && !s.needs_double && take(&s, "solid"))
        status = read_solid(im, &s);
    assert(!s.needs_double || !is_double); /* so the second time is the last */
    if (status == BVP_OK && !s.needs_double && s.scan.at < s.scan.end)
        status = refuse_word(im, &s, "\"facet\", \"endsolid\" or \"solid\"");
    if (status == BVP_OK && !s.needs_double)
        status = import_warn(im, s.dropped, records_dropped);
    soup_free(&s.soup);
    *needs_double = s.needs_double;
    return status;
}

/* Of a model that goes into a sink nothing can be taken back: it is read once before, for its type
 * and for what is wrong with it. */
static bvp_status read_text(importer *im)
{
    triangle_sink *sink = im->options->sink;
    int needs_double;
    if (sink)
        sink->is_rehearsal = 1;
    bvp_status status = read_solids(im, 0, &needs_double);
    const int is_double = needs_double;
    if (status == BVP_OK && needs_double && sink) { /* it ended at the first such number */
        model_free(im->out);
        sink->has_begun = 0;
        status = read_solids(im, 1, &needs_double);
    }
    if (status == BVP_OK && (is_double || sink)) {
        model_free(im->out);
        im->out->up = BVP_UP_UNKNOWN;
        if (sink) {
            sink->is_rehearsal = sink->has_begun = 0;
            sink->rehearsed = sink->kept;
        }
        status = read_solids(im, is_double, &needs_double);
    }
    return status;
}

bvp_status import_stl(importer *im)
{
    const char *text = (const char *)im->data;
    const uint64_t count = im->size >= STL_HEADER ? stl_facet_count(im->data) : 0;
    const uint64_t wanted = STL_HEADER + STL_FACET * count;
    if (im->size == wanted)
        return records_import(im, &stl_records, count);

    text_scan s = {text, text + im->size};
    scan_spaces(&s);
    if (scan_word(&s, "solid") && !memchr(im->data, 0, im->size < 512 ? im->size : 512)) {
        bvp_status status = read_text(im);
        if (status == BVP_OK && !(im->out->format = import_text("STL (ASCII)", 11)))
            return import_no_memory(im);
        return status;
    }
    /* The size does not fit the count; which of the two is wrong can't be known. */
    if (im->size < STL_HEADER)
        return import_refuse_byte(im, BVP_ERR_CORRUPT, im->size,
                                  "the file ends in the header: expected at least 84 bytes; it is "
                                  "cut off, get it again");
    return import_refuse_byte(
        im, BVP_ERR_CORRUPT, wanted < im->size ? wanted : im->size,
        "the header announces %llu facets, %llu bytes, but the file has %llu bytes; %s",
        (unsigned long long)count, (unsigned long long)wanted, (unsigned long long)im->size,
        wanted > im->size ? "it is cut off or no STL file, get it again"
                          : "something follows the facets or the count is wrong, export it again");
}
