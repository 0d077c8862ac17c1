/* SPDX-License-Identifier: MIT
 * open.c: the public ways to open a file; an isolated one is verified before it is handed out.
 * Spec: format.md, chapter "Opening".
 */
#include "format/map.h"

#include "base/status.h"
#include "query/subject.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

static const bvp_open_options default_options;

static bvp_status make_part_ready(bvp_file *file, bvp_error *error)
{
    bvpi_placed_part *part = malloc(sizeof *part);
    if (!part)
        return bvpi_error_memory(error, sizeof *part);
    if (bvpi_ready_init(file, part))
        file->ready = part;
    else
        free(part);
    return BVP_OK;
}

static bvp_status make_ready(bvp_status status, bvp_file **file, bvp_error *error)
{
    if (status != BVP_OK)
        return status;
    if ((*file)->mode == BVP_OPEN_ISOLATED)
        status = bvp_verify_file(*file, NULL, NULL, error);
    if (status == BVP_OK)
        status = make_part_ready(*file, error);
    if (status != BVP_OK) {
        bvp_close(*file);
        *file = NULL;
    }
    return status;
}

bvp_status bvp_open_fd(int fd, const bvp_open_options *options, bvp_file **out, bvp_error *error)
{
    *out = NULL;
    bvp_status status = bvpi_map_fd(fd, options ? options : &default_options, out, error);
    return make_ready(status, out, error);
}

bvp_status bvp_open_memory(const void *data, size_t size, const bvp_open_options *options,
                           bvp_file **out, bvp_error *error)
{
    *out = NULL;
    bvp_status status =
        bvpi_map_memory(data, size, options ? options : &default_options, out, error);
    return make_ready(status, out, error);
}

bvp_status bvp_open(const char *path, const bvp_open_options *options, bvp_file **out,
                    bvp_error *error)
{
    *out = NULL;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return bvpi_error_system(error, "cannot open %s", path);
    bvp_status status = bvp_open_fd(fd, options, out, error);
    close(fd);
    return status;
}
