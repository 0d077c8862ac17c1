/* SPDX-License-Identifier: MIT
 * body_bounds.c: the box of a body, before its placement and in the world.
 *
 * A part's box is in its record. An assembly's is the union of its instances' boxes, of those that
 * the filter leaves in.
 *
 * Invariant: what a query finds of the body is in the box, in the real numbers.
 *
 * Queries of an assembly place its instances by the product of the body's placement P and the
 * instance's I, which is computed in double-double and rounded once. Each entry of the product is
 * then wrong by at most u = 2^-53 of itself, so a point of the part by at most u times the sum of
 * the magnitudes of its terms: u (sum over k of |P_ik| T_k + |P_i3|), where T_k is the sum over j
 * of |I_kj| |point_j| + |I_k3|. `slack` is the largest T_k of all instances times 2^-51, four times
 * that, for the roundings of double-double and of T_k itself.
 *
 * Held by tests/property/test_broad_boxes.c, in exact arithmetic.
 * Spec: exactness.md, chapter 10, "Boxes of moving bodies"
 */
#include "broad/body_bounds.h"

#include <math.h>
#include <string.h>

#include "format/lazy.h"
#include "format/record.h"
#include "format/source.h"
#include "prim/pose.h"
#include "query/body/filter.h"

static const double IDENTITY[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};

static bvp_status read_part(const bvp_body *body, uint32_t part, bvpi_part *out)
{
    const bvp_control *control = body->control != NULL ? body->control : body->file->control;
    bvp_status status = bvpi_touch_under(body->file, part, control);
    if (status == BVP_OK)
        status = bvpi_get_part(body->file, part, out);
    return status;
}

static bvp_status bound_part(const bvp_body *body, bvpi_body_bounds *out)
{
    bvpi_part part;
    const bvp_status status = read_part(body, body->part, &part);
    for (int i = 0; i < 3 && status == BVP_OK; i++) {
        out->lo[i] = (double)part.lo[i];
        out->hi[i] = (double)part.hi[i];
    }
    return status;
}

static bvp_status add_instance(const bvp_body *body, uint32_t instance, bvpi_body_bounds *out)
{
    bvpd_instance record;
    bvpi_part part;
    double m[12];
    bvp_status status = bvpi_get_instance(body->file, instance, &record, m);
    if (status == BVP_OK)
        status = read_part(body, record.part, &part);
    if (status != BVP_OK) /* the index came from the file */
        return status == BVP_ERR_ARGUMENT ? BVP_ERR_CORRUPT : status;
    for (int i = 0; i < 3; i++) {
        double span[2], terms = fabs(m[4 * i + 3]);
        bvpi_place_span(m + 4 * i, part.lo, part.hi, span);
        for (int k = 0; k < 3; k++)
            terms += fabs(m[4 * i + k]) * fmax(fabs((double)part.lo[k]), fabs((double)part.hi[k]));
        out->lo[i] = fmin(out->lo[i], span[0]);
        out->hi[i] = fmax(out->hi[i], span[1]);
        out->slack[i] = fmax(out->slack[i], terms * 0x1p-51);
    }
    out->is_empty = false;
    return BVP_OK;
}

static bvp_status bound_instances(const bvp_body *body, bvpi_body_bounds *out)
{
    const bvp_control *control = body->control != NULL ? body->control : body->file->control;
    const uint32_t count = body->file->header.instance_count;
    bvp_status status = bvpi_touch_under(body->file, BVP_ASSEMBLY, control);
    out->is_empty = true;
    for (int i = 0; i < 3; i++) {
        out->lo[i] = INFINITY;
        out->hi[i] = -INFINITY;
    }
    for (uint32_t k = 0; k < count && status == BVP_OK; k++)
        if (body->filter == NULL || bvpi_filter_selects(body->filter, k))
            status = add_instance(body, k, out);
    return status;
}

bvp_status bvpi_body_bounds_init(const bvp_body *body, bvpi_body_bounds *out)
{
    if (body == NULL || body->file == NULL)
        return BVP_ERR_ARGUMENT;
    const bool is_assembly = body->part == BVP_ASSEMBLY;
    if (body->filter != NULL && !(is_assembly && bvpi_filter_is_sound(body->filter)))
        return BVP_ERR_ARGUMENT;
    memset(out, 0, sizeof *out);
    bvpi_call call = bvpi_call_begin_bodies(body, NULL);
    const bvp_status status =
        bvpi_call_end(&call, is_assembly ? bound_instances(body, out) : bound_part(body, out));
    for (int i = 0; i < 3 && status == BVP_OK && !out->is_empty; i++) {
        out->centre[i] = out->lo[i] / 2 + out->hi[i] / 2;
        out->half[i] =
            fmax(out->hi[i] - out->centre[i], out->centre[i] - out->lo[i]) * (1 + 0x1p-51) +
            0x1p-1000;
    }
    return status;
}

/* The image of centre - half .. centre + half on one axis, rounded outward. Without a comparison:
 * which end of the box is extreme follows no pattern, and a processor guesses it wrong half of the
 * time. With u = 2^-53 and `terms` the sum of the magnitudes: the middle errs by 4 u of them, its
 * half by 3 u, their sum and the last subtraction by u each; 16 u are taken off, and more than
 * underflow loses. */
static void place_span(const bvpi_body_bounds *bounds, const double row[4], double span[2])
{
    double middle = row[3], half = 0, terms = fabs(row[3]);
    for (int k = 0; k < 3; k++) {
        const double size = fabs(row[k]) * bounds->half[k], at = row[k] * bounds->centre[k];
        middle += at;
        half += size;
        terms += fabs(at) + size;
    }
    const double margin = terms * 0x1p-49 + 0x1p-900;
    span[0] = middle - half - margin;
    span[1] = middle + half + margin;
}

/* span grown by `grow`: the subtraction errs by at most 2^-53 of what it subtracts from and what it
 * subtracts. */
static void grow_span(double span[2], double grow)
{
    span[0] = span[0] - grow - (fabs(span[0]) + grow) * 0x1p-51;
    span[1] = span[1] + grow + (fabs(span[1]) + grow) * 0x1p-51;
}

bvp_status bvpi_body_bounds_place(const bvpi_body_bounds *bounds, const double *placement,
                                  double grow, bvpi_bounds *out)
{
    const double *m = placement != NULL ? placement : IDENTITY;
    bvpi_placement checked;
    if (!bvpi_placement_is_plain(m) && bvpi_placement_init(&checked, m) != BVP_OK)
        return BVP_ERR_ARGUMENT;
    for (int i = 0; i < 3; i++) {
        const double *row = m + 4 * i, *slack = bounds->slack;
        double span[2] = {INFINITY, -INFINITY}, more = grow;
        if (!bounds->is_empty) {
            place_span(bounds, row, span);
            if (slack[0] + slack[1] + slack[2] > 0)
                more += fabs(row[0]) * slack[0] + fabs(row[1]) * slack[1] +
                        fabs(row[2]) * slack[2] + fabs(row[3]) * 0x1p-51;
            if (more > 0)
                grow_span(span, more);
            if (!(span[0] >= -BVPI_BROAD_FARTHEST && span[1] <= BVPI_BROAD_FARTHEST))
                return BVP_ERR_LIMIT;
        }
        out->lo[i] = span[0];
        out->hi[i] = span[1];
    }
    return BVP_OK;
}
