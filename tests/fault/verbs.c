/* SPDX-License-Identifier: MIT
 * verbs.c: each verb with an allocation or a system call that fails, the k-th alone and from the
 * k-th on, for all k: no crash, no exit code 0 with another output, never a failure without a
 * message, no half output. After a kill the same command succeeds, and no other file is left.
 */
/* Usage: verbs [--runs N] [--case WORD] [--kind NAME] [--place NAME] [--at K] [--show]
 * Without --runs one run of each kind, somewhere; --runs 0: for all k. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "failing.h"
#include "folder.h"
#include "inputs.h"
#include "left.h"
#include "loop.h"

/* ---- the cases ------------------------------------------------------------------------------- */

typedef struct verb_case {
    const char *line;     /* words without blanks */
    int has_time;         /* standard output says how long it took */
    const char *given;    /* a folder of the inputs that is copied beside the output, or NULL */
    const char *old;      /* a file that is there before, or NULL */
    const char *importer; /* a program that it starts, or NULL */
} verb_case;

static const verb_case cases[] = {
    {.line = "pack ../in/ring.obj -o o.bvp -j 1", .has_time = 1},
    {.line = "pack ../in/ring.stl -q -o o.bvp -j 1 --fast"},
    {.line = "pack ../in/ring.ply -q -o o.bvp -j 1 --no-ids"},
    {.line = "pack ../in/tetra.off -q -o o.bvp -j 1"},
    {.line = "pack ../in/tree.glb -q -o o.bvp -j 1"},
    {.line = "pack ../in/packed.gltf -q -o o.bvp -j 1"},
    {.line = "pack ../in/draco.gltf -o o.bvp -j 1", .has_time = 1, .importer = "bvpack-draco"},
    {.line = "pack ../in/robot.urdf -q -o o.bvp -j 1 --joints turn=0.5"},
    {.line = "pack ../in/skid.rvm -q -o o.bvp -j 1 --chord 5mm"},
    {.line = "pack ../in/tree.jsonl --json -o o.bvp -j 1", .has_time = 1},
    {.line = "pack ../in/tree.jsonl -q -o - -j 1"},
    {.line = "pack ../in/cube.obj -q -o o.bvp -j 1", .old = "o.bvp"},
    {.line = "pack ../in/tetra.3mf -o o.bvp -j 1", .has_time = 1, .importer = "bvpack-3mf"},
    {.line = "pack ../in/tetra.step -o o.bvp -j 1", .has_time = 1, .importer = "bvpack-step"},
    {.line = "pack ../in/tetra.dae -o o.bvp -j 1", .has_time = 1, .importer = "bvpack-assimp"},
    {.line = "pack ../in/ring.obj -q -o o.bvp -j 2 --hierarchy wide,boxtree,aabb,obb,rss"},
    {.line = "pack ../in/ring.obj ../in/cube.obj -q -o o.bvp -j 1 --hierarchy aabb --deformable"},
    {.line = "pack ../in/tree.jsonl -q --store parts -o o.bvp -j 1"},
    {.line = "pack ../in/tree.jsonl -q --store parts --thin -o o.bvp -j 1"},
    {.line = "pack ../in/tree.jsonl -q --store parts -o o.bvp -j 1", .given = "store"},
    {.line = "pack ../in/tree.jsonl -q --shard 1/2 -o o.bvp -j 1"},
    {.line = "pack ../in/tree.jsonl -q --shard 2/2 --store parts -j 1"},
    {.line = "info ../in/tree.bvp --parts --tree --provenance"},
    {.line = "info --json ../in/kinds.bvp"},
    {.line = "verify ../in/kinds.bvp"},
    {.line = "verify --json ../in/thin.bvp"},
    {.line = "dump ../in/tree.bvp"},
    {.line = "dump ../in/tree.bvp --json --section PART"},
    {.line = "query collide ../in/tree.bvp ../in/ring.bvp --place-b 0.2,0,0 --assume-unit m"},
    {.line = "query pairs ../in/tree.bvp ../in/ring.bvp --json --assume-unit m"},
    {.line = "query distance ../in/thin.bvp ../in/ring.bvp --place-b 0,0,9 --assume-unit m"},
    {.line =
         "query within ../in/tree.bvp ../in/ring.bvp --delta 2mm --place-b 0,0,3 --assume-unit m"},
    {.line = "query collide ../in/tree.bvp ../in/ring.bvp --batch ../in/places --assume-unit m"},
    {.line = "query collide ../in/tree.bvp ../in/tree.bvp --only-a Box/** --without-b Box/**"},
    {.line = "query ray ../in/tree.bvp --origin .5,.5,9 --direction 0,0,-1 --all"},
    {.line = "query ray ../in/tree.bvp --batch ../in/rays"},
    {.line = "query closest ../in/tree.bvp --point 4,4,4"},
    {.line = "query closest ../in/tree.bvp --batch ../in/points"},
    {.line = "query overlap ../in/tree.bvp --box 0,0,0,1,1,1"},
    {.line = "query convex ../in/tree.bvp --shape sphere:1 --place-shape .2,0,0"},
    {.line = "query instances ../in/tree.bvp --point 1,2,3 --nearest 3"},
    {.line = "view ../in/tree.bvp -o o.png -s 24x16 -q -j 1"},
    {.line = "view ../in/tree.bvp -o o.png -s 16x16 -q -j 2 --level 1 --color leaf"},
    {.line = "view ../in/kinds.bvp -o - -s 16x16 -q -j 1 --level 2 --hierarchy obb"},
    {.line = "extract ../in/tree.bvp -o o.glb"},
    {.line = "extract ../in/tree.bvp -q -o o.glb --flat"},
    {.line = "extract ../in/tree.bvp -q -o o.stl"},
    {.line = "extract ../in/tree.bvp -q -o o.obj"},
    {.line = "extract ../in/thin.bvp -q -o o.ply"},
    {.line = "extract ../in/tree.bvp -q -o - --format obj --part Ring"},
    {.line = "refit ../in/soft.bvp -o o.bvp --twist 1"},
    {.line = "refit ../in/soft.bvp ../in/bent.obj -q -o o.bvp"},
    {.line = "split ../in/tree.bvp --store parts -o o.bvp"},
    {.line = "split ../in/tree.bvp --store parts -o o.bvp", .given = "store"},
    {.line = "split ../in/tree.bvp --store parts -o o.bvp", .given = "store", .old = "o.bvp"},
    {.line = "merge ../in/thin.bvp -o o.bvp"},
    {.line = "repack ../in/tree.bvp -q -j 1 -o o.bvp"},
    {.line = "merge ../in/tree.bvp ../in/tree2.bvp -o o.bvp"},
    {.line = "merge ../in/share1.bvp ../in/share2.bvp -o o.bvp"},
    {.line = "merge --trust-shares ../in/share1.bvp ../in/share2.bvp -o o.bvp"},
    {.line = "compress ../in/ring.bvp -o o.zst -j 1"},
    {.line = "compress ../in/ring.bvp -q --json -o o.zst -j 2 --level 3", .old = "o.zst"},
    {.line = "info ../in/ring.zst --parts"},
    {.line = "verify ../in/ring.zst"},
    {.line = "query ray ../in/ring.zst --origin 1,0,9 --direction 0,0,-1"},
    {.line = "clash ../in/tree.bvp -j 1"},
    {.line = "clash ../in/tree.bvp ../in/ring.bvp -j 2 --place-b .2,0,0 --json --assume-unit m",
     .has_time = 1},
    {.line = "clash ../in/tree.bvp -q -j 1 --clearance 5mm -r o.jsonl -r o.csv --state o.state"},
    {.line = "clash ../in/tree.bvp -q -j 1 -r o.html --pictures 2"},
    {.line = "clash ../in/tree.bvp -q -j 1 -r o.bcf --pictures 2"},
    {.line = "clash ../in/tree.bvp -q -j 1 -r o.glb"},
    {.line = "clash ../in/tree.bvp -q -j 1 -r o.xlsx"},
    {.line = "clash ../in/tree.bvp -q -j 1 -r - --contacts"},
    {.line = "clash ../in/tree.bvp -q -j 1 -r o.csv", .old = "o.csv"},
    {.line = "clash ../in/tree.bvp -j 1 --shard 1/2 -o o.clash", .has_time = 1},
    {.line = "clash ../in/tree.bvp -q -j 1 --shard 2/2 -o o.clash --state o.state"},
    {.line = "clash ../in/tree.bvp -q -j 1 -r o.csv --merge ../in/share1.clash ../in/share2.clash",
     .old = "o.csv"},
    {.line = "clash ../in/tree.bvp -j 1 --rules ../in/rules.json --baseline ../in/old.jsonl -r "
             "o.jsonl"},
    {.line = "clash ../in/tree.bvp -j 1 --baseline ../in/tree2.bvp,../in/old.jsonl -r o.jsonl"},
    {.line = "clash ../in/tree.bvp -j 1 --zones ../in/zones.json --zone ball=sphere:2 -r o.jsonl"},
    {.line = "clash ../in/thin.bvp -q -j 1 --zone capsule:.1,3@.5,0,0 -r o.csv --state o.state"},
    {.line = "clash ../in/thin.bvp -q -j 1 --exclude Cube*:Ring* --same-assembly -r o.csv"},
    {.line = "clash ../in/tree.bvp -j 1 --issues ../in/said.jsonl --baseline ../in/old.jsonl -r "
             "o.jsonl -r o.csv"},
    {.line = "clash ../in/tree.bvp -q -j 1 --issues ../in/said.jsonl -r o.bcfzip --pictures 0"},
    {.line = "issues ../in/said.jsonl"},
    {.line = "issues ../in/said.jsonl --report ../in/old.jsonl --json"},
    {.line = "issues o.jsonl 0123456789abcdef0123456789abcdef -s approved -m fine --author a "
             "--date 2026-01-01"},
    {.line = "issues o.jsonl -r ../in/old.jsonl --import ../in/edited.bcf --json"},
    {.line = "diff ../in/tree.bvp ../in/tree2.bvp"},
    {.line = "diff ../in/tree.bvp ../in/tree2.bvp --json --all"},
    {.line = "plan ../in/tree.jsonl -m 2 -o o.bvp"},
    {.line = "plan ../in/tree.jsonl -m 2 --tasks 2 --store ../in/store --pack --rays --json"},
    {.line = "help clash"},
    {.line = "--version"},
};
enum { CASE_COUNT = sizeof cases / sizeof cases[0] };

