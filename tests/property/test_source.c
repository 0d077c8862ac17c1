/* SPDX-License-Identifier: MIT
 * test_source.c: files whose bytes a source gives: answers are those of the mapped file, whatever
 * was fetched before; what the source says reaches the caller; no byte is believed unchecked; the
 * cache keeps its bounds and takes nothing from calls that run.
 */
#include "questions.h"
#include "repair.h"
#include "source_case.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>

enum { LARGE = 60000, SMALL = 400, NODES = 1500, TEXT = 3 * BVPD_BLOCK_SIZE };

/* A large part, a small one and many instances; every table is longer than a block. */
static case_file make(const bvp_hierarchy_spec *kinds, uint32_t kind_count, bool rays,
                      uint32_t nodes)
{
    uint64_t state = 11;
    uint32_t parts[2], node;
    bvp_builder *builder;
    char text[96], *provenance = malloc(TEXT + 1);
    memset(provenance, ' ', TEXT);
    memcpy(provenance, "{}", 2);
    provenance[TEXT] = '\0';
    const bvp_build_options options = {.provenance = provenance,
                                       .hierarchies = kinds,
                                       .hierarchy_count = kind_count,
                                       .rays = rays,
                                       .digests = 1};
    ck_assert_int_eq(bvp_builder_new(&options, &builder, NULL), BVP_OK);
    for (int k = 0; k < 2; k++) {
        float *soup = case_soup(&state, k == 0 ? LARGE : SMALL, k == 0 ? 100 : 10, k == 0 ? 5 : 1);
        const bvp_mesh mesh = case_mesh(soup, k == 0 ? LARGE : SMALL);
        ck_assert_int_eq(bvp_builder_add_part(builder, &mesh, &parts[k], NULL), BVP_OK);
        free(soup);
    }
    for (uint32_t i = 0; i < nodes; i++) {
        double m[12];
        for (int k = 0; k < 12; k++)
            m[k] = k % 4 == 3 ? 300 * case_uniform(&state) * (i > 0) : k % 5 == 0;
        m[1] = 0.01 * case_uniform(&state);
        snprintf(text, sizeof text, "a name that takes up some room, and then some, %u", i);
        ck_assert_int_eq(bvp_builder_add_node(builder,
                                              &(bvp_new_node){.parent = BVP_NONE,
                                                              .name = text,
                                                              .placement = m,
                                                              .part = parts[i > 0]},
                                              &node, NULL),
                         BVP_OK);
        ck_assert_int_eq(bvp_builder_add_property(builder, node, "a key", text + 2, NULL), BVP_OK);
    }
    free(provenance);
    return case_finish(builder);
}

static case_file make_default(void)
{
    static const bvp_hierarchy_spec kinds[] = {{.kind = BVP_KIND_WIDE}, {.kind = BVP_KIND_AABB}};
    return make(kinds, 2, true, NODES);
}

typedef struct reply {
    bvp_status status;
    uint64_t answer;
} reply;

static reply ask(const question *q, const bvp_file *file)
{
    reply r = {.answer = 1};
    r.status = q->ask(file, &r.answer);
    return r;
}

static void check_same(const question *q, reply found, reply expected)
{
    ck_assert_msg(found.status == expected.status && found.answer == expected.answer,
                  "%s: status %d, expected %d; answers %s", q->name, (int)found.status,
                  (int)expected.status, found.answer == expected.answer ? "equal" : "differ");
}

static const question *named(const char *name)
{
    unsigned k = 0;
    while (k < question_count && strcmp(questions[k].name, name) != 0)
        k++;
    ck_assert_uint_lt(k, question_count);
    return &questions[k];
}

enum { ROOMY = 64 << 20 };

/* Each question finds nothing but the opening's chunks; all others hold garbage. */
static void check_answers(const case_file *f, bvp_kind kind)
{
    const bvp_open_options how = {.kind = kind};
    bvp_file *mapped;
    ck_assert_int_eq(bvp_open_memory(f->bytes, f->size, &how, &mapped, NULL), BVP_OK);
    for (unsigned k = 0; k < question_count; k++) {
        source_case s = source_case_of(f->bytes, f->size);
        bvp_file *file = source_case_open(&s, ROOMY, &how);
        source_case_spoil(file);
        check_same(&questions[k], ask(&questions[k], file), ask(&questions[k], mapped));
        bvp_close(file);
        ck_assert_int_eq(s.closed, 1);
    }
    bvp_close(mapped);
}

START_TEST(answers_are_those_of_the_mapped_file)
{
    case_file f = make_default();
    check_answers(&f, BVP_KIND_DEFAULT);
    check_answers(&f, BVP_KIND_AABB);
    case_close(&f);
}
END_TEST

START_TEST(answers_of_other_kinds)
{
    static const bvp_hierarchy_spec kinds[] = {
        {.kind = BVP_KIND_BOXTREE}, {.kind = BVP_KIND_OBB}, {.kind = BVP_KIND_RSS}};
    case_file f = make(kinds, 3, false, NODES);
    for (int k = 0; k < 3; k++)
        check_answers(&f, kinds[k].kind);
    case_close(&f);
}
END_TEST

