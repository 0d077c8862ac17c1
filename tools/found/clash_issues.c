/* SPDX-License-Identifier: MIT
 * clash_issues.c: which clashing pairs are one thing for whoever has to solve them.
 *
 * Each pair is a member of four sets: the star of either of its elements, its family, and the
 * detail that it repeats. Sets are taken greedily, the largest first, from a heap whose counts may
 * be out of date: a set that has lost members since is put back with what it has left. A set loses
 * at most as many members as it has, so that this happens at most four times a pair.
 *
 * Members of a family may be far apart. They are therefore divided by a grid whose cells are four
 * times as large as the largest element among them: contacts in the same or in neighbouring cells,
 * however long the chain, stay together. The grid begins at the world's origin, so that it is the
 * same every night.
 */
#include "found/clash_issues.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "bvpack.h"
#include "text/message.h"

enum { ROLE_FAMILY = 2, ROLE_DETAIL = 3, SETS = 4 /* of each pair; roles 0, 1: stars */ };

static const double cell_sizes = 4;       /* edge of the grid, in sizes of elements */
static const double same_relation = 1e-3; /* difference of distances, in sizes of elements */

typedef struct member {
    uint64_t key;
    uint32_t contact, role;
} member;

typedef struct set {
    clash_issue_kind kind;
    uint64_t centre;
    uint32_t first, count; /* in the members */
    uint32_t left;         /* not yet in an issue */
    uint32_t low, high;    /* ranks of the smallest and the largest id */
} set;

/* What the order depends on stands in it, for most of the time goes into comparing entries. */
typedef struct entry {
    uint32_t left, kind, low, high, set;
} entry;

typedef struct work {
    clash_contact *contacts;
    uint32_t count;
    uint32_t *rank_of; /* of each contact: how many have a smaller id */
    member *members;
    set *sets;
    uint32_t set_count;
    uint32_t *set_of; /* SETS for each contact */
    entry *heap;
    uint32_t heap_count;
} work;

/* ---- sets ---------------------------------------------------------------------------------- */

static clash_issue_kind kind_of(uint32_t role)
{
    return role == ROLE_FAMILY   ? CLASH_ISSUE_FAMILY
           : role == ROLE_DETAIL ? CLASH_ISSUE_DETAIL
                                 : CLASH_ISSUE_STAR;
}

static uint64_t key_of(const clash_contact *c, uint32_t role)
{
    const uint64_t *two = role == ROLE_FAMILY ? c->families : c->parts;
    const int swapped = two[0] > two[1], is_star = role < ROLE_FAMILY;
    const uint64_t parts[5] = {kind_of(role), c->verdict, (uint64_t)(int64_t)c->rule,
                               is_star ? c->elements[role] : two[swapped],
                               is_star ? 0 : two[!swapped]};
    uint8_t hash[16];
    uint64_t key;
    bvp_hash(parts, sizeof parts, hash);
    memcpy(&key, hash, sizeof key);
    return key;
}

static int by_key(const void *a, const void *b)
{
    const member *one = a, *other = b;
    if (one->key != other->key)
        return one->key < other->key ? -1 : 1;
    return (one->contact > other->contact) - (one->contact < other->contact);
}

typedef struct ranked {
    uint8_t id[16];
    uint32_t contact;
} ranked;

static int by_id(const void *a, const void *b)
{
    return memcmp(((const ranked *)a)->id, ((const ranked *)b)->id, 16);
}

/* Equal ids have equal ranks. 0, or no memory. */
static int rank(work *w)
{
    ranked *all = malloc(((size_t)w->count + 1) * sizeof *all);
    if (!all)
        return complain_memory();
    for (uint32_t i = 0; i < w->count; i++) {
        memcpy(all[i].id, w->contacts[i].id, 16);
        all[i].contact = i;
    }
    qsort(all, w->count, sizeof *all, by_id);
    for (uint32_t i = 0; i < w->count; i++) {
        const int is_equal = i > 0 && by_id(&all[i], &all[i - 1]) == 0;
        w->rank_of[all[i].contact] = is_equal ? w->rank_of[all[i - 1].contact] : i;
    }
    free(all);
    return 0;
}

