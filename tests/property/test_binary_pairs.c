/* SPDX-License-Identifier: MIT
 * test_binary_pairs.c: queries between two bodies by every kind of binary hierarchy, box test, leaf
 * size and placement, against the wide hierarchy and brute force; and on forged bytes.
 */
#include "binary_cases.h"
#include "format/layout.h"
#include "suite.h"

#include <sys/mman.h>

/* ---- comparisons ----------------------------------------------------------------------------- */

typedef struct found {
    bvp_pair *pairs;
    uint64_t count, capacity;
} found;

static int keep(void *user, const bvp_pair *pair)
{
    found *all = user;
    if (all->count == all->capacity) {
        all->capacity = 2 * all->capacity + 64;
        all->pairs = realloc(all->pairs, all->capacity * sizeof *all->pairs);
        ck_assert_ptr_nonnull(all->pairs);
    }
    all->pairs[all->count++] = *pair;
    return 0;
}

static int ignore_pair(void *user, const bvp_pair *pair)
{
    (void)user, (void)pair;
    return 0;
}

static int compare(const void *x, const void *y)
{
    const bvp_pair *p = x, *q = y;
    if (p->a.id != q->a.id)
        return p->a.id < q->a.id ? -1 : 1;
    return p->b.id < q->b.id ? -1 : p->b.id > q->b.id;
}

static found find(bvp_body a, bvp_body b, bvp_stats *stats)
{
    found all = {0};
    uint64_t count;
    ck_assert_int_eq(bvp_pairs_each(&a, &b, keep, &all, &count, stats), BVP_OK);
    ck_assert_uint_eq(count, all.count);
    if (count > 0)
        qsort(all.pairs, count, sizeof *all.pairs, compare);
    return all;
}

static void check_same_pairs(const found *x, const found *y, const char *what)
{
    ck_assert_msg(x->count == y->count, "%s: %lu pairs, not %lu", what, (unsigned long)x->count,
                  (unsigned long)y->count);
    for (uint64_t k = 0; k < x->count; k++)
        ck_assert_msg(compare(&x->pairs[k], &y->pairs[k]) == 0, "%s: another pair", what);
}

/* What one handle says about two placed bodies must be what the other one says. */
static void check_way(bvp_file *by_a, bvp_file *by_b, bvp_file *plain_a, bvp_file *plain_b,
                      const double *ma, const double *mb, const found *expected,
                      const bvp_distance_result *nearest, const char *what)
{
    const bvp_body a = {.file = by_a, .part = 0, .placement = ma},
                   b = {.file = by_b, .part = 0, .placement = mb},
                   c = {.file = plain_a, .part = 0, .placement = ma},
                   d = {.file = plain_b, .part = 0, .placement = mb};
    bvp_stats stats = {0}, plain_stats = {0};
    bvp_distance_result out;
    int hit;
    found all = find(a, b, &stats), plain = find(c, d, &plain_stats);
    check_same_pairs(&all, expected, what);
    check_same_pairs(&plain, expected, what);
    ck_assert_mem_eq(&stats, &plain_stats, sizeof stats);
    free(all.pairs);
    free(plain.pairs);
    ck_assert_int_eq(bvp_collide(&a, &b, &hit, NULL), BVP_OK);
    ck_assert_msg(hit == (expected->count > 0), "%s: collide", what);
    ck_assert_int_eq(bvp_collide(&b, &a, &hit, NULL), BVP_OK);
    ck_assert_msg(hit == (expected->count > 0), "%s: collide, mirrored", what);
    ck_assert_int_eq(bvp_distance(&a, &b, INFINITY, &out, NULL), BVP_OK);
    ck_assert(out.found);
    ck_assert_msg(fabs(out.distance - nearest->distance) <= 1e-9 * nearest->distance,
                  "%s: distance %.17g, not %.17g", what, out.distance, nearest->distance);
    if (nearest->distance == 0)
        return;
    for (int more = 0; more < 2; more++) {
        const double delta = nearest->distance * (more ? 1 + 1e-6 : 1 - 1e-6);
        ck_assert_int_eq(bvp_within(&a, &b, delta, &hit, NULL, NULL), BVP_OK);
        if (nearest->lower > nearest->distance * (1 - 1e-7))
            ck_assert_msg(hit == more, "%s: within", what);
        ck_assert_int_eq(bvp_distance(&a, &b, delta, &out, NULL), BVP_OK);
        if (nearest->lower > nearest->distance * (1 - 1e-7))
            ck_assert_msg(out.found == more, "%s: distance with a limit", what);
    }
}