/* A file that is longer than the arena lets files be: through windows, which here go before each
 * call. */
static void check_windows(const case_file *f, bvp_kind kind, uint64_t cache)
{
    const bvp_open_options how = {.kind = kind};
    const uint64_t whole = bvpi_the_arena.whole;
    bvp_file *mapped;
    source_case s = source_case_of(f->bytes, f->size);
    ck_assert_int_eq(bvp_open_memory(f->bytes, f->size, &how, &mapped, NULL), BVP_OK);
    bvpi_the_arena.whole = 0;
    bvp_file *file = source_case_open(&s, cache, &how);
    for (int round = 0; round < 2; round++)
        for (unsigned k = 0; k < question_count; k++)
            if (&questions[k] != named("verify") && &questions[k] != named("annotations"))
                check_same(&questions[k], ask(&questions[k], file), ask(&questions[k], mapped));
    ck_assert(file->section[BVPD_DATA].size > 0 && file->section[BVPD_DATA].data == NULL);
    bvp_close(file);
    ck_assert_int_eq(s.closed, 1);
    bvpi_the_arena.whole = whole;
    bvp_close(mapped);
}

START_TEST(windows_show_what_does_not_fit)
{
    static const bvp_hierarchy_spec kinds[] = {
        {.kind = BVP_KIND_BOXTREE}, {.kind = BVP_KIND_OBB}, {.kind = BVP_KIND_RSS}};
    case_file f = make_default();
    check_windows(&f, BVP_KIND_DEFAULT, ROOMY);
    check_windows(&f, BVP_KIND_AABB, ROOMY);
    case_close(&f);
    f = make(kinds, 3, false, NODES);
    for (int k = 0; k < 3; k++)
        check_windows(&f, kinds[k].kind, ROOMY);
    case_close(&f);
}
END_TEST

/* Damage is found in windows, too, and what was found is forgotten with them. */
START_TEST(windows_are_checked)
{
    case_file f = make_default();
    const uint64_t whole = bvpi_the_arena.whole;
    source_case s = source_case_of(f.bytes, f.size);
    bvpi_the_arena.whole = 0;
    bvp_file *file = source_case_open(&s, ROOMY, NULL);
    /* the upper nodes of a part that every question of it reads */
    const uint64_t data = (uint64_t)(f.file->section[BVPD_DATA].data - f.file->base);
    const uint64_t chunk = (data - BVPD_HEADER_SIZE) / BVPD_BLOCK_SIZE;
    s.damage = data + 1000;
    ck_assert_uint_lt(data % BVPD_BLOCK_SIZE, BVPD_BLOCK_SIZE - 4096);
    bvp_error error;
    unsigned found = 0;
    for (unsigned k = 0; k < question_count; k++)
        if (ask(&questions[k], file).status == BVP_ERR_CORRUPT) {
            ck_assert_int_eq(bvp_get_source_error(file, &error), BVP_OK);
            ck_assert_uint_eq(error.offset, BVPD_HEADER_SIZE + chunk * BVPD_BLOCK_SIZE);
            found++;
        }
    ck_assert_uint_gt(found, 0);
    ck_assert_int_eq(bvp_verify_file(file, NULL, NULL, &error), BVP_ERR_LIMIT);
    s.damage = UINT64_MAX;
    check_same(named("rays of all"), ask(named("rays of all"), file),
               ask(named("rays of all"), f.file));
    bvp_close(file);
    bvpi_the_arena.whole = whole;
    case_close(&f);
}
END_TEST

/* A mapped file and one from a source in one question. */
START_TEST(bodies_of_both_sorts)
{
    case_file f = make_default();
    source_case s = source_case_of(f.bytes, f.size);
    bvp_file *file = source_case_open(&s, ROOMY, NULL);
    const double at[12] = {0.6, -0.8, 0, 5, 0.8, 0.6, 0, 1, 0, 0, 1, 2};
    bvp_body bodies[2][2] = {{{.file = f.file}, {.file = file, .placement = at}},
                             {{.file = file}, {.file = f.file, .placement = at}}};
    const bvp_body plain[2] = {{.file = f.file}, {.file = f.file, .placement = at}};
    bvp_distance_result expected, found;
    bvp_pair *pairs = malloc(2 * 4096 * sizeof *pairs);
    uint64_t counts[2];
    ck_assert_int_eq(bvp_distance(&plain[0], &plain[1], INFINITY, &expected, NULL), BVP_OK);
    ck_assert_int_eq(bvp_pairs(&plain[0], &plain[1], pairs, 4096, &counts[0], NULL), BVP_ERR_LIMIT);
    for (int k = 0; k < 2; k++) {
        source_case_spoil(file);
        ck_assert_int_eq(bvp_distance(&bodies[k][0], &bodies[k][1], INFINITY, &found, NULL),
                         BVP_OK);
        ck_assert(found.distance == expected.distance && found.a.triangle == expected.a.triangle);
        ck_assert_int_eq(
            bvp_pairs(&bodies[k][0], &bodies[k][1], pairs + 4096, 4096, &counts[1], NULL),
            BVP_ERR_LIMIT);
        ck_assert_uint_eq(counts[0], counts[1]);
        for (uint64_t i = 0; i < counts[0]; i++)
            ck_assert(pairs[i].a.triangle == pairs[4096 + i].a.triangle &&
                      pairs[i].b.id == pairs[4096 + i].b.id);
    }
    free(pairs);
    bvp_close(file);
    case_close(&f);
}
END_TEST

