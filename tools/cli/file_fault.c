/* SPDX-License-Identifier: MIT
 * file_fault.c: messages about a missing part or a broken rule of a packed file.
 */
#include "cli/file_fault.h"

#include "text/message.h"

bvp_status find_fault(const bvp_file *file, bvp_error *error)
{
    bvp_file_info info;
    bvp_status status = BVP_OK;
    bvp_get_info(file, &info);
    for (uint32_t part = 0; part < info.part_count && status == BVP_OK; part++)
        status = bvp_check_part(file, part, error);
    return status == BVP_OK ? bvp_verify_file(file, NULL, NULL, error) : status;
}

int complain_fault(const char *text, const bvp_file *file, bvp_status status)
{
    bvp_error error = {0};
    const bvp_status fault = find_fault(file, &error);
    return fault == BVP_OK ? complain_status(text, status, NULL)
                           : complain_status(text, fault, &error);
}