/* ---- one run --------------------------------------------------------------------------------- */

typedef struct result {
    fault_end end;
    char *out, *err;
    size_t out_size, err_size;
    folder files;
} result;

typedef struct request {
    const verb_case *verb;
    int out, err;
} request;

static int run_verb(void *user)
{
    const request *r = user;
    if (dup2(r->out, STDOUT_FILENO) < 0 || dup2(r->err, STDERR_FILENO) < 0)
        return 97;
    return inputs_run(r->verb->line);
}

static char *take_text(int fd, size_t *size)
{
    struct stat info;
    fstat(fd, &info);
    *size = (size_t)info.st_size;
    char *text = malloc(*size + 1);
    if (!text || pread(fd, text, *size, 0) != info.st_size)
        exit(99);
    text[*size] = '\0';
    close(fd);
    return text;
}

/* Makes the current folder as it is before the run. */
static void prepare(const verb_case *v)
{
    char given[64];
    left_prepare(v->old);
    if (v->given) {
        snprintf(given, sizeof given, "../in/%s", v->given);
        folder_copy(given, "parts");
    }
}

/* In the current folder as it is. */
static result run(const verb_case *v, const fault_plan *plan)
{
    result r = {0};
    request q = {v, memfd_create("out", MFD_CLOEXEC), memfd_create("err", MFD_CLOEXEC)};
    r.end = fault_run(plan, run_verb, &q);
    r.out = take_text(q.out, &r.out_size);
    r.err = take_text(q.err, &r.err_size);
    r.files = folder_read(".");
    return r;
}

