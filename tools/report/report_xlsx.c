/* SPDX-License-Identifier: MIT
 * report_xlsx.c: a clash report as a workbook for spreadsheets: a sheet of issues and one of pairs,
 * which has the columns of .csv.
 * Based on: ECMA-376, Office Open XML File Formats, part 1, chapter 18.
 *
 * A workbook is a zip archive of XML texts. Each sheet is written row by row to a file without a
 * name, so memory is constant. Texts are in their cells, never formulas; those that begin as a
 * formula would are marked as text, too, so that editing such a cell does not make one of it.
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "files/archive.h"
#include "report/report_columns.h"
#include "report/report_text.h"
#include "text/memory_text.h"
#include "text/message.h"

enum {
    ROWS_MOST = 1048575, /* of a sheet, without its head */
    TEXT_MOST = 32000,   /* characters of a cell; a program may refuse 32,768 */
    ISSUE_COLUMNS = 14,
    SHEETS = 2
};
/* Cells' formats: their places in styles.xml. */
enum { STYLE_NONE, STYLE_HEAD, STYLE_TEXT };

static const char declaration[] = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n";
#define MAIN_NAMES     "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
#define RELATION_NAMES "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
#define PACKAGE_NAMES  "http://schemas.openxmlformats.org/package/2006/"
#define MAIN_TYPE      "application/vnd.openxmlformats-officedocument.spreadsheetml."

typedef struct sheet {
    FILE *out;
    const char *name;
    int columns;
    uint32_t rows; /* with the head */
} sheet;

typedef struct xlsx {
    archive *zip;
    sheet sheets[SHEETS]; /* issues, pairs */
    uint64_t left_out;
} xlsx;

static int no_room(const clash_report *r)
{
    complain(r->path, "can't write: no memory or no room for temporary files");
    return EXIT_OUTPUT;
}

/* ---- cells ----------------------------------------------------------------------------------- */

/* "_x0041_" is a spreadsheet's way to write "A". */
static int is_escape(const char *text, size_t size)
{
    if (size < 7 || text[0] != '_' || text[1] != 'x' || text[6] != '_')
        return 0;
    for (int i = 2; i < 6; i++)
        if (!strchr("0123456789abcdefABCDEF", text[i]))
            return 0;
    return 1;
}

/* How many characters there are that mean nothing in XML nor to a spreadsheet, at most `most`. */
static size_t harmless(const char *text, size_t most)
{
    size_t count = 0;
    while (count < most && text[count] >= ' ' && text[count] <= '~' &&
           !strchr("<>&\"_", text[count]))
        count++;
    return count;
}

/* What is no plain text becomes a question mark, as in .csv. */
static void put_plain(FILE *out, const char *text)
{
    const size_t size = strlen(text);
    size_t said = 0;
    for (size_t i = 0, length; i < size && said < TEXT_MOST; i += length, said++) {
        uint32_t code = 0;
        char one[5] = "";
        const size_t run = harmless(text + i, TEXT_MOST - said);
        if (run > 0) {
            fwrite(text + i, 1, run, out);
            length = run;
            said += run - 1;
            continue;
        }
        length = utf8_decode(text + i, size - i, &code);
        if (length == 0 || !is_plain(code)) {
            fputc('?', out);
            length = length > 0 ? length : 1;
            continue;
        }
        assert(length < sizeof one);
        memcpy(one, text + i, length);
        if (is_escape(text + i, size - i))
            fputs("_x005F_", out);
        else
            report_xml(out, one);
    }
}

/* "A1", "AP12". */
static void put_reference(FILE *out, int column, uint32_t row)
{
    assert(column < 26 * 27);
    if (column >= 26)
        fputc('A' + column / 26 - 1, out);
    fprintf(out, "%c%u", 'A' + column % 26, row);
}

static void put_text(sheet *s, int column, const char *text, int style)
{
    if (!text[0])
        return;
    if (style == STYLE_NONE && strchr("=+-@", text[0]))
        style = STYLE_TEXT;
    fputs("<c r=\"", s->out);
    put_reference(s->out, column, s->rows);
    if (style != STYLE_NONE)
        fprintf(s->out, "\" s=\"%d", style);
    fputs("\" t=\"inlineStr\"><is><t xml:space=\"preserve\">", s->out);
    put_plain(s->out, text);
    fputs("</t></is></c>", s->out);
}

