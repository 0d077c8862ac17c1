/* SPDX-License-Identifier: MIT
 * issue_titles.c: the issues of a clash report. A row is a pair, and says of which issue it is.
 */
#include "issues/issue_titles.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "files/input.h"
#include "text/array.h"
#include "text/json_tree.h"
#include "text/message.h"

static int add(issue_titles *t, const char *id, const char *title, uint64_t number)
{
    if (array_grow(&t->items, &t->capacity, t->count + 1, sizeof *t->items) != 0)
        return complain_memory();
    char *copy = malloc(strlen(title) + 1);
    if (!copy)
        return complain_memory();
    strcpy(copy, title);
    issue_title *item = &t->items[t->count++];
    snprintf(item->id, sizeof item->id, "%s", id);
    item->title = copy;
    item->number = number;
    return 0;
}

static int read_line(issue_titles *t, const char *path, int number, const char *line, size_t size)
{
    json_fault fault = {0};
    json_value *root = json_tree_open(line, size, &fault);
    const char *id = json_tree_text(json_tree_get(root, "issue"));
    const char *title = json_tree_text(json_tree_get(root, "issue_title"));
    uint64_t issue_number = 0;
    int code = 0;
    json_tree_count(json_tree_get(root, "issue_number"), &issue_number);
    if (fault.is_memory) {
        code = complain_memory();
    } else if (!root || !json_tree_is_object(root) ||
               (id && (strlen(id) != ISSUE_ID_SIZE - 1 ||
                       strspn(id, "0123456789abcdef") != ISSUE_ID_SIZE - 1))) {
        complain(path,
                 "line %d: expected a row of a report of \"bvpack clash --report FILE.jsonl\"",
                 number);
        code = EXIT_INPUT;
    } else if (id && (t->count == 0 || strcmp(t->items[t->count - 1].id, id) != 0)) {
        code = add(t, id, title ? title : "", issue_number);
    }
    json_tree_close(root);
    return code;
}

/* Of the same id the one that comes first, as it has the better number. */
static int by_id(const void *a, const void *b)
{
    const issue_title *one = a, *other = b;
    const int order = strcmp(one->id, other->id);
    const uint64_t first = one->number - 1, second = other->number - 1; /* none: the last */
    return order ? order : (first > second) - (first < second);
}

int issue_titles_read(issue_titles *t, const char *path)
{
    input file = {.fd = -1};
    int code = input_open(&file, path), number = 1;
    const char *data = file.data;
    for (size_t at = 0; code == 0 && at < file.size; number++) {
        const char *end = memchr(data + at, '\n', file.size - at);
        const size_t stop = end ? (size_t)(end - data) : file.size;
        size_t size = stop - at;
        while (size > 0 && memchr(" \t\r", data[at + size - 1], 3))
            size--;
        if (size > 0)
            code = read_line(t, path, number, data + at, size);
        at = stop + 1;
    }
    input_close(&file);
    size_t kept = 0;
    if (t->count > 1)
        qsort(t->items, t->count, sizeof *t->items, by_id);
    for (size_t i = 0; i < t->count; i++)
        if (kept > 0 && strcmp(t->items[kept - 1].id, t->items[i].id) == 0)
            free(t->items[i].title);
        else
            t->items[kept++] = t->items[i];
    t->count = kept;
    return code;
}

const issue_title *issue_titles_find(const issue_titles *t, const char *id)
{
    size_t low = 0, high = t->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (strcmp(t->items[middle].id, id) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < t->count && strcmp(t->items[low].id, id) == 0 ? &t->items[low] : NULL;
}

void issue_titles_close(issue_titles *t)
{
    for (size_t i = 0; i < t->count; i++)
        free(t->items[i].title);
    free(t->items);
    memset(t, 0, sizeof *t);
}
