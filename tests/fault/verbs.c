/* SPDX-License-Identifier: MIT
 * verbs.c: each verb with an allocation or a system call that fails, the k-th alone and from the
 * k-th on, for all k: no crash, no exit code 0 with another output, never a failure without a
 * message, no half output. Usage: verbs [--runs N] [--case WORD] [--kind NAME] [--at K] [--show]
 */
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

/* ---- the cases ----------------------------------------------------------------------------------
 */

typedef struct verb_case {
    const char *line;  /* words without blanks */
    int has_time;      /* standard output says how long it took */
    const char *given; /* a folder of the inputs that is copied beside the output, or NULL */
} verb_case;

static const verb_case cases[] = {
    {.line = "pack ../in/ring.obj -o o.bvp -j 1", .has_time = 1},
    {.line = "pack ../in/ring.stl -q -o o.bvp -j 1 --fast"},
    {.line = "pack ../in/ring.ply -q -o o.bvp -j 1 --no-ids"},
    {.line = "pack ../in/tetra.off -q -o o.bvp -j 1"},
    {.line = "pack ../in/tree.glb -q -o o.bvp -j 1"},
    {.line = "pack ../in/robot.urdf -q -o o.bvp -j 1 --joints turn=0.5"},
    {.line = "pack ../in/tree.jsonl --json -o o.bvp -j 1", .has_time = 1},
    {.line = "pack ../in/tree.jsonl -q -o - -j 1"},
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
    {.line = "merge ../in/thin.bvp -o o.bvp"},
    {.line = "merge ../in/tree.bvp ../in/tree2.bvp -o o.bvp"},
    {.line = "merge ../in/share1.bvp ../in/share2.bvp -o o.bvp"},
    {.line = "clash ../in/tree.bvp -j 1"},
    {.line = "clash ../in/tree.bvp ../in/ring.bvp -j 2 --place-b .2,0,0 --json --assume-unit m",
     .has_time = 1},
    {.line = "clash ../in/tree.bvp -q -j 1 --clearance 5mm -r o.jsonl -r o.csv --state o.state"},
    {.line = "clash ../in/tree.bvp -q -j 1 -r o.html --pictures 2"},
    {.line = "clash ../in/tree.bvp -q -j 1 -r o.bcf --pictures 2"},
    {.line = "clash ../in/tree.bvp -q -j 1 -r o.glb"},
    {.line = "clash ../in/tree.bvp -q -j 1 -r - --contacts"},
    {.line = "clash ../in/tree.bvp -j 1 --rules ../in/rules.json --baseline ../in/old.jsonl -r "
             "o.jsonl"},
    {.line = "clash ../in/thin.bvp -q -j 1 --exclude Cube*:Ring* --same-assembly -r o.csv"},
    {.line = "diff ../in/tree.bvp ../in/tree2.bvp"},
    {.line = "diff ../in/tree.bvp ../in/tree2.bvp --json --all"},
    {.line = "help clash"},
    {.line = "--version"},
};
enum { CASE_COUNT = sizeof cases / sizeof cases[0] };

static const char *const kind_names[FAULT_KIND_COUNT] = {"none",  "alloc",     "call",
                                                         "short", "interrupt", "kill"};

/* ---- one run ------------------------------------------------------------------------------------
 */

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

/* In the current folder, which is made as it was before. */
static result run(const verb_case *v, const fault_plan *plan)
{
    result r = {0};
    request q = {v, memfd_create("out", MFD_CLOEXEC), memfd_create("err", MFD_CLOEXEC)};
    char given[64];
    folder_empty(".", 0);
    if (v->given) {
        snprintf(given, sizeof given, "../in/%s", v->given);
        folder_copy(given, "parts");
    }
    r.end = fault_run(plan, run_verb, &q);
    r.out = take_text(q.out, &r.out_size);
    r.err = take_text(q.err, &r.err_size);
    r.files = folder_read(".");
    return r;
}

static void free_result(result *r)
{
    free(r->out);
    free(r->err);
    folder_free(&r->files);
}

/* ---- what must hold -----------------------------------------------------------------------------
 */

