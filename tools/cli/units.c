/* SPDX-License-Identifier: MIT
 * units.c: the lengths of several files in the unit of the first.
 */
#include "cli/units.h"

#include <math.h>
#include <stdlib.h>
#include "text/message.h"

int units_read(const char *option, const char *text, double *metres)
{
    char *end;
    *metres = unit_by_name(text);
    if (*metres > 0)
        return 0;
    *metres = strtod(text, &end);
    if (end != text && *end == '\0' && *metres > 0 && isfinite(*metres))
        return 0;
    complain(option, "expected mm, cm, m, in, ft or a length in metres, found \"%s\"", text);
    return EXIT_USAGE;
}

int units_assume(const char *text, bvp_file_info *info)
{
    double metres;
    const int code = text ? units_read("--assume-unit", text, &metres) : 0;
    if (text && code == 0 && info->unit_in_metres == 0)
        info->unit_in_metres = metres;
    return code;
}

int units_scale(const char *first_path, const bvp_file_info *first, const char *path,
                const bvp_file_info *info, double *scale)
{
    const double a = first->unit_in_metres, b = info->unit_in_metres;
    *scale = 1;
    if (a == b)
        return 0;
    if (a > 0 && b > 0) {
        *scale = b / a;
        if (isfinite(*scale) && *scale > 0)
            return 0;
        complain(path, "its unit, %g m, can't be told in the first file's, %g m", b, a);
        return EXIT_USAGE;
    }
    complain(a > 0 ? path : first_path,
             "it does not say its unit, and %s does, so their lengths can't be compared; say what "
             "it is in with --assume-unit, or pack it again with --unit",
             a > 0 ? first_path : path);
    return EXIT_USAGE;
}

int units_check_placement(const char *where, const double placement[12], double scale)
{
    const double *m = placement;
    const double determinant = m[0] * (m[5] * m[10] - m[6] * m[9]) -
                               m[1] * (m[4] * m[10] - m[6] * m[8]) +
                               m[2] * (m[4] * m[9] - m[5] * m[8]);
    const double given = cbrt(fabs(determinant));
    if (scale == 1 || fabs(given - 1) < 1e-3 || !(fabs(given / scale - 1) < 1e-3))
        return 0;
    complain(where,
             "it scales by %.9g, which is what the files' units differ by; lengths are converted "
             "anyway: leave the scale out, and give the placement in the first file's unit",
             given);
    return EXIT_USAGE;
}
