/* SPDX-License-Identifier: MIT
 * packed_file.c: opens packed files, with the store that the environment names.
 */
#include "files/packed_file.h"

#include <stdlib.h>

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

bvp_status packed_open(const char *path, const bvp_open_options *options, bvp_file **file,
                       bvp_error *error)
{
    const bvp_open_options how = with_store(options);
    return bvp_open(path, &how, file, error);
}

bvp_status packed_open_fd(int fd, const bvp_open_options *options, bvp_file **file,
                          bvp_error *error)
{
    const bvp_open_options how = with_store(options);
    return bvp_open_fd(fd, &how, file, error);
}
