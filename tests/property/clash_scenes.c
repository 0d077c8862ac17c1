/* SPDX-License-Identifier: MIT
 * clash_scenes.c: every pair of instances of a file by brute force, against bvp_clash.
 * Usage: clash_scenes FILE.bvp SAMPLES EVERY CLEARANCE...; see brute_options
 */
#include "clash_brute.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    bvp_file *file;
    bvp_error error;
    uint64_t wrong = 0;
    if (argc < 5) {
        fputs("usage: clash_scenes FILE.bvp SAMPLES EVERY CLEARANCE...\n", stderr);
        return 2;
    }
    if (bvp_open(argv[1], NULL, &file, &error) != BVP_OK) {
        fprintf(stderr, "clash_scenes: %s\n", error.message);
        return 2;
    }
    for (int i = 4; i < argc; i++) {
        const brute_options options = {.limits = {atof(argv[i]), NAN, NAN},
                                       .samples = (uint32_t)atoi(argv[2]),
                                       .every = (uint32_t)atoi(argv[3])};
        brute_result result;
        brute_check(file, &options, stdout, &result);
        printf("%s, clearance %s: %" PRIu64 " pairs, %" PRIu64 " decided", argv[1], argv[i],
               result.pairs, result.decided);
        for (int v = 0; v < BVP_VERDICT_COUNT; v++)
            printf(", %" PRIu64 " %s", result.said[v], bvp_verdict_name((bvp_verdict)v));
        printf("; touching is not proven for %" PRIu64 ", penetrating was missed in %" PRIu64
               "; %" PRIu64 " wrong\n",
               result.unproven, result.missed, result.wrong);
        fflush(stdout);
        wrong += result.wrong;
    }
    bvp_close(file);
    return wrong > 0;
}
