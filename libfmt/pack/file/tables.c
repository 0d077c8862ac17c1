/* SPDX-License-Identifier: MIT
 * tables.c: sets of records, each stored once: strings, placements, linear parts.
 *
 * Records follow each other in the form in which they are written, and a hash table finds
 * equal ones (base/hash_table.h). Records are never removed, so references stay
 * valid, and their order is that of first use: the file's bytes depend on the input only.
 * Spec: format.md, chapters "Placements", "Strings"
 */
#include "pack/file/tables.h"

#include "base/growing_array.h"
#include "base/status.h"
#include "format/checksum.h"
#include "format/linear.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

bvp_status bvpi_array_add(bvpi_array *array, uint64_t more, size_t size, void *first,
                          bvp_error *error)
{
    const uint64_t wanted = array->count + more;
    if (!bvpi_grow(&array->data, &array->capacity, wanted, size))
        return bvpi_error_memory(error, wanted * size);
    char *begin = (char *)array->data + array->count * size;
    memset(begin, 0, more * size);
    memcpy(first, &begin, sizeof begin);
    array->count += more;
    return BVP_OK;
}

void bvpi_array_free(bvpi_array *array)
{
    free(array->data);
    *array = (bvpi_array){0};
}

void bvpi_table_free(bvpi_table *table)
{
    bvpi_array_free(&table->bytes);
    bvpi_array_free(&table->starts);
    bvpi_hash_free(&table->found);
    *table = (bvpi_table){0};
}

/* ---- records -------------------------------------------------------------------------------- */

static uint64_t start_of(const bvpi_table *t, uint64_t record)
{
    const uint64_t *starts = t->starts.data;
    return record < t->starts.count ? starts[record] : t->bytes.count;
}

/* A record that is looked for. */
typedef struct wanted {
    const bvpi_table *table;
    const uint8_t *record;
    uint64_t size;
} wanted;

static bool is_equal(const void *user, uint32_t number)
{
    const wanted *w = user;
    const uint64_t start = start_of(w->table, number), end = start_of(w->table, number + 1);
    return end - start == w->size &&
           memcmp((uint8_t *)w->table->bytes.data + start, w->record, w->size) == 0;
}

/* *number: of the record, existing or new; *start: its offset. */
static bvp_status add_record(bvpi_table *t, const uint8_t *record, uint64_t size, uint32_t *number,
                             uint64_t *start, bvp_error *error)
{
    const wanted w = {t, record, size};
    const uint32_t hash = (uint32_t)(bvpi_hash64(record, size) >> 32);
    uint8_t *bytes;
    uint64_t *starts;
    assert(size > 0 && size % 4 == 0);
    assert(t->found.count == t->starts.count);
    *number = bvpi_hash_find(&t->found, hash, is_equal, &w);
    if (*number == BVPI_HASH_NONE) {
        if (t->starts.count >= UINT32_MAX - 1 || t->bytes.count / 4 + size > UINT32_MAX)
            return bvpi_error_set(error, BVP_ERR_LIMIT, BVPI_NO_OFFSET, "",
                                  "more strings or placements than a file can hold");
        if (!bvpi_hash_reserve(&t->found, t->starts.count + 1))
            return bvpi_error_memory(error, t->starts.count * sizeof *t->found.slots);
        const uint64_t begin = t->bytes.count;
        bvp_status status = bvpi_array_add(&t->bytes, size, 1, &bytes, error);
        if (status != BVP_OK)
            return status;
        status = bvpi_array_add(&t->starts, 1, sizeof *starts, &starts, error);
        if (status != BVP_OK) {
            t->bytes.count = begin;
            return status;
        }
        memcpy(bytes, record, size);
        *starts = begin;
        *number = (uint32_t)t->starts.count - 1;
        bvpi_hash_put(&t->found, hash, *number);
    }
    assert(*number < t->starts.count && t->found.count == t->starts.count);
    *start = start_of(t, *number);
    return BVP_OK;
}

/* ---- strings -------------------------------------------------------------------------------- */

static bvp_status add_text(bvpi_table *t, const char *text, uint64_t size, uint32_t *reference,
                           bvp_error *error)
{
    const uint64_t record_size = (4 + size + 3) & ~UINT64_C(3);
    const uint32_t size32 = (uint32_t)size;
    uint32_t number;
    uint64_t start = 0;
    if (size > INT32_MAX)
        return bvpi_error_set(error, BVP_ERR_LIMIT, BVPI_NO_OFFSET, "",
                              "a text is longer than 2 GiB");
    uint8_t *record = calloc(1, record_size);
    if (!record)
        return bvpi_error_memory(error, record_size);
    memcpy(record, &size32, sizeof size32);
    memcpy(record + sizeof size32, text, size);
    bvp_status status = add_record(t, record, record_size, &number, &start, error);
    free(record);
    *reference = (uint32_t)(start / 4);
    return status;
}

bvp_status bvpi_add_string(bvpi_table *t, const char *text, uint32_t *reference, bvp_error *error)
{
    uint32_t empty;
    bvp_status status = BVP_OK;
    if (t->starts.count == 0)
        status = add_text(t, "", 0, &empty, error);
    if (status == BVP_OK)
        status = add_text(t, text ? text : "", text ? strlen(text) : 0, reference, error);
    return status;
}

/* ---- placements ----------------------------------------------------------------------------- */

static const double identity[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};

bvp_status bvpi_add_linear(bvpi_table *t, const double *placement, uint32_t *reference,
                           bvp_error *error)
{
    uint64_t words[1 + BVPD_LINEAR_MAX] = {BVPD_LINEAR_IDENTITY}, start = 0;
    uint32_t number;
    bvp_status status = BVP_OK;
    if (t->starts.count == 0)
        status = add_record(t, (const uint8_t *)words, sizeof *words, &number, &start, error);
    if (status == BVP_OK && placement) {
        const unsigned count = bvpi_linear_encode(placement, words);
        status =
            add_record(t, (const uint8_t *)words, count * sizeof *words, &number, &start, error);
    }
    *reference = placement ? (uint32_t)(start / 8) : 0;
    return status;
}

bvp_status bvpi_add_placement(bvpi_table *t, const double *placement, uint32_t *number,
                              bvp_error *error)
{
    uint64_t start;
    bvp_status status = BVP_OK;
    if (t->starts.count == 0)
        status = add_record(t, (const uint8_t *)identity, sizeof identity, number, &start, error);
    if (status == BVP_OK)
        status = add_record(t, (const uint8_t *)(placement ? placement : identity), sizeof identity,
                            number, &start, error);
    return status;
}