START_TEST(opening_reads_twice)
{
    case_file f = make_default();
    source_case s = source_case_of(f.bytes, f.size);
    bvp_file *file = source_case_open(&s, ROOMY, NULL);
    bvp_file_info info;
    bvp_get_info(file, &info);
    ck_assert_uint_eq(info.triangle_count, LARGE + SMALL * (NODES - 1));
    ck_assert_uint_eq(s.reads, 2);
    ck_assert_uint_lt(s.bytes_read, 3 * BVPD_BLOCK_SIZE);
    ck_assert_int_eq(s.hints, 0); /* nobody asked for anything yet */
    ck_assert_int_eq(bvp_verify_file(file, NULL, NULL, NULL), BVP_OK);
    ck_assert_uint_le(s.largest, 1 << 20);
    ck_assert_uint_eq(s.bytes_read, f.size); /* nothing twice */
    bvp_close(file);
    case_close(&f);
}
END_TEST

/* Tables that are read from end to end come in few reads, and nothing twice. */
START_TEST(scans_read_ahead)
{
    enum { MANY = 4 * NODES };
    case_file f = make(NULL, 0, false, MANY);
    source_case s = source_case_of(f.bytes, f.size);
    bvp_file *file = source_case_open(&s, ROOMY, NULL);
    source_case_spoil(file);
    uint64_t tables = 0;
    for (uint32_t k = 0; k < MANY; k++) {
        bvp_node_info found, expected;
        bvp_string key, value;
        ck_assert_int_eq(bvp_get_node(file, k, &found), BVP_OK);
        ck_assert_int_eq(bvp_get_node(f.file, k, &expected), BVP_OK);
        ck_assert(memcmp(found.placement, expected.placement, sizeof found.placement) == 0);
        for (uint32_t p = 0; p < found.property_count; p++)
            ck_assert_int_eq(bvp_get_property(file, k, p, &key, &value), BVP_OK);
    }
    const enum bvpd_section_index read[] = {BVPD_TREE, BVPD_STRS, BVPD_PROP, BVPD_INST, BVPD_LINS};
    for (int k = 0; k < 5; k++)
        tables += f.file->section[read[k]].size;
    ck_assert_uint_gt(tables, 24 * BVPD_BLOCK_SIZE);
    /* instances, and their linear parts, are not in the order of the nodes */
    ck_assert_uint_le(s.reads - 2, tables / (2 * BVPD_BLOCK_SIZE));
    ck_assert_uint_le(s.bytes_read, f.size);
    bvp_close(file);
    case_close(&f);
}
END_TEST

/* The chunks that come first, one by one, are no exception: scans among them get ever more. */
START_TEST(first_scans_read_ahead)
{
    case_file f = make(NULL, 0, false, 4 * NODES);
    source_case s = source_case_of(f.bytes, f.size);
    bvp_file *file = source_case_open(&s, ROOMY, NULL);
    const uint64_t tables = f.file->section[BVPD_INST].size + f.file->section[BVPD_LINS].size;
    ck_assert_uint_gt(tables, 20 * BVPD_BLOCK_SIZE);
    ck_assert_uint_lt(tables, 48 * BVPD_BLOCK_SIZE);
    for (uint32_t k = 0; k < 4 * NODES; k++) {
        bvp_instance_info found, expected;
        ck_assert_int_eq(bvp_get_instance(file, k, &found), BVP_OK);
        ck_assert_int_eq(bvp_get_instance(f.file, k, &expected), BVP_OK);
        ck_assert_int_eq(memcmp(&found, &expected, sizeof found), 0);
    }
    /* 11 when this was written; without reading ahead one for each of 20 chunks and more */
    ck_assert_uint_le(s.reads, 14);
    ck_assert_uint_le(s.bytes_read, f.size);
    bvp_close(file);
    case_close(&f);
}
END_TEST

/* Damage in what is read ahead is told when it is needed. */
START_TEST(damage_ahead_waits)
{
    case_file f = make_default();
    source_case s = source_case_of(f.bytes, f.size);
    const uint64_t from = (uint64_t)(f.file->section[BVPD_DATA].data - f.file->base);
    const uint64_t bad = 1 + (from - BVPD_HEADER_SIZE) / BVPD_BLOCK_SIZE + 12;
    s.damage = BVPD_HEADER_SIZE + (bad - 1) * BVPD_BLOCK_SIZE + 77;
    bvp_file *file = source_case_open(&s, ROOMY, NULL);
    bvp_status status = BVP_OK;
    uint64_t count, first = 0;
    float at[9 * 50];
    for (; status == BVP_OK && first < LARGE; first += 50)
        status = bvp_get_triangles(file, 0, (bvp_range){first, 50}, at, NULL, &count);
    ck_assert_int_eq(status, BVP_ERR_CORRUPT);
    ck_assert_uint_ge(source_case_state(file, bad - 1), BVPI_CHUNK_UNUSED);
    ck_assert_uint_eq(source_case_state(file, bad), BVPI_CHUNK_ABSENT);
    bvp_close(file);
    case_close(&f);
}
END_TEST