static result run_anew(const verb_case *v, const fault_plan *plan)
{
    prepare(v);
    return run(v, plan);
}

static void free_result(result *r)
{
    free(r->out);
    free(r->err);
    folder_free(&r->files);
}

/* ---- what must hold -------------------------------------------------------------------------- */

/* What is wrong with the run after a kill, or NULL. */
static const char *judge_next(const verb_case *v, const result *r, const result *whole)
{
    static char words[PATH_MAX + 64];
    if (r->end.status != whole->end.status)
        return "the run after the kill fails";
    const char *odd = left_odd(&r->files, &whole->files, v->old, LEFT_WHOLE);
    snprintf(words, sizeof words, "the run after the kill leaves another %s", odd ? odd : "");
    return odd ? words : NULL;
}

/* What a system says when a disk is full. */
static int is_full_disk(const char *name)
{
    static const char *const names[] = {"write",     "pwrite64",  "writev", "copy_file_range",
                                        "ftruncate", "fallocate", "rename", "mkdir"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(name, names[i]) == 0)
            return 1;
    return 0;
}

/* What is wrong with a run, or NULL. */
static const char *judge(const verb_case *v, result *r, const result *whole, const fault_plan *plan)
{
    static char words[PATH_MAX + 64];
    const int status = r->end.status, expected = WEXITSTATUS(whole->end.status);
    const char *odd;
    if (plan->kind == FAULT_KILL && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
        return left_odd(&r->files, &whole->files, v->old, LEFT_KILLED)
                   ? "killed: half a file is left"
                   : NULL;
    if (WIFSIGNALED(status)) {
        snprintf(words, sizeof words, "CRASH: %s", strsignal(WTERMSIG(status)));
        return words;
    }
    const int code = WEXITSTATUS(status);
    if (code == expected) {
        if (!v->has_time &&
            (r->out_size != whole->out_size || memcmp(r->out, whole->out, r->out_size) != 0))
            return "exit code as ever, another text on standard output";
        odd = left_odd(&r->files, &whole->files, v->old, LEFT_WHOLE);
        /* a second try of a library's that is told of, in the file, too */
        if (plan->place == FAULT_ELSEWHERE && strstr(r->out, "warning by lib3mf"))
            return NULL;
        /* without the path of a source's folder, which realpath finds with these calls, a store
         * knows the source by another name */
        if (odd && strstr(odd, "/sources/") &&
            (strcmp(r->end.name, "getcwd") == 0 || strcmp(r->end.name, "faccessat2") == 0))
            return NULL;
        /* the work is done; what could not be removed is told */
        if (odd && strcmp(odd, "o.state") == 0 && strncmp(r->end.name, "unlink", 6) == 0 &&
            strstr(r->err, "o.state: warning: "))
            return NULL;
        snprintf(words, sizeof words, "exit code as ever, another file: %s", odd ? odd : "");
        return odd ? words : NULL;
    }
    odd = left_odd(&r->files, &whole->files, v->old, LEFT_SOME);
    /* what could not be removed, the next run removes */
    if (odd && !(left_is_temporary(odd) && strncmp(r->end.name, "unlink", 6) == 0)) {
        snprintf(words, sizeof words, "exit code %d, and it leaves %s", code, odd);
        return words;
    }
    if (r->err_size == 0)
        return "fails without a message";
    /* what an importer is given in a temporary file is an input that can't be read */
    if (code == 3 && strstr(r->err, "to a temporary file"))
        return NULL;
    /* libzip, which is out of memory, takes an archive for none */
    if (plan->kind == FAULT_ALLOC && code == 3 && strstr(r->err, "no zip archive"))
        return NULL;
    if (code < 2 || code > 7 ||
        (plan->kind == FAULT_ALLOC && plan->place != FAULT_ELSEWHERE && code != 6 && code != 7) ||
        (plan->kind == FAULT_CALL && plan->place != FAULT_ELSEWHERE && code != 7 &&
         is_full_disk(r->end.name))) {
        snprintf(words, sizeof words, "exit code %d", code);
        return words;
    }
    /* what loads a program wants all at once */
    if (plan->kind == FAULT_SHORT && !strstr(r->err, "can't be run"))
        return "fails because a call did less than was asked";
    return NULL;
}

/* ---- the loop -------------------------------------------------------------------------------- */

static int has_preload;

typedef struct trial {
    const fault_loop *loop;
    const verb_case *verb;
    const result *whole;
    fault_totals totals;
    uint64_t codes[256], crashes;
} trial;

static void report(const verb_case *v, const fault_plan *plan, const char *what, const result *r)
{
    fault_report(v->line, plan, &r->end, what);
    printf("  %.*s\n", (int)strcspn(r->err, "\n"), r->err);
}

static int is_right(void *user, const fault_plan *plan)
{
    trial *t = user;
    const verb_case *v = t->verb;
    const fault_plan none = {0};
    result r = run_anew(v, plan);
    const char *what = judge(v, &r, t->whole, plan);
    t->codes[WIFEXITED(r.end.status) ? WEXITSTATUS(r.end.status) : 255]++;
    t->crashes += plan->kind != FAULT_KILL && WIFSIGNALED(r.end.status);
    if (t->loop->shows)
        printf("%s: status %#x\n%s%s", v->line, (unsigned)r.end.status, r.err, r.out);
    if (what)
        report(v, plan, what, &r);
    if (!what && plan->kind == FAULT_KILL) {
        result next = run(v, &none);
        what = judge_next(v, &next, t->whole);
        if (what)
            report(v, plan, what, &next);
        free_result(&next);
    }
    free_result(&r);
    return what == NULL;
}

static uint64_t count_calls(void *user, const fault_plan *plan)
{
    const trial *t = user;
    result r = run_anew(t->verb, plan);
    const uint64_t seen = r.end.seen;
    free_result(&r);
    return seen;
}

static int has_place(void *user, fault_kind kind, fault_place place)
{
    const trial *t = user;
    const verb_case *v = t->verb;
    if (place == FAULT_NAMED)
        return (kind == FAULT_CALL || kind == FAULT_KILL) &&
               (strstr(v->line, " o.") != NULL || strstr(v->line, "--store") != NULL);
    if (place == FAULT_ELSEWHERE)
        return v->importer != NULL && (kind != FAULT_ALLOC || has_preload);
    return 1;
}

static void try_case(trial *t, const verb_case *v)
{
    const fault_case c = {v->line, (uint64_t)(v - cases), has_place, count_calls, is_right, t};
    const fault_plan none = {0};
    result whole = run_anew(v, &none);
    t->verb = v;
    t->whole = &whole;
    if (!WIFEXITED(whole.end.status) || WEXITSTATUS(whole.end.status) != 0) {
        report(v, &none, "fails without any fault", &whole);
        t->totals.wrong++;
    }
    fault_try_case(t->loop, &c, &t->totals);
    free_result(&whole);
}

/* The importers, and what is loaded into them, stand where this program was built; without shared
 * libraries their programs need no library path. The library to load, or NULL. */
static const char *find_importers(void)
{
    static char library[PATH_MAX + 64], path[3 * PATH_MAX];
    const char *given = getenv("BVP_BUILDDIR");
    char build[PATH_MAX], programs[PATH_MAX + 16];
    if (!realpath(given ? given : ".", build))
        return NULL;
    snprintf(programs, sizeof programs, "%s/.libs", build);
    if (access(programs, X_OK) == 0) {
        const char *others = getenv("LD_LIBRARY_PATH");
        snprintf(path, sizeof path, "%s:%s", programs, others ? others : programs);
        setenv("LD_LIBRARY_PATH", path, 1);
    }
    setenv("BVPACK_LIBEXEC", build, 1);
    for (size_t i = 0; i < CASE_COUNT; i++) {
        if (!cases[i].importer)
            continue;
        snprintf(library, sizeof library, "%s/%s", programs, cases[i].importer);
        if (access(library, X_OK) == 0)
            setenv("BVPACK_LIBEXEC", programs, 1);
    }
    snprintf(library, sizeof library, "%s/tests/fault/.libs/failing_preload.so", build);
    return failing_alloc_is_own && access(library, R_OK) == 0 ? library : NULL;
}

static int has_importer(const verb_case *v)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", getenv("BVPACK_LIBEXEC"), v->importer ? v->importer : "");
    return access(path, X_OK) == 0;
}

