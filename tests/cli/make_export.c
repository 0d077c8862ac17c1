/* SPDX-License-Identifier: MIT
 * make_export.c: an export as a PDM system writes it every night: parts as STL files, and a
 * manifest that places each of them twice. Every hundredth part changes with the revision; with
 * one above 0 no other file is written. Usage: make_export DIR PARTS RINGS REVISION
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDES = 32, CHANGES = 100 /* one part of so many */ };

typedef struct part {
    int number, revision, rings;
} part;

/* Point `side` of ring `ring` of a turned piece whose shape is its number's. */
static void point(const part *p, int ring, int side, float out[3])
{
    const double turn = 6.283185307179586 * side / SIDES, along = (double)ring / p->rings;
    const double radius = 5 + p->number % 7 + sin(along * (3 + p->number % 5) + p->number) +
                          0.1 * p->revision * along;
    out[0] = (float)(radius * cos(turn));
    out[1] = (float)(radius * sin(turn));
    out[2] = (float)(20 * along);
}

static void put_triangle(FILE *out, const part *p, const int at[3][2])
{
    float record[12] = {0};
    for (int i = 0; i < 3; i++)
        point(p, at[i][0], at[i][1], record + 3 + 3 * i);
    fwrite(record, sizeof record, 1, out);
    fwrite("\0", 2, 1, out);
}

static int write_part(const char *folder, const part *p)
{
    char path[4096], head[80] = "a turned piece";
    snprintf(path, sizeof path, "%s/part%d.stl", folder, p->number);
    FILE *out = fopen(path, "wb");
    const uint32_t count = 2u * SIDES * (uint32_t)p->rings;
    if (!out)
        return -1;
    fwrite(head, sizeof head, 1, out);
    fwrite(&count, sizeof count, 1, out);
    for (int r = 0; r < p->rings; r++)
        for (int s = 0; s < SIDES; s++) {
            const int t = (s + 1) % SIDES;
            put_triangle(out, p, (const int[3][2]){{r, s}, {r, t}, {r + 1, t}});
            put_triangle(out, p, (const int[3][2]){{r, s}, {r + 1, t}, {r + 1, s}});
        }
    return fclose(out);
}

static void write_line(FILE *out, const part *p, int copy)
{
    fprintf(out,
            "{\"mesh\":\"part%d.stl\",\"id\":\"i%d.%d\",\"name\":\"piece %d\",\"placement\":"
            "[1,0,0,%d,0,1,0,%d,0,0,1,%d]}\n",
            p->number, p->number, copy, p->number, 40 * (p->number % 100), 40 * (p->number / 100),
            30 * copy);
}

int main(int argc, char **argv)
{
    char path[4096];
    if (argc != 5)
        return 2;
    const int parts = atoi(argv[2]), rings = atoi(argv[3]), revision = atoi(argv[4]);
    snprintf(path, sizeof path, "%s/export.jsonl", argv[1]);
    FILE *out = fopen(path, "w");
    int failed = !out;
    for (int i = 0; i < parts && !failed; i++) {
        const int changes = i % CHANGES == CHANGES - 1;
        const part p = {i, changes ? revision : 0, rings};
        if (revision == 0 || changes)
            failed = write_part(argv[1], &p) != 0;
        for (int copy = 0; copy < 2; copy++)
            write_line(out, &p, copy);
    }
    return failed || fclose(out) != 0;
}
