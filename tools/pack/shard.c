/* SPDX-License-Identifier: MIT
 * shard.c: which share of a manifest or model a packed file is, and what belongs to a share.
 */
#include "pack/shard.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

bvp_string shard_text(const bvp_file *file, const char *key)
{
    bvp_string name, value;
    for (uint32_t i = 0; bvp_get_property(file, 0, i, &name, &value) == BVP_OK; i++)
        if (name.size == strlen(key) && memcmp(name.data, key, name.size) == 0)
            return value;
    return (bvp_string){"", 0};
}

bvp_status shard_ask(const bvp_file *file, shard_number *out)
{
    bvp_string name, value = {"", 0};
    bvp_status status = BVP_OK;
    bool is_it = false;
    for (uint32_t i = 0; status == BVP_OK && !is_it; i++) {
        status = bvp_get_property(file, 0, i, &name, &value);
        is_it = status == BVP_OK && name.size == strlen(SHARD_KEY) &&
                memcmp(name.data, SHARD_KEY, name.size) == 0;
    }
    shard_parse(value.data, is_it ? value.size : 0, out);
    return status == BVP_ERR_ARGUMENT ? BVP_OK : status; /* that was the last */
}

shard_number shard_of(const bvp_file *file)
{
    shard_number number;
    (void)shard_ask(file, &number);
    return number;
}

int shard_skips(shard_number number, uint64_t *count, uint64_t *own_count)
{
    if (number.count == 0)
        return 0;
    assert(number.index >= 1 && number.index <= number.count);
    const int is_own = (*count)++ % number.count == number.index - 1;
    *own_count += (uint64_t)is_own;
    return !is_own;
}
