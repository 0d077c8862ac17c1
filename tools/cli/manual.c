/* SPDX-License-Identifier: MIT
 * manual.c: --help and man pages, made from the verb tables.
 */
#include "cli/manual.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "text/message.h"

enum { WIDTH = 79, OPTION_COLUMN = 26, LINE_MOST = 100 };

static const char program_summary[] =
    "pack CAD models into files that answer geometric questions as they lie on disk";
static const char program_description[] =
    "bvpack packs triangle models and assemblies into one file: every part once, a hierarchy over "
    "its triangles, the product tree with its placements. Opening such a file costs the same "
    "whatever its size; collision, distance, ray and closest-point questions are answered on the "
    "mapped bytes.\n\n"
    "A first word that is not a verb is a model: \"bvpack MODEL -o OUT\" means "
    "\"bvpack pack MODEL -o OUT\".";

/* ---- shared by both ------------------------------------------------------------------------ */

/* The verb's own meaning of an exit code, or `common`. */
static const char *exit_meaning(const verb *v, int code, const char *common, size_t *size)
{
    for (const char *line = v ? v->exit_codes : NULL; line && *line;) {
        const char *end = strchr(line, '\n');
        if (atoi(line) == code) {
            line += strcspn(line, " ") + 1;
            *size = (size_t)(end - line);
            return line;
        }
        line = end + 1;
    }
    *size = strlen(common);
    return v && code == EXIT_FINDING ? NULL : common;
}

static size_t option_form(const option_row *row, char *buffer, size_t capacity)
{
    char letter[8] = "    ";
    if (row->letter)
        snprintf(letter, sizeof letter, "-%c, ", row->letter);
    int size = snprintf(buffer, capacity, "%s--%s%s%s", letter, row->name, row->value ? "=" : "",
                        row->value ? row->value : "");
    return (size_t)size;
}

static const option_row help_row = {"help", 'h', OPTION_FLAG, 0, NULL, "print this help", 0, 0};
const option_row timeout_row = {.name = "timeout",
                                .kind = OPTION_NUMBER,
                                .value = "SECONDS",
                                .help = "end after so many seconds, with exit code 8 and no "
                                        "output; clash writes what was complete"};

/* ---- --help -------------------------------------------------------------------------------- */

/* Words of `text` in lines from `indent` to WIDTH; the cursor stands at `column`. */
static void print_wrapped(FILE *out, const char *text, size_t size, int indent, int column)
{
    const char *end = text + size;
    while (text < end) {
        int word = 0;
        while (text + word < end && text[word] != ' ' && text[word] != '\n')
            word++;
        if (column > indent && column + 1 + word > WIDTH) {
            fprintf(out, "\n%*s", indent, "");
            column = indent;
        } else if (column > indent) {
            fputc(' ', out);
            column++;
        }
        fwrite(text, 1, (size_t)word, out);
        column += word;
        text += word;
        if (end - text >= 2 && text[0] == '\n' && text[1] == '\n') {
            fprintf(out, "\n\n%*s", indent, "");
            column = indent;
            text++;
        }
        text++;
    }
    fputc('\n', out);
}

static void print_option(FILE *out, const option_row *row)
{
    char form[128];
    int column = 2 + (int)option_form(row, form, sizeof form);
    if (column > LINE_MOST) { /* a long list of choices goes on in the next line */
        int cut = LINE_MOST - 2;
        while (cut > 0 && form[cut - 1] != '|')
            cut--;
        fprintf(out, "  %.*s\n%*s%s", cut, form, OPTION_COLUMN, "", form + cut);
    } else {
        fprintf(out, "  %s", form);
    }
    if (column + 2 > OPTION_COLUMN) {
        fputc('\n', out);
        column = 0;
    }
    fprintf(out, "%*s", OPTION_COLUMN - column, "");
    print_wrapped(out, row->help, strlen(row->help), OPTION_COLUMN, OPTION_COLUMN);
}

