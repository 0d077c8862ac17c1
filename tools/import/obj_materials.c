/* SPDX-License-Identifier: MIT
 * obj_materials.c: the colours of the material libraries that an OBJ file names. Kd is taken for
 * sRGB, as programs show it.
 */
#include "import/obj_materials.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "files/beneath.h"
#include "text/array.h"
#include "text/text_scan.h"

/* ---- a library ------------------------------------------------------------------------------- */

/* The rest of the line, without blanks around it. */
static void take_line(text_scan *s, const char **text, size_t *size)
{
    scan_blanks(s);
    *text = s->at;
    scan_to_newline(s);
    const char *end = s->at;
    while (end > *text && scan_is_blank(end[-1]))
        end--;
    *size = (size_t)(end - *text);
}

/* Kd r g b; with r alone all are equal. Spectra and CIE colours are left out. */
static void read_diffuse(text_scan *s, obj_material *to)
{
    number n;
    double rgb[3];
    int count = 0;
    for (; count < 3; count++) {
        scan_blanks(s);
        if (!scan_number(s, &n))
            break;
        rgb[count] = n.value;
    }
    if (count == 0)
        return;
    for (int k = 0; k < 3; k++)
        to->rgba[k] = colour_byte(rgb[k < count ? k : 0]);
    to->has_colour = 1;
}

static bvp_status read_library(obj_materials *m, const uri_bytes *bytes)
{
    text_scan s = {(const char *)bytes->data, (const char *)bytes->data + bytes->size};
    obj_material *last = NULL;
    number n;
    while (scan_spaces(&s), s.at < s.end) {
        if (scan_word(&s, "newmtl")) {
            if (array_grow(&m->list, &m->capacity, m->count + 1, sizeof *m->list) != 0)
                return import_no_memory(m->im);
            last = &m->list[m->count];
            *last = (obj_material){.order = (uint32_t)m->count++, .rgba = {0, 0, 0, 255}};
            take_line(&s, &last->name, &last->name_size);
        } else if (last && scan_word(&s, "kd")) {
            read_diffuse(&s, last);
        } else if (last && (scan_word(&s, "map_kd") || scan_word(&s, "map_d"))) {
            m->textures++;
        } else {
            const int is_dissolve = last && scan_word(&s, "d");
            if (is_dissolve || (last && scan_word(&s, "tr"))) {
                scan_blanks(&s);
                if (scan_number(&s, &n))
                    last->rgba[3] = colour_byte(is_dissolve ? n.value : 1 - n.value);
            }
        }
        scan_to_newline(&s);
    }
    return BVP_OK;
}

/* *is_there: 0: it can't be read, which is no failure. */
static bvp_status open_library(obj_materials *m, const char *name, size_t size, int *is_there)
{
    importer *im = m->im;
    char *path = import_text(name, size);
    *is_there = 0;
    if (!path)
        return import_no_memory(im);
    if (size == 0 || m->library_count == OBJ_LIBRARIES_MOST) {
        free(path);
        return BVP_OK;
    }
    const int fd = beneath_open(im->dir, path);
    uri_bytes *bytes = &m->libraries[m->library_count];
    const uri_result result = fd >= 0 ? uri_map(fd, bytes) : URI_SYSTEM;
    bvp_status status = result == URI_NO_MEMORY ? import_no_memory(im) : BVP_OK;
    if (fd >= 0)
        close(fd);
    if (result == URI_OK) {
        *is_there = 1;
        m->library_count++;
        status = import_note_file(im, path, bytes->data, bytes->size);
        if (status == BVP_OK)
            status = read_library(m, bytes);
    }
    free(path);
    return status;
}

bvp_status obj_materials_read(obj_materials *m, const char *names, size_t size)
{
    text_scan s = {names, names + size};
    int is_there = 0;
    if (!m->im->dir)
        return BVP_OK;
    assert(!m->is_sorted);
    bvp_status status = open_library(m, names, size, &is_there);
    while (status == BVP_OK && !is_there && (scan_blanks(&s), s.at < s.end)) {
        const char *word = s.at;
        int is_one_there = 0;
        scan_past_word(&s);
        if (word != names || s.at != s.end)
            status = open_library(m, word, (size_t)(s.at - word), &is_one_there);
        m->missing += !is_one_there;
    }
    return status;
}

/* ---- the materials --------------------------------------------------------------------------- */

static int compare_names(const obj_material *a, const obj_material *b)
{
    const size_t common = a->name_size < b->name_size ? a->name_size : b->name_size;
    const int order = common > 0 ? memcmp(a->name, b->name, common) : 0;
    return order != 0 ? order : (a->name_size > b->name_size) - (a->name_size < b->name_size);
}

static int in_order(const void *a, const void *b)
{
    const obj_material *one = a, *other = b;
    const int order = compare_names(one, other);
    return order != 0 ? order : (one->order > other->order) - (one->order < other->order);
}

const uint8_t *obj_material_colour(obj_materials *m, const char *name, size_t size)
{
    const obj_material key = {.name = name, .name_size = size};
    size_t from = 0, to = m->count;
    if (!m->is_sorted && m->count > 0)
        qsort(m->list, m->count, sizeof *m->list, in_order);
    m->is_sorted = 1;
    while (from < to) { /* the first that is not below */
        const size_t middle = from + (to - from) / 2;
        if (compare_names(&m->list[middle], &key) < 0)
            from = middle + 1;
        else
            to = middle;
    }
    if (from == m->count || compare_names(&m->list[from], &key) != 0)
        return NULL;
    return m->list[from].has_colour ? m->list[from].rgba : NULL;
}

bvp_status obj_materials_warn(const obj_materials *m)
{
    bvp_status status =
        import_warn(m->im, m->missing, "material libraries that are not in the model's folder");
    if (status == BVP_OK)
        status = import_warn(m->im, m->textures, "textures of materials, which are not kept");
    return status;
}

void obj_materials_free(obj_materials *m)
{
    for (int i = 0; i < m->library_count; i++)
        uri_close(&m->libraries[i]);
    free(m->list);
}