static void put_cell(sheet *s, int column, const report_cell *cell)
{
    char buffer[32];
    if (cell->kind == REPORT_TEXT)
        put_text(s, column, cell->text, STYLE_NONE);
    if (cell->kind != REPORT_NUMBER && cell->kind != REPORT_COUNT)
        return;
    fputs("<c r=\"", s->out);
    put_reference(s->out, column, s->rows);
    if (cell->kind == REPORT_NUMBER)
        fprintf(s->out, "\"><v>%s</v></c>", rounded(cell->number, buffer));
    else
        fprintf(s->out, "\"><v>%llu</v></c>", (unsigned long long)cell->count);
}

static void put_row(sheet *s, const report_cell *cells)
{
    fprintf(s->out, "<row r=\"%u\">", ++s->rows);
    for (int i = 0; i < s->columns; i++)
        put_cell(s, i, &cells[i]);
    fputs("</row>\n", s->out);
}

/* ---- sheets ---------------------------------------------------------------------------------- */

/* names: of columns, whose first row they are, and which stays where others scroll. */
static int begin_sheet(sheet *s, const char *name, const report_column *columns, int count)
{
    s->out = tmpfile();
    if (!s->out)
        return 0;
    s->name = name;
    s->columns = count;
    fprintf(s->out,
            "%s<worksheet xmlns=\"" MAIN_NAMES "\"><sheetViews><sheetView workbookViewId=\"0\">"
            "<pane ySplit=\"1\" topLeftCell=\"A2\" activePane=\"bottomLeft\" state=\"frozen\"/>"
            "</sheetView></sheetViews>\n<cols>",
            declaration);
    for (int i = 0; i < count; i++)
        fprintf(s->out, "<col min=\"%d\" max=\"%d\" width=\"%d\" customWidth=\"1\"/>", i + 1, i + 1,
                columns[i].width);
    fprintf(s->out, "</cols>\n<sheetData>\n<row r=\"%u\">", ++s->rows);
    for (int i = 0; i < count; i++)
        put_text(s, i, columns[i].name, STYLE_HEAD);
    fputs("</row>\n", s->out);
    return !ferror(s->out);
}

/* "$A$1:$AP$12842": what the filter is for. */
static void put_range(FILE *out, const sheet *s, const char *sign)
{
    fprintf(out, "%sA%s1:%s", sign, sign, sign);
    if (s->columns > 26)
        fputc('A' + (s->columns - 1) / 26 - 1, out);
    fprintf(out, "%c%s%u", 'A' + (s->columns - 1) % 26, sign, s->rows);
}

static int end_sheet(sheet *s)
{
    fputs("</sheetData><autoFilter ref=\"", s->out);
    put_range(s->out, s, "");
    fputs("\"/></worksheet>\n", s->out);
    return !ferror(s->out);
}

static void issue_columns(const char *unit, char texts[3][64], report_column out[ISSUE_COLUMNS])
{
    const char *const blank = unit[0] ? ", " : "";
    snprintf(texts[0], 64, "Depth%s%.16s", blank, unit);
    snprintf(texts[1], 64, "Distance%s%.16s", blank, unit);
    snprintf(texts[2], 64, "Common volume at most%s%s%.16s", blank, unit[0] ? "cubic " : "", unit);
    const report_column columns[ISSUE_COLUMNS] = {{"No.", 7},
                                                  {"Issue", 60},
                                                  {"Verdict", 12},
                                                  {"State", 11},
                                                  {"Pairs", 8},
                                                  {texts[0], 14},
                                                  {texts[1], 14},
                                                  {texts[2], 18},
                                                  {"Where", 20},
                                                  {"Place", 14},
                                                  {"A of the worst pair", 28},
                                                  {"B of the worst pair", 28},
                                                  {"Rule", 20},
                                                  {"Id", 34}};
    memcpy(out, columns, sizeof columns);
}

static void put_issue(sheet *s, const clash_row *row)
{
    const clash_issue *issue = row->issue;
    const report_cell cells[ISSUE_COLUMNS] = {
        report_cell_count(issue->number, 1),
        report_cell_text(issue->title),
        report_cell_text(bvp_verdict_name(row->pair->verdict)),
        report_cell_text(issue->state),
        report_cell_count(issue->pair_count, 1),
        report_cell_number(row->pair->depth),
        report_cell_number(row->pair->distance),
        report_cell_number(issue->volume),
        report_cell_text(issue->where),
        report_cell_text(row->place),
        report_cell_text(report_name(&row->a)),
        report_cell_text(report_name(&row->b)),
        report_cell_text(row->rule),
        report_cell_text(issue->id)};
    put_row(s, cells);
}

/* ---- the report ------------------------------------------------------------------------------ */