static void print_exit_codes(FILE *out, const verb *v)
{
    fputs("\nExit codes:\n", out);
    for (const exit_text *row = exit_texts; row->text; row++) {
        size_t size;
        const char *text = exit_meaning(v, row->code, row->text, &size);
        if (!text)
            continue;
        fprintf(out, "  %d  ", row->code);
        print_wrapped(out, text, size, 5, 5);
    }
}

void manual_help(const verb *v, FILE *out)
{
    const char *lead = "Usage: ";
    for (const char *line = v->synopsis; *line;) {
        int size = (int)strcspn(line, "\n");
        fprintf(out, "%sbvpack %s %.*s\n", lead, v->name, size, line);
        line += size + (line[size] == '\n');
        lead = "       ";
    }
    fputc('\n', out);
    print_wrapped(out, v->description, strlen(v->description), 0, 0);
    if (v->kinds)
        fputs("\nKinds:\n", out);
    for (const verb *const *kind = v->kinds; kind && *kind; kind++)
        fprintf(out, "  %-10s %s\n", strrchr((*kind)->name, ' ') + 1, (*kind)->summary);
    fputs("\nOptions:\n", out);
    for (const option_row *row = v->options; row->name; row++)
        print_option(out, row);
    print_option(out, &timeout_row);
    print_option(out, &help_row);
    fputs("\nExamples:\n", out);
    for (const char *line = v->examples; line && *line;) {
        int size = (int)strcspn(line, "\n");
        fprintf(out, "  %.*s\n", size, line);
        line += size + (line[size] == '\n');
    }
    print_exit_codes(out, v);
}

void manual_program_help(const verb *const *verbs, FILE *out)
{
    fputs("Usage: bvpack VERB ...\n       bvpack MODEL... -o OUT\n\n", out);
    print_wrapped(out, program_description, strlen(program_description), 0, 0);
    fputs("\nVerbs:\n", out);
    for (const verb *const *v = verbs; *v; v++)
        fprintf(out, "  %-10s %s\n", (*v)->name, (*v)->summary);
    fputs("  help       print a verb's help: bvpack help VERB\n"
          "\nOptions:\n"
          "  -h, --help               print this help\n"
          "  -V, --version            print the version\n"
          "\nExamples:\n"
          "  bvpack plant.glb -o plant.bvp\n"
          "  bvpack info plant.bvp\n"
          "  bvpack query distance plant.bvp robot.bvp --place-b 1.5,0,0\n",
          out);
    print_exit_codes(out, NULL);
}

/* ---- man pages ----------------------------------------------------------------------------- */

/* Text for roff: its escapes neutralised, an ASCII minus kept a minus. A list of choices may break
 * behind each "|"; so lines are not adjusted to the right, which one without blanks cannot be. */
static void roff(FILE *out, const char *text, size_t size)
{
    if (size > 0 && (text[0] == '.' || text[0] == '\''))
        fputs("\\&", out);
    for (size_t i = 0; i < size; i++) {
        if (text[i] == '\\')
            fputs("\\e", out);
        else if (text[i] == '-')
            fputs("\\-", out);
        else if (text[i] == '|')
            fputs("|\\:", out);
        else if (text[i] == '\n' && i + 1 < size && text[i + 1] == '\n')
            fputs("\n.PP", out);
        else
            fputc(text[i], out);
    }
}

static void roff_text(FILE *out, const char *text)
{
    roff(out, text, strlen(text));
    fputc('\n', out);
}

static void roff_lines(FILE *out, const char *text)
{
    fputs(".nf\n", out);
    while (text && *text) {
        size_t size = strcspn(text, "\n");
        roff(out, text, size);
        fputc('\n', out);
        text += size + (text[size] == '\n');
    }
    fputs(".fi\n", out);
}

static void roff_option(FILE *out, const option_row *row)
{
    char form[128];
    option_form(row, form, sizeof form);
    fputs(".TP\n.B ", out);
    roff_text(out, form + (row->letter ? 0 : 4));
    roff_text(out, row->help);
}

