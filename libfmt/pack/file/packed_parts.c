/* SPDX-License-Identifier: MIT
 * packed_parts.c: parts that are packed once and used in many files: addresses, references, saving.
 *
 * A part's address is a hash of its content, its rounding error and its packer; the packer is a
 * hash of version and options. So equal addresses mean equal bytes, and a store can be shared. Two
 * parts with one address differ only if one was forged: what a store delivers must also have the
 * content that is being packed (is_known).
 *
 * Saving writes a part as a file of its own, through a temporary builder that holds only this part
 * without its name. In a thin build the part is then reduced to a reference.
 *
 * Held by tests/property/test_packed.c: the same bytes wherever a part is used; test_identity.c:
 * forged addresses are refused.
 * Spec: format.md, chapter "Parts"
 */
#include "pack/file/builder.h"

#include "base/status.h"
#include "base/utf8.h"
#include "format/checksum.h"
#include "format/identity.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static bvp_status refuse_part(uint32_t part, const char *text, bvp_error *error)
{
    return bvpi_error_set(error, BVP_ERR_ARGUMENT, BVPI_NO_OFFSET, "", "part %" PRIu32 " %s", part,
                          text);
}

/* ---- addresses ------------------------------------------------------------------------------ */

void bvpi_identify_part(const bvp_builder *b, const bvpi_intake *in, bvpd_part *out)
{
    *out = (bvpd_part){.rounding_error = in->rounding_error};
    memcpy(out->content_hash, in->content_hash, sizeof out->content_hash);
    /* the packer names options and version: another version may pack the same mesh to other bytes
     */
    const bvp_build_options *o = &b->options;
    const uint32_t words[5] = {BVPD_VERSION_MAJOR, BVPD_VERSION_MINOR, in->mesh.has_ids,
                               in->mesh.is_deformable, o->hierarchy_count};
    static const char program[] = "bvpack ";
    bvpi_hasher hasher;
    assert(o->hierarchy_count > 0 && o->hierarchy_count <= BVPI_HIERARCHY_MAX);
    bvpi_hasher_start128(&hasher);
    bvpi_hasher_add128(&hasher, words, sizeof words);
    for (uint32_t i = 0; i < o->hierarchy_count; i++) {
        const bvp_hierarchy_spec *s = &b->specs[i];
        const uint32_t fields[5] = {(uint32_t)s->kind, s->leaf_size, (uint32_t)s->split,
                                    s->plane_max, bvpi_spec_detail(s)};
        bvpi_hasher_add128(&hasher, fields, sizeof fields);
    }
    static const char outside[] = "outside ";
    if (in->mesh.is_outside)
        bvpi_hasher_add128(&hasher, outside, sizeof outside - 1);
    bvpi_hasher_add128(&hasher, program, sizeof program - 1);
    bvpi_hasher_add128(&hasher, bvp_version(), strlen(bvp_version()));
    bvpi_hasher_end128(&hasher, out->packer);
    bvpi_part_address(out, out->address);
}

bvp_status bvp_builder_get_part(const bvp_builder *b, uint32_t part, bvp_part_info *out)
{
    if (part >= b->parts.count)
        return BVP_ERR_ARGUMENT;
    const bvpd_part *p = &bvpi_part_at(b, part)->part;
    *out = (bvp_part_info){.name = {"", 0},
                           .source_id = {"", 0},
                           .triangle_count = p->triangle_count,
                           .vertex_count = p->vertex_count,
                           .cluster_count = p->cluster_count,
                           .hierarchy_count = p->hierarchy_count,
                           .rounding_error = p->rounding_error,
                           .degenerate_count = p->degenerate_count,
                           .duplicate_count = p->duplicate_count,
                           .open_edge_count = p->open_edge_count,
                           .nonmanifold_edge_count = p->nonmanifold_edge_count,
                           .has_ids = p->ids_size > 0};
    memcpy(out->origin, p->origin, sizeof out->origin);
    memcpy(out->lo, p->lo, sizeof out->lo);
    memcpy(out->hi, p->hi, sizeof out->hi);
    memcpy(out->content_hash, p->content_hash, sizeof out->content_hash);
    memcpy(out->address, p->address, sizeof out->address);
    memcpy(out->packer, p->packer, sizeof out->packer);
    return BVP_OK;
}

/* ---- adding --------------------------------------------------------------------------------- */

void bvpi_part_refer(bvpi_part_bytes *part)
{
    bvpd_part record = part->part;
    bvpi_part_free(part);
    record.data_off = record.data_size = record.ids_off = record.ids_size = 0;
    record.cluster_table_off = record.cluster_count = record.cluster_shift = 0;
    record.first_hierarchy = record.hierarchy_count = 0;
    part->part = record;
}

static bool is_verified(const bvp_builder *b)
{
    return b->options.packed_is_verified != 0;
}

/* Two parts of one address differ only if one of them is forged. */
static bool is_known(const bvpd_part *found, const bvpd_part *known)
{
    return memcmp(found->address, known->address, sizeof known->address) == 0 &&
           memcmp(found->packer, known->packer, sizeof known->packer) == 0 &&
           memcmp(found->content_hash, known->content_hash, sizeof known->content_hash) == 0 &&
           found->rounding_error == known->rounding_error;
}

void bvpi_find_packed(const bvp_builder *b, const bvpd_part *known, bvpi_part_bytes *out)
{
    const bvp_file *file = NULL;
    *out = (bvpi_part_bytes){0};
    if (b->options.find_packed)
        file = b->options.find_packed(b->options.find_packed_user, known->address);
    if (file && bvpi_part_take(file, 0, false, is_verified(b), out, NULL) == BVP_OK &&
        !is_known(&out->part, known))
        bvpi_part_free(out);
}

