/* SPDX-License-Identifier: MIT
 * message.h: messages to people, and the program's exit codes.
 */
#ifndef MESSAGE_H
#define MESSAGE_H

#include <stdio.h>
#include "bvpack.h"

/* Documented in every man page: message.c's table. */
enum exit_code {
    EXIT_DONE = 0,    /* done; a query has been answered, whatever the answer */
    EXIT_FINDING = 1, /* verify found something; a query with --exit-code found a hit */
    EXIT_USAGE = 2,   /* the command line is wrong */
    EXIT_INPUT = 3,   /* a file or model can't be read */
    EXIT_CORRUPT = 4, /* not a bvpack file, or damaged */
    EXIT_NEWER = 5,   /* written by a newer bvpack */
    EXIT_LIMIT = 6,   /* too large for this program or this machine */
    EXIT_OUTPUT = 7,  /* the output can't be written */
    EXIT_STOPPED =
        8 /* ended before it was done: --timeout, or a signal to a verb that ends in order */
};

typedef struct exit_text {
    int code;
    const char *text;
} exit_text;
extern const exit_text exit_texts[]; /* ends with text NULL */

/* "bvpack: WHERE: MESSAGE" on standard error, one line, escaped as print_name does it. where: a
 * file, "file:line", an option; or NULL. */
void complain(const char *where, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Begins the text of a bvp_error about a file: "NAME:", or "...TAIL:" of a very long name. Returns
 * its length. size: at least 128. */
size_t message_begin(char *out, size_t size, const char *name);
/* Does the text say which file it is about? So it does if message_begin began it, or if bvp_open
 * could not open the file. A name that only occurs in it, such as "a", says nothing. */
int message_names(const char *message, const char *name);
/* What can be done about it, one thing, to be written behind the error's message; "" where that
 * says it, or where there is nothing. error: may be NULL. */
const char *status_advice(bvp_status status, const bvp_error *error);
/* The command that packs the model `name`: "bvpack pack part.stl -o part.bvp". 0 and nothing of use
 * in `out` where that is no help: the name is a packed file's, would have to be quoted, or does not
 * fit; or it is NULL. */
int message_packing(char *out, size_t size, const char *name);
/* Says what a library call on `path` failed with; returns the exit code. */
int complain_status(const char *path, bvp_status status, const bvp_error *error);
int exit_code_of(bvp_status status);
/* Says that memory is out; returns the exit code. */
int complain_memory(void);

/* Flushes standard output. Returns `code`, or EXIT_OUTPUT (and says so) when writing failed. */
int finish_stdout(int code);

/* Length of the valid UTF-8 sequence that data begins with, or 0; *code: its character. */
size_t utf8_decode(const char *data, size_t size, uint32_t *code);
size_t utf8_length(const char *data, size_t size);
/* May a terminal get this character? Not the controls C0, DEL and C1, nor those that begin a new
 * line or change the direction of text: U+2028 to 202E, 2066 to 2069, 200E, 200F, 061C. */
int is_plain(uint32_t code);
/* A name or message from outside, for a terminal: what is not plain, and what is not UTF-8, comes
 * out as \xNN, byte by byte. All text that this program did not make itself goes through here. */
void print_name(FILE *out, const char *data, size_t size);
void print_plain(FILE *out, const char *text); /* the same, NUL-terminated */
/* 1234567 as "1,234,567", into `buffer` (at least 32 bytes); returns it. */
const char *grouped(uint64_t value, char *buffer);
/* "1 part", "1,234 parts": `one` is the word for one, at most 30 bytes; buffer: at least 64 bytes.
 */
const char *counted(uint64_t value, const char *one, char *buffer);
/* The shortest decimal form that reads back as the same double, into `buffer` (>= 32 bytes). */
const char *shortest(double value, char *buffer);
/* With 15 significant digits, the last of them perhaps one off, without zeros at the end; many
 * times as fast, for long lists of measured values. */
const char *rounded(double value, char *buffer);
/* "mm", "cm", "m", "in", "ft", or "" when the unit is unknown or none of these. */
const char *unit_name(double unit_in_metres);
/* Metres of a unit's name, or 0 when it is none. */
double unit_by_name(const char *name);

#endif
