/* SPDX-License-Identifier: MIT
 * fuzz_verbs.c: any bytes as a packed file that a whole verb of the program is given, alone or
 * beside a sound one. The hashes are put right, so that the fuzzer gets past them; the verb follows
 * from the bytes. A verb ends with one of the program's exit codes, and one that failed has made no
 * output.
 */
#include "repair.h"
#include "verb_case.h"
#include "target.h"

/* x.bvp is the input, good.bvp a sound file; what is written is called out. */
static const char *const lines[] = {
    "info x.bvp --json --parts --tree --provenance",
    "verify x.bvp",
    "verify x.bvp good.bvp",
    "dump x.bvp",
    "query collide x.bvp good.bvp --json --stats",
    "query distance x.bvp x.bvp --place-b 0.5,0,0",
    "query within good.bvp x.bvp --delta 0.1",
    "query ray x.bvp --origin 0.3,0.3,9 --direction 0,0,-1 --all",
    "query closest x.bvp --point 1,2,3 --json",
    "query overlap x.bvp --box 0,0,0,1,1,1",
    "query instances x.bvp --point 1,2,3 --nearest 10",
    "view x.bvp -o out.png -s 12x12 --samples 1 --occlusion 0 -j 1 -q",
    "view x.bvp -o out.png -s 12x12 --samples 1 --level 2 -j 1 -q",
    "extract x.bvp -o out.glb -q",
    "extract x.bvp -o out.obj -q",
    "extract x.bvp -o out.ply -q",
    "extract x.bvp -o out.stl -q",
    "refit x.bvp -o out.bvp --twist 3 -q",
    "refit x.bvp -o out.bvp --noise 0.01,7 -q",
    "split x.bvp --store parts -o out.bvp",
    "compress x.bvp -o out.zst -q -j 1 --level 1",
    "merge x.bvp good.bvp -o out.bvp",
    "merge x.bvp -o out.bvp",
    "repack x.bvp -o out.bvp -q -j 1",
    "diff good.bvp x.bvp --all",
    "diff x.bvp good.bvp --json",
    "clash x.bvp -j 1 -q --contacts --report out.jsonl --report out.csv",
    "clash x.bvp good.bvp -j 1 -q --clearance 0.1 --report out.html",
    "clash good.bvp x.bvp -j 1 -q --fast --report out.glb",
    "pack x.bvp -o out.bvp -q",
};
static const char *const outputs[] = {"out.bvp", "out.png", "out.glb",   "out.obj",  "out.ply",
                                      "out.stl", "out.csv", "out.jsonl", "out.html", "out.zst"};
enum { LINES = sizeof lines / sizeof *lines, OUTPUTS = sizeof outputs / sizeof *outputs };

static void start(void)
{
    static bool is_started;
    if (is_started)
        return;
    is_started = true;
    case_enter();
    case_write_model("good.obj");
    require(case_run("pack good.obj -q -j 1 -o good.bvp") == EXIT_DONE);
}

static void check_outputs(int code)
{
    for (int i = 0; i < OUTPUTS; i++) {
        require(access(outputs[i], F_OK) != 0 || code == EXIT_DONE);
        unlink(outputs[i]);
    }
}

static int try_input(const uint8_t *data, size_t size)
{
    uint8_t *bytes = copy_aligned(data, size);
    if (!bytes)
        return 0;
    start();
    repair_file(bytes, size);
    case_write("x.bvp", bytes, size);
    const uint64_t which = bvpi_hash64(bytes, size);
    const int code = case_run(lines[which % LINES]);
    require(code >= EXIT_DONE && code <= EXIT_OUTPUT);
    check_outputs(code);
    free(bytes);
    return 0;
}

const fuzz_target fuzz_verbs = {"verbs", try_input, mutate_packed};
