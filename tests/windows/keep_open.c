/* SPDX-License-Identifier: MIT
 * keep_open.c: a reader of libbvpack's DLL that keeps a file open while others replace it.
 * Usage: keep_open FILE [OFFSET]: casts a ray, waits for a line on standard input, casts it again.
 */
#include <bvpack.h>

#include <stdio.h>
#include <stdlib.h>

static int answer(const bvp_file *file)
{
    const bvp_ray ray = {.origin = {100, 99, -100}, .direction = {0, 0, 1}, .t_max = 1000};
    const bvp_body body = {.file = file, .part = BVP_ASSEMBLY};
    bvp_ray_hit hit;
    if (bvp_ray_first(&body, &ray, &hit, NULL) || !hit.found)
        return 1;
    printf("%.17g triangle %u\n", hit.t, (unsigned)hit.id.triangle);
    return fflush(stdout);
}

int main(int argc, char **argv)
{
    bvp_file *file;
    bvp_error error;
    bvp_open_options options = {.offset = argc > 2 ? strtoull(argv[2], NULL, 10) : 0};
    if (argc < 2 || bvp_open(argv[1], &options, &file, &error)) {
        printf("%s\n", argc > 1 ? error.message : "usage: keep_open FILE [OFFSET]");
        return 1;
    }
    int failed = answer(file);
    getchar();
    failed |= answer(file);
    bvp_close(file);
    return failed;
}
