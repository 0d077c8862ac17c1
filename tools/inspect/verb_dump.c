/* SPDX-License-Identifier: MIT
 * verb_dump.c: the verb dump: the bytes of a packed file, each with its meaning.
 */
#include <assert.h>
#include <string.h>
#include <strings.h>
#include "bvpack.h"
#include "files/packed_file.h"
#include "text/json.h"
#include "text/message.h"
#include "cli/options.h"

enum { LINE_BYTES = 8, SHORT_BYTES = 32, SECTION_MAX = 64, NAME_SIZE = 32 };

typedef struct settings {
    const char *section;
    uint64_t offset, size;
    int full, json;
} settings;

typedef struct dump {
    const settings *set;
    const uint8_t *bytes;
    uint64_t shown;
    char sections[SECTION_MAX][NAME_SIZE]; /* found so far */
    int section_count;
} dump;

/* ---- lines --------------------------------------------------------------------------------- */

static void print_bytes(const dump *d, uint64_t offset, uint64_t size)
{
    uint64_t count = size < LINE_BYTES ? size : LINE_BYTES;
    printf("%08llx ", (unsigned long long)offset);
    for (uint64_t i = 0; i < count; i++)
        printf(" %02x", d->bytes[offset + i]);
}

static int show(void *user, const bvp_annotation *a)
{
    dump *d = user;
    const settings *set = d->set;
    char name[NAME_SIZE];
    /* The section of a path: "PART[3].origin[0]" belongs to PART. All are noted, for a message that
     * lists them when nothing is shown. */
    snprintf(name, NAME_SIZE, "%.*s", (int)strcspn(a->path, "[. "), a->path);
    int known = d->section_count == SECTION_MAX;
    for (int i = 0; i < d->section_count && !known; i++)
        known = strcmp(d->sections[i], name) == 0;
    if (!known)
        snprintf(d->sections[d->section_count++], NAME_SIZE, "%s", name);
    assert(d->section_count <= SECTION_MAX);
    if (set->section && strcasecmp(set->section, name) != 0)
        return 0;
    /* Bytes offset .. offset + size count, size 0 up to the end. */
    if (a->offset + a->size <= set->offset)
        return 0;
    if (set->size != 0 && a->offset >= set->offset && a->offset - set->offset >= set->size)
        return 0;
    d->shown++;
    if (d->set->json) {
        json line;
        jsonw_start(&line, stdout, 0);
        jsonw_object(&line, NULL);
        jsonw_count(&line, "offset", a->offset);
        jsonw_count(&line, "size", a->size);
        jsonw_text(&line, "path", a->path);
        jsonw_text(&line, "value", a->value);
        jsonw_text(&line, "rule", a->rule);
        jsonw_end(&line);
        jsonw_finish(&line);
    } else {
        /* The first line says what it is; the bytes that do not fit follow, some of them or all. */
        uint64_t end = a->size;
        if (!d->set->full && end > SHORT_BYTES)
            end = LINE_BYTES;
        print_bytes(d, a->offset, a->size);
        int missing = a->size < LINE_BYTES ? LINE_BYTES - (int)a->size : 0;
        printf("%*s  ", 3 * missing, "");
        print_plain(stdout, a->path);
        if (a->value[0]) {
            fputs(" = ", stdout);
            print_plain(stdout, a->value);
        }
        if (a->rule[0])
            printf("  (%s)", a->rule);
        putchar('\n');
        for (uint64_t at = LINE_BYTES; at < end; at += LINE_BYTES) {
            print_bytes(d, a->offset + at, end - at);
            putchar('\n');
        }
        if (end < a->size)
            printf("          ... %llu more bytes\n", (unsigned long long)(a->size - end));
    }
    return ferror(stdout);
}

/* ---- the verb ------------------------------------------------------------------------------ */

static int dump_bytes(const settings *set, const char *path, const input *in)
{
    dump d = {.set = set, .bytes = in->data};
    bvp_file *file;
    bvp_error error = {0};
    bvp_status status = bvp_open_memory(in->data, in->size, NULL, &file, &error);
    if (status != BVP_OK)
        return complain_status(path, status, &error);
    status = bvp_annotate(file, show, &d);
    bvp_close(file);
    if (status != BVP_OK)
        return complain_status(path, status, NULL);
    if (d.shown > 0)
        return EXIT_DONE;
    if (!set->section) {
        complain("--offset", "there is nothing in this range; the file is shorter");
        return EXIT_USAGE;
    }
    fputs("bvpack: --section: nothing to show; the file has", stderr);
    for (int i = 0; i < d.section_count; i++) {
        fputs(i > 0 ? ", " : " ", stderr);
        print_plain(stderr, d.sections[i]);
    }
    fputc('\n', stderr);
    return EXIT_USAGE;
}

static int run(const verb *self, int argc, char **argv)
{
    settings set = {0};
    input in;
    int code, first = options_operands(self, argc, argv, &set, 1, 1, "one FILE", &code);
    if (first < 0)
        return code;
    code = packed_read(&in, argv[first]);
    if (code != 0)
        return code;
    code = dump_bytes(&set, argv[first], &in);
    input_close(&in);
    return code;
}

static const option_row options[] = {
    {"section", 's', OPTION_TEXT, offsetof(settings, section), "NAME",
     "only this section, such as PART or TREE", 0, 0},
    {"offset", 0, OPTION_COUNT, offsetof(settings, offset), "N",
     "only from byte N on; 0x makes it hexadecimal", 0, 0},
    {"size", 0, OPTION_COUNT, offsetof(settings, size), "N", "only so many bytes; 0: all", 0, 0},
    {"full", 0, OPTION_FLAG, offsetof(settings, full), NULL,
     "show all bytes of long fields; otherwise the first of them", 0, 0},
    {"json", 0, OPTION_FLAG, offsetof(settings, json), NULL,
     "print one line of JSON for each field", 0, 0},
    {0},
};

const verb verb_dump = {
    .name = "dump",
    .summary = "show the bytes of a packed file with their meaning",
    .synopsis = "FILE [OPTION]...\n",
    .description =
        "Lists the bytes of a packed file in order: offset, bytes, name and value of the field, "
        "and the rule of spec/format.md about it. Every byte belongs to one field; what has no "
        "meaning in a damaged file is called unknown.",
    .options = options,
    .examples = "bvpack dump part.bvp | less\n"
                "bvpack dump part.bvp --section PART\n"
                "# what is at a byte that verify complains about?\n"
                "bvpack dump part.bvp --offset 4160 --size 1\n",
    .completes = "bvp|zst",
    .run = run,
};
