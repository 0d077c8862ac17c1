/* SPDX-License-Identifier: MIT
 * urdf_joints.c: the joints of a robot: their values (given, mimicked or zero) and the placements
 * that follow from them.
 */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "text/text_scan.h"
#include "model/transform.h"
#include "files/uri.h"
#include "urdf/urdf.h"

/* ---- values that are given ------------------------------------------------------------------- */

static bvp_status refuse_values(urdf *u, const char *at, const char *end, const char *what)
{
    char found[QUOTE_SIZE];
    return import_refuse(u->im, BVP_ERR_ARGUMENT, "--joints: %s, found \"%s\"", what,
                         import_quote(at, end, found));
}

static int can_move(const urdf_joint *joint)
{
    return strcmp(joint->type, "revolute") == 0 || strcmp(joint->type, "continuous") == 0 ||
           strcmp(joint->type, "prismatic") == 0;
}

/* "name=value": radians or metres, or degrees with "deg" behind the number. */
static bvp_status read_value(urdf *u, const char *at, const char *end)
{
    const char *equals = memchr(at, '=', (size_t)(end - at));
    char name[256];
    number value;
    if (!equals || equals == at || (size_t)(equals - at) >= sizeof name)
        return refuse_values(u, at, end, "expected name=value");
    snprintf(name, sizeof name, "%.*s", (int)(equals - at), at);
    const uint32_t joint = name_table_get(&u->joint_names, name);
    if (joint == UINT32_MAX)
        return refuse_values(u, at, equals, "expected the name of a joint");
    assert(joint < u->joint_count);
    if (!can_move(&u->joints[joint]))
        return refuse_values(u, at, equals, "expected a revolute, continuous or prismatic joint");
    if (u->joints[joint].is_given)
        return refuse_values(u, at, equals, "expected each joint once");
    const int degrees = end - equals > 4 && memcmp(end - 3, "deg", 3) == 0;
    text_scan s = {equals + 1, end - (degrees ? 3 : 0)};
    if (!scan_number(&s, &value) || s.at != s.end || !isfinite(value.value))
        return refuse_values(u, equals + 1, end, "expected a number");
    u->joints[joint].value = degrees ? value.value * (3.14159265358979323846 / 180) : value.value;
    u->joints[joint].is_given = 1;
    return BVP_OK;
}

static bvp_status read_list(urdf *u, const char *at, const char *end)
{
    bvp_status status = BVP_OK;
    while (status == BVP_OK && at < end) {
        const char *word = at;
        while (at < end && !scan_is_space(*at) && *at != ',' && *at != ';' && *at != '#')
            at++;
        if (at > word)
            status = read_value(u, word, at);
        if (at < end && *at == '#')
            while (at < end && *at != '\n')
                at++;
        at += at < end;
    }
    return status;
}

/* ---- values that follow ---------------------------------------------------------------------- */

/* A given value takes precedence over a mimicked one: multiplier * value + offset of the joint that
 * this one mimics. A chain of mimicking joints is followed to its end, multiplying on the way; if
 * it is longer than the number of joints, it is a cycle. */
static bvp_status follow(urdf *u, uint32_t joint)
{
    double factor = 1, offset = 0;
    uint32_t at = joint;
    for (uint32_t steps = 0; !u->joints[at].is_given; steps++) {
        const uint32_t mimic = xml_child(&u->xml, u->joints[at].element, "mimic");
        const char *name;
        double f = 1, o = 0;
        if (mimic == XML_NONE)
            break;
        if (steps > u->joint_count)
            return xml_refuse(u->im, &u->xml, BVP_ERR_CORRUPT, mimic,
                              "joints mimic each other in a ring");
        bvp_status status = urdf_text(u, mimic, "joint", &name);
        if (status == BVP_OK)
            status = urdf_numbers(u, mimic, "multiplier", 1, &f);
        if (status == BVP_OK)
            status = urdf_numbers(u, mimic, "offset", 1, &o);
        if (status != BVP_OK)
            return status;
        at = name_table_get(&u->joint_names, name);
        if (at == UINT32_MAX)
            return xml_refuse(u->im, &u->xml, BVP_ERR_CORRUPT, mimic,
                              "no joint has the name \"%.60s\"", name);
        assert(at < u->joint_count);
        offset += factor * o;
        factor *= f;
    }
    if (at != joint)
        u->joints[joint].value = factor * u->joints[at].value + offset;
    return BVP_OK;
}

