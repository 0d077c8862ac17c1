/* SPDX-License-Identifier: MIT
 * inputs.c: a cube, a ring, an assembly of both, and what the program makes of them.
 */
#define _GNU_SOURCE
#include "inputs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "zip_case.h"

enum { SETTLING = 3 }; /* seconds after which stamps are believed, and one more */

int program_main(int argc, char **argv);

int inputs_run(const char *line)
{
    static char copy[1024]; /* the words may be kept */
    char *words[WORDS_MOST + 2] = {"bvpack"}, *next = copy;
    int count = 1;
    snprintf(copy, sizeof copy, "%s", line);
    for (char *word; count <= WORDS_MOST && (word = strsep(&next, " "));)
        words[count++] = word;
    return program_main(count, words);
}

static int put_file(const char *path, const char *text)
{
    FILE *out = fopen(path, "w");
    return !out || fputs(text, out) < 0 || fclose(out) != 0;
}

static const char cube[] =
    "o cube\n"
    "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n"
    "f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";

static const char off[] = "OFF\n4 4 0\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 2 1\n3 0 1 3\n3 1 2 3\n"
                          "3 2 0 3\n";

/* Placements that meet, that touch, that are near, and a twin. */
static const char tree[] =
    "{\"bvpack_manifest\": 1, \"unit\": \"mm\", \"up\": \"z\"}\n"
    "{\"id\": \"c\", \"mesh\": \"cube.obj\", \"name\": \"Cube\", \"part_number\": \"C-1\", "
    "\"properties\": {\"material\": \"steel\"}}\n"
    "{\"id\": \"r\", \"mesh\": \"ring.obj\", \"name\": \"Ring\"}\n"
    "{\"id\": \"box\", \"name\": \"Box\"}\n"
    "{\"id\": \"c1\", \"part\": \"c\", \"parent\": \"box\"}\n"
    "{\"id\": \"c2\", \"part\": \"c\", \"parent\": \"box\", \"placement\": {\"translate\": [1, 0, "
    "0]}}\n"
    "{\"id\": \"c3\", \"part\": \"c\", \"parent\": \"box\", \"placement\": {\"translate\": [0.5, "
    "0.5, 0.5]}}\n"
    "{\"id\": \"r1\", \"part\": \"r\", \"placement\": {\"translate\": [0.5, 0.5, 1.2]}}\n"
    "{\"id\": \"r2\", \"part\": \"r\", \"placement\": {\"translate\": [0.5, 0.5, 1.2]}}\n";

static const char robot[] =
    "<robot name=\"arm\"><link name=\"base\"><collision><geometry><box size=\"1 1 .2\"/>"
    "</geometry></collision></link>\n<link name=\"hand\"><collision><geometry>"
    "<mesh filename=\"cube.obj\" scale=\".1 .1 .1\"/></geometry></collision><collision><geometry>"
    "<cylinder radius=\".1\" length=\".4\"/></geometry></collision></link>\n"
    "<joint name=\"turn\" type=\"revolute\"><parent link=\"base\"/><child link=\"hand\"/>"
    "<origin xyz=\"0 0 .5\"/><axis xyz=\"0 0 1\"/>"
    "<limit lower=\"-1\" upper=\"1\" effort=\"1\" velocity=\"1\"/></joint></robot>\n";

static const char rules[] =
    "{\"rules\": [{\"name\": \"twins\", \"a\": \"Ring\", \"b\": \"Ring\", \"allow\": true},\n"
    "{\"name\": \"cubes\", \"a\": \"Cube*\", \"clearance\": \"0.1mm\"},\n"
    "{\"name\": \"steel\", \"a\": \"material=steel\", \"b\": \"Ring*\", \"overlap\": "
    "\"0.01mm\"}]}\n";

/* A tetrahedron. */
static int put_3mf(const char *path)
{
    static zip z;
    FILE *out = fopen(path, "w");
    make_package(&z, 0, "millimeter", TETRA("1", "name=\"Tetra\""), "<item objectid=\"1\"/>");
    return !out || fwrite(z.bytes, 1, z.size, out) != z.size || fclose(out) != 0;
}

