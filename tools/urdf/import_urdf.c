/* SPDX-License-Identifier: MIT
 * import_urdf.c: URDF, a robot's links and joints, with the joints at given values or at zero.
 * Spec: wiki.ros.org/urdf/XML, as urdfdom reads it
 */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "model/properties.h"
#include "text/text_scan.h"
#include "model/transform.h"
#include "urdf/urdf.h"

/* ---- elements -------------------------------------------------------------------------------- */

bvp_status urdf_text(urdf *u, uint32_t element, const char *name, const char **out)
{
    *out = xml_attribute(&u->xml, element, name);
    if (*out && **out)
        return BVP_OK;
    return xml_refuse(u->im, &u->xml, BVP_ERR_CORRUPT, element, "expected \"%s\"; repair the robot",
                      name);
}

bvp_status urdf_numbers(urdf *u, uint32_t element, const char *name, int count, double *out)
{
    const char *text = xml_attribute(&u->xml, element, name);
    if (!text)
        return BVP_OK;
    text_scan s = {text, text + strlen(text)};
    int got = 0;
    for (number n; got < count && (scan_spaces(&s), scan_number(&s, &n)); got++) {
        if (!isfinite(n.value))
            break;
        out[got] = n.value;
    }
    scan_spaces(&s);
    if (got == count && s.at == s.end)
        return BVP_OK;
    return xml_refuse(u->im, &u->xml, BVP_ERR_CORRUPT, element,
                      "\"%s\": expected %d finite number%s, found "
                      "\"%.60s\"",
                      name, count, count == 1 ? "" : "s", text);
}

