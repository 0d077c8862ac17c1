/* SPDX-License-Identifier: MIT
 * ray_counts.h: rows of test_ray_counts.c, which prints them: part, rays, question, and at most so
 * many nodes, leaves and triangles of all rays together.
 */
/* clang-format off */
    {0, PARALLEL, FIRST, 1275, 471, 3768},
    {0, PARALLEL, ANY, 1272, 465, 3720},
    {0, PARALLEL, ALL, 1275, 471, 3768},
    {0, CROSSING, FIRST, 1658, 634, 5072},
    {0, CROSSING, ANY, 1652, 635, 5080},
    {0, CROSSING, ALL, 1920, 897, 7176},
    {1, PARALLEL, FIRST, 2207, 728, 5670},
    {1, PARALLEL, ANY, 2196, 707, 5523},
    {1, PARALLEL, ALL, 3975, 1698, 13173},
    {1, CROSSING, FIRST, 3019, 843, 6487},
    {1, CROSSING, ANY, 2970, 786, 6052},
    {1, CROSSING, ALL, 4071, 1326, 10218},
    {2, PARALLEL, FIRST, 576, 1681, 9169},
    {2, PARALLEL, ANY, 576, 1665, 9042},
    {2, PARALLEL, ALL, 576, 1681, 9169},
    {2, CROSSING, FIRST, 576, 1728, 9216},
    {2, CROSSING, ANY, 576, 1695, 8960},
    {2, CROSSING, ALL, 576, 1728, 9216},
    /* clang-format on */