/* In an opened file, and in a part of another one. */
START_TEST(places_in_the_source)
{
    case_file f = make_default();
    const size_t before = 2 * 4096, behind = 100;
    uint8_t *bytes = calloc(1, before + f.size + behind);
    memcpy(bytes + before, f.bytes, f.size);
    source_case s = source_case_of(bytes, before + f.size + behind);
    const bvp_open_options how = {.offset = before, .size = f.size};
    bvp_file *file = source_case_open(&s, ROOMY, &how);
    source_case_spoil(file);
    check_same(named("volumes"), ask(named("volumes"), file), ask(named("volumes"), f.file));
    bvp_close(file);
    free(bytes);
    case_close(&f);
}
END_TEST

/* ---- damage ---------------------------------------------------------------------------------- */

/* One bit of any block: the file does not open, or the question that needs it fails, or the answer
 * is right. */
START_TEST(no_byte_is_believed_unchecked)
{
    case_file f = make_default();
    uint64_t state = case_seed(), failed = 0;
    for (uint64_t chunk = 0; chunk < source_case_chunks(f.file); chunk++) {
        source_case s = source_case_of(f.bytes, f.size);
        const uint64_t from = chunk == 0 ? 0 : BVPD_HEADER_SIZE + (chunk - 1) * BVPD_BLOCK_SIZE;
        const uint64_t to = chunk == 0 ? BVPD_HEADER_SIZE : from + BVPD_BLOCK_SIZE;
        const uint64_t end = to < f.size ? to : f.size;
        s.damage = from + case_random(&state) % (end - from);
        const bvp_source source = source_case_source(&s, ROOMY);
        bvp_error error = {0};
        bvp_file *file;
        bvp_status status = bvp_open_source(&source, NULL, &file, &error);
        if (status == BVP_OK) {
            const question *q = &questions[case_random(&state) % question_count];
            const reply found = ask(q, file);
            if (found.status == BVP_ERR_CORRUPT)
                ck_assert_int_eq(bvp_get_source_error(file, &error), BVP_OK);
            else
                check_same(q, found, ask(q, f.file));
            failed += found.status == BVP_ERR_CORRUPT;
            status = bvp_verify_file(file, NULL, NULL, &error);
            bvp_close(file);
        }
        /* the bytes from HASH on have a meaning of their own: rules of theirs are violated */
        ck_assert_msg(status == BVP_ERR_CORRUPT || status == BVP_ERR_NEWER ||
                          status == BVP_ERR_NOT_OURS,
                      "a bit at %llu of chunk %llu: %d", (unsigned long long)s.damage,
                      (unsigned long long)chunk, (int)status);
        ck_assert_int_eq(s.closed, 1);
    }
    ck_assert_uint_gt(failed, 0);
    case_close(&f);
}
END_TEST

/* A forger makes the hashes right; digests tell, once their root is known. */
START_TEST(digests_find_forgers)
{
    case_file f = make_default();
    uint8_t root[32], *bytes = malloc(f.size);
    ck_assert_int_eq(bvp_get_digest(f.file, root, NULL), BVP_OK);
    const uint64_t data = (uint64_t)(f.file->section[BVPD_DATA].data - f.file->base);
    const uint64_t places[] = {BVPD_HEADER_SIZE + 5, data + 100, data + 5 * BVPD_BLOCK_SIZE};
    for (int k = -1; k < 3; k++) {
        memcpy(bytes, f.bytes, f.size);
        if (k >= 0) {
            bytes[places[k]] ^= 1;
            repair_file(bytes, f.size);
        }
        source_case s = source_case_of(bytes, f.size);
        const bvp_open_options how = {.digest = root};
        const bvp_source source = source_case_source(&s, ROOMY);
        bvp_file *file = NULL;
        bvp_error error;
        bvp_status status = bvp_open_source(&source, &how, &file, &error);
        if (status == BVP_OK) {
            status = bvp_verify_file(file, NULL, NULL, &error);
            bvp_close(file);
        }
        ck_assert_int_eq(status, k < 0 ? BVP_OK : BVP_ERR_CORRUPT);
    }
    free(bytes);
    case_close(&f);
}
END_TEST

