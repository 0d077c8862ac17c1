/* SPDX-License-Identifier: MIT
 * operand.h: operands of the command line: FILE[:PART], placements, vectors, lengths.
 */
#ifndef OPERAND_H
#define OPERAND_H

#include "bvpack.h"
#include "cli/verb.h"

typedef struct operand {
    bvp_file *file;
    bvp_file_info info;   /* with the unit that is assumed */
    double scale;         /* of the file's unit in that of the first operand; 1 */
    uint32_t part;        /* or BVP_ASSEMBLY */
    uint32_t instance;    /* the instance that FILE:@N named, or BVP_NONE */
    double placement[12]; /* source coordinates of the part (of the assembly) to world */
    int placed;           /* placement is not the identity */
    const char *text;     /* as given */
    uint64_t *bits;       /* of filter; NULL: every instance is queried */
    bvp_filter filter;
} operand;

/* Options that select instances, by the selectors of clash rules, and what they are called. */
typedef struct operand_choice {
    const char *only_name, *without_name;
    const option_list *only, *without;
} operand_choice;

/* The unit of an operand's lengths. */
typedef struct operand_unit {
    const char *assume; /* of --assume-unit: of a file that does not say its own; or NULL */
    const struct operand *first; /* the operand whose unit this one's world also uses; or NULL */
} operand_unit;

/* Opens FILE, FILE:NAME, FILE:#N (a part) or FILE:@N, FILE:@NAME (an instance, where it stands).
 * A file whose own name has a colon is found first. place: of --place, in the first file's unit, or
 * NULL. how, unit: or NULL. The placement converts from the file's unit to that of unit->first.
 * Returns 0, or says what is wrong and returns the exit code; also when what is named lacks the
 * hierarchy that `how` asks for, or has one that its box test cannot be used with. */
int operand_open(operand *o, const char *text, const char *place, const bvp_open_options *how,
                 const operand_unit *unit);
/* Checks the hashes of everything that the operand refers to: the tables, names and the part, or
 * the parts of all instances. The file was opened with verify_lazily. 0, or says which block does
 * not match, or which part is missing, and returns the exit code. */
int operand_check(const operand *o);
/* For callers that read the whole part and check it: FILE alone, and the part of --part: NAME or
 * #N; NULL: the assembly. */
int operand_open_part(operand *o, const char *path, const char *part);
void operand_close(operand *o);
/* Sets which instances are queried: those that --only selects, or all, less those of --without. 0,
 * or says what is wrong, such as a selector that selects nothing, and returns the exit code. */
int operand_select(operand *o, const operand_choice *choice);
/* Points into the operand. */
bvp_body operand_body(const operand *o);

/* Numbers separated by commas, blanks or semicolons. Returns how many, or -1 when the text is not
 * numbers, one is not finite, or there are more than `capacity`. */
int parse_numbers(const char *text, double *out, int capacity);
/* The same, exactly `count` numbers for an option; says what is wrong. 0 or the exit code. */
int parse_vector(const char *option, const char *text, double *out, int count);
/* The six numbers of --box, low corner and high corner; 0 or the exit code. */
int parse_box(const char *text, double out[6]);
/* 12 numbers (row-major 3x4), x,y,z or x,y,z,rx,ry,rz: degrees, turned about x, then y, then z. */
int parse_placement(const char *where, const char *text, double out[12]);
/* The same from numbers that are there already: 3, 6 or 12 of them. */
void placement_of_numbers(const double *values, int count, double out[12]);
/* A length in the file's units; with a suffix mm, cm, m, in, ft converted when the file has a unit.
 */
int parse_length(const char *option, const char *text, const bvp_file_info *info, double *out);
/* out = a * b of two affine 3x4 maps. */
void compose(const double a[12], const double b[12], double out[12]);

#endif
