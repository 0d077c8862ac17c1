/* SPDX-License-Identifier: MIT
 * api_open.c: the public ways to open a file; an isolated one is verified before it is handed out.
 * Spec: format.md, chapter "Opening and verifying".
 */
#include "format/map.h"
#include "format/record.h"

#include "base/status.h"
#include "query/body/placed_body.h"

#include <assert.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

static const bvp_open_options default_options;

static bvp_status make_part_ready(bvp_file *file, bvp_error *error)
{
    assert(!file->thin && file->ready == NULL);
    bvpi_placed_part *part = malloc(sizeof *part);
    if (!part)
        return bvpi_error_memory(error, sizeof *part);
    if (bvpi_ready_init(file, part))
        file->ready = part;
    else
        free(part);
    return BVP_OK;
}

/* All parts of a thin file, in memory and verified as it is itself. */
static bvp_status isolate_parts(bvp_file *file, bvp_error *error)
{
    bvp_status status = BVP_OK;
    assert(file->mode == BVP_OPEN_ISOLATED);
    for (uint32_t i = 0; file->thin && i < file->header.part_count && status == BVP_OK; i++) {
        const bvp_file *holder = file;
        uint32_t part = i;
        status = bvpi_resolve(&holder, &part);
        if (status != BVP_OK)
            return bvpi_thin_explain(file, i, status, error);
        if (holder != file)
            status = bvp_verify_file(holder, NULL, NULL, error);
    }
    return status;
}

static bvp_status make_ready(bvp_status status, bvp_file **file, const char *path,
                             const bvp_open_options *options, bvp_error *error)
{
    if (status != BVP_OK)
        return status;
    assert(*file != NULL);
    status = bvpi_thin_open(*file, path, options ? options : &default_options, error);
    if (status == BVP_OK && bvpi_is_isolated((*file)->mode))
        status = bvp_verify_file(*file, NULL, NULL, error);
    if (status == BVP_OK && bvpi_is_isolated((*file)->mode))
        status = isolate_parts(*file, error);
    if (status == BVP_OK && !(*file)->thin && !(*file)->source) /* it would be read at once */
        status = make_part_ready(*file, error);
    if (status != BVP_OK) {
        bvp_close(*file);
        *file = NULL;
    }
    return status;
}

static bvp_status open_fd(int fd, const char *path, const bvp_open_options *options, bvp_file **out,
                          bvp_error *error)
{
    *out = NULL;
    bvp_status status = bvpi_map_fd(fd, options ? options : &default_options, out, error);
    return make_ready(status, out, path, options, error);
}

bvp_status bvp_open_fd(int fd, const bvp_open_options *options, bvp_file **out, bvp_error *error)
{
    return open_fd(fd, NULL, options, out, error);
}

bvp_status bvp_open_memory(const void *data, size_t size, const bvp_open_options *options,
                           bvp_file **out, bvp_error *error)
{
    *out = NULL;
    bvp_status status =
        bvpi_map_memory(data, size, options ? options : &default_options, out, error);
    return make_ready(status, out, NULL, options, error);
}

bvp_status bvp_open_source(const bvp_source *source, const bvp_open_options *options,
                           bvp_file **out, bvp_error *error)
{
    *out = NULL;
    bvp_status status = bvpi_map_source(source, options ? options : &default_options, out, error);
    return make_ready(status, out, NULL, options, error);
}

bvp_status bvp_open(const char *path, const bvp_open_options *options, bvp_file **out,
                    bvp_error *error)
{
    *out = NULL;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return bvpi_error_system(error, "cannot open %s", path);
    bvp_status status = open_fd(fd, path, options, out, error);
    close(fd);
    return status;
}
