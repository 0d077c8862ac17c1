/* SPDX-License-Identifier: MIT
 * make_3mf.c: writes a 3MF package to standard output, one that is as it should be or one that is
 * meant to hang who reads it.
 */
#include "zip_case.h"

/* Object 1 is a tetrahedron; each further one has `width` components, each the one before it:
 * width to the power of `depth` tetrahedra. */
static char *objects(int depth, int width)
{
    char *text = malloc((size_t)(depth + 10) * 400), *at = text;
    if (!text)
        abort();
    at += sprintf(at, "%s", TETRA("1", "name=\"Tetra\""));
    for (int i = 2; i <= depth + 1; i++) {
        at += sprintf(at, "<object id=\"%d\" type=\"model\"><components>", i);
        for (int k = 0; k < width; k++)
            at += sprintf(at, "<component objectid=\"%d\"/>", i - 1);
        at += sprintf(at, "</components></object>");
    }
    return text;
}

int main(int argc, char **argv)
{
    static zip z;
    char item[64];
    const char *kind = argc == 2 ? argv[1] : "";
    const int is_dag = strcmp(kind, "dag") == 0, is_chain = strcmp(kind, "chain") == 0;
    const int is_zip64 = strcmp(kind, "zip64") == 0;
    const int depth = is_dag ? 40 : is_chain ? 20000 : 0;
    if (!is_dag && !is_chain && !is_zip64 && strcmp(kind, "plain") != 0) {
        fprintf(stderr, "usage: make_3mf plain|zip64|dag|chain >MODEL.3mf\n");
        return 2;
    }
    char *resources = objects(depth, is_dag ? 2 : 1);
    snprintf(item, sizeof item, "<item objectid=\"%d\"/>", depth + 1);
    make_package(&z, is_zip64, "millimeter", resources, item);
    free(resources);
    return fwrite(z.bytes, 1, z.size, stdout) == z.size && fflush(stdout) == 0 ? 0 : 1;
}
