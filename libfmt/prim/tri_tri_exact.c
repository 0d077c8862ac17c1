/* SPDX-License-Identifier: MIT
 * tri_tri_exact.c: triangle against triangle from signs of determinants alone, including degenerate
 * and coplanar triangles.
 *
 * The last stage of tri_tri.h. Everything is decided by bvpi_orient3, bvpi_orient2 and bvpi_compare
 * (points.h), whose signs are exact. So the logic below may branch on equality, and it needs no
 * tolerance.
 *
 * Cases, in this order:
 * - a degenerate triangle is the union of its edges: edges against edges, or edges against the
 *   other triangle;
 * - one triangle lies strictly on one side of the other's plane: apart;
 * - coplanar: two convex polygons are apart exactly if an edge of one has the other beyond it;
 * - a corner or an edge of one lies in the other's plane, and the rest on one side: they meet where
 *   that corner or edge meets the other triangle, decided in a projection;
 * - otherwise each plane separates the other's corners: both triangles cut the common line of the
 *   planes in intervals, and two determinants compare the ends.
 *
 * Points 0, 1, 2 are corners of A, and 3, 4, 5 of B. `drop` is an axis along which a triangle
 * projects to one with area.
 *
 * Slow twin: rational arithmetic, tests/unit/test_tri_tri.c; symmetry is tested there, too.
 * Spec: exactness.md, chapter 5
 * Measured: decisions.md, "The exact stage where faces are flush"
 * Based on: Guigue, Devillers, Fast and robust triangle-triangle overlap test using orientation
 * predicates, 2003.
 */
#include "prim/tri_tri_exact.h"

#include <assert.h>
#include <stddef.h>

#include "prim/points.h"

/* The next corner of the same triangle. */
static int next_corner(int i)
{
    return i % 3 == 2 ? i - 2 : i + 1;
}

/* ---- segments -------------------------------------------------------------------------------- */

static bool ranges_meet(const bvpi_points *p, int a, int b, int c, int d, int axis)
{
    int ab = bvpi_compare(p, a, b, axis) <= 0, cd = bvpi_compare(p, c, d, axis) <= 0;
    int low_ab = ab ? a : b, high_ab = ab ? b : a, low_cd = cd ? c : d, high_cd = cd ? d : c;
    return bvpi_compare(p, high_ab, low_cd, axis) >= 0 &&
           bvpi_compare(p, high_cd, low_ab, axis) >= 0;
}

/* Overlap in the projection along `drop`. *flat: all four points lie on one line of it, so the
 * result means nothing. */
static bool segments_meet_2d(const bvpi_points *p, int a, int b, int c, int d, int drop, bool *flat)
{
    int s1 = bvpi_orient2(p, a, b, c, drop), s2 = bvpi_orient2(p, a, b, d, drop);
    int s3 = bvpi_orient2(p, c, d, a, drop), s4 = bvpi_orient2(p, c, d, b, drop);
    *flat = s1 == 0 && s2 == 0 && s3 == 0 && s4 == 0;
    return s1 * s2 <= 0 && s3 * s4 <= 0;
}

static bool all_ranges_meet(const bvpi_points *p, int a, int b, int c, int d)
{
    return ranges_meet(p, a, b, c, d, 0) && ranges_meet(p, a, b, c, d, 1) &&
           ranges_meet(p, a, b, c, d, 2);
}

static bool segments_meet(const bvpi_points *p, int a, int b, int c, int d)
{
    if (bvpi_orient3(p, a, b, c, d) != 0)
        return false;
    for (int drop = 0; drop < 3; drop++) {
        bool flat, meet = segments_meet_2d(p, a, b, c, d, drop, &flat);
        if (!flat)
            return meet;
    }
    return all_ranges_meet(p, a, b, c, d);
}

/* ---- a segment and a triangle t, t + 1, t + 2 with area -------------------------------------- */

static bool point_in_triangle_2d(const bvpi_points *p, int t, int a, int drop)
{
    bool left = false, right = false;
    for (int e = t; e < t + 3; e++) {
        int s = bvpi_orient2(p, e, next_corner(e), a, drop);
        left |= s > 0;
        right |= s < 0;
    }
    return !(left && right);
}

/* The segment lies in the triangle's plane, which does not collapse along `drop`. It meets the
 * triangle if it begins in it or meets one of its edges. */
static bool coplanar_segment_meets(const bvpi_points *p, int a, int b, int t, int drop)
{
    if (point_in_triangle_2d(p, t, a, drop))
        return true;
    for (int e = t; e < t + 3; e++) {
        const int next = next_corner(e);
        bool flat, meet = segments_meet_2d(p, a, b, e, next, drop, &flat);
        if (flat ? all_ranges_meet(p, a, b, e, next) : meet)
            return true;
    }
    return false;
}

/* side_a, side_b: on which side of the triangle's plane a and b lie. The line of a and b meets the
 * triangle unless two edges turn around it in opposite directions. */
static bool segment_meets_triangle(const bvpi_points *p, int a, int b, int side_a, int side_b,
                                   int t, int drop)
{
    if (side_a * side_b > 0)
        return false;
    if (side_a == 0 && side_b == 0)
        return coplanar_segment_meets(p, a, b, t, drop);
    assert(a / 3 != t / 3 && b / 3 != t / 3);
    bool left = false, right = false;
    for (int e = t; e < t + 3; e++) {
        int s = bvpi_orient3(p, a, b, e, next_corner(e));
        left |= s > 0;
        right |= s < 0;
    }
    return !(left && right);
}

/* ---- degenerate triangles: the union of their edges ------------------------------------------ */

