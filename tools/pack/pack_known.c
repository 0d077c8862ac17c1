/* SPDX-License-Identifier: MIT
 * pack_known.c: source files that a store already has. A file whose size and times are those of the
 * last run is not read; a file whose bytes are known is read to compute its hash, but not imported.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include "text/message.h"
#include "pack/pack_store.h"
#include "store/source_record.h"
#include "cli/start_thread.h"

/* The key of a source's record: its bytes, and the options and parts of its name that reading and
 * packing depend on. */
static void key_of(const pack_store *s, uint64_t size, const uint8_t hash[16], const char *name,
                   const import_options *options, uint8_t key[16])
{
    char text[512];
    const char *dot = strrchr(name, '.');
    int used =
        snprintf(text, sizeof text, "%s %.8s.%.16s.%d.%d.%d.%d.%d.%u.%llu.%a.%a", bvp_version(),
                 dot ? dot : "", options->format ? options->format : "", s->plan->set->drop_invalid,
                 s->plan->set->no_ids, s->plan->set->deformable, s->plan->set->keep_strays,
                 s->plan->set->ifc_spaces, (unsigned)s->plan->set->leaf, (unsigned long long)size,
                 options->chord, options->angle);
    for (uint32_t i = 0; i < s->plan->hierarchy_count; i++) {
        const bvp_hierarchy_spec *h = &s->plan->hierarchies[i];
        used += snprintf(text + used, sizeof text - (size_t)used, " %d.%u.%d.%u.%u.%d", h->kind,
                         h->leaf_size, h->split, h->plane_max, h->offset_size, h->fit);
    }
    const char *const words[] = {s->plan->set->urdf, s->plan->set->package_path};
    for (int i = 0; i < 2; i++) { /* a robot's */
        uint8_t word[16];
        bvp_hash(words[i] ? words[i] : "", words[i] ? strlen(words[i]) : 0, word);
        used +=
            snprintf(text + used, sizeof text - (size_t)used, " %02x%02x%02x%02x%02x%02x%02x%02x",
                     word[0], word[1], word[2], word[3], word[4], word[5], word[6], word[7]);
    }
    assert(used > 0 && (size_t)used <= sizeof text - 16); /* all fits, and the hash after it */
    memset(text + used, 0, sizeof text - (size_t)used);
    memcpy(text + sizeof text - 16, hash, 16);
    bvp_hash(text, sizeof text, key);
}

/* ---- by bytes -------------------------------------------------------------------------------- */

/* Does the store have all of the model's parts? *updated: parts whose stamps have changed. */
static int has_parts(pack_store *s, model *m, uint32_t *updated)
{
    *updated = 0;
    for (uint32_t i = 0; i < m->mesh_count; i++)
        for (model_mesh *mesh = &m->meshes[i]; mesh; mesh = mesh->strays) {
            const stamp before = mesh->sound;
            if (mesh->triangle_count == 0)
                continue;
            if (!store_has(&s->store, mesh->packed.address, &mesh->sound))
                return 0;
            *updated += !stamp_is_equal(&before, &mesh->sound);
        }
    return 1;
}

static void count_unchanged(pack_store *s, const model *m)
{
    s->counts.file_count++;
    s->counts.unchanged_file_count++;
    for (uint32_t i = 0; i < m->mesh_count; i++)
        for (const model_mesh *mesh = &m->meshes[i]; mesh; mesh = mesh->strays)
            s->counts.known_part_count++;
}

/* ---- by stamps ------------------------------------------------------------------------------- */

enum { NAME_SIZE = PATH_MAX + 64 };

static void name_of(const char *path, const char *format, char out[NAME_SIZE])
{
    snprintf(out, NAME_SIZE, "%.16s/%s", format ? format : "", path);
}

/* Has the file at `path` the entry's stamp, and has the store its parts? Then *out is what the
 * record says of it, to be freed. Nothing is written. */
static int is_as_it_was(const pack_store *s, const source_entry *e, const char *path, model *out)
{
    stamp now;
    if (stamp_take(path, &now) != 0 || !stamp_is_settled(&now) || !stamp_is_equal(&e->stamp, &now))
        return 0;
    int is_unchanged = source_record_read(e->record, e->record_size, out) == 0;
    for (uint32_t k = 0; k < out->mesh_count; k++)
        for (const model_mesh *mesh = &out->meshes[k]; mesh && is_unchanged; mesh = mesh->strays)
            is_unchanged = mesh->triangle_count == 0 ||
                           store_is_unchanged(&s->store, mesh->packed.address, &mesh->sound);
    if (!is_unchanged)
        model_free(out);
    return is_unchanged;
}

