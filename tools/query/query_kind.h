/* SPDX-License-Identifier: MIT
 * query_kind.h: what the kinds of the verb query share.
 */
#ifndef QUERY_KIND_H
#define QUERY_KIND_H

#include "bvpack.h"
#include "text/json.h"
#include "text/keyword.h"
#include "cli/operand.h"
#include "cli/verb.h"

extern const verb verb_query_collide, verb_query_pairs, verb_query_distance, verb_query_within,
    verb_query_ray, verb_query_closest, verb_query_overlap, verb_query_convex, verb_query_instances;

/* Settings of every kind; each kind's own follow in a struct that begins with these. */
typedef struct query_common {
    int json, stats, exit_code, no_verify;
    const char *hierarchy, *box_test; /* or NULL */
    option_list only, without;        /* of a kind with one operand */
} query_common;

#define QUERY_ROWS(type)                                                                           \
    {"json", 0, OPTION_FLAG, offsetof(type, common.json), NULL, "print the answer as JSON", 0, 0}, \
        {"stats",                                                                                  \
         0,                                                                                        \
         OPTION_FLAG,                                                                              \
         offsetof(type, common.stats),                                                             \
         NULL,                                                                                     \
         "say what the query did: nodes, boxes, triangles, seconds; on standard error, or in "     \
         "the JSON text",                                                                          \
         0,                                                                                        \
         0},                                                                                       \
        {"hierarchy",                                                                              \
         0,                                                                                        \
         OPTION_CHOICE,                                                                            \
         offsetof(type, common.hierarchy),                                                         \
         KIND_CHOICE,                                                                              \
         "which of the parts' hierarchies to walk, the same answers by each; wide is the "         \
         "default where there is one",                                                             \
         0,                                                                                        \
         0},                                                                                       \
        {"box-test",                                                                               \
         0,                                                                                        \
         OPTION_CHOICE,                                                                            \
         offsetof(type, common.box_test),                                                          \
         "sat|sat-lite|aligned|lookup|four-sat|four-sat-lite|four-aligned|four-lookup",            \
         "how two boxes of a binary hierarchy are told apart: on 15 axes, on the boxes' own six, " \
         "or, of boxtrees, by enclosing one in the other's frame, with or without tables of "      \
         "products; four-: of boxtrees, both nodes of a pair are opened, not the larger one, and " \
         "leaves are told apart by their boxes; for collide and pairs",                            \
         0,                                                                                        \
         0},                                                                                       \
        {"no-verify", 0,                                                                           \
         OPTION_FLAG, offsetof(type, common.no_verify),                                            \
         NULL,        "don't check the hashes of the parts that are asked",                        \
         0,           0},                                                                          \
    {                                                                                              \
        "exit-code", 0, OPTION_FLAG, offsetof(type, common.exit_code), NULL,                       \
            "exit with 1 when there is a hit", 0, 0                                                \
    }

#define QUERY_PLACE_HELP                                                                           \
    ": x,y,z or x,y,z,rx,ry,rz (degrees, turned about x, then y, then z) or the 12 numbers of a "  \
    "row-major 3x4 matrix"
#define QUERY_PLACE_ROW(type)                                                                      \
    {                                                                                              \
        "place", 'a', OPTION_TEXT, offsetof(type, place), "PLACEMENT",                             \
            "where the operand stands" QUERY_PLACE_HELP, 0, 0                                      \
    }
#define QUERY_ONLY_HELP                                                                            \
    "ask only the instances that it selects: NAME, a path such as \"pumps/**\", part=NUMBER or "   \
    "PROPERTY=VALUE, each with * and ?, as in rules of clash; several times: all of these"
#define QUERY_WITHOUT_HELP "leave out what it selects"
#define QUERY_SELECT_ROWS(type)                                                                    \
    {"only", 0, OPTION_TEXTS, offsetof(type, common.only), "SELECTOR", QUERY_ONLY_HELP, 0, 0},     \
    {                                                                                              \
        "without", 0, OPTION_TEXTS, offsetof(type, common.without), "SELECTOR",                    \
            QUERY_WITHOUT_HELP, 0, 0                                                               \
    }