static int begin(clash_report *r, const clash_run *run)
{
    report_column columns[ISSUE_COLUMNS];
    char texts[3][64];
    if (!archive_is_there()) {
        complain(r->path, "this bvpack was built without libzip, which XLSX needs; write .csv, "
                          "or build it with libzip");
        return EXIT_USAGE;
    }
    xlsx *x = r->own = calloc(1, sizeof *x);
    if (x)
        x->zip = archive_new(run->created);
    issue_columns(run->unit, texts, columns);
    const int done = x && x->zip && begin_sheet(&x->sheets[0], "Issues", columns, ISSUE_COLUMNS) &&
                     begin_sheet(&x->sheets[1], "Pairs", report_columns, REPORT_COLUMNS);
    return done ? 0 : no_room(r);
}

static int row(clash_report *r, const clash_row *row)
{
    xlsx *x = r->own;
    report_cell cells[REPORT_COLUMNS];
    if (row->begins_issue && x->sheets[0].rows <= ROWS_MOST)
        put_issue(&x->sheets[0], row);
    if (x->sheets[1].rows > ROWS_MOST) {
        x->left_out++;
        return 0;
    }
    report_cells(row, cells);
    put_row(&x->sheets[1], cells);
    return ferror(x->sheets[0].out) || ferror(x->sheets[1].out) ? no_room(r) : 0;
}

static void put_types(FILE *out)
{
    fprintf(out,
            "%s<Types xmlns=\"" PACKAGE_NAMES "content-types\">"
            "<Default Extension=\"rels\" ContentType=\"application/vnd.openxmlformats-package."
            "relationships+xml\"/><Default Extension=\"xml\" ContentType=\"application/xml\"/>"
            "<Override PartName=\"/xl/workbook.xml\" ContentType=\"" MAIN_TYPE "sheet.main+xml\"/>"
            "<Override PartName=\"/xl/styles.xml\" ContentType=\"" MAIN_TYPE "styles+xml\"/>",
            declaration);
    for (int i = 1; i <= SHEETS; i++)
        fprintf(out,
                "<Override PartName=\"/xl/worksheets/sheet%d.xml\" ContentType=\"" MAIN_TYPE
                "worksheet+xml\"/>",
                i);
    fputs("<Override PartName=\"/docProps/core.xml\" ContentType=\"application/vnd.openxmlformats-"
          "package.core-properties+xml\"/></Types>\n",
          out);
}

static void put_relations(FILE *out)
{
    fprintf(out,
            "%s<Relationships xmlns=\"" PACKAGE_NAMES "relationships\">"
            "<Relationship Id=\"rId1\" Type=\"" RELATION_NAMES "/officeDocument\" "
            "Target=\"xl/workbook.xml\"/>"
            "<Relationship Id=\"rId2\" Type=\"" PACKAGE_NAMES "relationships/metadata/"
            "core-properties\" Target=\"docProps/core.xml\"/></Relationships>\n",
            declaration);
}

static void put_properties(FILE *out, const clash_run *run)
{
    fprintf(out,
            "%s<cp:coreProperties xmlns:cp=\"" PACKAGE_NAMES "metadata/core-properties\" "
            "xmlns:dc=\"http://purl.org/dc/elements/1.1/\" "
            "xmlns:dcterms=\"http://purl.org/dc/terms/\" "
            "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\"><dc:title>Clashes: ",
            declaration);
    report_xml(out, report_base(run->path_a));
    fputs("</dc:title><dc:creator>bvpack</dc:creator><dcterms:created "
          "xsi:type=\"dcterms:W3CDTF\">",
          out);
    report_xml(out, run->created);
    fputs("</dcterms:created></cp:coreProperties>\n", out);
}

static void put_workbook(FILE *out, const xlsx *x)
{
    fprintf(out,
            "%s<workbook xmlns=\"" MAIN_NAMES "\" xmlns:r=\"" RELATION_NAMES "\">"
            "<bookViews><workbookView activeTab=\"0\"/></bookViews><sheets>",
            declaration);
    for (int i = 0; i < SHEETS; i++)
        fprintf(out, "<sheet name=\"%s\" sheetId=\"%d\" r:id=\"rId%d\"/>", x->sheets[i].name, i + 1,
                i + 1);
    fputs("</sheets><definedNames>", out);
    for (int i = 0; i < SHEETS; i++) {
        fprintf(out,
                "<definedName name=\"_xlnm._FilterDatabase\" localSheetId=\"%d\" hidden=\"1\">%s!",
                i, x->sheets[i].name);
        put_range(out, &x->sheets[i], "$");
        fputs("</definedName>", out);
    }
    fputs("</definedNames></workbook>\n", out);
}

