/* SPDX-License-Identifier: MIT
 * make_report: a clash report with a pair of every verdict and with names that do harm where they
 * are not escaped. Usage: make_report SCRATCH.bvp OUT.bcf|bcfzip|glb|html [times [threads]]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "report_case.h"

int main(int argc, char **argv)
{
    static const clash_form *const forms[] = {&report_bcf, &report_bcfzip, &report_glb,
                                              &report_html};
    const uint32_t times = argc > 3 ? (uint32_t)atoi(argv[3]) : 1;
    const uint32_t threads = argc > 4 ? (uint32_t)atoi(argv[4]) : 0;
    const char *ending = argc > 2 ? strrchr(argv[2], '.') : NULL;
    FILE *out = ending ? fopen(argv[2], "w+b") : NULL;
    if (!out || report_case_pack(argv[1]) != 0)
        return 2;
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++)
        if (strcmp(forms[i]->ending, ending) == 0)
            return report_case_write(argv[1], forms[i], out, 20, times, threads);
    return 2;
}