/* A torus of `around` times `across` squares, each cut in two. */
static int put_ring(const char *path, int around, int across, double bend)
{
    FILE *out = fopen(path, "w");
    if (!out)
        return 1;
    fprintf(out, "o ring\n");
    for (int i = 0; i < around; i++)
        for (int k = 0; k < across; k++) {
            const double a = 2 * acos(-1) * i / around, b = 2 * acos(-1) * k / across;
            fprintf(out, "v %.6f %.6f %.6f\n", (1 + .3 * cos(b)) * cos(a) + bend,
                    (1 + .3 * cos(b)) * sin(a), .3 * sin(b));
        }
    for (int i = 0; i < around; i++)
        for (int k = 0; k < across; k++) {
            const int corners[4] = {i * across + k + 1, (i + 1) % around * across + k + 1,
                                    (i + 1) % around * across + (k + 1) % across + 1,
                                    i * across + (k + 1) % across + 1};
            fprintf(out, "f %d %d %d\nf %d %d %d\n", corners[0], corners[1], corners[2], corners[0],
                    corners[2], corners[3]);
        }
    return fclose(out);
}

static const char *const commands[] = {
    "pack tree.jsonl -q -o tree.bvp",
    "pack tree2.jsonl -q -o tree2.bvp",
    "pack ring.obj -q -o ring.bvp",
    "pack ring.obj -q --hierarchy aabb --deformable -o soft.bvp",
    "pack tree.jsonl -q --hierarchy wide,boxtree,aabb,obb,rss -o kinds.bvp",
    "extract tree.bvp -q -o tree.glb",
    "extract ring.bvp -q -o ring.stl",
    "extract ring.bvp -q -o ring.ply",
    "split tree.bvp --store store -o thin.bvp",
    "pack tree.jsonl -q --shard 1/2 -o share1.bvp",
    "pack tree.jsonl -q --shard 2/2 -o share2.bvp",
    "clash tree2.bvp -q -r old.jsonl",
};

/* In a process of its own: what the program keeps in static memory must not stay. */
static int run_apart(const char *line)
{
    int status = -1;
    const pid_t child = fork();
    if (child == 0)
        exit(inputs_run(line));
    if (child < 0 || waitpid(child, &status, 0) != child)
        return -1;
    if (status != 0)
        fprintf(stderr, "faults: \"%s\" ended with %#x\n", line, (unsigned)status);
    return status;
}

static int put_tree2(void)
{
    char text[sizeof tree];
    memcpy(text, tree, sizeof tree);
    memcpy(strstr(text, "[1, 0, 0]"), "[1, 0, 3]", 9);
    return put_file("tree2.jsonl", text);
}

static int fill(void)
{
    int failed =
        put_file("cube.obj", cube) | put_file("tetra.off", off) | put_file("tree.jsonl", tree) |
        put_tree2() | put_file("robot.urdf", robot) | put_file("rules.json", rules) |
        put_3mf("tetra.3mf") | put_ring("ring.obj", 12, 8, 0) | put_ring("bent.obj", 12, 8, 0.1) |
        put_file("rays", "0 0 5 0 0 -1\n.5 .5 5 0 0 -1\n") |
        put_file("points", "0 0 5\n.5 .5 5\n") | put_file("places", "0 0 5\n.5 .5 .5 0 0 30\n");
    for (size_t i = 0; i < sizeof commands / sizeof commands[0] && !failed; i++)
        failed = run_apart(commands[i]);
    return failed;
}

int inputs_enter(char path[PATH_MAX])
{
    const char *base = getenv("TMPDIR");
    if (!base || !base[0])
        base = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    snprintf(path, PATH_MAX, "%s/faults.XXXXXX", base);
    if (!mkdtemp(path) || chdir(path) != 0 || mkdir("in", 0777) != 0 || mkdir("out", 0777) != 0 ||
        chdir("in") != 0 || fill() != 0)
        return -1;
    sleep(SETTLING); /* or what a store notes of them depends on when it is asked */
    return chdir("../out");
}