/* Turned about the fixed axes x, y and z, one after the other, then moved. */
bvp_status urdf_origin(urdf *u, uint32_t element, double out[12])
{
    static const double identity[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    const uint32_t origin = xml_child(&u->xml, element, "origin");
    double move[3] = {0, 0, 0}, a[3] = {0, 0, 0};
    memcpy(out, identity, sizeof identity);
    if (origin == XML_NONE)
        return BVP_OK;
    bvp_status status = urdf_numbers(u, origin, "xyz", 3, move);
    if (status == BVP_OK)
        status = urdf_numbers(u, origin, "rpy", 3, a);
    double sine[3], cosine[3];
    for (int k = 0; k < 3; k++) {
        sine[k] = sin(a[k]);
        cosine[k] = cos(a[k]);
    }
    transform_from_turns(sine, cosine, move, out);
    return status;
}

/* ---- links and joints ------------------------------------------------------------------------ */

static uint32_t count_children(const urdf *u, const char *name)
{
    uint32_t count = 0;
    for (uint32_t e = xml_child(&u->xml, 0, name); e != XML_NONE; e = xml_next(&u->xml, e))
        count++;
    return count;
}

static bvp_status add_name(urdf *u, name_table *names, uint32_t element, uint32_t number)
{
    const char *name;
    uint32_t found = number;
    bvp_status status = urdf_text(u, element, "name", &name);
    if (status != BVP_OK)
        return status;
    if (name_table_put(names, name, &found) != 0)
        return import_no_memory(u->im);
    if (found == number)
        return BVP_OK;
    return xml_refuse(u->im, &u->xml, BVP_ERR_CORRUPT, element,
                      "another one is called \"%.60s\", too", name);
}

/* The link that <parent> or <child> of a joint names. */
static bvp_status find_link(urdf *u, uint32_t joint, const char *role, uint32_t *out)
{
    const uint32_t element = xml_child(&u->xml, joint, role);
    const char *name;
    if (element == XML_NONE)
        return xml_refuse(u->im, &u->xml, BVP_ERR_CORRUPT, joint,
                          "expected a <%s>; repair the robot", role);
    bvp_status status = urdf_text(u, element, "link", &name);
    if (status != BVP_OK)
        return status;
    *out = name_table_get(&u->link_names, name);
    if (*out != UINT32_MAX)
        return BVP_OK;
    return xml_refuse(u->im, &u->xml, BVP_ERR_CORRUPT, element, "no link has the name \"%.60s\"",
                      name);
}

/* ---- the tree -------------------------------------------------------------------------------- */

/* Links by their places: each has one joint above it, or none; lists of joints below. */
typedef struct tree {
    uint32_t *above, *first, *next; /* joint of a link; joint of a link; joint of a joint */
    uint32_t *stack, *node;         /* links; node of a link, or BVP_NONE */
    uint32_t depth, placed;
} tree;

static bvp_status add_link(urdf *u, tree *t, uint32_t link)
{
    const char *name = xml_attribute(&u->xml, u->links[link], "name");
    const uint32_t above = t->above[link];
    assert(t->node[link] == BVP_NONE); /* in a tree, each link is reached once */
    model_node *node = import_add_node(u->im);
    if (!node)
        return import_no_memory(u->im);
    t->node[link] = u->im->out->node_count - 1;
    t->placed++;
    node->parent = 0; /* the robot */
    node->name = import_text(name, strlen(name));
    int bad = !node->name || property_add(node, "link", name, strlen(name)) != 0;
    bvp_status status = BVP_OK;
    if (above != BVP_NONE) {
        const urdf_joint *joint = &u->joints[above];
        char value[32];
        assert(t->node[joint->parent] != BVP_NONE);
        node->parent = t->node[joint->parent];
        snprintf(value, sizeof value, "%.17g", joint->value);
        bad |= property_add(node, "joint", joint->name, strlen(joint->name)) != 0 ||
               property_add(node, "joint_type", joint->type, strlen(joint->type)) != 0 ||
               property_add(node, "joint_value", value, strlen(value)) != 0;
        status = urdf_place_joint(u, joint, node->placement);
    }
    return bad ? import_no_memory(u->im) : status;
}

/* The robot's node, and below it the links, parents first: a link's shapes, then the links that
 * hang on it, in the order of their joints. A link is pushed by the one joint above it, so the
 * stack needs no more room than there are links. */
static bvp_status build(urdf *u)
{
    const char *kind = u->im->options->urdf_visual ? "visual" : "collision";
    const char *name = xml_attribute(&u->xml, 0, "name");
    const size_t links = u->link_count, joints = u->joint_count;
    uint32_t *room = malloc((4 * links + joints + 1) * sizeof *room);
    if (!room)
        return import_no_memory(u->im);
    tree t = {.above = room,
              .first = room + links,
              .stack = room + 2 * links,
              .node = room + 3 * links,
              .next = room + 4 * links};
    bvp_status status = BVP_OK;
    memset(t.above, 0xff, links * sizeof *t.above);
    memset(t.first, 0xff, links * sizeof *t.first);
    memset(t.node, 0xff, links * sizeof *t.node);
    for (uint32_t i = 0; i < u->joint_count && status == BVP_OK; i++) {
        const urdf_joint *joint = &u->joints[i];
        if (t.above[joint->child] != BVP_NONE)
            status = xml_refuse(u->im, &u->xml, BVP_ERR_CORRUPT, joint->element,
                                "its child hangs on an earlier joint, too; expected a tree");
        t.above[joint->child] = i;
        t.next[i] = t.first[joint->parent];
        t.first[joint->parent] = i;
    }
    if (status == BVP_OK) {
        model_node *node = import_add_node(u->im);
        if (node)
            node->name = name && *name ? import_text(name, strlen(name)) : import_text("robot", 5);
        if (!node || !node->name)
            status = import_no_memory(u->im);
    }
    for (uint32_t i = u->link_count; i-- > 0 && status == BVP_OK;)
        if (t.above[i] == BVP_NONE)
            t.stack[t.depth++] = i;
    if (t.depth > 1)
        status = import_warn(u->im, t.depth - 1, "links that no joint connects with the first");
    while (t.depth > 0 && status == BVP_OK) {
        const uint32_t link = t.stack[--t.depth];
        status = add_link(u, &t, link);
        if (status == BVP_OK)
            status = urdf_add_shapes(u, u->links[link], kind, t.node[link]);
        for (uint32_t j = t.first[link]; j != BVP_NONE; j = t.next[j]) {
            assert(t.depth < u->link_count);
            t.stack[t.depth++] = u->joints[j].child;
        }
        import_progress(u->im, t.placed, u->link_count);
    }
    for (uint32_t i = 0; i < u->link_count && status == BVP_OK; i++)
        if (t.node[i] == BVP_NONE)
            status = xml_refuse(u->im, &u->xml, BVP_ERR_CORRUPT, u->links[i],
                                "its joints lead back to it: expected a tree");
    free(room);
    return status;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static bvp_status read_robot(urdf *u)
{
    static const char *const types[] = {"revolute", "continuous", "prismatic",
                                        "fixed",    "floating",   "planar"};
    xml_fault fault;
    bvp_status status = BVP_OK;
    if (xml_open(u->im->data, u->im->size, &u->xml, &fault) != BVP_OK)
        return import_refuse_line(u->im, fault.status, u->im->data + fault.offset, "%s",
                                  fault.text);
    if (strcmp(xml_name(&u->xml, 0), "robot") != 0)
        return xml_refuse(u->im, &u->xml, BVP_ERR_NOT_OURS, 0,
                          "expected a URDF file: its root is <robot>");
    for (uint32_t e = 0; e < u->xml.element_count; e++)
        if (strncmp(xml_name(&u->xml, e), "xacro:", 6) == 0)
            return xml_refuse(u->im, &u->xml, BVP_ERR_ARGUMENT, e,
                              "this is a xacro template; expand it: xacro FILE -o robot.urdf");

    u->links = calloc(count_children(u, "link") + (size_t)1, sizeof *u->links);
    if (!u->links)
        return import_no_memory(u->im);
    for (uint32_t e = xml_child(&u->xml, 0, "link"); e != XML_NONE && status == BVP_OK;
         e = xml_next(&u->xml, e)) {
        u->links[u->link_count] = e;
        status = add_name(u, &u->link_names, e, u->link_count++);
    }
    if (status == BVP_OK && u->link_count == 0)
        return xml_refuse(u->im, &u->xml, BVP_ERR_CORRUPT, 0, "expected links, found none");
    if (status != BVP_OK)
        return status;

    u->joints = calloc(count_children(u, "joint") + (size_t)1, sizeof *u->joints);
    if (!u->joints)
        return import_no_memory(u->im);
    for (uint32_t e = xml_child(&u->xml, 0, "joint"); e != XML_NONE; e = xml_next(&u->xml, e)) {
        status = add_name(u, &u->joint_names, e, u->joint_count);
        if (status != BVP_OK)
            return status;
        urdf_joint *joint = &u->joints[u->joint_count++];
        joint->element = e;
        joint->name = xml_attribute(&u->xml, e, "name");
        status = urdf_text(u, e, "type", &joint->type);
        if (status == BVP_OK)
            status = find_link(u, e, "parent", &joint->parent);
        if (status == BVP_OK)
            status = find_link(u, e, "child", &joint->child);
        if (status != BVP_OK)
            return status;
        int is_known = 0;
        for (size_t i = 0; i < sizeof types / sizeof *types; i++)
            is_known |= strcmp(joint->type, types[i]) == 0;
        if (!is_known)
            return xml_refuse(u->im, &u->xml, BVP_ERR_ARGUMENT, e, "unknown joint type \"%.40s\"",
                              joint->type);
        assert(joint->parent < u->link_count && joint->child < u->link_count);
    }
    status = urdf_read_values(u);
    return status == BVP_OK ? build(u) : status;
}

bvp_status import_urdf(importer *im)
{
    urdf u = {.im = im};
    if (im->options->is_nested)
        return import_refuse(im, BVP_ERR_ARGUMENT,
                             "is a URDF file, which only stands by itself; name models of shapes");
    im->out->unit_in_metres = 1;
    im->out->up = BVP_UP_Z;
    if (!(im->out->format = import_text("URDF", 4)))
        return import_no_memory(im);
    bvp_status status = read_robot(&u);
    for (size_t i = 0; i < u.mesh_count; i++)
        submodel_free(&u.meshes[i]);
    free(u.meshes);
    free(u.links);
    free(u.joints);
    name_table_free(&u.link_names);
    name_table_free(&u.joint_names);
    name_table_free(&u.mesh_names);
    name_table_free(&u.solid_names);
    xml_close(&u.xml);
    return status;
}