/* Exactly the pairs that brute force finds? */
static void check_oracle(const model *x, const model *y, const double *ma, const double *mb,
                         const found *expected)
{
    const oracle_soup a = {x->mesh.tri, x->mesh.count, ma}, b = {y->mesh.tri, y->mesh.count, mb};
    uint8_t *matrix = malloc(a.count * b.count);
    ck_assert_uint_eq(oracle_pairs(a, b, matrix), expected->count);
    for (uint64_t k = 0; k < expected->count; k++)
        ck_assert(matrix[expected->pairs[k].a.id * b.count + expected->pairs[k].b.id] != 0);
    free(matrix);
}

/* Zachmann's section 3.3: four pairs are tested for two nodes opened, two for one beside a leaf. */
static void check_sharing(bvp_file *by_a, bvp_file *by_b, const double *ma, const double *mb,
                          const char *what)
{
    const bvp_body a = {.file = by_a, .part = 0, .placement = ma},
                   b = {.file = by_b, .part = 0, .placement = mb};
    bvp_stats stats = {0};
    uint64_t count;
    ck_assert_int_eq(bvp_pairs_each(&a, &b, ignore_pair, NULL, &count, &stats), BVP_OK);
    ck_assert_msg(stats.nodes == 0 || stats.boxes == 1 + 2 * stats.nodes,
                  "%s: %lu boxes for %lu nodes", what, (unsigned long)stats.boxes,
                  (unsigned long)stats.nodes);
}

static void check_models(const model *x, const model *y, const double *ma, const double *mb,
                         bool brute_force, int *touching)
{
    const bvp_body a = {.file = x->wide, .part = 0, .placement = ma},
                   b = {.file = y->wide, .part = 0, .placement = mb};
    bvp_distance_result nearest;
    found expected = find(a, b, NULL);
    ck_assert_int_eq(bvp_distance(&a, &b, INFINITY, &nearest, NULL), BVP_OK);
    *touching += expected.count > 0;
    if (brute_force)
        check_oracle(x, y, ma, mb, &expected);
    for (int k = 0; k < WAYS; k++) {
        char what[64];
        snprintf(what, sizeof what, "kind %d, test %d", (int)ways[k].kind, (int)ways[k].test);
        if (ways[k].test >= BVP_TEST_FOUR_SAT)
            check_sharing(x->by[k], y->by[k], ma, mb, what);
        check_way(x->by[k], y->by[k], x->plain[k], y->plain[k], ma, mb, &expected, &nearest, what);
    }
    free(expected.pairs);
}

/* ---- tests ----------------------------------------------------------------------------------- */

/* Of the placements that are hard on boxes and predicates; `b` may lie anywhere about `a`. */
static void make_placements(int round, double ma[12], double mb[12])
{
    place_random(round % PLACED_KINDS, ma);
    place_random(case_int(3) == 0 ? case_int(PLACED_KINDS) : round % PLACED_KINDS, mb);
    if (round % 3 == 0)
        memcpy(mb, ma, 12 * sizeof *mb); /* identical, coplanar, touching */
    const double away = round % 3 == 1 ? 1.5 : 4;
    double size = 0;
    for (int k = 0; k < 9; k++)
        size = fmax(size, fabs(ma[4 * (k / 3) + k % 3]));
    for (int axis = 0; axis < 3; axis++) {
        mb[4 * axis + 3] = ma[4 * axis + 3];
        if (round % 6 != 0)
            mb[4 * axis + 3] += round % 2 ? size * away * case_unit() : size * case_int(4);
    }
}