/* A record of the store says when its source was written to; a state is there for the next run. */
static int is_own(const char *path)
{
    return strstr(path, "/sources/") != NULL || strcmp(path, "o.state") == 0;
}

static int is_equal(const folder_file *a, const folder_file *b)
{
    return a && b && a->size == b->size && memcmp(a->data, b->data, a->size) == 0;
}

/* A file that is not as it is at the end of a run without faults; or one that is missing. */
static const char *odd_file(const result *r, const result *whole, int must_be_all)
{
    for (size_t i = 0; i < r->files.count; i++) {
        const folder_file *f = &r->files.files[i];
        if (!is_own(f->path) && !is_equal(f, folder_find(&whole->files, f->path)))
            return f->path;
    }
    for (size_t i = 0; i < whole->files.count && must_be_all; i++)
        if (!is_own(whole->files.files[i].path) &&
            !folder_find(&r->files, whole->files.files[i].path))
            return whole->files.files[i].path;
    return NULL;
}

/* What is wrong with a run, or NULL. */
static const char *judge(const verb_case *v, const result *r, const result *whole,
                         const fault_plan *plan)
{
    static char words[PATH_MAX + 64];
    const int status = r->end.status, expected = WEXITSTATUS(whole->end.status);
    const char *odd;
    if (plan->kind == FAULT_KILL && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
        return odd_file(r, whole, 0) ? "killed: a file is left" : NULL;
    if (WIFSIGNALED(status)) {
        snprintf(words, sizeof words, "CRASH: %s", strsignal(WTERMSIG(status)));
        return words;
    }
    const int code = WEXITSTATUS(status);
    if (code == expected) {
        if (!v->has_time &&
            (r->out_size != whole->out_size || memcmp(r->out, whole->out, r->out_size) != 0))
            return "exit code as ever, another text on standard output";
        odd = odd_file(r, whole, 1);
        snprintf(words, sizeof words, "exit code as ever, another file: %s", odd ? odd : "");
        return odd ? words : NULL;
    }
    odd = odd_file(r, whole, 0);
    if (odd) {
        snprintf(words, sizeof words, "exit code %d, and it leaves %s", code, odd);
        return words;
    }
    if (r->err_size == 0)
        return "fails without a message";
    if (code < 2 || code > 7 || (plan->kind == FAULT_ALLOC && code != 6 && code != 7)) {
        snprintf(words, sizeof words, "exit code %d", code);
        return words;
    }
    if (plan->kind == FAULT_SHORT)
        return "fails because a call did less than was asked";
    return NULL;
}

/* ---- the loop -----------------------------------------------------------------------------------
 */

typedef struct settings {
    uint64_t runs; /* most of a case and a way to fail; 0: one for each call */
    const char *only, *kind;
    uint64_t at;
    int shows;
} settings;

typedef struct totals {
    uint64_t runs[FAULT_KIND_COUNT], wrong, codes[256], crashes;
} totals;

static void report(const verb_case *v, const fault_plan *plan, const char *what, const result *r)
{
    printf("FAIL %s: %s %llu%s%s%s: %s\n", v->line, kind_names[plan->kind],
           (unsigned long long)plan->at, r->end.name[0] ? " " : "", r->end.name,
           plan->persists ? " and all after" : "", what);
    printf("  %.*s\n", (int)strcspn(r->err, "\n"), r->err);
}

static void try_one(const settings *set, const verb_case *v, const result *whole,
                    const fault_plan *plan, totals *t)
{
    result r = run(v, plan);
    const char *what = judge(v, &r, whole, plan);
    t->runs[plan->kind]++;
    t->codes[WIFEXITED(r.end.status) ? WEXITSTATUS(r.end.status) : 255]++;
    t->crashes += plan->kind != FAULT_KILL && WIFSIGNALED(r.end.status);
    t->wrong += what != NULL;
    if (what)
        report(v, plan, what, &r);
    if (set->shows)
        printf("%s %llu: status %#x\n%s%s", kind_names[plan->kind], (unsigned long long)plan->at,
               (unsigned)r.end.status, r.err, r.out);
    free_result(&r);
}

/* How many calls of this kind the case makes. */
static uint64_t count_of(const verb_case *v, fault_kind kind)
{
    const fault_plan plan = {.kind = kind};
    result r = run(v, &plan);
    const uint64_t seen = r.end.seen;
    free_result(&r);
    return seen;
}

static void try_kind(const settings *set, const verb_case *v, const result *whole, fault_kind kind,
                     totals *t)
{
    const uint64_t count = count_of(v, kind);
    const uint64_t most = set->runs > 0 && set->runs < count ? set->runs : count;
    const int both = kind != FAULT_INTERRUPT && kind != FAULT_KILL;
    for (uint64_t i = 0; i < most; i++)
        for (int persists = 0; persists <= both; persists++) {
            /* spread over all of them, other ones for each way */
            const uint64_t at = 1 + (i * count + (uint64_t)persists * count / 2 % count) / most;
            const fault_plan plan = {kind, at <= count ? at : count, persists};
            if (set->at == 0 || set->at == plan.at)
                try_one(set, v, whole, &plan, t);
        }
}

static void try_case(const settings *set, const verb_case *v, int has_calls, totals *t)
{
    const fault_plan none = {0};
    result whole = run(v, &none);
    if (!WIFEXITED(whole.end.status) || WEXITSTATUS(whole.end.status) != 0) {
        report(v, &none, "fails without any fault", &whole);
        t->wrong++;
    }
    for (int kind = FAULT_ALLOC; kind < FAULT_KIND_COUNT; kind++)
        if ((kind == FAULT_ALLOC || has_calls) &&
            (!set->kind || strcmp(set->kind, kind_names[kind]) == 0))
            try_kind(set, v, &whole, (fault_kind)kind, t);
    free_result(&whole);
}

static int make_folder(char path[PATH_MAX])
{
    const char *base = getenv("TMPDIR");
    if (!base || !base[0])
        base = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    snprintf(path, PATH_MAX, "%s/faults.XXXXXX", base);
    if (!mkdtemp(path) || chdir(path) != 0 || mkdir("in", 0777) != 0 || mkdir("out", 0777) != 0 ||
        chdir("in") != 0 || inputs_make() != 0)
        return -1;
    return chdir("../out");
}

static int parse(settings *set, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        if (strcmp(argv[i], "--show") == 0)
            set->shows = 1;
        else if (strcmp(argv[i], "--runs") == 0)
            set->runs = strtoull(value, NULL, 10), i++;
        else if (strcmp(argv[i], "--at") == 0)
            set->at = strtoull(value, NULL, 10), i++;
        else if (strcmp(argv[i], "--case") == 0)
            set->only = value, i++;
        else if (strcmp(argv[i], "--kind") == 0)
            set->kind = value, i++;
        else
            return -1;
    }
    return 0;
}