int main(int argc, char **argv)
{
    fault_loop loop = {.runs = 1};
    trial t = {.loop = &loop};
    char path[PATH_MAX], counter[PATH_MAX + 16];
    setenv("SOURCE_DATE_EPOCH", "1700000000", 1);
    if (fault_begin(&loop, argc, argv) != 0)
        return 2;
    const char *preload = find_importers();
    if (inputs_enter(path) != 0)
        return 99;
    snprintf(counter, sizeof counter, "%s/counter", path);
    fault_set_preload(preload, counter);
    has_preload = preload != NULL;
    for (size_t i = 0; i < CASE_COUNT; i++) {
        if (cases[i].importer && !has_importer(&cases[i]))
            printf("left out, as %s was not built: %s\n", cases[i].importer, cases[i].line);
        else if (!loop.only || strstr(cases[i].line, loop.only))
            try_case(&t, &cases[i]);
        fflush(stdout);
    }
    if (chdir("/") == 0)
        folder_empty(path, 1);
    fault_print_runs(&t.totals);
    for (int code = 0; code < 256; code++)
        if (t.codes[code] > 0)
            printf("exit code %d: %llu\n", code, (unsigned long long)t.codes[code]);
    printf("%llu wrong, of these %llu crashes\n", (unsigned long long)t.totals.wrong,
           (unsigned long long)t.crashes);
    return t.totals.wrong > 0;
}
