/* SPDX-License-Identifier: MIT
 * functions.c: each public function with an allocation or a system call that fails, the k-th alone
 * and from the k-th on, for all k: no crash, no other answer, nothing that is not freed; a status
 * that says what failed, with words; a file complete or not there. Options: loop.h.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "answer.h"
#include "failing.h"
#include "function_cases.h"
#include "inputs.h"
#include "left.h"
#include "loop.h"

/* ---- one run --------------------------------------------------------------------------------- */

typedef struct result {
    fault_end end;
    answer answer;
    folder files;
} result;

static int run_case(void *user)
{
    const function_case *c = user;
    return c->ask() != 0;
}

/* In the current folder as it is. */
static result run(const function_case *c, const fault_plan *plan)
{
    result r = {.answer = {.status = BVP_OK}};
    *shared = (answer){.status = BVP_OK, .digest = UINT64_C(0xcbf29ce484222325)};
    function_cases_empty_sink();
    r.end = fault_run(plan, run_case, (void *)c);
    function_cases_note_sink();
    r.answer = *shared;
    r.files = folder_read(".");
    return r;
}

static result run_anew(const function_case *c, const fault_plan *plan)
{
    left_prepare(c->old);
    return run(c, plan);
}

/* ---- what must hold -------------------------------------------------------------------------- */

static const char *judge_failure(const result *r, const fault_plan *plan)
{
    const answer *a = &r->answer;
    static char words[256];
    if (a->status != BVP_ERR_NO_MEMORY && a->status != BVP_ERR_SYSTEM) {
        snprintf(words, sizeof words, "%s says: %s", a->where, bvp_status_name(a->status));
        return words;
    }
    if (a->has_error && (a->error.status != a->status || a->error.message[0] == '\0'))
        return "fails without a word about it";
    if (plan->kind == FAULT_ALLOC && a->status == BVP_ERR_SYSTEM && a->has_error &&
        a->error.sys_errno != ENOMEM)
        return "takes missing memory for something else";
    return plan->kind == FAULT_SHORT ? "fails because a call did less than was asked" : NULL;
}

static const char *judge(const function_case *c, const result *r, const result *whole,
                         const fault_plan *plan)
{
    static char words[256];
    const char *odd;
    if (WIFSIGNALED(r->end.status)) {
        snprintf(words, sizeof words, "CRASH: %s", strsignal(WTERMSIG(r->end.status)));
        return words;
    }
    if (failing_alloc_is_own && !c->has_threads && plan->kind <= FAULT_ALLOC &&
        r->end.leaked != 0) {
        snprintf(words, sizeof words, "%lld blocks are not freed", (long long)r->end.leaked);
        return words;
    }
    if (WEXITSTATUS(r->end.status) == 0) {
        if (r->answer.digest != whole->answer.digest)
            return "no failure, another answer";
        odd = left_odd(&r->files, &whole->files, c->old, LEFT_WHOLE);
        snprintf(words, sizeof words, "no failure, another file: %s", odd ? odd : "");
        return odd ? words : NULL;
    }
    odd = left_odd(&r->files, &whole->files, c->old, LEFT_SOME);
    if (odd) {
        snprintf(words, sizeof words, "fails, and leaves %s", odd);
        return words;
    }
    return judge_failure(r, plan);
}

/* A kill leaves no half file of a final name; the same again leaves nothing else. */
static const char *judge_killed(const function_case *c, const result *r, const result *whole,
                                fault_place place)
{
    const fault_plan none = {.kind = FAULT_NONE, .place = place};
    if (left_odd(&r->files, &whole->files, c->old, LEFT_KILLED))
        return "killed: half a file is left";
    result next = run(c, &none);
    const char *what = judge(c, &next, whole, &none);
    folder_free(&next.files);
    return what;
}

/* ---- the loop -------------------------------------------------------------------------------- */

typedef struct trial {
    const fault_loop *loop;
    const function_case *function;
    const result *whole;
    fault_totals totals;
    uint64_t failed, killed;
} trial;

static void report(const trial *t, const fault_plan *plan, const char *what, const result *r)
{
    fault_report(t->function->name, plan, &r->end, what);
    if (r->answer.status != BVP_OK)
        printf("  %s: %s: %s\n", r->answer.where, bvp_status_name(r->answer.status),
               r->answer.error.message);
}

static int is_right(void *user, const fault_plan *plan)
{
    trial *t = user;
    result r = run_anew(t->function, plan);
    const int is_killed = plan->kind == FAULT_KILL && WIFSIGNALED(r.end.status);
    t->failed += WIFEXITED(r.end.status) && WEXITSTATUS(r.end.status) != 0;
    t->killed += is_killed;
    const char *what = is_killed ? judge_killed(t->function, &r, t->whole, plan->place)
                                 : judge(t->function, &r, t->whole, plan);
    if (what || t->loop->shows)
        report(t, plan, what ? what : "right", &r);
    folder_free(&r.files);
    return what == NULL;
}

static uint64_t count_calls(void *user, const fault_plan *plan)
{
    const trial *t = user;
    result r = run_anew(t->function, plan);
    const uint64_t seen = r.end.seen;
    folder_free(&r.files);
    return seen;
}

/* Functions start no other program, and only those that write a file give it a name. */
static int has_place(void *user, fault_kind kind, fault_place place)
{
    const trial *t = user;
    const int is_file = t->whole->files.count > 0 && (kind == FAULT_CALL || kind == FAULT_KILL);
    return place == FAULT_HERE || (place == FAULT_NAMED && is_file);
}

static void try_case(trial *t, const function_case *c)
{
    const fault_case each = {
        c->name, (uint64_t)(c - function_cases), has_place, count_calls, is_right, t};
    const fault_plan none = {.kind = FAULT_NONE};
    result whole = run_anew(c, &none);
    const char *what = whole.end.status != 0 ? "fails without any fault" : NULL;
    t->function = c;
    t->whole = &whole;
    if (!what)
        what = judge(c, &whole, &whole, &none);
    if (what) {
        report(t, &none, what, &whole);
        t->totals.wrong++;
    }
    fault_try_case(t->loop, &each, &t->totals);
    folder_free(&whole.files);
}

int main(int argc, char **argv)
{
    fault_loop loop = {.runs = 2};
    trial t = {.loop = &loop};
    char path[PATH_MAX];
    if (fault_begin(&loop, argc, argv) != 0)
        return 2;
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED || inputs_enter(path) != 0)
        return 99;
    function_cases_begin();
    for (size_t i = 0; i < function_case_count; i++) {
        if (!loop.only || strstr(function_cases[i].name, loop.only))
            try_case(&t, &function_cases[i]);
        fflush(stdout);
    }
    if (chdir("/") == 0)
        folder_empty(path, 1);
    fault_print_runs(&t.totals);
    printf("%llu failed, %llu killed; %llu wrong\n", (unsigned long long)t.failed,
           (unsigned long long)t.killed, (unsigned long long)t.totals.wrong);
    return t.totals.wrong > 0;
}
