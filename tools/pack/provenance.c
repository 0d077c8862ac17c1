/* SPDX-License-Identifier: MIT
 * provenance.c: the record of what a packed file was made of, as text.
 */
#include "pack/provenance.h"

#include <stdlib.h>

bvp_status provenance_read(const bvp_file *file, char **text, size_t *size, bvp_error *error)
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