/* Triangle s has no area, t has one. */
static bool degenerate_meets_triangle(const bvpi_points *p, int s, int t, int drop)
{
    int side[3];
    bvpi_sides(p, t, s, side);
    for (int e = 0; e < 3; e++) {
        const int next = (e + 1) % 3;
        if (segment_meets_triangle(p, s + e, s + next, side[e], side[next], t, drop))
            return true;
    }
    return false;
}

/* ---- two triangles with area ----------------------------------------------------------------- */

/* Two convex polygons in a plane are apart exactly if an edge of one has the other strictly beyond
 * it. */
static bool has_separating_edge(const bvpi_points *p, int t, int s, int drop)
{
    int turn = bvpi_orient2(p, t, t + 1, t + 2, drop);
    assert(turn != 0); /* `drop` keeps the triangle's area */
    for (int e = t; e < t + 3; e++) {
        bool beyond = true;
        for (int i = s; i < s + 3 && beyond; i++)
            beyond = bvpi_orient2(p, e, next_corner(e), i, drop) * turn < 0;
        if (beyond)
            return true;
    }
    return false;
}

static bool is_one_sided(const int side[3])
{
    return (side[0] > 0 && side[1] > 0 && side[2] > 0) ||
           (side[0] < 0 && side[1] < 0 && side[2] < 0);
}

static bool is_two_sided(const int side[3])
{
    return (side[0] > 0 || side[1] > 0 || side[2] > 0) &&
           (side[0] < 0 || side[1] < 0 || side[2] < 0);
}

/* The corner that is alone on its side of the other's plane. The other two are beyond the plane or
 * on it. */
static int lone_corner(const int side[3])
{
    assert(is_two_sided(side));
    for (int i = 0; i < 3; i++)
        if (side[i] != 0 && side[(i + 1) % 3] != side[i] && side[(i + 2) % 3] != side[i])
            return i;
    return 0;
}

/* Each plane separates the corners of the other triangle. Then both triangles are intervals of
 * positive length on the common line, and meet if neither ends before the other begins.
 * exactness.md derives the signs. */
static unsigned intervals_meet(const bvpi_points *p, const int side_a[3], const int side_b[3])
{
    int i = lone_corner(side_a), l = lone_corner(side_b);
    int j = (i + 1) % 3, k = (i + 2) % 3, m = (l + 1) % 3, n = (l + 2) % 3;
    if (side_a[i] != side_b[l]) {
        int swap = m;
        m = n;
        n = swap;
    }
    int first = side_b[l] * bvpi_orient3(p, i, j, 3 + m, 3 + l);
    int second = side_b[l] * bvpi_orient3(p, i, k, 3 + n, 3 + l);
    if (first < 0 || second > 0)
        return 0;
    return first > 0 && second < 0 ? BVPI_MEET | BVPI_PROPER : BVPI_MEET;
}

/* Triangle s is on one side of t's plane, except for one or two corners that lie in it. Only that
 * corner, or the edge between the two, can meet t. */
static bool touch_meets(const bvpi_points *p, int s, const int side[3], int t, int drop)
{
    int i = side[0] == 0 ? 0 : side[1] == 0 ? 1 : 2, j = side[2] == 0 ? 2 : 1;
    assert(side[i] == 0 && !is_two_sided(side));
    return i == j || side[j] != 0 ? point_in_triangle_2d(p, t, s + i, drop)
                                  : coplanar_segment_meets(p, s + i, s + j, t, drop);
}

static unsigned triangles_meet(const bvpi_points *p, int drop_a, int drop_b)
{
    int side_a[3], side_b[3];
    bvpi_sides(p, 0, 3, side_b);
    if (is_one_sided(side_b))
        return 0;
    if (side_b[0] == 0 && side_b[1] == 0 && side_b[2] == 0) {
        bool apart = has_separating_edge(p, 0, 3, drop_a) || has_separating_edge(p, 3, 0, drop_a);
        return apart ? 0 : BVPI_MEET;
    }
    if (!is_two_sided(side_b))
        return touch_meets(p, 3, side_b, 0, drop_a) ? BVPI_MEET : 0;
    bvpi_sides(p, 3, 0, side_a);
    if (is_one_sided(side_a))
        return 0;
    if (!is_two_sided(side_a))
        return touch_meets(p, 0, side_a, 3, drop_b) ? BVPI_MEET : 0;
    return intervals_meet(p, side_a, side_b);
}

unsigned bvpi_tri_tri_exact(const float a[9], const float b[9], const double *ma, const double *mb)
{
    bvpi_points points;
    bvpi_terms terms[6][3];
    if (!bvpi_points_of_triangles(&points, a, b, ma, mb)) {
        bvpi_terms_of_triangle(terms, 0, a, ma);
        bvpi_terms_of_triangle(terms, 3, b, mb);
        if (!bvpi_points_init(&points, terms, 6))
            return 0;
    }
    int drop_a = bvpi_projection_axis(&points, 0), drop_b = bvpi_projection_axis(&points, 3);
    if (drop_a >= 0 && drop_b >= 0)
        return triangles_meet(&points, drop_a, drop_b);
    if (drop_a >= 0)
        return degenerate_meets_triangle(&points, 3, 0, drop_a) ? BVPI_MEET : 0;
    if (drop_b >= 0)
        return degenerate_meets_triangle(&points, 0, 3, drop_b) ? BVPI_MEET : 0;
    for (int i = 0; i < 3; i++)
        for (int j = 3; j < 6; j++)
            if (segments_meet(&points, i, next_corner(i), j, next_corner(j)))
                return BVPI_MEET;
    return 0;
}
