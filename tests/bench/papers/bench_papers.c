/* SPDX-License-Identifier: MIT
 * bench_papers.c: `papers MODELS OUT EFFORT CHAPTER`: measures what one of the four papers claims,
 * with the library's hierarchies, or which hierarchy is best. EFFORT 1 is a full run; check: some
 * tables, and of these the counts only.
 */
#include "papers_suite.h"
#include "table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    void (*run)(const setup *setup);
} chapters[] = {{"boxtree", papers_boxtree},
                {"solid", papers_solid},
                {"obbtree", papers_obbtree},
                {"mebvh", papers_mebvh},
                {"best", papers_best}};
enum { CHAPTERS = sizeof chapters / sizeof chapters[0] };

int main(int argc, char **argv)
{
    int chapter = 0;
    while (argc == 5 && chapter < CHAPTERS && strcmp(chapters[chapter].name, argv[4]) != 0)
        chapter++;
    if (argc != 5 || chapter == CHAPTERS) {
        fprintf(stderr, "usage: papers MODELS OUT EFFORT|check boxtree|solid|obbtree|mebvh|best\n");
        return 2;
    }
    const bool is_check = strcmp(argv[3], "check") == 0;
    const setup setup = {argv[1], is_check ? 1 : fmin(1, atof(argv[3])), is_check};
    if (is_check)
        measure_only_counts();
    const double start = scene_now();
    report_open(argv[2], argv[4]);
    chapters[chapter].run(&setup);
    report_text("This chapter took %.0f s of one core. Answers of the library's hierarchies and of "
                "the baselines that differ from the first one's: %llu; of FCL's trees: %llu.",
                scene_now() - start, (unsigned long long)measure_differing(),
                (unsigned long long)measure_fcl_differing());
    report_close();
    return measure_differing() != 0;
}