/* Handles files and parts whose stamps are unchanged, as most are. The others are left to
 * find_unread. On a thread of its own, beside the reading of the model that names the files: until
 * end_looking, only this thread uses the entries. */
static void *look_at_all(void *argument)
{
    const pack_store *s = argument;
    for (size_t i = 0; i < s->index.count; i++) {
        source_entry *e = &s->index.entries[i];
        char name[NAME_SIZE];
        assert(!e->is_unchanged);
        snprintf(name, sizeof name, "%.*s", (int)e->name_size, e->name);
        const char *slash = strchr(name, '/'); /* after the format */
        e->is_unchanged = slash && is_as_it_was(s, e, slash + 1, &e->contents);
    }
    return NULL;
}

static void end_looking(pack_store *s)
{
    if (s->is_looking)
        pthread_join(s->looking, NULL);
    s->is_looking = 0;
}

/* For import_hooks: the file's model, if the file and its parts are as they were when it was last
 * packed. pack_into_store, which is called next, uses what it learns about the file. */
static int find_unread(void *user, const char *path, const char *format, model_file *noted,
                       model *out)
{
    pack_store *s = user;
    char name[NAME_SIZE];
    if (shard_skips(s->share->number, &s->share->file_count, &s->share->own_file_count)) {
        *out = (model){0};
        return 1;
    }
    end_looking(s);
    name_of(path, format, name);
    source_entry *e = source_index_find(&s->index, name);
    if (!e || !e->is_unchanged)
        s->has_stamp = stamp_take(path, &s->stamp) == 0 && stamp_is_settled(&s->stamp);
    if (!e || s->plan->set->reread)
        return 0;
    if (e->is_unchanged) { /* look_at_all has read it */
        *out = e->contents;
        e->is_unchanged = 0;
        source_index_keep(&s->index, e);
    } else {
        uint32_t updated = 0;
        if (!s->has_stamp || !stamp_is_equal(&e->stamp, &s->stamp))
            return 0;
        if (source_record_read(e->record, e->record_size, out) != 0 ||
            !has_parts(s, out, &updated) ||
            (updated > 0 && source_index_add(&s->index, e, out) != 0)) {
            model_free(out);
            return 0;
        }
        if (updated == 0)
            source_index_keep(&s->index, e);
    }
    *noted = (model_file){.size = e->size};
    memcpy(noted->hash, e->hash, sizeof noted->hash);
    count_unchanged(s, out);
    s->counts.unread_file_count++;
    return 1;
}

/* Of the file that find_unread examined last. */
static bvp_status note_stamp(pack_store *s, uint64_t size, const uint8_t hash[16],
                             const import_options *options, const model *m)
{
    if (!s->has_stamp || !options->is_nested)
        return BVP_OK;
    char name[NAME_SIZE];
    name_of(options->path, options->format, name);
    source_entry entry = {.name = name, .name_size = strlen(name), .stamp = s->stamp, .size = size};
    memcpy(entry.hash, hash, sizeof entry.hash);
    return source_index_add(&s->index, &entry, m) == 0 ? BVP_OK : BVP_ERR_NO_MEMORY;
}

/* One record of each kind for each place that an export is read from, each way to pack it, and each
 * share. */
static void key_of_place(const pack_store *s, const char *kind, const char *label, const char *dir,
                         const import_options *options, uint8_t key[16])
{
    char place[PATH_MAX] = "";
    uint8_t hash[3][16], all[16];
    if (!realpath(dir ? dir : ".", place))
        *place = '\0';
    bvp_hash(place, strlen(place), hash[0]);
    bvp_hash(base_name(label), strlen(base_name(label)), hash[1]);
    bvp_hash(&s->share->number, sizeof s->share->number, hash[2]);
    bvp_hash(hash, sizeof hash, all);
    key_of(s, 0, all, kind, options, key);
}

/* ---- a source -------------------------------------------------------------------------------- */

/* Reads a model as model_import_memory does, and packs those of its meshes that the store does not
 * have into the store. For import_hooks, too. */