static void add_set(work *w, uint32_t first, uint32_t count)
{
    const member *m = w->members + first;
    set *s = &w->sets[w->set_count];
    *s = (set){
        .kind = kind_of(m->role), .first = first, .count = count, .left = count, .low = UINT32_MAX};
    if (s->kind == CLASH_ISSUE_STAR)
        s->centre = w->contacts[m->contact].elements[m->role];
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t its = w->rank_of[m[i].contact];
        s->low = its < s->low ? its : s->low;
        s->high = its > s->high ? its : s->high;
        w->set_of[SETS * (size_t)m[i].contact + m[i].role] = w->set_count;
    }
    w->set_count++;
}

/* ---- nearness ------------------------------------------------------------------------------ */

typedef struct place {
    int64_t cell[3];
    uint32_t contact, parent; /* parent: of a tree of places that are near one another */
} place;

static int cell_order(const int64_t a[3], const int64_t b[3])
{
    for (int k = 0; k < 3; k++)
        if (a[k] != b[k])
            return a[k] < b[k] ? -1 : 1;
    return 0;
}

static int by_cell(const void *a, const void *b)
{
    const place *one = a, *other = b;
    const int order = cell_order(one->cell, other->cell);
    return order ? order : (one->contact > other->contact) - (one->contact < other->contact);
}

static int by_parent(const void *a, const void *b)
{
    const place *one = a, *other = b;
    if (one->parent != other->parent)
        return one->parent < other->parent ? -1 : 1;
    return (one->contact > other->contact) - (one->contact < other->contact);
}

static int64_t cell_number(double at, double edge)
{
    const double most = 1e15, number = floor(at / edge);
    return isfinite(number) ? (int64_t)fmax(-most, fmin(most, number)) : 0;
}

static uint32_t root_of(place *places, uint32_t i)
{
    while (places[i].parent != i)
        i = places[i].parent = places[places[i].parent].parent;
    return i;
}

static void join(place *places, uint32_t i, uint32_t k)
{
    const uint32_t one = root_of(places, i), other = root_of(places, k);
    places[one > other ? one : other].parent = one > other ? other : one;
}

/* The first place in a cell, or count. */
static uint32_t find_cell(const place *places, uint32_t count, const int64_t cell[3])
{
    uint32_t low = 0, high = count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (cell_order(places[middle].cell, cell) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && cell_order(places[low].cell, cell) == 0 ? low : count;
}

static void join_neighbours(place *places, uint32_t count, uint32_t i)
{
    /* of two neighbours the one that comes later is enough */
    for (int n = 14; n < 27; n++) {
        const int64_t cell[3] = {places[i].cell[0] + n / 9 - 1, places[i].cell[1] + n / 3 % 3 - 1,
                                 places[i].cell[2] + n % 3 - 1};
        const uint32_t k = find_cell(places, count, cell);
        if (k < count)
            join(places, i, k);
    }
}

/* Makes sets of a family's members, of which those near one another are one. */
static int divide_family(work *w, uint32_t first, uint32_t count)
{
    member *m = w->members + first;
    place *places = malloc(count * sizeof *places);
    double edge = 0;
    if (!places)
        return complain_memory();
    for (uint32_t i = 0; i < count; i++)
        edge = fmax(edge, cell_sizes * w->contacts[m[i].contact].size);
    for (uint32_t i = 0; i < count; i++) {
        places[i].contact = m[i].contact;
        for (int k = 0; k < 3; k++)
            places[i].cell[k] = edge > 0 ? cell_number(w->contacts[m[i].contact].at[k], edge) : 0;
    }
    qsort(places, count, sizeof *places, by_cell);
    for (uint32_t i = 0; i < count; i++)
        places[i].parent = i;
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0 && cell_order(places[i - 1].cell, places[i].cell) == 0)
            join(places, i - 1, i);
        else
            join_neighbours(places, count, i);
    }
    for (uint32_t i = 0; i < count; i++)
        places[i].parent = root_of(places, i);
    qsort(places, count, sizeof *places, by_parent);
    for (uint32_t i = 0, begin = 0; i < count; i++) {
        m[i].contact = places[i].contact;
        if (i + 1 == count || places[i + 1].parent != places[i].parent) {
            add_set(w, first + begin, i + 1 - begin);
            begin = i + 1;
        }
    }
    free(places);
    return 0;
}

