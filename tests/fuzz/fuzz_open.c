/* SPDX-License-Identifier: MIT
 * fuzz_open.c: any bytes as a file: verified, opened, read and asked, mapped and from a source that
 * fails now and then. As they come, and again with the hashes and the trailer put right, and the
 * digests, so that the fuzzer gets past them.
 */
#include "bvpack.h"
#include "exercise.h"
#include "repair.h"
#include "target.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { FINDINGS = 200, VARIANTS = 21 }; /* kinds, tests of boxes, instruction sets, hashes */

static int on_finding(void *user, const bvp_finding *finding)
{
    int *left = user;
    (void)finding;
    return --*left <= 0;
}

/* The file again, its digest one that is known: each part's blocks are digested. */
static void ask_signed(const uint8_t *bytes, size_t size, const bvp_file *file)
{
    uint8_t digest[BVPD_DIGEST_SIZE];
    const bvp_open_options options = {.digest = digest, .store = getenv("BVPACK_STORE")};
    bvp_file *signed_one;
    if (bvp_get_digest(file, digest, NULL) != BVP_OK ||
        bvp_open_memory(bytes, size, &options, &signed_one, NULL) != BVP_OK)
        return;
    exercise(signed_one);
    bvp_close(signed_one);
}

static bool ask(const uint8_t *bytes, size_t size, uint64_t variant)
{
    bvp_open_options options = {.store = getenv("BVPACK_STORE"),
                                .baseline_simd = variant % 3 == 1,
                                .verify_lazily = variant % 4 == 2,
                                .kind = (bvp_kind)(variant % (BVP_KIND_RSS + 1)),
                                .box_test = (bvp_box_test)(variant % (BVP_TEST_FOUR_LOOKUP + 1))};
    bvp_file *file;
    if (bvp_open_memory(bytes, size, &options, &file, NULL) != BVP_OK)
        return false;
    exercise(file);
    exercise_annotations(file);
    if (options.verify_lazily)
        ask_signed(bytes, size, file);
    bvp_close(file);
    return true;
}

typedef struct failing {
    const uint8_t *bytes;
    uint64_t left; /* reads until one fails */
} failing;

static bvp_status read_failing(void *user, uint64_t offset, uint64_t size, void *out,
                               bvp_error *error)
{
    failing *f = user;
    (void)error;
    if (f->left-- == 0) {
        f->left = 5;
        return BVP_ERR_AGAIN;
    }
    memcpy(out, f->bytes + offset, (size_t)size);
    return BVP_OK;
}

static void ask_source(const uint8_t *bytes, size_t size, uint64_t variant)
{
    failing f = {.bytes = bytes, .left = 2 + variant};
    const bvp_source source = {.size = size, .read = read_failing, .user = &f, .cache = 1};
    bvp_file *file;
    if (bvp_open_source(&source, NULL, &file, NULL) != BVP_OK)
        return;
    exercise(file);
    exercise_annotations(file);
    bvp_close(file);
}

/* All kinds one after the other; what else there is to choose depends on the bytes. */
static void use(const uint8_t *bytes, size_t size)
{
    const uint64_t start = bvpi_hash64(bytes, size) % VARIANTS;
    int left = FINDINGS;
    bvp_verify(bytes, size, on_finding, &left, NULL);
    for (uint64_t i = 0; i <= BVP_KIND_RSS && ask(bytes, size, start + i); i++)
        ;
    ask_source(bytes, size, start);
}

static int try_input(const uint8_t *data, size_t size)
{
    void *bytes = copy_aligned(data, size);
    if (!bytes)
        return 0;
    use(bytes, size);
    if (size >= sizeof(bvpd_header) + sizeof(bvpd_trailer)) {
        repair_digests(bytes, size);
        repair_file(bytes, size);
        use(bytes, size);
    }
    free(bytes);
    return 0;
}

const fuzz_target fuzz_open = {"open", try_input, NULL};