static bvp_status check_limits(urdf *u, const urdf_joint *joint)
{
    const uint32_t limit = xml_child(&u->xml, joint->element, "limit");
    double lower = -INFINITY, upper = INFINITY;
    char text[200];
    if (limit == XML_NONE || !can_move(joint) || strcmp(joint->type, "continuous") == 0)
        return BVP_OK;
    if (!xml_attribute(&u->xml, limit, "lower") && !xml_attribute(&u->xml, limit, "upper"))
        return BVP_OK;
    bvp_status status = urdf_numbers(u, limit, "lower", 1, &lower);
    if (status == BVP_OK)
        status = urdf_numbers(u, limit, "upper", 1, &upper);
    if (status != BVP_OK || (joint->value >= lower && joint->value <= upper))
        return status;
    snprintf(text, sizeof text, "joint %.60s stands at %g, outside its limits %g to %g",
             joint->name, joint->value, lower, upper);
    return import_warn(u->im, 1, text);
}

bvp_status urdf_read_values(urdf *u)
{
    const char *given = u->im->options->joints;
    bvp_status status = BVP_OK;
    if (given && *given == '@') {
        uri_bytes bytes;
        if (uri_open_path(given + 1, &bytes) != URI_OK)
            return import_refuse(u->im, BVP_ERR_SYSTEM, "--joints: the file %.80s can't be read",
                                 given + 1);
        const char *text = (const char *)bytes.data;
        status = read_list(u, text, text + bytes.size);
        uri_close(&bytes);
    } else if (given) {
        status = read_list(u, given, given + strlen(given));
    }
    for (uint32_t i = 0; i < u->joint_count && status == BVP_OK; i++)
        status = follow(u, i);
    for (uint32_t i = 0; i < u->joint_count && status == BVP_OK; i++)
        status = check_limits(u, &u->joints[i]);
    return status;
}

/* ---- placements ------------------------------------------------------------------------------ */

/* The joint's origin, then its motion: a shift along the axis, or a turn about it, as a quaternion
 * by half the angle's sine and cosine. */
bvp_status urdf_place_joint(urdf *u, const urdf_joint *joint, double out[12])
{
    static const double zero[3] = {0, 0, 0}, one[3] = {1, 1, 1};
    double origin[12], motion[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}, axis[3] = {1, 0, 0};
    const uint32_t element = xml_child(&u->xml, joint->element, "axis");
    bvp_status status = urdf_origin(u, joint->element, origin);
    if (status == BVP_OK && element != XML_NONE)
        status = urdf_numbers(u, element, "xyz", 3, axis);
    if (status != BVP_OK)
        return status;
    const double length = hypot(hypot(axis[0], axis[1]), axis[2]);
    if (can_move(joint) && joint->value != 0) {
        if (!(length > 0))
            return xml_refuse(u->im, &u->xml, BVP_ERR_CORRUPT, element,
                              "expected an axis that is not 0 0 0");
        for (int i = 0; i < 3; i++)
            axis[i] /= length;
        if (strcmp(joint->type, "prismatic") == 0) {
            for (int i = 0; i < 3; i++)
                motion[4 * i + 3] = axis[i] * joint->value;
        } else {
            const double s = sin(joint->value / 2), c = cos(joint->value / 2);
            const double turn[4] = {axis[0] * s, axis[1] * s, axis[2] * s, c};
            transform_from_trs(zero, turn, one, motion);
        }
    }
    transform_multiply(origin, motion, out);
    return BVP_OK;
}
