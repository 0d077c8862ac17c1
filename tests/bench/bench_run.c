/* SPDX-License-Identifier: MIT
 * bench_run.c: runs a command; prints its seconds and the most memory it had, in MB, as rows of a
 * clash benchmark. Usage: bench_run WHAT COMMAND...
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
    struct rusage usage;
    int status = 0;
    if (argc < 3) {
        fprintf(stderr, "usage: bench_run WHAT COMMAND...\n");
        return 2;
    }
    const double began = now();
    const pid_t child = fork();
    if (child == 0) {
        execvp(argv[2], argv + 2);
        _exit(127);
    }
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0) {
        fprintf(stderr, "bench_run: %s failed\n", argv[2]);
        return 1;
    }
    const double seconds = now() - began;
    getrusage(RUSAGE_CHILDREN, &usage);
    printf("bvpack,2,%s,%.4f,\n", argv[1], seconds);
    printf("bvpack,2,MB to %s,%.1f,\n", argv[1], (double)usage.ru_maxrss / 1024);
    return 0;
}