/* Sizes that are not the file's, and a head that promises a long end. */
START_TEST(sizes_that_lie)
{
    case_file f = make_default();
    uint8_t *bytes = calloc(1, f.size + 4096);
    memcpy(bytes, f.bytes, f.size);
    const uint64_t sizes[] = {0, 1, 100, BVPD_HEADER_SIZE, 4096, f.size - 1, f.size - 70000};
    for (unsigned k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        source_case s = source_case_of(bytes, sizes[k]);
        const bvp_source source = source_case_source(&s, ROOMY);
        bvp_error error = {0};
        bvp_file *file = f.file;
        const bvp_status status = bvp_open_source(&source, NULL, &file, &error);
        ck_assert(status == BVP_ERR_CORRUPT || status == BVP_ERR_NOT_OURS);
        ck_assert(file == NULL && s.closed == 1 && error.message[0] != 0);
    }
    source_case s = source_case_of(bytes, f.size);
    bvp_source huge = source_case_source(&s, ROOMY);
    huge.size = UINT64_MAX / 2;
    bvp_file *file;
    ck_assert_int_eq(bvp_open_source(&huge, NULL, &file, NULL), BVP_ERR_CORRUPT);
    free(bytes);
    case_close(&f);
}
END_TEST

/* ---- a source that fails --------------------------------------------------------------------- */

/* Bytes that are not here yet: the same question again and again, until all are. */
START_TEST(a_question_is_asked_again)
{
    case_file f = make_default();
    unsigned char *there = calloc(1, (f.size >> 16) + 8);
    uint64_t waited = 0;
    for (unsigned k = 0; k < question_count; k++) {
        source_case s = source_case_of(f.bytes, f.size);
        s.there = there;
        memset(there, 1, (f.size >> 16) + 8);
        bvp_file *file = source_case_open(&s, ROOMY, NULL);
        memset(there, 0, (f.size >> 16) + 8);
        reply found = {BVP_ERR_AGAIN, 0};
        for (uint64_t again = 0; found.status == BVP_ERR_AGAIN; again++) {
            ck_assert_uint_le(again, 2 * source_case_chunks(file));
            const uint64_t refused = s.refused;
            source_case_spoil(file);
            found = ask(&questions[k], file);
            if (found.status == BVP_OK)
                break;
            ck_assert_int_eq(found.status, BVP_ERR_AGAIN);
            bvp_error error;
            ck_assert_int_eq(bvp_get_source_error(file, &error), BVP_OK);
            ck_assert(error.status == BVP_ERR_AGAIN && error.offset < f.size);
            ck_assert_uint_gt(s.refused, refused);
            source_case_arrives(&s);
            waited++;
        }
        check_same(&questions[k], found, ask(&questions[k], f.file));
        bvp_close(file);
    }
    ck_assert_uint_gt(waited, 100);
    free(there);
    case_close(&f);
}
END_TEST

typedef struct hits {
    uint64_t triangle[100];
    int count;
    const struct hits *all; /* those that may come, or NULL */
} hits;

static int note_hit(void *user, const bvp_ray_hit *hit)
{
    hits *to = user;
    bool is_right = to->all == NULL;
    for (int i = 0; to->all && i < to->all->count; i++)
        is_right = is_right || to->all->triangle[i] == hit->id.triangle;
    ck_assert(is_right && to->count < 100);
    to->triangle[to->count++] = hit->id.triangle;
    return 0;
}

/* A call does not ask on after it was refused, and tells its callback nothing that it read then. */
START_TEST(a_refused_call_asks_no_further)
{
    case_file f = make_default();
    const bvp_ray ray = {.origin = {0, 0, -80}, .direction = {0.01, 0.02, 1}, .t_max = INFINITY};
    hits all = {.count = 0};
    uint64_t count;
    const bvp_body mapped = {.file = f.file};
    ck_assert_int_eq(bvp_ray_all(&mapped, &ray, note_hit, &all, &count, NULL), BVP_OK);
    ck_assert_int_gt(all.count, 8);
    for (uint64_t good = 0;; good++) {
        source_case s = source_case_of(f.bytes, f.size);
        bvp_file *file = source_case_open(&s, ROOMY, NULL);
        const bvp_body body = {.file = file};
        s.answer = BVP_ERR_SYSTEM;
        s.good_reads = good;
        source_case_spoil(file);
        hits told = {.all = &all};
        bvp_error error = {0};
        const bvp_status status = bvp_ray_all(&body, &ray, note_hit, &told, &count, NULL);
        if (status == BVP_OK) {
            ck_assert_int_eq(told.count, all.count);
            ck_assert_uint_gt(good, 5);
            bvp_close(file);
            break;
        }
        ck_assert_int_eq(status, BVP_ERR_SYSTEM);
        ck_assert_uint_eq(s.refused, 1);
        ck_assert_int_eq(bvp_get_source_error(file, &error), BVP_OK);
        ck_assert_str_eq(error.message, "the line is cut");
        /* it is back: nothing of the failure is left */
        s.answer = BVP_OK;
        told.count = 0;
        ck_assert_int_eq(bvp_ray_all(&body, &ray, note_hit, &told, &count, NULL), BVP_OK);
        ck_assert_int_eq(told.count, all.count);
        bvp_close(file);
    }
    case_close(&f);
}
END_TEST

