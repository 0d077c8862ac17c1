/* SPDX-License-Identifier: MIT
 * fuzz_store.c: any bytes as the file of a part in a store, under the address of a part that is
 * wanted: the records say that it is that part, and all hashes are right. Whatever else it holds,
 * packing makes the bytes that packing without a store makes, or says why it can't; so it is with
 * the last output, and merging a thin file makes a file that keeps the rules.
 */
#include "repair.h"
#include "verb_case.h"
#include "target.h"

static bvp_part_info wanted;
static char part_path[64];

static void name_part(void)
{
    int used = snprintf(part_path, sizeof part_path, "store/%02x/", wanted.address[0]);
    for (int i = 1; i < 16; i++)
        used +=
            snprintf(part_path + used, sizeof part_path - (size_t)used, "%02x", wanted.address[i]);
    snprintf(part_path + used, sizeof part_path - (size_t)used, ".bvp");
}

static void start(void)
{
    static bool is_started;
    bvp_file *file;
    if (is_started)
        return;
    is_started = true;
    case_enter();
    case_write_model("model.obj");
    require(case_run("pack model.obj -q -j 1 -o plain.bvp") == EXIT_DONE);
    require(case_run("pack model.obj -q -j 1 --store store --thin -o thin.bvp") == EXIT_DONE);
    require(bvp_open("plain.bvp", NULL, &file, NULL) == BVP_OK);
    require(bvp_get_part(file, 0, &wanted) == BVP_OK);
    bvp_close(file);
    name_part();
    require(access(part_path, F_OK) == 0);
}

/* It says of itself what the wanted part says. */
static void disguise(uint8_t *bytes, size_t size)
{
    bvpd_header h;
    bvpd_part record;
    if (size < sizeof h)
        return;
    memcpy(&h, bytes, sizeof h);
    const uint32_t i = bvpi_find_section(&h, BVPD_PART);
    if (i < h.section_count && i < BVPD_SECTION_MAX &&
        bvpi_fits(h.sections[i].offset, sizeof record, size)) {
        memcpy(&record, bytes + h.sections[i].offset, sizeof record);
        memcpy(record.address, wanted.address, sizeof record.address);
        memcpy(record.packer, wanted.packer, sizeof record.packer);
        memcpy(record.content_hash, wanted.content_hash, sizeof record.content_hash);
        memcpy(bytes + h.sections[i].offset, &record, sizeof record);
    }
    repair_file(bytes, size);
}

static void forget(const char *path)
{
    char command[96];
    snprintf(command, sizeof command, "rm -rf %s", path);
    require(system(command) == 0);
}

static void check_rules(const char *path)
{
    size_t size;
    uint8_t *bytes = case_read(path, &size);
    require(bytes && bvp_verify(bytes, size, NULL, NULL, NULL) == BVP_OK);
    free(bytes);
    unlink(path);
}

static int try_input(const uint8_t *data, size_t size)
{
    uint8_t *bytes = copy_aligned(data, size);
    if (!bytes)
        return 0;
    start();
    disguise(bytes, size);
    case_write(part_path, bytes, size);
    if (case_run("merge thin.bvp -o out.bvp") == EXIT_DONE)
        check_rules("out.bvp");
    require(access("out.bvp", F_OK) != 0);
    case_write(part_path, bytes, size);
    if (bvpi_hash64(bytes, size) % 2 == 0)
        require(case_run("split plain.bvp --store store -o out.bvp") == EXIT_DONE);
    forget("store/sources");
    /* a part whose triangles differ may be found again only when the output is made */
    if (case_run("pack model.obj -q -j 1 --store store -o out.bvp") == EXIT_DONE)
        check_rules("out.bvp");
    free(bytes);
    return 0;
}

const fuzz_target fuzz_store = {"store", try_input, mutate_packed};