int main(int argc, char **argv)
{
    settings set = {.runs = 2, .kind = "alloc"};
    totals t = {0};
    char path[PATH_MAX];
    setenv("SOURCE_DATE_EPOCH", "1700000000", 1);
    if (parse(&set, argc, argv) != 0)
        return 2;
    const char *missing = failing_calls_missing();
    if (missing)
        printf("system calls are left out: %s\n", missing);
    fflush(stdout);
    if (make_folder(path) != 0)
        return 99;
    for (size_t i = 0; i < CASE_COUNT; i++) {
        if (!set.only || strstr(cases[i].line, set.only))
            try_case(&set, &cases[i], missing == NULL, &t);
        fflush(stdout);
    }
    if (chdir("/") == 0)
        folder_empty(path, 1);
    for (int kind = FAULT_ALLOC; kind < FAULT_KIND_COUNT; kind++)
        printf("%s: %llu runs\n", kind_names[kind], (unsigned long long)t.runs[kind]);
    for (int code = 0; code < 256; code++)
        if (t.codes[code] > 0)
            printf("exit code %d: %llu\n", code, (unsigned long long)t.codes[code]);
    printf("%llu wrong, of these %llu crashes\n", (unsigned long long)t.wrong,
           (unsigned long long)t.crashes);
    return t.wrong > 0;
}

#if defined(__SANITIZE_ADDRESS__)
/* A process that is watched can't look for leaks; those of the functions are counted. */
const char *__asan_default_options(void)
{
    return "detect_leaks=0:allocator_may_return_null=1";
}
#endif
