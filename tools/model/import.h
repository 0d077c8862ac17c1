/* SPDX-License-Identifier: MIT
 * import.h: what the importers share: the input's bytes, refusals, growing arrays, meshes.
 */
#ifndef IMPORT_H
#define IMPORT_H

#include "model/model.h"
#include "text/colour_runs.h"

/* One import under way. */
typedef struct importer {
    const uint8_t *data;
    size_t size;
    const char *name;   /* for messages */
    const char *dir;    /* where files beside the input lie, or NULL */
    const char *format; /* what it is read as: a word of --format */
    const import_options *options;
    model *out;
    bvp_error *error;
} importer;

/* The importers. On failure what they have put into im->out is freed by the caller. */
bvp_status import_stl(importer *im);
bvp_status import_triangles(importer *im);
bvp_status import_obj(importer *im);
bvp_status import_ply(importer *im);
bvp_status import_off(importer *im);
bvp_status import_gltf(importer *im);
bvp_status import_manifest(importer *im);
bvp_status import_urdf(importer *im);
bvp_status import_plmxml(importer *im);
bvp_status import_ap242(importer *im);
bvp_status import_rvm(importer *im);

/* The only ways to refuse: each fills im->error with one sentence that says what was expected, what
 * was found and what to do, after "NAME:", "NAME:LINE:" (line and offset of `at`, which points into
 * the input) or "NAME: byte OFFSET:", and returns `status`. */
bvp_status import_refuse(importer *im, bvp_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
bvp_status import_refuse_line(importer *im, bvp_status status, const void *at, const char *format,
                              ...) __attribute__((format(printf, 4, 5)));
bvp_status import_refuse_byte(importer *im, bvp_status status, uint64_t offset, const char *format,
                              ...) __attribute__((format(printf, 4, 5)));
bvp_status import_no_memory(importer *im);
/* There is no triangle in the whole model. */
bvp_status import_refuse_empty(importer *im);
/* What the bytes are read as: the word for --format; by content, then by name. NULL: im->error says
 * that they are nothing known. */
const char *import_find_format(importer *im);

/* The word at `at`, at most 24 bytes and nothing that harms a terminal, into out; returns out. */
enum { QUOTE_SIZE = 112 };
const char *import_quote(const char *at, const char *end, char out[QUOTE_SIZE]);

/* Where `word` first stands, or NULL. */
const void *import_find(const void *data, size_t size, const char *word);

/* Something was left out or odd `count` times; nothing happens for 0. Equal texts are added up. */
bvp_status import_warn(importer *im, uint64_t count, const char *text);
/* A file besides the input has been read. */
bvp_status import_note_file(importer *im, const char *name, const void *data, size_t size);
/* Does with the strays of all meshes what the options say. */
bvp_status import_part_strays(importer *im);
/* Says that `count` triangles lie `factor` times farther out than the rest. */
bvp_status import_warn_strays(importer *im, uint64_t count, double factor, int is_parted);
void import_progress(importer *im, uint64_t done, uint64_t total);

/* A NUL-terminated copy, with bytes that are not UTF-8 and control characters replaced; NULL when
 * memory is out. */
char *import_text(const char *data, size_t size);

/* A new zeroed mesh, file or node at the end of im->out, NULL when memory is out or there are
 * 2^32 - 1. */
model_mesh *import_add_mesh(importer *im);
model_file *import_add_file(importer *im);
model_node *import_add_node(importer *im);

/* Gives the mesh these colours, if there are any; with a warning where they are too many. */
bvp_status import_colour_mesh(importer *im, model_mesh *mesh, colour_runs *runs);

#endif