static int rounds(int usual)
{
    const char *text = getenv("BVP_ROUNDS");
    return text ? atoi(text) : usual;
}

START_TEST(every_kind_answers_as_the_wide_one)
{
    static const uint32_t leaf_sizes[4] = {1, 2, 4, 8};
    int touching = 0, asked = 0;
    case_seed(11 + (uint64_t)_i);
    const int size = _i % 4, first = _i < 4 ? 0 : 1 + _i % (KINDS - 1);
    model models[MESHES];
    for (int k = 0; k < MESHES; k++)
        models[k] = make_model(make_mesh(k), leaf_sizes[size], first);
    for (int round = 0; round < rounds(30); round++, asked++) {
        double ma[12], mb[12];
        make_placements(round, ma, mb);
        check_models(&models[case_int(MESHES)], &models[case_int(MESHES)], ma, mb, round % 20 == 0,
                     &touching);
    }
    for (int k = 0; k < MESHES; k++)
        free_model(&models[k]);
    printf("%d of %d placements touch\n", touching, asked);
    ck_assert(rounds(30) < 30 || (touching > 5 && touching < asked - 5));
}
END_TEST

/* Gaps along the normals of a sheared box do not add up as those along a box's do. */
START_TEST(sheared_boxes_are_not_said_to_be_farther)
{
    case_seed(31);
    model models[2];
    int touching = 0;
    for (int k = 0; k < 2; k++)
        models[k] = make_model(make_mesh(k), 2, 0);
    for (int round = 0; round < rounds(60); round++) {
        double ma[12], mb[12], shear[12];
        case_rotation(ma);
        case_rotation(mb);
        case_identity(shear);
        shear[1] = 4 * case_unit();
        shear[2] = 4 * case_unit();
        shear[6] = 4 * case_unit();
        case_turn_placement(shear, mb, 0);
        memcpy(mb, shear, sizeof mb);
        for (int axis = 0; axis < 3; axis++)
            mb[4 * axis + 3] = 6 * case_unit();
        check_models(&models[round % 2], &models[case_int(2)], ma, mb, false, &touching);
        check_models(&models[round % 2], &models[case_int(2)], mb, ma, false, &touching);
    }
    for (int k = 0; k < 2; k++)
        free_model(&models[k]);
    ck_assert(rounds(60) < 60 || touching < 100);
}
END_TEST

/* One long thin triangle along the diagonal of a cube, nearly all of which is empty. */
static body_mesh needle(void)
{
    static const float corners[9] = {-1, -1, -1, 1, 1, 1, 1, 1, 0.98f};
    body_mesh mesh = {.tri = malloc(sizeof corners), .count = 1};
    ck_assert_ptr_nonnull(mesh.tri);
    memcpy(mesh.tri, corners, sizeof corners);
    return mesh;
}

/* Small triangles in that cube, none of them at its diagonal. */
static body_mesh crumbs(uint64_t count)
{
    body_mesh mesh = {.tri = malloc(count * 9 * sizeof(float)), .count = count};
    ck_assert_ptr_nonnull(mesh.tri);
    for (uint64_t k = 0; k < count; k++) {
        double at[3], spread = 0;
        while (spread < 0.4) {
            for (int i = 0; i < 3; i++)
                at[i] = case_unit();
            spread = fabs(at[0] - at[1]) + fabs(at[1] - at[2]);
        }
        for (int i = 0; i < 9; i++)
            mesh.tri[9 * k + (uint64_t)i] = (float)(at[i % 3] + 0.01 * case_unit());
    }
    return mesh;
}

