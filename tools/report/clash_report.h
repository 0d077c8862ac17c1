/* SPDX-License-Identifier: MIT
 * clash_report.h: the data that a clash report of any form gets, row by row.
 */
#ifndef CLASH_REPORT_H
#define CLASH_REPORT_H

#include <stdio.h>
#include "bvpack_clash.h"
#include "files/output.h"
#include "issues/issue_log.h"

/* One side of a row. Strings are valid during the call; "" when there is none. */
typedef struct clash_side {
    const bvp_file *file;    /* NULL in a resolved row: nothing but path and part number is known */
    uint32_t instance, node; /* BVP_NONE likewise */
    const char
        *path; /* names below the root, separated by "/"; "/" and "\" in names escaped by "\";
                  "bolt[3]": the third of siblings of this name; unnamed: the part's name */
    const char *name;        /* what people call it: query/instance_title.h */
    const char *part_number; /* property "part_number", else the part's source id, else its name */
    double placement[12];    /* part coordinates to the report's world, which is a's */
} clash_side;

/* Pairs that are one thing for whoever has to solve them. */
typedef struct clash_issue {
    char id[33];       /* found/issue_ids.h: the same from night to night */
    const char *title; /* "tank_1 is crossed by 6 pipes" */
    const char *where; /* level, else sub-assembly, of the most severe pair, or "" */
    const char *state; /* against a baseline: "new", "persistent", or both: "grown"; else "" */
    uint64_t number; /* 1: the most severe issue; 0: it is no more; UINT64_MAX: it is there, and not
                        reported */
    uint64_t pair_count;     /* of its pairs, all of one verdict */
    uint64_t resolved_count; /* of the pairs that it had in the baseline and that are no more */
    const char *status;      /* what people have said: issue_status.h, or "reopened": resolved, but
                                still there; "" where nobody could say anything */
    const char *assignee;    /* "": nobody */
    double depth;            /* of the most severe pair */
    double volume;           /* that its elements have in common, at most */
} clash_issue;

typedef struct clash_row {
    const bvp_clash_pair *pair; /* resolved: verdict clear, the numbers NaN, instances BVP_NONE */
    char id[33]; /* 32 hexadecimal digits, of both paths and source ids: the same in every run
                    of the same products, whatever the verdict, order and files' other parts */
    clash_side a, b;
    const char *group; /* pair of products: both part numbers, in alphabetical order */
    const char *place; /* cell of a grid of the world, "x3 y-1 z0": clash_run.cell */
    const char *rule;  /* name of the rule that set the limits, or "" */
    const char *state; /* "new", "persistent", "resolved" against --baseline, or "" without it */
    const clash_issue *issue;  /* NULL in a resolved row */
    const clash_issue *was_in; /* in a resolved row: that it belonged to, with id, title and number
                                  alone; NULL in others, and where the baseline has no issues */
    int begins_issue;    /* the issue's most severe pair; its other pairs follow right behind */
    int is_turned;       /* A is on the side of that pair's B */
    const char *was;     /* persistent, resolved: the verdict in the baseline; else "" */
    const char *settled; /* how the verdict is known where the source's chord leaves it open:
                            "exact", "finer mesh"; "no": it is not; else "" */
} clash_row;

/* What a report says about the whole run, known when it begins. */
typedef struct clash_run {
    const char *path_a, *path_b;     /* path_b "" within one file */
    const bvp_file *file_a, *file_b; /* file_b NULL within one file */
    bvp_file_info info_a, info_b;
    const double *placement_b; /* b's world in a's, which is the report's; NULL: as it is */
    bvp_clash_limits limits;   /* with the defaults filled in */
    double touch_gap_default;
    double cell;                  /* edge of a cell of the grid of places */
    const char *unit;             /* of a's world: "mm", "m" ..., "" unknown */
    const char *created;          /* ISO 8601 UTC; of SOURCE_DATE_EPOCH when that is set */
    const char *rules, *baseline; /* files, or "" */
    const issue_log *issues;      /* what people have said, or NULL */
    const char *bcf;              /* --bcf: "2.1" or "3.0"; NULL: as the ending says */
    uint32_t thread_count;        /* -j; 0: one per CPU */
    uint32_t picture_max;         /* --pictures: most pictures in a report that has some */
} clash_run;

typedef struct clash_rule_use {
    const char *name;
    const char *action;  /* "exclude", "allow", "limits" */
    uint64_t pair_count; /* pairs that it was the first to match */
} clash_rule_use;

/* Pairs that were found and are not reported: options leave them out. */
typedef struct clash_filtered {
    uint64_t by_verdict, by_depth, by_top; /* --verdicts, --min-depth, --top */
} clash_filtered;

/* The coverage statement, known at the end. */
typedef struct clash_summary {
    bvp_clash_coverage coverage;
    int complete;         /* 0: interrupted; pairs from instance `done` of `total` on are missing */
    uint32_t done, total; /* instances of a */
    uint64_t issue_count; /* given to the report */
    uint64_t
        said[ISSUE_STATUS_COUNT]; /* of all issues, by their status, with `issues` of the run */
    uint64_t approved_pairs;      /* that are no findings, for their issues are approved */
    uint64_t row_count;           /* given to the report, without resolved ones */
    uint64_t allowed_count;       /* contacts that a rule allows: counted, not given */
    uint64_t unsettled_count;     /* given pairs that may touch or penetrate: their triangles leave
                                     it open */
    clash_filtered filtered;
    uint64_t new_count, persistent_count, resolved_count; /* against the baseline */
    uint64_t hidden_count; /* pairs of the baseline that rules now exclude or allow: not resolved */
    const clash_rule_use *rules;
    uint32_t rule_count;
    const char *const *warnings; /* such as selectors that match nothing in the files */
    uint32_t warning_count;
} clash_summary;

typedef struct clash_report clash_report;

/* A form of report. begin, row and end return 0, or say what is wrong and return the exit code;
 * after that only discard is called. Rows come by issue, issues and the pairs of an issue in the
 * order of their severity (clash_severity.h), resolved ones last, by the issue that they were in,
 * and are not kept: memory is constant, or a few bytes a row. */
typedef struct clash_form {
    const char *ending;                                  /* ".csv" */
    int (*begin)(clash_report *r, const clash_run *run); /* *run stays valid to the end */
    int (*row)(clash_report *r, const clash_row *row);
    int (*end)(clash_report *r, const clash_summary *summary);
    void (*discard)(clash_report *r); /* frees `own`, after end too; or NULL. The caller closes,
                                         renames or removes the file */
} clash_form;

struct clash_report {
    const clash_form *form;
    const char *path; /* as given by --report; "-": standard output, jsonl */
    FILE *stream; /* on a copy of out.fd, open for reading and writing, and may be rewound; but when
                     out.direct: only written, from front to back */
    output out;   /* gives the file its name when it is complete */
    const clash_run *run;
    void *own; /* the form's */
};

extern const clash_form report_jsonl, report_csv, report_xlsx, report_bcf, report_bcfzip,
    report_glb, report_html;

#endif