/* What a state learnt from a call that failed is forgotten. */
START_TEST(warm_starts_forget)
{
    static uint64_t front[1 << 14];
    case_file f = make_default();
    unsigned failures = 0;
    for (uint64_t good = 0; good < 40; good++) {
        source_case s = source_case_of(f.bytes, f.size);
        bvp_file *file = source_case_open(&s, ROOMY, NULL);
        double at[12] = {1, 0, 0, 62, 0, 1, 0, 0, 0, 0, 1, 0};
        bvp_warm_start warm[3];
        memset(warm, 0, sizeof warm);
        warm[2].front = front;
        warm[2].front_size = sizeof front;
        s.answer = BVP_ERR_SYSTEM;
        s.good_reads = good;
        for (int step = 0; step < 12; step++, at[3] -= 0.7) {
            const bvp_body a = {.file = file}, b = {.file = file, .part = 1, .placement = at};
            const bvp_body c = {.file = f.file}, d = {.file = f.file, .part = 1, .placement = at};
            bvp_distance_result found, expected;
            int hit[2], within[2];
            ck_assert_int_eq(bvp_collide(&c, &d, &hit[1], NULL), BVP_OK);
            ck_assert_int_eq(bvp_within(&c, &d, 0.5, &within[1], NULL, NULL), BVP_OK);
            ck_assert_int_eq(bvp_distance(&c, &d, INFINITY, &expected, NULL), BVP_OK);
            bvp_status status = bvp_collide_warm(&a, &b, &warm[0], &hit[0], NULL);
            ck_assert(status == BVP_ERR_SYSTEM || (status == BVP_OK && hit[0] == hit[1]));
            failures += status != BVP_OK;
            status = bvp_within_warm(&a, &b, 0.5, &warm[1], &within[0], NULL);
            ck_assert(status == BVP_ERR_SYSTEM || (status == BVP_OK && within[0] == within[1]));
            failures += status != BVP_OK;
            status = bvp_distance_warm(&a, &b, INFINITY, &warm[2], &found, NULL);
            ck_assert(status == BVP_ERR_SYSTEM ||
                      (status == BVP_OK && found.found && found.distance == expected.distance));
            failures += status != BVP_OK;
            s.good_reads = s.answer == BVP_OK ? 0 : 1;
            s.answer = step % 3 == 2 ? BVP_OK : BVP_ERR_SYSTEM;
        }
        bvp_close(file);
    }
    ck_assert_uint_gt(failures, 15);
    case_close(&f);
}
END_TEST

/* ---- the cache ------------------------------------------------------------------------------- */

enum { TIGHT = 512 << 10, MOST = 2 * TIGHT / BVPD_BLOCK_SIZE };

static bvp_closest_result closest_at(const bvp_file *file, uint64_t *state)
{
    const bvp_body body = {.file = file};
    double point[3];
    for (int k = 0; k < 3; k++)
        point[k] = 100 * case_uniform(state) - 50;
    bvp_closest_result result;
    ck_assert_int_eq(bvp_closest(&body, point, 1, &result, NULL), BVP_OK);
    return result;
}

START_TEST(the_cache_keeps_its_bound)
{
    case_file f = make_default();
    uint64_t seed = case_seed(), states[2] = {seed, seed};
    source_case s = source_case_of(f.bytes, f.size);
    bvp_file *file = source_case_open(&s, 2 * TIGHT, NULL);
    const uint64_t opened = source_case_held(file);
    ck_assert_uint_gt(source_case_chunks(file), opened + MOST);
    for (int k = 0; k < 500; k++) {
        const bvp_closest_result found = closest_at(file, &states[0]);
        const bvp_closest_result expected = closest_at(f.file, &states[1]);
        ck_assert(found.distance == expected.distance && found.id.id == expected.id.id);
        ck_assert_uint_le(source_case_held(file), opened + MOST);
    }
    ck_assert_uint_gt(s.bytes_read, f.size); /* so that something has left and come back */
    const uint64_t all = s.reads;
    for (int k = 0; k < 50; k++) { /* what is asked again stays */
        uint64_t again = seed;
        (void)closest_at(file, &again);
    }
    ck_assert_uint_lt(s.reads, all + 10);
    bvp_close(file);
    case_close(&f);
}
END_TEST

START_TEST(a_call_that_needs_too_much)
{
    case_file f = make_default();
    source_case s = source_case_of(f.bytes, f.size);
    bvp_file *file = source_case_open(&s, 2 * TIGHT, NULL);
    bvp_error error = {0};
    ck_assert_int_eq(bvp_verify_file(file, NULL, NULL, &error), BVP_ERR_LIMIT);
    ck_assert_ptr_nonnull(strstr(error.message, "larger cache"));
    const reply found = ask(named("boxes"), file);
    ck_assert_int_eq(found.status, BVP_ERR_LIMIT);
    uint64_t state = 4;
    (void)closest_at(file, &state); /* a small one finds room again */
    bvp_close(file);
    case_close(&f);
}
END_TEST

typedef struct nested {
    const bvp_file *file;
    uint64_t state, calls;
} nested;

static int ask_within_call(void *user, const bvp_pair *pair)
{
    nested *n = user;
    (void)pair;
    n->calls++;
    (void)closest_at(n->file, &n->state);
    return n->calls == 400;
}

