/* SPDX-License-Identifier: MIT
 * table.c: Markdown and CSV, and the list of claims.
 */
#include "table.h"
#include "measure.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { CLAIM_MAX = 64, ROW_MAX = 4000 };

static struct {
    char directory[1000], chapter[40];
    FILE *text, *csv;
    claim claims[CLAIM_MAX];
    int claim_count;
} report;

FILE *report_create(const char *name)
{
    char path[1300];
    snprintf(path, sizeof path, "%s/%s", report.directory, name);
    FILE *file = fopen(path, "w");
    if (file == NULL) {
        perror(path);
        exit(1);
    }
    return file;
}

void report_open(const char *directory, const char *chapter)
{
    char name[60];
    snprintf(report.directory, sizeof report.directory, "%s", directory);
    snprintf(report.chapter, sizeof report.chapter, "%s", chapter);
    snprintf(name, sizeof name, "%s.md", chapter);
    report.text = report_create(name);
    report.claim_count = 0;
}

void report_heading(const char *title)
{
    fprintf(report.text, "\n## %s\n", title);
    fprintf(stderr, "== %s\n", title);
}

void report_text(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fputc('\n', report.text);
    vfprintf(report.text, format, args);
    fputc('\n', report.text);
    va_end(args);
    fflush(report.text);
}

void report_picture(const char *name, const char *title)
{
    fprintf(report.text, "\n![%s](%s)\n", title, name);
}

/* ---- tables ---------------------------------------------------------------------------------- */

static void write_cell(FILE *csv, const char *cell, size_t size, bool is_first)
{
    const bool quoted = memchr(cell, ',', size) != NULL || memchr(cell, '"', size) != NULL;
    fputs(is_first ? "" : ",", csv);
    fputs(quoted ? "\"" : "", csv);
    for (size_t k = 0; k < size; k++) {
        if (cell[k] == '"')
            fputc('"', csv);
        fputc(cell[k], csv);
    }
    fputs(quoted ? "\"" : "", csv);
}

static void write_row(const char *cells)
{
    const char *at = cells;
    for (bool is_first = true;; is_first = false) {
        const size_t size = strcspn(at, "|");
        write_cell(report.csv, at, size, is_first);
        const int mark = at[0] == '#';
        fprintf(report.text, "| %.*s ", (int)size - mark, at + mark);
        at += size;
        if (*at++ == '\0')
            break;
    }
    fputs("|\n", report.text);
    fputc('\n', report.csv);
    fflush(report.csv);
    fflush(report.text);
}

void table_begin(const char *name, const char *title, const char *columns)
{
    char path[200];
    snprintf(path, sizeof path, "%s.csv", name);
    report.csv = report_create(path);
    fprintf(report.text, "\n### %s\n\n", title);
    fprintf(stderr, "   %s\n", title);
    write_row(columns);
    fputs("|", report.text);
    for (const char *at = columns; at != NULL; at = strchr(at + 1, '|'))
        fputs("---|", report.text);
    fputc('\n', report.text);
}

void table_row(const char *format, ...)
{
    char row[ROW_MAX];
    va_list args;
    va_start(args, format);
    vsnprintf(row, sizeof row, format, args);
    va_end(args);
    write_row(row);
}

void table_end(void)
{
    fclose(report.csv);
    report.csv = NULL;
}

/* ---- claims ---------------------------------------------------------------------------------- */

static const char *verdict_name(verdict verdict)
{
    static const char *const names[] = {"holds", "does not hold", "not measured"};
    return names[verdict];
}

verdict verdict_of(bool holds)
{
    return holds ? HOLDS : DOES_NOT_HOLD;
}

void report_claim(const claim *made)
{
    if (report.claim_count == CLAIM_MAX || (made->control[0] == '\0' && measure_is_timing())) {
        fprintf(stderr, "papers: no control, or more than %d claims: %s\n", CLAIM_MAX, made->text);
        exit(1);
    }
    report.claims[report.claim_count++] = *made;
    report_text("**%s** (%s). Paper: %s. Ours: %s. **%s**. Control: %s.", made->text, made->paper,
                made->figure, made->ours, verdict_name(made->verdict), made->control);
}

void report_close(void)
{
    char name[60];
    fclose(report.text);
    snprintf(name, sizeof name, "claims_%s.md", report.chapter);
    report.text = report_create(name);
    snprintf(name, sizeof name, "claims_%s.csv", report.chapter);
    report.csv = report_create(name);
    for (int k = 0; k < report.claim_count; k++) {
        const claim *c = &report.claims[k];
        char row[ROW_MAX];
        snprintf(row, sizeof row, "%s|%s|%s|%s|%s|%s|%s", c->paper, c->text, c->figure, c->ours,
                 verdict_name(c->verdict), c->control, c->evidence);
        write_row(row);
    }
    table_end();
    fclose(report.text);
}
