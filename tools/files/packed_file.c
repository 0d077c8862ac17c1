/* SPDX-License-Identifier: MIT
 * packed_file.c: opens packed files, with the store that the environment names, and reads what they
 * were made of.
 */
#include "files/packed_file.h"

#include <stdlib.h>
#include "remote/remote_source.h"

static bvp_open_options with_store(const bvp_open_options *options)
{
    bvp_open_options out = {0};
    const char *store = getenv("BVPACK_STORE");
    if (options)
        out = *options;
    if (store && *store)
        out.store = store;
    return out;
}

/* What verbs ask may need all of a file, so the cache has room for it. */
static bvp_status open_remote(const char *url, const bvp_open_options *how, bvp_file **file,
                              bvp_error *error)
{
    bvp_source source;
    const bvp_status status = remote_source(url, &source, error);
    *file = NULL;
    if (status != BVP_OK)
        return status;
    source.cache = 2 * source.size; /* a call may count on half of it */
    return bvp_open_source(&source, how, file, error);
}

bvp_status packed_open(const char *path, const bvp_open_options *options, bvp_file **file,
                       bvp_error *error)
{
    const bvp_open_options how = with_store(options);
    return remote_is(path) ? open_remote(path, &how, file, error)
                           : bvp_open(path, &how, file, error);
}

bvp_status packed_open_fd(int fd, const bvp_open_options *options, bvp_file **file,
                          bvp_error *error)
{
    const bvp_open_options how = with_store(options);
    return bvp_open_fd(fd, &how, file, error);
}

bvp_status packed_provenance(const bvp_file *file, char **text, size_t *size, bvp_error *error)
{
    *text = NULL;
    bvp_status status = bvp_get_provenance(file, NULL, 0, size, error);
    if (status != BVP_OK || *size == 0)
        return status;
    *text = malloc(*size);
    status = *text ? bvp_get_provenance(file, *text, *size, size, error) : BVP_ERR_NO_MEMORY;
    if (status == BVP_OK)
        return BVP_OK;
    free(*text);
    *text = NULL;
    return status;
}
