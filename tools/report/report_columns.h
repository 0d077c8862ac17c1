/* SPDX-License-Identifier: MIT
 * report_columns.h: a report's row as the cells of a table, for those forms that are tables.
 */
#ifndef REPORT_COLUMNS_H
#define REPORT_COLUMNS_H

#include "report/clash_report.h"

enum { REPORT_COLUMNS = 45 };

typedef struct report_cell {
    enum report_cell_kind { REPORT_NOTHING, REPORT_TEXT, REPORT_NUMBER, REPORT_COUNT } kind;
    const char *text; /* valid as long as the row */
    double number;    /* finite */
    uint64_t count;
} report_cell;

typedef struct report_column {
    const char *name;
    int width; /* that a spreadsheet shows, in characters */
} report_column;

extern const report_column report_columns[REPORT_COLUMNS];

/* A cell for each column. An empty text is a text, a number that is none is nothing. */
void report_cells(const clash_row *row, report_cell cells[REPORT_COLUMNS]);

report_cell report_cell_text(const char *text);
report_cell report_cell_number(double number);
report_cell report_cell_count(uint64_t count, int is_there);

#endif