/* A leaf's triangles are told from boxes by their own axes, which their boxes do not show. */
START_TEST(a_needle_opens_few_nodes)
{
    case_seed(37);
    model thin = make_model(needle(), 1, 0), many = make_model(crumbs(2000), 1, 0);
    for (int k = 0; k < WAYS; k++) {
        double m[12];
        case_identity(m);
        const bvp_body a = {.file = thin.by[k], .part = 0, .placement = m},
                       b = {.file = many.by[k], .part = 0, .placement = m};
        bvp_distance_result nearest;
        bvp_stats stats[2] = {{0}};
        int hit;
        ck_assert_int_eq(bvp_collide(&a, &b, &hit, &stats[0]), BVP_OK);
        ck_assert_int_eq(hit, 0);
        ck_assert_int_eq(bvp_distance(&b, &a, INFINITY, &nearest, &stats[1]), BVP_OK);
        printf("kind %d, test %d: %lu and %lu box tests\n", (int)ways[k].kind, (int)ways[k].test,
               (unsigned long)stats[0].boxes, (unsigned long)stats[1].boxes);
        if (ways[k].test >= BVP_TEST_ALIGNED)
            continue; /* at leaves, too, three axes of the first body, or by their boxes */
        ck_assert_uint_lt(stats[0].boxes, ways[k].test == BVP_TEST_SAT_LITE ? 1000 : 200);
        ck_assert_uint_lt(stats[1].boxes, 2050);
    }
    free_model(&thin);
    free_model(&many);
}
END_TEST

/* ---- assemblies ------------------------------------------------------------------------------ */

enum { NODES = 14 };

/* Three parts with every kind of hierarchy, many times. */
static bytes pack_assembly(void)
{
    bvp_hierarchy_spec specs[KINDS];
    const bvp_build_options options = {.hierarchies = specs, .hierarchy_count = KINDS};
    uint32_t parts[3], root, node;
    bvp_builder *builder;
    for (int k = 0; k < KINDS; k++)
        specs[k] = (bvp_hierarchy_spec){.kind = kinds[k], .leaf_size = 4};
    ck_assert_int_eq(bvp_builder_new(&options, &builder, NULL), BVP_OK);
    for (int k = 0; k < 3; k++) {
        body_mesh mesh = make_mesh(k);
        parts[k] = add_mesh(builder, &mesh);
        free(mesh.tri);
    }
    ck_assert_int_eq(
        bvp_builder_add_node(builder,
                             &(bvp_new_node){.parent = BVP_NONE, .name = "root", .part = BVP_NONE},
                             &root, NULL),
        BVP_OK);
    for (int k = 0; k < NODES; k++) {
        double m[12];
        place_random(case_int(2) ? PLACED_RIGID : PLACED_SHEARED, m);
        case_translate(m, 6);
        ck_assert_int_eq(
            bvp_builder_add_node(
                builder,
                &(bvp_new_node){.parent = root, .placement = m, .part = parts[case_int(3)]}, &node,
                NULL),
            BVP_OK);
    }
    return finish(builder);
}

static int count_pair(void *user, const bvp_pair *pair)
{
    uint64_t *sum = user; /* of what does not depend on the order */
    *sum += (pair->a.instance * 31 + pair->b.instance) * 1000003 + pair->a.id * 1009 + pair->b.id;
    return 0;
}