static void put_workbook_relations(FILE *out)
{
    fprintf(out, "%s<Relationships xmlns=\"" PACKAGE_NAMES "relationships\">", declaration);
    for (int i = 1; i <= SHEETS; i++)
        fprintf(out,
                "<Relationship Id=\"rId%d\" Type=\"" RELATION_NAMES
                "/worksheet\" Target=\"worksheets/sheet%d.xml\"/>",
                i, i);
    fprintf(out,
            "<Relationship Id=\"rId%d\" Type=\"" RELATION_NAMES
            "/styles\" Target=\"styles.xml\"/></Relationships>\n",
            SHEETS + 1);
}

/* The formats of cells, in the order of STYLE_NONE and the others. */
static void put_styles(FILE *out)
{
    fprintf(
        out,
        "%s<styleSheet xmlns=\"" MAIN_NAMES "\">"
        "<fonts count=\"2\"><font><sz val=\"11\"/><name val=\"Calibri\"/></font>"
        "<font><b/><sz val=\"11\"/><name val=\"Calibri\"/></font></fonts>"
        "<fills count=\"3\"><fill><patternFill patternType=\"none\"/></fill>"
        "<fill><patternFill patternType=\"gray125\"/></fill>"
        "<fill><patternFill patternType=\"solid\"><fgColor rgb=\"FFE3E8EF\"/></patternFill></fill>"
        "</fills><borders count=\"1\"><border><left/><right/><top/><bottom/><diagonal/></border>"
        "</borders><cellStyleXfs count=\"1\">"
        "<xf numFmtId=\"0\" fontId=\"0\" fillId=\"0\" borderId=\"0\"/></cellStyleXfs>"
        "<cellXfs count=\"3\"><xf numFmtId=\"0\" fontId=\"0\" fillId=\"0\" borderId=\"0\" "
        "xfId=\"0\"/>"
        "<xf numFmtId=\"0\" fontId=\"1\" fillId=\"2\" borderId=\"0\" xfId=\"0\" applyFont=\"1\" "
        "applyFill=\"1\"/><xf numFmtId=\"49\" fontId=\"0\" fillId=\"0\" borderId=\"0\" xfId=\"0\" "
        "quotePrefix=\"1\" applyNumberFormat=\"1\"/></cellXfs></styleSheet>\n",
        declaration);
}

static int add_texts(xlsx *x, const clash_run *run)
{
    static const char *const names[] = {"[Content_Types].xml",        "_rels/.rels",
                                        "docProps/core.xml",          "xl/workbook.xml",
                                        "xl/_rels/workbook.xml.rels", "xl/styles.xml"};
    enum { NAMES = sizeof names / sizeof names[0] };
    int done = 1;
    for (int i = 0; i < NAMES && done; i++) {
        memory_text t;
        if (memory_text_open(&t)) {
            switch (i) {
            case 0:
                put_types(t.out);
                break;
            case 1:
                put_relations(t.out);
                break;
            case 2:
                put_properties(t.out, run);
                break;
            case 3:
                put_workbook(t.out, x);
                break;
            case 4:
                put_workbook_relations(t.out);
                break;
            default:
                put_styles(t.out);
            }
        }
        done = memory_text_close(&t) == 0 && archive_add(x->zip, names[i], t.data, t.size, 0);
        free(t.data);
    }
    return done;
}

static int end(clash_report *r, const clash_summary *summary)
{
    xlsx *x = r->own;
    char name[64], most[32], more[32];
    (void)summary;
    int done = 1;
    for (int i = 0; i < SHEETS && done; i++)
        done = end_sheet(&x->sheets[i]);
    done = done && add_texts(x, r->run);
    for (int i = 0; i < SHEETS && done; i++) {
        snprintf(name, sizeof name, "xl/worksheets/sheet%d.xml", i + 1);
        done = archive_add_file(x->zip, name, x->sheets[i].out);
    }
    if (!done)
        return no_room(r);
    const char *failure = archive_write(x->zip, r->stream);
    if (!failure && (fflush(r->stream) != 0 || ferror(r->stream)))
        failure = strerror(errno);
    if (failure) {
        complain(r->path, "can't write: %s", failure);
        return EXIT_OUTPUT;
    }
    if (x->left_out > 0)
        complain(r->path,
                 "holds the first %s pairs; %s more do not fit a sheet: write .csv or "
                 ".jsonl too",
                 grouped(ROWS_MOST, most), grouped(x->left_out, more));
    return 0;
}

static void discard(clash_report *r)
{
    xlsx *x = r->own;
    if (!x)
        return;
    for (int i = 0; i < SHEETS; i++)
        if (x->sheets[i].out)
            fclose(x->sheets[i].out);
    archive_free(x->zip);
    free(x);
    r->own = NULL;
}

const clash_form report_xlsx = {
    .ending = ".xlsx", .begin = begin, .row = row, .end = end, .discard = discard};