/* Queries inside of a query, which push everything out of the cache that may go. */
START_TEST(nothing_is_taken_from_a_call)
{
    case_file f = make_default();
    const double at[12] = {0.6, -0.8, 0, 5, 0.8, 0.6, 0, 1, 0, 0, 1, 2};
    uint64_t answers[2];
    for (int k = 0; k < 2; k++) {
        source_case s = source_case_of(f.bytes, f.size);
        bvp_file *file = k == 0 ? f.file : source_case_open(&s, 6 * TIGHT, NULL);
        const bvp_body a = {.file = file}, b = {.file = file, .placement = at};
        nested n = {.file = file, .state = 8};
        uint64_t count = 0;
        const bvp_status status = bvp_pairs_each(&a, &b, ask_within_call, &n, &count, NULL);
        ck_assert_int_eq(status, BVP_OK);
        ck_assert_uint_eq(n.calls, 400);
        answers[k] = count;
        if (k == 1)
            bvp_close(file);
    }
    ck_assert_uint_eq(answers[0], answers[1]);
    case_close(&f);
}
END_TEST

/* What a call has asked for once it may read until it ends, without asking again. */
START_TEST(a_call_reads_on)
{
    enum { HELD = 168 };
    case_file f = make_default();
    source_case s = source_case_of(f.bytes, f.size);
    bvp_file *file = source_case_open(&s, 10 * TIGHT, NULL);
    const uint64_t from = (uint64_t)(file->section[BVPD_BINH].data - file->base);
    const uint64_t first = 2 + (from - BVPD_HEADER_SIZE) / BVPD_BLOCK_SIZE;
    const uint64_t at = BVPD_HEADER_SIZE + (first - 1) * BVPD_BLOCK_SIZE;
    uint64_t state = case_seed(), left = 0;
    bvpi_call call = bvpi_call_begin(file, NULL);
    bvpi_fetch(file->base + at, HELD * BVPD_BLOCK_SIZE);
    for (int k = 0; k < 50; k++)
        (void)closest_at(file, &state);
    ck_assert(memcmp(file->base + at, (const uint8_t *)f.bytes + at, HELD * BVPD_BLOCK_SIZE) == 0);
    ck_assert_int_eq(bvpi_call_end(&call, BVP_OK), BVP_OK);
    for (int k = 0; k < 400; k++)
        (void)closest_at(file, &state);
    for (uint64_t k = 0; k < HELD; k++) /* then they leave */
        left += source_case_state(file, first + k) == BVPI_CHUNK_ABSENT;
    ck_assert_uint_gt(left, 0);
    bvp_close(file);
    case_close(&f);
}
END_TEST

/* Names stay where they are, whatever comes and goes. */
START_TEST(strings_stay)
{
    case_file f = make_default();
    source_case s = source_case_of(f.bytes, f.size);
    bvp_file *file = source_case_open(&s, 2 * TIGHT, NULL);
    bvp_node_info nodes[10], expected;
    uint64_t state = case_seed();
    for (uint32_t k = 0; k < 10; k++)
        ck_assert_int_eq(bvp_get_node(file, 3 + 7 * k, &nodes[k]), BVP_OK);
    for (int k = 0; k < 500; k++)
        (void)closest_at(file, &state);
    ck_assert_uint_gt(s.bytes_read, f.size);
    for (uint32_t k = 0; k < 10; k++) {
        ck_assert_int_eq(bvp_get_node(f.file, 3 + 7 * k, &expected), BVP_OK);
        ck_assert(nodes[k].name.size == expected.name.size &&
                  memcmp(nodes[k].name.data, expected.name.data, expected.name.size) == 0);
    }
    bvp_close(file);
    case_close(&f);
}
END_TEST

typedef struct thread_case {
    const bvp_file *file, *mapped;
    uint64_t seed, wrong;
} thread_case;

static void *ask_in_thread(void *user)
{
    thread_case *t = user;
    uint64_t states[2] = {t->seed, t->seed};
    for (int k = 0; k < 400; k++) {
        const bvp_closest_result found = closest_at(t->file, &states[0]);
        const bvp_closest_result expected = closest_at(t->mapped, &states[1]);
        t->wrong += found.distance != expected.distance || found.id.id != expected.id.id;
    }
    return NULL;
}

/* Calls that overlap all the time, on a cache that is too small for the file. */
START_TEST(threads_share_the_cache)
{
    enum { THREADS = 3 };
    case_file f = make_default();
    source_case s = source_case_of(f.bytes, f.size);
    bvp_file *file = source_case_open(&s, 6 * TIGHT, NULL);
    pthread_t threads[THREADS];
    thread_case cases[THREADS];
    for (uint64_t k = 0; k < THREADS; k++) {
        cases[k] = (thread_case){.file = file, .mapped = f.file, .seed = 100 + k};
        ck_assert_int_eq(pthread_create(&threads[k], NULL, ask_in_thread, &cases[k]), 0);
    }
    for (int k = 0; k < THREADS; k++) {
        pthread_join(threads[k], NULL);
        ck_assert_uint_eq(cases[k].wrong, 0);
    }
    ck_assert_uint_gt(s.bytes_read, 6 * TIGHT + BVPD_BLOCK_SIZE); /* some had to leave */
    bvp_close(file);
    case_close(&f);
}
END_TEST