static void roff_synopsis(FILE *out, const verb *v)
{
    const char *line = v->synopsis;
    while (*line) {
        size_t size = strcspn(line, "\n");
        fputs(line == v->synopsis ? ".B bvpack " : ".br\n.B bvpack ", out);
        roff_text(out, v->name);
        roff(out, line, size);
        fputc('\n', out);
        line += size + (line[size] == '\n');
    }
}

/* Does the kind's table repeat a row of its verb's? */
static int is_shared(const verb *v, const option_row *row)
{
    for (const option_row *own = v->options; own->name; own++)
        if (strcmp(own->name, row->name) == 0)
            return 1;
    return 0;
}

static void roff_heading(FILE *out, const char *name, const char *summary)
{
    fputs(".TH ", out);
    for (const char *c = name; *c; c++)
        fputc(toupper((unsigned char)*c), out);
    fprintf(out, " 1 \"\" \"bvpack %s\" \"bvpack manual\"\n.ad l\n.SH NAME\n", bvp_version());
    roff(out, name, strlen(name));
    fputs(" \\- ", out);
    roff_text(out, summary);
}

static void roff_exit_codes(FILE *out, const verb *v)
{
    fputs(".SH EXIT STATUS\n", out);
    for (const exit_text *row = exit_texts; row->text; row++) {
        size_t size;
        const char *text = exit_meaning(v, row->code, row->text, &size);
        if (!text)
            continue;
        fprintf(out, ".TP\n.B %d\n", row->code);
        roff(out, text, size);
        fputc('\n', out);
    }
}

void manual_program_page(const verb *const *verbs, FILE *out)
{
    roff_heading(out, "bvpack", program_summary);
    fputs(".SH SYNOPSIS\n.B bvpack\nVERB ...\n.br\n.B bvpack\nMODEL... \\-o OUT\n"
          ".SH DESCRIPTION\n",
          out);
    roff_text(out, program_description);
    fputs(".SH VERBS\n", out);
    for (const verb *const *v = verbs; *v; v++) {
        fprintf(out, ".TP\n.BR bvpack\\-%s (1)\n", (*v)->name);
        roff_text(out, (*v)->summary);
    }
    fputs(".SH OPTIONS\n.TP\n.B \\-h, \\-\\-help\nprint the help;\n"
          ".B bvpack help VERB\nprints a verb's\n.TP\n.B \\-V, \\-\\-version\n"
          "print the version\n",
          out);
    roff_exit_codes(out, NULL);
}

void manual_page(const verb *v, FILE *out)
{
    char name[64];
    snprintf(name, sizeof name, "bvpack-%s", v->name);
    roff_heading(out, name, v->summary);
    fputs(".SH SYNOPSIS\n", out);
    roff_synopsis(out, v);
    fputs(".SH DESCRIPTION\n", out);
    roff_text(out, v->description);
    if (v->kinds)
        fputs(".SH KINDS\n", out);
    for (const verb *const *kind = v->kinds; kind && *kind; kind++) {
        fputs(".SS ", out);
        roff_text(out, strrchr((*kind)->name, ' ') + 1);
        roff_synopsis(out, *kind);
        fputs(".PP\n", out);
        roff_text(out, (*kind)->description);
        for (const option_row *row = (*kind)->options; row->name; row++)
            if (!is_shared(v, row))
                roff_option(out, row);
        fputs(".PP\n", out);
        roff_lines(out, (*kind)->examples);
    }
    fputs(".SH OPTIONS\n", out);
    for (const option_row *row = v->options; row->name; row++)
        roff_option(out, row);
    roff_option(out, &timeout_row);
    roff_option(out, &help_row);
    fputs(".SH EXAMPLES\n", out);
    roff_lines(out, v->examples);
    roff_exit_codes(out, v);
    fputs(".SH SEE ALSO\n.BR bvpack (1)\n", out);
}
