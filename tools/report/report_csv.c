/* SPDX-License-Identifier: MIT
 * report_csv.c: a clash report as a table for spreadsheets: a line of column names, then one line
 * for each pair.
 * Based on: RFC 4180, Common Format and MIME Type for Comma-Separated Values (CSV) Files, 2005.
 */
#include <stdio.h>
#include <string.h>
#include "report/report_columns.h"
#include "text/message.h"

static void put_text(FILE *out, const char *text)
{
    const char *quote = strpbrk(text, ",\"\r\n") ? "\"" : "";
    fputs(quote, out);
    /* A spreadsheet takes a cell that begins with one of these for a formula, which may call
     * programs; with an apostrophe in front it is text. Readers remove one apostrophe at the
     * beginning of a cell, so a cell that begins with one gets another. */
    if (*text && strchr("=+-@\t\r'", *text) != NULL)
        fputc('\'', out);
    /* Writes a question mark for control characters and marks of text direction, which would
     * reorder the text of a terminal or a cell. */
    const size_t size = strlen(text);
    for (size_t i = 0, length; i < size; i += length) {
        uint32_t code = 0;
        length = utf8_decode(text + i, size - i, &code);
        if (length > 0 && is_plain(code))
            fwrite(text + i, 1, length, out);
        else
            fputc('?', out);
        if (text[i] == '"')
            fputc('"', out);
        length = length > 0 ? length : 1;
    }
    fputs(quote, out);
}

static int begin(clash_report *r, const clash_run *run)
{
    (void)run;
    for (int i = 0; i < REPORT_COLUMNS; i++)
        fprintf(r->stream, "%s%s", i ? "," : "", report_columns[i].name);
    fputs("\r\n", r->stream);
    return 0;
}

static int write_row(clash_report *r, const clash_row *row)
{
    report_cell cells[REPORT_COLUMNS];
    char buffer[32];
    report_cells(row, cells);
    for (int i = 0; i < REPORT_COLUMNS; i++) {
        if (i > 0)
            fputc(',', r->stream);
        if (cells[i].kind == REPORT_TEXT)
            put_text(r->stream, cells[i].text);
        else if (cells[i].kind == REPORT_NUMBER)
            fputs(rounded(cells[i].number, buffer), r->stream);
        else if (cells[i].kind == REPORT_COUNT)
            fprintf(r->stream, "%llu", (unsigned long long)cells[i].count);
    }
    fputs("\r\n", r->stream);
    return 0;
}

static int end(clash_report *r, const clash_summary *summary)
{
    (void)r;
    (void)summary;
    return 0;
}

const clash_form report_csv = {".csv", begin, write_row, end, NULL};