static bvp_status pack_into_store(void *user, const void *data, size_t size, const uint8_t hash[16],
                                  const char *name, const char *dir, const import_options *options,
                                  model *out, bvp_error *error)
{
    pack_store *s = user;
    uint8_t key[16];
    uint32_t updated;
    size_t text_size = 0;
    key_of(s, size, hash, name, options, key);
    const int is_own = options->is_nested || !options->joints; /* joints may stand in a file */
    char *text = is_own ? store_get_record(&s->store, key, &text_size) : NULL;
    if (text) {
        const int found =
            source_record_read(text, text_size, out) == 0 && has_parts(s, out, &updated);
        free(text);
        if (found) {
            count_unchanged(s, out);
            return note_stamp(s, size, hash, options, out);
        }
        model_free(out);
    }
    bvp_status status = model_import_memory(data, size, name, dir, options, out, error);
    if (status != BVP_OK)
        return status;
    status = pack_store_take_meshes(s, out, options->is_nested, error);
    /* A model that depends on other files is read each time; those files are known separately. In a
     * share of meshes, the other shares' meshes are not known. What a stand-in has read is read
     * again, as what it stands in for may be there then. */
    const int is_whole = options->is_nested || s->share->number.count == 0;
    const int is_kept = is_own && is_whole && out->file_count == 0 && !out->is_makeshift;
    if (status == BVP_OK && is_kept) {
        text = source_record_text(out, &text_size);
        const int code = text ? store_put_record(&s->store, key, text, text_size) : 0;
        if (code != 0)
            s->code = code;
        if (!text)
            status = BVP_ERR_NO_MEMORY;
        else
            status = code != 0 ? BVP_ERR_SYSTEM : note_stamp(s, size, hash, options, out);
        free(text);
    }
    s->counts.file_count += out->file_count == 0;
    if (status != BVP_OK)
        model_free(out);
    return status;
}

/* What the store noted of the files when it was last packed from there; *key: of that record. 0, or
 * -1 when memory is out. */
static int begin_index(pack_store *s, const pack_bytes *from, const import_options *options,
                       uint8_t key[16])
{
    size_t size = 0;
    /* what may only be read with --any-path is not known without */
    key_of_place(s, options->any_path ? ".anywher" : ".sources", from->label, from->dir, options,
                 key);
    char *text = store_get_record(&s->store, key, &size);
    return source_index_begin(&s->index, text, size);
}

bvp_status pack_store_take(void *user, pack_source *source, const pack_bytes *from,
                           import_options *options, bvp_error *error)
{
    pack_store *s = user;
    const import_hooks hooks = {.user = s, .find = find_unread, .import = pack_into_store};
    const input *file = from->file;
    uint8_t key[16];
    char *text = NULL;
    size_t size = 0;
    options->hooks = &hooks;
    bvp_hash(file->data, file->size, source->hash);
    key_of_place(s, ".output", from->label, from->dir, options, s->output_key);
    bvp_status status = begin_index(s, from, options, key) == 0 ? BVP_OK : BVP_ERR_NO_MEMORY;
    if (status == BVP_OK) {
        assert(!s->is_looking);
        s->is_looking = s->plan->set->jobs != 1 && !s->plan->set->reread && s->index.count > 0 &&
                        start_thread(&s->looking, look_at_all, s);
        status = pack_into_store(s, file->data, file->size, source->hash, from->label, from->dir,
                                 options, &source->contents, error);
        end_looking(s);
    }
    if (status == BVP_OK && source_index_end(&s->index, &text, &size) != 0) {
        status = BVP_ERR_NO_MEMORY;
    } else if (status == BVP_OK) {
        /* a store that can't be written to had everything that was needed: no error */
        if (text && store_is_writable(&s->store))
            s->code = store_put_record(&s->store, key, text, size);
        free(text);
        status = s->code != 0 ? BVP_ERR_SYSTEM : BVP_OK;
    }
    source_index_free(&s->index);
    return status;
}

/* ---- for a plan ------------------------------------------------------------------------------ */

int pack_store_look(pack_store *s, const pack_bytes *from, const import_options *options)
{
    uint8_t key[16];
    return begin_index(s, from, options, key);
}

int pack_store_has_file(const pack_store *s, const char *path, const char *format)
{
    char name[NAME_SIZE];
    model contents;
    name_of(path, format, name);
    const source_entry *e = source_index_find(&s->index, name);
    if (!e || s->plan->set->reread || !is_as_it_was(s, e, path, &contents))
        return 0;
    model_free(&contents);
    return 1;
}

void pack_store_forget(pack_store *s)
{
    source_index_free(&s->index);
}