/* ---- arguments ------------------------------------------------------------------------------- */

START_TEST(what_is_refused)
{
    case_file f = make_default();
    const bvp_open_options bad[] = {{.overlay = 1}, {.mode = (bvp_open_mode)9}, {.offset = 12}};
    for (unsigned k = 0; k < sizeof bad / sizeof *bad; k++) {
        source_case s = source_case_of(f.bytes, f.size);
        const bvp_source source = source_case_source(&s, 0);
        bvp_file *file;
        ck_assert_int_eq(bvp_open_source(&source, &bad[k], &file, NULL), BVP_ERR_ARGUMENT);
        ck_assert(file == NULL && s.closed == 1 && s.reads == 0);
    }
    source_case s = source_case_of(f.bytes, f.size);
    bvp_source source = source_case_source(&s, 0);
    bvp_error error;
    bvp_file *file;
    ck_assert_int_eq(bvp_open_source(NULL, NULL, &file, NULL), BVP_ERR_ARGUMENT);
    source.reserved[2] = 1;
    ck_assert_int_eq(bvp_open_source(&source, NULL, &file, NULL), BVP_ERR_ARGUMENT);
    source.reserved[2] = 0;
    source.read = NULL;
    ck_assert_int_eq(bvp_open_source(&source, NULL, &file, NULL), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(s.closed, 2);
    ck_assert_int_eq(bvp_get_source_error(f.file, &error), BVP_ERR_ARGUMENT);
    file = source_case_open(&s, 0, NULL);
    ck_assert_int_eq(bvp_save_fd(file, NULL, -1, &error), BVP_ERR_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(error.message, "copy the source"));
    ck_assert_int_eq(bvp_convert_fd(file, 0, NULL, -1, &error), BVP_ERR_ARGUMENT);
    bvp_close(file);
    case_close(&f);
}
END_TEST

/* Isolated: all of it is read, verified, and the source let go. */
START_TEST(isolated_is_a_copy)
{
    case_file f = make_default();
    const bvp_open_options how = {.mode = BVP_OPEN_ISOLATED};
    source_case s = source_case_of(f.bytes, f.size);
    bvp_file *file = source_case_open(&s, 0, &how);
    ck_assert_int_eq(s.closed, 1);
    ck_assert_uint_le(s.largest, 1 << 20);
    s.answer = BVP_ERR_SYSTEM;
    check_same(named("clash"), ask(named("clash"), file), ask(named("clash"), f.file));
    bvp_close(file);
    ck_assert_int_eq(s.closed, 1);
    s = source_case_of(f.bytes, f.size);
    s.damage = f.size / 2;
    const bvp_source source = source_case_source(&s, 0);
    ck_assert_int_eq(bvp_open_source(&source, &how, &file, NULL), BVP_ERR_CORRUPT);
    ck_assert_int_eq(s.closed, 1);
    case_close(&f);
}
END_TEST

/* Slices are given back, and taken again. */
START_TEST(many_files_come_and_go)
{
    case_file f = make_default();
    enum { FILES = 12 };
    source_case s[FILES];
    bvp_file *files[FILES] = {NULL};
    uint64_t state = case_seed();
    const uint8_t *first = NULL, *last = NULL;
    for (int round = 0; round < 100; round++) {
        const unsigned k = (unsigned)(case_random(&state) % FILES);
        if (files[k]) {
            bvp_close(files[k]);
            files[k] = NULL;
            continue;
        }
        s[k] = source_case_of(f.bytes, f.size);
        files[k] = source_case_open(&s[k], TIGHT, NULL);
        first = !first || files[k]->base < first ? files[k]->base : first;
        last = files[k]->base > last ? files[k]->base : last;
        check_same(named("parts"), ask(named("parts"), files[k]), ask(named("parts"), f.file));
    }
    ck_assert_uint_le((uint64_t)(last - first), FILES * (f.size + 3 * BVPI_CHUNK_SIZE));
    for (int k = 0; k < FILES; k++)
        bvp_close(files[k]);
    case_close(&f);
}
END_TEST

SUITE(test_source)
{
    const TTest *const tests[] = {answers_are_those_of_the_mapped_file,
                                  answers_of_other_kinds,
                                  windows_show_what_does_not_fit,
                                  windows_are_checked,
                                  bodies_of_both_sorts,
                                  opening_reads_twice,
                                  scans_read_ahead,
                                  first_scans_read_ahead,
                                  damage_ahead_waits,
                                  places_in_the_source,
                                  no_byte_is_believed_unchecked,
                                  digests_find_forgers,
                                  sizes_that_lie,
                                  a_question_is_asked_again,
                                  a_refused_call_asks_no_further,
                                  warm_starts_forget,
                                  the_cache_keeps_its_bound,
                                  a_call_that_needs_too_much,
                                  nothing_is_taken_from_a_call,
                                  a_call_reads_on,
                                  strings_stay,
                                  threads_share_the_cache,
                                  what_is_refused,
                                  isolated_is_a_copy,
                                  many_files_come_and_go,
                                  NULL};
    return suite_run_within("source", 120, tests);
}
