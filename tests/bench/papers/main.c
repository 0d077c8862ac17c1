/* SPDX-License-Identifier: MIT
 * main.c: `papers MODELS OUT EFFORT [boxtree|solid|obbtree|mebvh|best ...]`: measures what the four
 * papers claim, with the library's hierarchies.
 */
#include "suite.h"
#include "table.h"

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

static bool is_wanted(const char *name, int argc, char **argv)
{
    for (int k = 4; k < argc; k++)
        if (strcmp(argv[k], name) == 0)
            return true;
    return argc <= 4;
}

int main(int argc, char **argv)
{
    if (argc < 4) {
        fprintf(stderr, "usage: papers MODELS OUT EFFORT [CHAPTER ...]\n");
        return 2;
    }
    const setup setup = {argv[1], atof(argv[3])};
    const double start = scene_now();
    report_open(argv[2]);
    for (int k = 0; k < CHAPTERS; k++)
        if (is_wanted(chapters[k].name, argc, argv))
            chapters[k].run(&setup);
    report_heading("The run");
    report_text("%.0f s. Answers of different hierarchies that differ: %llu.", scene_now() - start,
                (unsigned long long)measure_differing());
    report_close();
    return measure_differing() != 0;
}
