/* SPDX-License-Identifier: MIT
 * bcf_view.c: a viewpoint of a BCF topic.
 * Spec: buildingSMART BCF-XML 2.1 and 3.0, visinfo.xsd
 *
 * A camera of 2.1 opens by 45 to 60 degrees: it stands nearer to what it looks at than the one of
 * the snapshot, so that the contact is as large in the picture.
 */
#include "bcf/bcf_view.h"

#include <math.h>
#include <string.h>
#include "report/report_text.h"
#include "text/message.h"

static const double angle_2_1 = 45; /* degrees */

/* A point of a view's own world, in metres of the model's. */
static void write_point(FILE *out, const char *name, const clash_run *run, const report_view *v,
                        const double p[3])
{
    const double unit = run->info_a.unit_in_metres > 0 ? run->info_a.unit_in_metres : 1;
    double metres[3];
    for (int k = 0; k < 3; k++)
        metres[k] = (v->centre[k] + p[k]) * unit;
    bcf_vector(out, name, metres);
}

/* IFC's compressed identifiers: 128 bits in 22 digits of base 64. */
static int is_ifc_guid(bvp_string id)
{
    static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_$";
    if (id.size != 22 || id.data[0] < '0' || id.data[0] > '3')
        return 0;
    for (size_t i = 0; i < id.size; i++)
        if (id.data[i] == '\0' || !strchr(digits, id.data[i]))
            return 0;
    return 1;
}

void bcf_view_component(FILE *out, const clash_side *side, const char *file)
{
    bvp_node_info node;
    const int known = side->file && bvp_get_node(side->file, side->node, &node) == BVP_OK;
    fputs("<Component", out);
    if (known && is_ifc_guid(node.source_id))
        fprintf(out, " IfcGuid=\"%.22s\"", node.source_id.data);
    fputs(">\n", out);
    bcf_element(out, "OriginatingSystem", report_base(file));
    bcf_element(out, "AuthoringToolId", side->path[0] ? side->path : report_name(side));
    fputs("</Component>\n", out);
}

static void write_camera(FILE *out, const clash_run *run, const bcf_viewpoint *p)
{
    const report_view *v = p->view;
    const int is_old = p->version == BCF_2_1;
    const double angle = is_old ? angle_2_1 : atan(v->eye.half_height) * 360 / M_PI;
    /* the view's world has the contact at its origin */
    const double nearer = is_old ? v->eye.half_height / tan(angle_2_1 * M_PI / 360) : 1;
    double eye[3];
    char number[32];
    for (int k = 0; k < 3; k++)
        eye[k] = v->eye.eye[k] * nearer;
    fputs("<PerspectiveCamera>\n", out);
    write_point(out, "CameraViewPoint", run, v, eye);
    bcf_vector(out, "CameraDirection", v->eye.forward);
    bcf_vector(out, "CameraUpVector", v->eye.up);
    bcf_element(out, "FieldOfView", shortest(angle, number));
    if (!is_old)
        bcf_element(out, "AspectRatio", shortest(v->eye.width / v->eye.height, number));
    fputs("</PerspectiveCamera>\n", out);
}

void bcf_view_write(FILE *out, const clash_run *run, const bcf_viewpoint *p)
{
    static const unsigned colours[2] = {REPORT_COLOUR_A, REPORT_COLOUR_B};
    const report_view *v = p->view;
    const int is_old = p->version == BCF_2_1;
    fprintf(out, "%s<VisualizationInfo Guid=\"%s\">\n", bcf_declaration, p->guid);
    fputs("<Components>\n<Selection>\n", out);
    for (int i = 0; i < 2; i++)
        fwrite(p->sides[i]->data, 1, p->sides[i]->size, out);
    fputs("</Selection>\n<Visibility DefaultVisibility=\"true\"/>\n<Coloring>\n", out);
    for (int i = 0; i < 2; i++) {
        if (p->sides[i]->size == 0) /* it is in the other side's colour */
            continue;
        fprintf(out, "<Color Color=\"%06X\">%s\n", colours[i], is_old ? "" : "<Components>");
        fwrite(p->sides[i]->data, 1, p->sides[i]->size, out);
        fprintf(out, "%s</Color>\n", is_old ? "" : "</Components>");
    }
    fputs("</Coloring>\n</Components>\n", out);
    write_camera(out, run, p);
    if (memcmp(v->points[0], v->points[1], sizeof v->points[0]) != 0) {
        fputs("<Lines>\n<Line>\n", out);
        write_point(out, "StartPoint", run, v, v->points[0]);
        write_point(out, "EndPoint", run, v, v->points[1]);
        fputs("</Line>\n</Lines>\n", out);
    }
    /* the section of the snapshot; the direction is that of what is cut off */
    double at[3];
    for (int k = 0; k < 3; k++)
        at[k] = v->plane[k] * v->plane[3];
    fputs("<ClippingPlanes>\n<ClippingPlane>\n", out);
    write_point(out, "Location", run, v, at);
    bcf_vector(out, "Direction", v->plane);
    fputs("</ClippingPlane>\n</ClippingPlanes>\n", out);
    fputs("</VisualizationInfo>\n", out);
}