/* ---- relations ----------------------------------------------------------------------------- */

typedef struct relation {
    double apart, size;
    uint32_t contact;
} relation;

static int by_distance(const void *a, const void *b)
{
    const relation *one = a, *other = b;
    if (one->apart != other->apart)
        return one->apart < other->apart ? -1 : 1;
    return (one->contact > other->contact) - (one->contact < other->contact);
}

/* Makes sets of the pairs of two parts, of which those in the same relation are one. */
static int divide_detail(work *w, uint32_t first, uint32_t count)
{
    member *m = w->members + first;
    relation *list = malloc(count * sizeof *list);
    if (!list)
        return complain_memory();
    for (uint32_t i = 0; i < count; i++) {
        const clash_contact *c = &w->contacts[m[i].contact];
        list[i] = (relation){isfinite(c->apart) ? c->apart : 0, c->size, m[i].contact};
    }
    qsort(list, count, sizeof *list, by_distance);
    for (uint32_t i = 0, begin = 0; i < count; i++) {
        m[i].contact = list[i].contact;
        if (i + 1 == count || list[i + 1].apart - list[i].apart > same_relation * list[i].size) {
            add_set(w, first + begin, i + 1 - begin);
            begin = i + 1;
        }
    }
    free(list);
    return 0;
}

static int make_sets(work *w)
{
    const uint32_t total = SETS * w->count;
    for (uint32_t i = 0; i < total; i++) {
        const uint32_t contact = i / SETS, role = i % SETS;
        w->members[i] = (member){key_of(&w->contacts[contact], role), contact, role};
    }
    qsort(w->members, total, sizeof *w->members, by_key);
    for (uint32_t first = 0, end; first < total; first = end) {
        end = first + 1;
        while (end < total && w->members[end].key == w->members[first].key)
            end++;
        const uint32_t role = w->members[first].role;
        int code = 0;
        if (role == ROLE_FAMILY)
            code = divide_family(w, first, end - first);
        else if (role == ROLE_DETAIL)
            code = divide_detail(w, first, end - first);
        else
            add_set(w, first, end - first);
        if (code != 0)
            return code;
    }
    return 0;
}

/* ---- the heap ------------------------------------------------------------------------------ */

static int comes_first(const entry *a, const entry *b)
{
    if (a->left != b->left)
        return a->left > b->left;
    if (a->kind != b->kind)
        return a->kind < b->kind;
    return a->low != b->low ? a->low < b->low : a->high < b->high;
}

