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

#include "broad/place_box.h"
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

static bvp_status bound_part(const bvp_body *body, bvpi_bounds *box)
{
    bvpi_part part;
    const bvp_status status = read_part(body, body->part, &part);
    for (int i = 0; i < 3 && status == BVP_OK; i++) {
        box->lo[i] = (double)part.lo[i];
        box->hi[i] = (double)part.hi[i];
    }
    return status;
}

static bvp_status add_instance(const bvp_body *body, uint32_t instance, bvpi_bounds *box,
                               bvpi_body_bounds *out)
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
        box->lo[i] = fmin(box->lo[i], span[0]);
        box->hi[i] = fmax(box->hi[i], span[1]);
        out->slack[i] = fmax(out->slack[i], terms * 0x1p-51);
        out->has_slack = out->has_slack || out->slack[i] > 0;
    }
    out->is_empty = false;
    return BVP_OK;
}

static bvp_status bound_instances(const bvp_body *body, bvpi_bounds *box, bvpi_body_bounds *out)
{
    const bvp_control *control = body->control != NULL ? body->control : body->file->control;
    const uint32_t count = body->file->header.instance_count;
    bvp_status status = bvpi_touch_under(body->file, BVP_ASSEMBLY, control);
    out->is_empty = true;
    for (int i = 0; i < 3; i++) {
        box->lo[i] = INFINITY;
        box->hi[i] = -INFINITY;
    }
    for (uint32_t k = 0; k < count && status == BVP_OK; k++)
        if (body->filter == NULL || bvpi_filter_selects(body->filter, k))
            status = add_instance(body, k, box, out);
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
    bvpi_bounds own;
    bvpi_call call = bvpi_call_begin_bodies(body, NULL);
    const bvp_status status = bvpi_call_end(&call, is_assembly ? bound_instances(body, &own, out)
                                                               : bound_part(body, &own));
    for (int i = 0; i < 3 && status == BVP_OK && !out->is_empty; i++) {
        out->box.centre[i] = own.lo[i] / 2 + own.hi[i] / 2;
        out->box.half[i] =
            fmax(own.hi[i] - out->box.centre[i], out->box.centre[i] - own.lo[i]) * (1 + 0x1p-51) +
            0x1p-1000;
    }
    return status;
}

bvp_status bvpi_body_bounds_place(const bvpi_body_bounds *bounds, const double *placement,
                                  double grow, bvpi_bounds *out)
{
    const double *m = placement != NULL ? placement : IDENTITY;
    bvpi_placement checked;
    if (!bvpi_placement_is_plain(m) && bvpi_placement_init(&checked, m) != BVP_OK)
        return BVP_ERR_ARGUMENT;
    f64x4 lo = f64x4_splat(INFINITY), hi = f64x4_splat(-INFINITY), columns[4];
    if (!bounds->is_empty) {
        bvpi_place_columns(m, columns);
        bvpi_place_box(&bounds->box, columns, &lo, &hi);
        bvpi_place_more(bounds->has_slack ? bounds->slack : NULL, columns, grow, &lo, &hi);
        if (!bvpi_is_in_reach(lo, hi))
            return BVP_ERR_LIMIT;
    }
    f64x4_store3_3(out->lo, lo, hi);
    return BVP_OK;
}
