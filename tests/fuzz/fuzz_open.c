/* SPDX-License-Identifier: MIT
 * fuzz_open.c: any bytes as a file: verified, opened, read and asked. As they come, and again with
 * the hashes and the trailer put right, so that the fuzzer gets past them.
 */
#include "bvpack.h"
#include "exercise.h"
#include "repair.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { FINDINGS = 200, VARIANTS = 9 }; /* each kind, box tests in turn */

static int on_finding(void *user, const bvp_finding *finding)
{
    int *left = user;
    (void)finding;
    return --*left <= 0;
}

static void use(const uint8_t *bytes, size_t size)
{
    bvp_file *file;
    int left = FINDINGS;
    bvp_verify(bytes, size, on_finding, &left, NULL);
    for (int variant = 0; variant < VARIANTS; variant++) {
        bvp_open_options options = {.baseline_simd = variant == 1,
                                    .verify_lazily = variant == 2,
                                    .kind = (bvp_kind)(variant % (BVP_KIND_RSS + 1)),
                                    .box_test = (bvp_box_test)(variant % (BVP_TEST_LOOKUP + 1))};
        if (bvp_open_memory(bytes, size, &options, &file, NULL) != BVP_OK)
            return;
        exercise(file);
        if (variant == 0)
            exercise_annotations(file);
        bvp_close(file);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    void *bytes = NULL;
    if (posix_memalign(&bytes, 64, size ? size : 1))
        return 0;
    memcpy(bytes, data, size);
    use(bytes, size);
    if (size >= sizeof(bvpd_header) + sizeof(bvpd_trailer)) {
        repair_file(bytes, size);
        use(bytes, size);
    }
    free(bytes);
    return 0;
}