START_TEST(assemblies_answer_by_every_kind)
{
    case_seed(83 + (uint64_t)_i);
    bytes packed = pack_assembly();
    double m[12];
    place_random(PLACED_RIGID, m);
    const double point[3] = {9, 1, 2};
    uint64_t expected_count = 0, expected_sum = 0;
    bvp_distance_result expected = {0};
    bvp_closest_result expected_point = {0};
    for (int k = -1; k < WAYS; k++) {
        bvp_file *file = k < 0 ? open_by(&packed, BVP_KIND_WIDE, BVP_TEST_DEFAULT, 0)
                               : open_by(&packed, ways[k].kind, ways[k].test, 0);
        const bvp_body a = {.file = file, .part = BVP_ASSEMBLY},
                       b = {.file = file, .part = 1, .placement = m};
        uint64_t count, sum = 0;
        bvp_distance_result nearest;
        bvp_closest_result closest;
        int hit;
        ck_assert_int_eq(bvp_pairs_each(&a, NULL, count_pair, &sum, &count, NULL), BVP_OK);
        ck_assert_int_eq(bvp_collide(&a, NULL, &hit, NULL), BVP_OK);
        ck_assert_int_eq(bvp_distance(&a, &b, INFINITY, &nearest, NULL), BVP_OK);
        ck_assert_int_eq(bvp_closest(&a, point, INFINITY, &closest, NULL), BVP_OK);
        ck_assert_int_eq(hit, count > 0);
        if (k < 0) {
            expected_count = count;
            expected_sum = sum;
            expected = nearest;
            expected_point = closest;
        }
        ck_assert_uint_eq(count, expected_count);
        ck_assert_uint_eq(sum, expected_sum);
        ck_assert(fabs(nearest.distance - expected.distance) <= 1e-9 * expected.distance);
        ck_assert(closest.distance == expected_point.distance);
        bvp_close(file);
    }
    printf("%lu pairs, distance %g\n", (unsigned long)expected_count, expected.distance);
    free(packed.data);
}
END_TEST

/* ---- forged bytes ---------------------------------------------------------------------------- */