#define QUERY_HIT_EXIT "1 there is a hit, with --exit-code\n"

/* One run of a query: its answer goes out between query_begin and query_end. */
typedef struct query_run {
    const query_common *set;
    bvp_stats stats;
    double began, seconds;
    json out; /* an object is open while set->json */
    int hit;
} query_run;

void query_begin(query_run *q, const query_common *set);
/* The library's part is over: takes the time. */
void query_answered(query_run *q);
/* Statistics and the end of the JSON text; returns the exit code. b: the second operand, or NULL.
 * where: what could not be asked, or NULL: a. */
int query_end(query_run *q, const operand *a, const operand *b, const char *where,
              bvp_status status);

/* Answers of a query that has many, one by one. */
typedef struct query_list {
    query_run *run;
    uint64_t max; /* 0: all */
    int count_only;
    uint64_t count; /* so far */
    int more;       /* than max */
} query_list;

/* Begins an array of that name, where there is one to fill. */
void query_list_begin(query_list *list, const char *name);
/* Counts one more answer: what the library's callback is to do with it. */
typedef enum query_admission { QUERY_STOP, QUERY_SKIP, QUERY_PRINT } query_admission;
query_admission query_list_admit(query_list *list);
/* After the last answer; and, of a query that succeeded, how many there are; `one` is the word for
 * one. */
void query_list_end(query_list *list);
void query_list_total(const query_list *list, const char *one);

void query_hit_json(json *out, const char *key, const operand *o, const bvp_hit_id *id);
/* The members of an open object. */
void query_instance_json(json *out, const operand *o, uint32_t instance, uint32_t part);
void query_closest_json(json *out, const operand *o, const bvp_closest_result *r);
/* "part #3 \"Flange\", instance @17" */
void query_instance_text(const operand *o, uint32_t instance, uint32_t part);
/* "part #3 \"Flange\", instance @17, triangle 42" */
void query_hit_text(const operand *o, const bvp_hit_id *id);
/* "@17 #3 42": columns for lists. */
void query_hit_columns(const operand *o, const bvp_hit_id *id);
void query_point_text(const char *label, const double point[3]);
/* "distance 0.5 mm" and a line's end; without the unit when the file's is unknown. */
void query_length_text(const char *label, double length, const operand *o);

/* How the options want files to be opened. */
bvp_open_options query_opening(const query_common *set);

/* Of a kind that has no choice of box tests: 0, or says so of --box-test and returns the exit code.
 */
int query_no_box_test(const query_common *set);

/* For a kind of one operand: parses the command line and opens it at *place, which is in
 * `settings`. 1: go on; else *code is the exit code. */
int query_start(const verb *self, int argc, char **argv, void *settings, const char *const *place,
                operand *o, int *code);

/* ---- batches: the same question for every line of a file ----------------------------------- */

enum { QUERY_CHUNK = 1024 }; /* lines that are asked together */

typedef struct query_batch {
    const char *expected; /* what a line is: "a point, \"x y z\"" */
    /* Keeps a line's numbers as element `index`; 0: they are not what is expected. */
    int (*take)(void *context, size_t index, const double *values, int count);
    /* Answers elements 0 .. count - 1; *done of them are complete. */
    bvp_status (*ask)(void *context, size_t count, size_t *done, bvp_stats *stats);
    /* Writes the members of element `index`; returns whether it is a hit. */
    int (*print)(void *context, json *out, size_t index);
} query_batch;

/* One line of JSON for each line of `path` ("-": standard input) that is not empty or a comment
 * (#). b: the second operand, or NULL. Returns the exit code. */
int query_batch_run(const query_batch *kind, const char *path, const query_common *set,
                    const operand *a, const operand *b, void *context);

#endif