static bvp_status check_call(const bvp_builder *b, uint32_t part, const char *name,
                             const char *source_id, bvp_error *error)
{
    if (b->finished)
        return bvpi_error_set(error, BVP_ERR_ARGUMENT, BVPI_NO_OFFSET, "",
                              "the file was finished already");
    if ((name && !bvpi_is_utf8((const uint8_t *)name, strlen(name))) ||
        (source_id && !bvpi_is_utf8((const uint8_t *)source_id, strlen(source_id))))
        return refuse_part(part, "is given a name or identifier that is not UTF-8", error);
    return BVP_OK;
}

/* part: its number in its source, for messages. `made` is kept or freed. */
static bvp_status keep_packed(bvp_builder *b, bvpi_part_bytes *made, uint32_t part,
                              const char *name, const char *source_id, uint32_t *added,
                              bvp_error *error)
{
    static const uint8_t zeros[16];
    const bvpd_part *p = &made->part;
    *added = bvpi_find_equal(b, p->content_hash, p->triangle_count, p->vertex_count);
    if (*added != BVP_NONE) {
        b->shared_part_count++;
        bvpi_part_free(made);
        return BVP_OK;
    }
    if (b->options.thin && memcmp(p->address, zeros, sizeof zeros) == 0) {
        bvpi_part_free(made);
        return refuse_part(part, "has no address to refer to it by; pack it anew", error);
    }
    if (b->options.thin)
        bvpi_part_refer(made);
    bvp_status status = bvpi_keep_part(b, made, name, source_id, error);
    *added = (uint32_t)b->parts.count - 1;
    b->packed_part_count += status == BVP_OK;
    return status;
}

bvp_status bvp_builder_add_packed(bvp_builder *b, const bvp_packed_part *packed, uint32_t *added,
                                  bvp_error *error)
{
    bvpi_part_bytes made;
    bvp_status status = check_call(b, packed->part, packed->name, packed->source_id, error);
    if (status == BVP_OK && b->options.share)
        return refuse_part(packed->part, "was packed before: share needs its buffers", error);
    if (status == BVP_OK)
        status = bvpi_part_take(packed->file, packed->part, packed->borrow != 0, is_verified(b),
                                &made, error);
    if (status != BVP_OK)
        return status;
    return keep_packed(b, &made, packed->part, packed->name, packed->source_id, added, error);
}

bvp_status bvp_builder_add_reference(bvp_builder *b, const bvp_part_info *known, const char *name,
                                     const char *source_id, uint32_t *added, bvp_error *error)
{
    const uint32_t number = (uint32_t)b->parts.count;
    bvp_status status = check_call(b, number, name, source_id, error);
    if (status != BVP_OK)
        return status;
    if (!b->options.thin)
        return refuse_part(number, "cannot be referred to by a fat file", error);
    bvpi_part_bytes made = {.part = {.triangle_count = known->triangle_count,
                                     .vertex_count = known->vertex_count,
                                     .rounding_error = known->rounding_error,
                                     .degenerate_count = known->degenerate_count,
                                     .duplicate_count = known->duplicate_count,
                                     .open_edge_count = known->open_edge_count,
                                     .nonmanifold_edge_count = known->nonmanifold_edge_count}};
    memcpy(made.part.origin, known->origin, sizeof made.part.origin);
    memcpy(made.part.lo, known->lo, sizeof made.part.lo);
    memcpy(made.part.hi, known->hi, sizeof made.part.hi);
    memcpy(made.part.content_hash, known->content_hash, sizeof made.part.content_hash);
    memcpy(made.part.address, known->address, sizeof made.part.address);
    memcpy(made.part.packer, known->packer, sizeof made.part.packer);
    const char *fault = bvpi_part_fault(&made.part);
    if (fault)
        return refuse_part(number, fault, error);
    return keep_packed(b, &made, number, name, source_id, added, error);
}

/* ---- saving --------------------------------------------------------------------------------- */

/* Writes to `path`, or to `fd` if path is NULL. */
static bvp_status save_part(bvp_builder *b, uint32_t part, const char *path, int fd,
                            bvp_error *error)
{
    bvp_builder alone = {.options = {.thread_count = 1}};
    if (part >= b->parts.count)
        return refuse_part(part, "was not added", error);
    if (b->options.share)
        return refuse_part(part, "refers to buffers, and is saved with them only", error);
    bvpi_part_bytes *bytes = bvpi_part_at(b, part), nameless = *bytes;
    if (bytes->part.data_size == 0)
        return refuse_part(part, "is only referred to", error);
    nameless.part.name = nameless.part.source_id = 0;
    memcpy(alone.source_hash, nameless.part.address, sizeof alone.source_hash);
    alone.parts = (bvpi_array){.data = &nameless, .count = 1, .capacity = 1};
    bvp_status status = path ? bvp_builder_finish(&alone, path, NULL, error)
                             : bvp_builder_finish_fd(&alone, fd, NULL, error);
    bvpi_product_free(&alone.product);
    if (status == BVP_OK && b->options.thin)
        bvpi_part_refer(bytes);
    return status;
}

bvp_status bvp_builder_save_part(bvp_builder *b, uint32_t part, const char *path, bvp_error *error)
{
    return save_part(b, part, path, -1, error);
}

bvp_status bvp_builder_save_part_fd(bvp_builder *b, uint32_t part, int fd, bvp_error *error)
{
    return save_part(b, part, NULL, fd, error);
}
