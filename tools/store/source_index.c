/* SPDX-License-Identifier: MIT
 * source_index.c: the files that a model referred to when it was last packed, one line each.
 */
#include "store/source_index.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include "files/record_text.h"
#include "store/source_record.h"

static const char head[] = "bvpack sources 1\n";

/* ---- what was -------------------------------------------------------------------------------- */

static void forget(source_index *index)
{
    name_table_free(&index->names);
    for (size_t i = 0; i < index->count; i++)
        if (index->entries[i].is_unchanged)
            model_free(&index->entries[i].contents);
    free(index->entries);
    index->entries = NULL;
    index->count = 0;
}

int source_index_begin(source_index *index, char *text, size_t size)
{
    *index = (source_index){.text = text};
    if (!memory_text_open(&index->next))
        return -1;
    fputs(head, index->next.out);
    if (!text || size < sizeof head - 1 || memcmp(text, head, sizeof head - 1) != 0)
        return 0;
    record_reader r = {.at = text + sizeof head - 1, .end = text + size};
    size_t lines = 0;
    for (const char *at = r.at; (at = memchr(at, '\n', (size_t)(r.end - at))); at++)
        lines++;
    index->entries = calloc(lines + 1, sizeof *index->entries);
    if (!index->entries)
        return -1;
    while (r.at < r.end) {
        assert(index->count <= lines); /* an entry ends with its line's end */
        source_entry *e = &index->entries[index->count];
        e->line = r.at;
        e->name = record_get_data(&r, &e->name_size);
        record_get_stamp(&r, &e->stamp);
        e->size = record_get_count(&r, UINT64_MAX);
        record_get_bytes(&r, e->hash);
        e->record = record_get_data(&r, &e->record_size);
        record_get_end(&r);
        if (r.bad) { /* the index knows nothing */
            forget(index);
            return 0;
        }
        e->line_size = (size_t)(r.at - e->line);
        uint32_t number = (uint32_t)index->count;
        char *name = strndup(e->name, e->name_size);
        const int failed = !name || name_table_put(&index->names, name, &number) != 0;
        free(name);
        if (failed)
            return -1;
        index->count++;
    }
    return 0;
}

source_entry *source_index_find(const source_index *index, const char *name)
{
    const uint32_t number = name_table_get(&index->names, name);
    assert(number == UINT32_MAX || number < index->count);
    return number == UINT32_MAX ? NULL : &index->entries[number];
}

/* ---- what will be ---------------------------------------------------------------------------- */

void source_index_keep(source_index *index, const source_entry *entry)
{
    fwrite(entry->line, 1, entry->line_size, index->next.out);
    index->kept_count++;
}

int source_index_add(source_index *index, const source_entry *entry, const model *m)
{
    FILE *out = index->next.out;
    size_t size;
    char *record = source_record_text(m, &size);
    if (!record)
        return -1;
    record_put_data(out, entry->name, entry->name_size);
    record_put_stamp(out, &entry->stamp);
    record_put_count(out, entry->size);
    record_put_bytes(out, entry->hash);
    record_put_data(out, record, size);
    record_end_line(out);
    index->added_count++;
    free(record);
    return 0;
}

int source_index_end(source_index *index, char **text, size_t *size)
{
    *text = NULL;
    if (memory_text_close(&index->next) != 0)
        return -1;
    if (index->added_count == 0 && index->kept_count == index->count)
        return 0;
    *text = index->next.data;
    *size = index->next.size;
    index->next.data = NULL;
    return 0;
}

void source_index_free(source_index *index)
{
    memory_text_close(&index->next);
    forget(index);
    free(index->text);
    free(index->next.data);
    *index = (source_index){0};
}