/* The file's bytes, followed by a page that can't be read. */
static uint8_t *guarded(const bytes *file)
{
    const size_t page = 4096, size = (file->size + page - 1) / page * page;
    uint8_t *out =
        mmap(NULL, size + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ck_assert(out != MAP_FAILED && size == file->size);
    ck_assert_int_eq(mprotect(out + size, page, PROT_NONE), 0);
    memcpy(out, file->data, file->size);
    return out;
}

static bvpd_section binh_of(const uint8_t *file)
{
    bvpd_header header;
    memcpy(&header, file, sizeof header);
    for (uint32_t k = 0; k < header.section_count; k++)
        if (memcmp(header.sections[k].kind, "BINH", 4) == 0)
            return header.sections[k];
    ck_abort_msg("no section BINH");
}

static int ignore_hit(void *user, const bvp_hit_id *id)
{
    (void)user, (void)id;
    return 0;
}

/* Any answer will do, and any status. */
static void ask_all(bvp_file *file)
{
    double m[12];
    case_rotation(m);
    case_translate(m, 1);
    const bvp_body a = {.file = file, .part = 0}, b = {.file = file, .part = 0, .placement = m};
    const double lo[3] = {-1, -1, -1}, hi[3] = {1, 1, 1}, point[3] = {2, 1, 0.5};
    const bvp_ray ray = {{-5, 0.1, 0.2}, {1, 0.01, 0.02}, 0, INFINITY};
    bvp_distance_result nearest;
    bvp_closest_result closest;
    bvp_ray_hit first;
    uint64_t count;
    int hit;
    bvp_collide(&a, &b, &hit, NULL);
    bvp_pairs_each(&a, &b, ignore_pair, NULL, &count, NULL);
    bvp_distance(&a, &b, INFINITY, &nearest, NULL);
    bvp_ray_first(&a, &ray, &first, NULL);
    bvp_closest(&a, point, INFINITY, &closest, NULL);
    bvp_overlap(&a, bvp_box_region(lo, hi), ignore_hit, NULL, &count, NULL);
}

START_TEST(forged_hierarchies_end_and_stay_inside)
{
    static const uint32_t leaf_sizes[4] = {1, 2, 4, 8};
    case_seed(71 + (uint64_t)_i);
    model m = make_model(mesh_soup(150), leaf_sizes[_i % 4], _i);
    uint8_t *forged = guarded(&m.file);
    const bvpd_section binh = binh_of(forged);
    bvp_file *by[WAYS];
    for (int k = 0; k < WAYS; k++) {
        const bvp_open_options how = {.kind = ways[k].kind, .box_test = ways[k].test};
        ck_assert_int_eq(bvp_open_memory(forged, m.file.size, &how, &by[k], NULL), BVP_OK);
    }
    for (int round = 0; round < rounds(60); round++) {
        memcpy(forged + binh.offset, (uint8_t *)m.file.data + binh.offset, binh.size);
        for (int flips = 1 << case_int(6); flips > 0; flips--)
            forged[binh.offset + (uint64_t)case_int((int)binh.size)] ^=
                (uint8_t)(1u << case_int(8));
        for (int k = 0; k < WAYS; k++)
            ask_all(by[k]);
    }
    for (int k = 0; k < WAYS; k++)
        bvp_close(by[k]);
    munmap(forged, m.file.size + 4096);
    free_model(&m);
}
END_TEST

/* ---- which hierarchy ------------------------------------------------------------------------- */

START_TEST(kinds_are_chosen_by_the_handle)
{
    case_seed(91);
    body_mesh mesh = mesh_soup(60);
    const bvp_hierarchy_spec both[2] = {{.kind = BVP_KIND_OBB}, {.kind = BVP_KIND_AABB}};
    const bvp_build_options two = {.hierarchies = both, .hierarchy_count = 2};
    const bvp_build_options one = {.hierarchies = both + 1, .hierarchy_count = 1};
    bytes x = pack(&mesh, &two), y = pack(&mesh, &one);
    bvp_file *file[5] = {open_by(&x, BVP_KIND_DEFAULT, 0, 0), open_by(&y, BVP_KIND_DEFAULT, 0, 0),
                         open_by(&x, BVP_KIND_AABB, 0, 0), open_by(&y, BVP_KIND_RSS, 0, 0),
                         open_by(&x, BVP_KIND_WIDE, 0, 0)};
    const bvp_body a = {.file = file[0], .part = 0}, b = {.file = file[1], .part = 0},
                   c = {.file = file[2], .part = 0};
    const bvp_body lacking = {.file = file[3], .part = 0}, narrow = {.file = file[4], .part = 0};
    int hit;
    ck_assert_int_eq(bvp_collide(&a, &b, &hit, NULL), BVP_OK); /* obb and aabb meet by aabb */
    ck_assert_int_eq(hit, 1);
    ck_assert_int_eq(bvp_collide(&c, &b, &hit, NULL), BVP_OK);
    ck_assert_int_eq(hit, 1);
    ck_assert_int_eq(bvp_collide(&a, &lacking, &hit, NULL), BVP_ERR_ARGUMENT);
    ck_assert_int_eq(bvp_collide(&narrow, &narrow, &hit, NULL), BVP_ERR_ARGUMENT);
    bvp_open_options how = {.kind = (bvp_kind)99};
    bvp_file *none;
    ck_assert_int_eq(bvp_open_memory(x.data, x.size, &how, &none, NULL), BVP_ERR_ARGUMENT);
    how = (bvp_open_options){.box_test = (bvp_box_test)99};
    ck_assert_int_eq(bvp_open_memory(x.data, x.size, &how, &none, NULL), BVP_ERR_ARGUMENT);
    for (int k = 0; k < 5; k++)
        bvp_close(file[k]);
    free(x.data);
    free(y.data);
    free(mesh.tri);
}
END_TEST

SUITE(test_binary_pairs)
{
    TCase *cases = tcase_create("binary_pairs");
    tcase_set_timeout(cases, 300);
    tcase_add_loop_test(cases, every_kind_answers_as_the_wide_one, 0, 8);
    tcase_add_test(cases, sheared_boxes_are_not_said_to_be_farther);
    tcase_add_test(cases, a_needle_opens_few_nodes);
    tcase_add_loop_test(cases, assemblies_answer_by_every_kind, 0, 3);
    tcase_add_loop_test(cases, forged_hierarchies_end_and_stay_inside, 0, 4);
    tcase_add_test(cases, kinds_are_chosen_by_the_handle);
    return suite_run_case("binary_pairs", cases);
}
