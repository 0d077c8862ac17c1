/* SPDX-License-Identifier: MIT
 * query.h: what the kinds of the verb query share.
 */
#ifndef QUERY_H
#define QUERY_H

#include "bvpack.h"
#include "json.h"
#include "operand.h"
#include "verb.h"

extern const verb verb_query_collide, verb_query_pairs, verb_query_distance, verb_query_within,
    verb_query_ray, verb_query_closest, verb_query_overlap;

/* Settings of every kind; each kind's own follow in a struct that begins with these. */
typedef struct query_common {
    int json, stats, exit_code;
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
    {                                                                                              \
        "exit-code", 0, OPTION_FLAG, offsetof(type, common.exit_code), NULL,                       \
            "exit with 1 when there is a hit", 0, 0                                                \
    }

#define QUERY_PLACE_HELP                                                                           \
    ": x,y,z or x,y,z,rx,ry,rz (degrees, turned about x, then y, then z) or the 12 numbers of a "  \
    "row-major 3x4 matrix"
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
/* Statistics and the end of the JSON text; returns the exit code. */
int query_end(query_run *q, const char *operand_text, bvp_status status);

void query_hit_json(json *out, const char *key, const operand *o, const bvp_hit_id *id);
/* "part #3 \"Flange\", instance @17, triangle 42" */
void query_hit_text(const operand *o, const bvp_hit_id *id);
/* "@17 #3 42": columns for lists. */
void query_hit_columns(const operand *o, const bvp_hit_id *id);
void query_point_text(const char *label, const double point[3]);
/* "distance 0.5 mm" and a line's end; without the unit when the file's is unknown. */
void query_length_text(const char *label, double length, const operand *o);

/* Lines of numbers of a batch: comments (#) and empty lines skipped. */
typedef struct batch {
    const char *name;
    void *stream; /* FILE */
    uint64_t line;
    char *text;
    size_t capacity;
} batch;
int batch_open(batch *b, const char *path);
void batch_close(batch *b);
/* The numbers of the next line, at most `capacity`. Returns how many; 0 at the end; -1 when the
 * line is wrong, which has been said. */
int batch_next(batch *b, double *values, int capacity);
/* Says that the line is wrong; returns -1. */
int batch_refuse(const batch *b, const char *expected);

#endif