/* A set of one is not worth it: its pair becomes an issue when nothing larger is left. */
static void push(work *w, uint32_t number)
{
    const set *s = &w->sets[number];
    const entry e = {s->left, (uint32_t)s->kind, s->low, s->high, number};
    if (s->left < 2)
        return;
    uint32_t at = w->heap_count++;
    assert(w->heap_count <= SETS * w->count);
    while (at > 0 && comes_first(&e, &w->heap[(at - 1) / 2])) {
        w->heap[at] = w->heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    w->heap[at] = e;
}

static entry pop(work *w)
{
    const entry top = w->heap[0], last = w->heap[--w->heap_count];
    uint32_t at = 0;
    for (uint32_t child; (child = 2 * at + 1) < w->heap_count; at = child) {
        if (child + 1 < w->heap_count && comes_first(&w->heap[child + 1], &w->heap[child]))
            child++;
        if (!comes_first(&w->heap[child], &last))
            break;
        w->heap[at] = w->heap[child];
    }
    w->heap[at] = last;
    return top;
}

/* ---- issues -------------------------------------------------------------------------------- */

enum { NO_ISSUE = UINT32_MAX };

/* Puts what a set has left into one issue. */
static void take(work *w, const set *s, uint32_t issue, clash_cluster *cluster)
{
    *cluster = (clash_cluster){.kind = s->kind, .centre = s->centre, .lowest = UINT32_MAX};
    for (uint32_t i = 0; i < s->count; i++) {
        const uint32_t contact = w->members[s->first + i].contact;
        if (w->contacts[contact].issue != NO_ISSUE)
            continue;
        w->contacts[contact].issue = issue;
        if (cluster->count++ == 0 || w->rank_of[contact] < w->rank_of[cluster->lowest])
            cluster->lowest = contact;
        for (int k = 0; k < SETS; k++)
            w->sets[w->set_of[SETS * (size_t)contact + k]].left--;
    }
    assert(s->left == 0);
}

/* Numbers issues in the order in which contacts come. */
static int renumber(work *w, clash_cluster *clusters, uint32_t count)
{
    uint32_t *numbers = malloc(((size_t)count + 1) * sizeof *numbers), next = 0;
    clash_cluster *ordered = malloc(((size_t)count + 1) * sizeof *ordered);
    if (!numbers || !ordered) {
        free(numbers);
        free(ordered);
        return complain_memory();
    }
    memset(numbers, 0xff, ((size_t)count + 1) * sizeof *numbers);
    for (uint32_t i = 0; i < w->count; i++) {
        const uint32_t before = w->contacts[i].issue;
        if (numbers[before] == NO_ISSUE) {
            ordered[next] = clusters[before];
            numbers[before] = next++;
        }
        w->contacts[i].issue = numbers[before];
    }
    assert(next == count);
    if (count > 0)
        memcpy(clusters, ordered, count * sizeof *clusters);
    free(numbers);
    free(ordered);
    return 0;
}

static int find(work *w, clash_cluster *clusters, uint32_t *count)
{
    if (rank(w) != 0 || make_sets(w) != 0)
        return EXIT_LIMIT;
    for (uint32_t i = 0; i < w->set_count; i++)
        push(w, i);
    for (uint32_t i = 0; i < w->count; i++)
        w->contacts[i].issue = NO_ISSUE;
    while (w->heap_count > 0) {
        const entry e = pop(w);
        const set *s = &w->sets[e.set];
        if (s->left < e.left)
            push(w, e.set);
        else
            take(w, s, *count, &clusters[*count]), (*count)++;
    }
    for (uint32_t i = 0; i < w->count; i++)
        if (w->contacts[i].issue == NO_ISSUE) {
            w->contacts[i].issue = *count;
            clusters[(*count)++] =
                (clash_cluster){.kind = CLASH_ISSUE_SINGLE, .count = 1, .lowest = i};
        }
    return renumber(w, clusters, *count);
}

int clash_issues_find(clash_contact *contacts, size_t count, clash_cluster **clusters,
                      uint32_t *cluster_count)
{
    assert(count <= CLASH_CONTACTS_MOST);
    work w = {.contacts = contacts, .count = (uint32_t)count};
    const size_t sets = SETS * count + 1;
    w.rank_of = malloc((count + 1) * sizeof *w.rank_of);
    w.members = malloc(sets * sizeof *w.members);
    w.sets = malloc(sets * sizeof *w.sets);
    w.set_of = malloc(sets * sizeof *w.set_of);
    w.heap = malloc(sets * sizeof *w.heap);
    *clusters = malloc((count + 1) * sizeof **clusters);
    *cluster_count = 0;
    const int there = w.rank_of && w.members && w.sets && w.set_of && w.heap && *clusters;
    const int code = there ? find(&w, *clusters, cluster_count) : complain_memory();
    free(w.rank_of);
    free(w.members);
    free(w.sets);
    free(w.set_of);
    free(w.heap);
    return code;
}
