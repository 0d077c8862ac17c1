/* SPDX-License-Identifier: MIT
 * clash_run.c: runs the query, keeps what it finds, and passes that to the reports in the order of
 * its severity. With a state file pairs come from that file at the end. A signal or --timeout ends
 * the query; complete results are still written.
 *
 * A share has the first of these phases only; a merge has all but the query, whose pairs the shares
 * hold. The phases stand in clash_run_all: resume, query, deliver, compare, put in order, sum up,
 * end the reports. All pairs of the instances in front of summary.done are complete; a mark repeats
 * that in the state file, and a later run of the same command starts there. The library calls back
 * in the order of the pairs, one call at a time, whatever the number of threads, so nothing here
 * takes a lock.
 */
#include "clash/clash_job.h"

#include <assert.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include "text/hex.h"
#include "text/message.h"
#include "cli/timeout.h"

static const double mark_after = 0.05; /* seconds: a mark costs some microseconds */

/* ---- signals ------------------------------------------------------------------------------- */

static volatile sig_atomic_t stop_asked;
static struct sigaction earlier[2]; /* what they did before */
static const int stopping[2] = {SIGINT, SIGTERM};

/* The first signal requests the end; a second one has its default effect. */
static void ask_to_stop(int signal_number)
{
    stop_asked = 1;
    sigaction(signal_number, &earlier[signal_number == SIGTERM], NULL);
}

/* ---- rows ---------------------------------------------------------------------------------- */

static uint32_t part_of(const instance_tree *t, uint32_t instance)
{
    bvp_instance_info info;
    return bvp_get_instance(t->file, instance, &info) == BVP_OK ? info.part : BVP_NONE;
}

/* A clash_pair_fn: one pair, in the order of instances. */
static int deliver(void *user, const bvp_clash_pair *pair)
{
    clash_job *j = user;
    const int rule = clash_rules_match(&j->rules, pair->a, pair->b);
    assert((unsigned)pair->verdict < BVP_VERDICT_COUNT);
    /* "allow" forgives contacts; what penetrates deeper than the rule's overlap is no contact */
    if (rule >= 0 && j->rules.rules[rule].action == CLASH_ALLOW &&
        (pair->verdict == BVP_VERDICT_WITHIN || pair->verdict == BVP_VERDICT_TOUCHING)) {
        j->summary.allowed_count++;
        return 0;
    }
    clash_found found = {.rule = rule, .past_issue = BVP_NONE};
    clash_rows_id(&j->rows, pair->a, pair->b, found.id);
    if (j->set->baseline) {
        /* also of a pair that is not reported: it is not resolved */
        clash_met met = {BVP_VERDICT_CLEAR, BVP_NONE};
        found.known = (uint8_t)clash_baseline_meet(&j->baseline, pair->a, pair->b, found.id, &met);
        found.was = (uint8_t)met.was;
        found.past_issue = met.issue;
    }
    if (!clash_filter_takes(&j->filter, pair, &j->summary.filtered)) {
        if (found.past_issue != BVP_NONE)
            j->unreported[found.past_issue] = 1;
        return 0;
    }
    j->summary.unsettled_count += strcmp(clash_tolerance_settled(&j->tolerance, pair), "no") == 0;
    if (j->set->baseline)
        *(found.known ? &j->summary.persistent_count : &j->summary.new_count) += 1;
    /* within one file a group is an unordered pair of parts; a zone counts as a part of its own */
    const uint32_t a = part_of(j->a, pair->a);
    const uint32_t b = j->zones.count > 0 ? pair->b : part_of(j->b, pair->b);
    const int swapped = j->a == j->b && a > b;
    clash_groups_count(&j->groups, swapped ? b : a, swapped ? a : b);
    j->code = clash_kept_add(&j->kept, &found, pair);
    return j->code;
}

clash_row *clash_row_of(clash_job *j, const clash_found *found, bvp_clash_pair *pair)
{
    if (clash_kept_read(&j->kept, found, pair) != 0)
        return NULL;
    const char *rule = found->rule >= 0 ? j->rules.rules[found->rule].name : "";
    clash_row *row = clash_rows_make(&j->rows, pair, rule);
    if (!row)
        return NULL;
    row->state = !j->set->baseline ? "" : found->known ? "persistent" : "new";
    row->was = found->known ? bvp_verdict_name((bvp_verdict)found->was) : "";
    row->settled = clash_tolerance_settled(&j->tolerance, pair);
    hex_text(found->id, sizeof found->id, row->id); /* perhaps the baseline's */
    return row;
}

/* Of the issue of these pairs. */
static const char *state_of(const clash_job *j, uint32_t first, uint32_t end)
{
    int is_new = 0, is_known = 0;
    for (uint32_t i = first; i < end && j->set->baseline; i++) {
        const clash_found *found = &j->kept.items[j->gathered.order[i]];
        is_new |= !found->known;
        is_known |= found->known;
    }
    return is_new && is_known ? "grown" : is_new ? "new" : is_known ? "persistent" : "";
}

/* What people have said about the issue. */
static void add_said(const clash_job *j, clash_issue *issue)
{
    issue->status = issue->assignee = "";
    if (!j->run.issues)
        return;
    const issue_record said = issue_log_find(j->run.issues, issue->id);
    const int is_reopened = said.status == ISSUE_RESOLVED && issue->number > 0;
    issue->status = is_reopened ? "reopened" : issue_status_name(said.status);
    issue->assignee = said.assignee;
}

/* Counts what people have said, and what a run fails for. Who has approved an issue has not seen
 * the pairs that it got since; these are only known where there is a baseline. */
static void count_findings(clash_job *j)
{
    const clash_gathered *g = &j->gathered;
    clash_summary *s = &j->summary;
    for (uint32_t i = 0; i < g->issue_count; i++) {
        char id[ISSUE_ID_SIZE];
        issue_record said = {.status = ISSUE_NEW};
        hex_text(g->ids[i], 16, id);
        if (j->run.issues)
            said = issue_log_find(j->run.issues, id);
        s->said[said.status]++;
        for (uint32_t k = g->first[i]; k < g->first[i + 1]; k++) {
            const clash_found *found = &j->kept.items[g->order[k]];
            const int is_excused = said.status == ISSUE_APPROVED && !j->set->baseline;
            if (found->verdict == BVP_VERDICT_TOUCHING || found->known)
                continue;
            s->approved_pairs += (uint64_t)is_excused;
            j->findings += (uint64_t)!is_excused;
        }
    }
}

int clash_issue_of(clash_job *j, uint32_t number, clash_issue *out)
{
    const clash_gathered *g = &j->gathered;
    const clash_trees trees = {j->a, j->b, j->run.placement_b, j->set->places ? &j->places : NULL};
    char clearance[64];
    bvp_clash_pair pair;
    int code = clash_kept_read(&j->kept, &j->kept.items[g->order[g->first[number]]], &pair);
    if (code != 0)
        return code;
    snprintf(clearance, sizeof clearance, "%.4g%s%.16s", pair.limits.clearance,
             j->run.unit[0] ? " " : "", j->run.unit);
    code = clash_gather_issue(&j->gathered, &j->kept, &trees, number, clearance, out);
    out->state = state_of(j, g->first[number], g->first[number + 1]);
    if (g->past_of[number] != BVP_NONE)
        out->resolved_count = j->resolved_of[g->past_of[number]];
    add_said(j, out);
    return code;
}

/* Gives the reports the pairs of an issue. */
static int give_issue(clash_job *j, uint32_t number)
{
    const clash_gathered *g = &j->gathered;
    const uint32_t first = g->first[number], end = g->first[number + 1];
    clash_issue issue;
    bvp_clash_pair pair;
    int code = clash_issue_of(j, number, &issue);
    for (uint32_t i = first; i < end && code == 0; i++) {
        clash_row *row = clash_row_of(j, &j->kept.items[g->order[i]], &pair);
        if (!row)
            return EXIT_LIMIT;
        row->issue = &issue;
        row->begins_issue = i == first;
        row->is_turned = clash_gather_is_turned(g, g->order[i]);
        code = clash_outputs_row(&j->outputs, row);
    }
    return code;
}

/* Puts all that was found in order, and gives the most severe of it to the reports. */
static int give_rows(clash_job *j)
{
    clash_summary *s = &j->summary;
    const clash_trees trees = {j->a, j->b, j->run.placement_b, j->set->places ? &j->places : NULL};
    const clash_past_issues past = {(const uint8_t(*)[16])j->baseline.issues,
                                    j->baseline.issue_count};
    const clash_gathered *g = &j->gathered;
    int code = clash_kept_sort(&j->kept);
    code = code ? code : clash_gather(&j->gathered, &j->kept, &trees, &past);
    if (code != 0)
        return code;
    count_findings(j);
    const uint64_t top = j->set->top > 0 ? j->set->top : UINT64_MAX;
    s->issue_count = g->issue_count < top ? g->issue_count : top;
    s->row_count = g->first[s->issue_count];
    s->filtered.by_top = j->kept.count - s->row_count;
    for (uint64_t i = 0; i < s->row_count; i++)
        j->shown[j->kept.items[g->order[i]].verdict]++;
    for (uint32_t i = 0; i < s->issue_count && j->outputs.count > 0 && code == 0; i++)
        code = give_issue(j, i);
    return code;
}

/* A clash_past_fn: a pair of the baseline that this run has not found. Is it resolved? */
static int judge_past(void *user, const clash_past *past)
{
    clash_job *j = user;
    const int is_matched = j->baseline.past != NULL;
    const uint32_t a = is_matched ? past->instance_a : instance_tree_find(j->a, past->a);
    const uint32_t b = is_matched ? past->instance_b : instance_tree_find(j->b, past->b);
    const int index = a != BVP_NONE && b != BVP_NONE ? clash_rules_match(&j->rules, a, b) : -1;
    const clash_rule *rule = index >= 0 ? &j->rules.rules[index] : NULL;
    const double clearance = rule && !isnan(rule->limits.clearance)
                                 ? rule->limits.clearance
                                 : clash_zones_clearance(&j->zones, b, j->run.limits.clearance);
    /* It cannot be called resolved when a rule excludes it from the report, or when it may be
     * farther apart than this run searches. */
    if ((rule && rule->action != CLASH_LIMITS) ||
        past->distance > fmax(clearance, j->run.limits.touch_gap)) {
        j->summary.hidden_count++;
        clash_baseline_hide(&j->baseline, past);
        return 0;
    }
    j->summary.resolved_count++;
    if (past->issue_number != BVP_NONE)
        j->resolved_of[past->issue_number]++;
    return 0;
}

/* Decides of all pairs that only the baseline has. They are found by their paths, if not by what
 * has been matched. */
static int compare(clash_job *j)
{
    int code = 0;
    if (!j->baseline.past)
        code = instance_tree_index(&j->trees[0]);
    if (code == 0 && !j->baseline.past && j->a != j->b)
        code = instance_tree_index(&j->trees[1]);
    return code ? code : clash_baseline_rest(&j->baseline, judge_past, j);
}

/* A clash_past_fn: a pair that is resolved. */
static int deliver_resolved(void *user, const clash_past *past)
{
    clash_job *j = user;
    clash_issue issue = {.title = past->issue_title, .where = "", .state = "resolved"};
    clash_row *row = clash_rows_resolved(&j->rows, past);
    if (past->issue_number != BVP_NONE) {
        const uint32_t heir = j->gathered.heirs[past->issue_number];
        snprintf(issue.id, sizeof issue.id, "%s", past->issue);
        issue.number = heir != BVP_NONE                    ? (uint64_t)heir + 1
                       : j->unreported[past->issue_number] ? UINT64_MAX
                                                           : 0;
        issue.resolved_count = j->resolved_of[past->issue_number];
        add_said(j, &issue);
        row->was_in = &issue;
    }
    j->code = clash_outputs_row(&j->outputs, row);
    return j->code;
}

/* ---- the query ----------------------------------------------------------------------------- */

static int take_pair(void *user, const bvp_clash_pair *pair)
{
    clash_job *j = user;
    if (j->set->incremental)
        return j->code = clash_journal_add(&j->journal, pair);
    if (!j->set->state && j->shard.count == 0)
        return deliver(j, pair);
    j->code = j->set->state ? clash_state_add(&j->state, pair) : clash_share_add(&j->share, pair);
    return j->code;
}

/* How many of the run's instances are in front of `done`. */
static uint32_t count_done(const clash_job *j, uint32_t done)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < j->range_count; i++) {
        const bvp_clash_range *r = &j->ranges[i];
        count += done >= r->end ? r->end - r->first : done > r->first ? done - r->first : 0;
    }
    return j->shard.count > 0 ? count : done;
}

/* The run is complete up to `done`. */
static void note_progress(clash_job *j, uint32_t done, const bvp_clash_coverage *coverage)
{
    j->summary.done = done;
    j->summary.coverage = j->before;
    j->summary.coverage.box_pairs += coverage->box_pairs;
    j->summary.coverage.excluded += coverage->excluded;
    for (int v = 0; v < BVP_VERDICT_COUNT; v++)
        j->summary.coverage.verdicts[v] += coverage->verdicts[v];
}

/* Uses are counted by buckets of instances, so a mark is written only between two buckets. */
static int mark(clash_job *j)
{
    const uint32_t done = j->summary.done;
    assert(done <= j->summary.total);
    if (done == j->counted_to || (done % CLASH_BUCKET != 0 && done != j->summary.total))
        return 0;
    clash_rules_count(&j->rules, j->counted_to, done, j->use_sums);
    j->counted_to = done;
    if (!j->set->state)
        return 0;
    const clash_mark mark = {done, j->summary.total, j->summary.coverage, 0};
    memcpy(j->state.uses, j->use_sums, j->rules.rule_count * sizeof *j->use_sums);
    return clash_state_mark(&j->state, &mark);
}

static int take_progress(void *user, uint32_t done, uint32_t total,
                         const bvp_clash_coverage *coverage)
{
    clash_job *j = user;
    note_progress(j, done, coverage);
    progress_update(&j->bar, "clash", count_done(j, done),
                    j->shard.count > 0 ? j->own_count : total);
    if (seconds_now() - j->marked > mark_after) {
        j->code = mark(j);
        j->marked = seconds_now();
    }
    j->stopped = stop_asked && done < total;
    return j->code != 0 || j->stopped;
}

/* A bvp_clash_rule_fn. By default a pair's own triangles say what they leave open, and a zone may
 * have a clearance of its own; rules then say otherwise. What the last run has asked is left out,
 * too. */
static int decide(void *user, uint32_t a, uint32_t b, bvp_clash_limits *limits)
{
    clash_job *j = user;
    limits->clearance = clash_zones_clearance(&j->zones, b, limits->clearance);
    if (j->zones.count == 0 && clash_tolerance_decides(&j->tolerance)) {
        const double gap = clash_tolerance_gap(&j->tolerance, a, b);
        if (j->tolerance.sets_touch)
            limits->touch_gap = gap;
        if (j->tolerance.sets_overlap)
            limits->overlap = gap;
    }
    return clash_rules_apply(&j->rules, a, b, limits) ||
           clash_journal_meet(&j->journal, a, b, limits);
}

/* Nonzero: all pairs are asked, with the run's limits. */
static int asks_all(const clash_job *j)
{
    return !clash_rules_decide(&j->rules) && !clash_tolerance_decides(&j->tolerance) &&
           j->zones.count == 0 && !j->set->incremental;
}

/* What is asked, and of what; `control` is the caller's. */
static bvp_clash_options set_up(clash_job *j, const bvp_control *control, bvp_clash_scene *scene)
{
    const clash_settings *set = j->set;
    bvp_clash_options options = {
        .limits = j->run.limits,
        .reach = clash_rules_reach(&j->rules, &j->run.limits),
        .detail = (set->contacts ? set->fast ? BVP_CLASH_FAST_CONTACTS : BVP_CLASH_CONTACTS
                   : set->fast   ? BVP_CLASH_VERDICTS
                                 : BVP_CLASH_DISTANCE),
        .thread_count = (uint32_t)set->jobs,
        .rule = asks_all(j) ? NULL : decide,
        .rule_user = j,
        .first_instance = j->summary.done,
        .progress = take_progress,
        .progress_user = j,
        .control = control};
    *scene = (bvp_clash_scene){
        .a = j->run.file_a, .b = j->run.file_b, .placement_b = j->run.placement_b};
    if (j->zones.count > 0) {
        scene->b = NULL;
        options.zones = &j->zones.array;
        options.reach = clash_zones_reach(&j->zones, options.reach);
    }
    return options;
}

static int ask(clash_job *j)
{
    bvp_error error = {0};
    bvp_clash_coverage coverage = {0};
    bvp_clash_scene scene;
    const bvp_control control = {.cancel = &stop_asked};
    const bvp_const_array ranges = {j->ranges, 0, j->range_count};
    bvp_clash_options options = set_up(j, &control, &scene);
    if (j->shard.count > 0)
        options.ranges = &ranges;
    const bvp_status status = bvp_clash(&scene, &options, take_pair, j, &coverage, &error);
    progress_stop(&j->bar);
    if (j->code != 0)
        return j->code;
    j->stopped = j->stopped || status == BVP_ERR_CANCELLED;
    if (status != BVP_OK && !j->stopped)
        return complain_status(j->run.path_a, status, &error);
    if (!j->stopped)
        note_progress(j, j->summary.total, &coverage);
    return mark(j);
}

/* ---- the whole ----------------------------------------------------------------------------- */

/* Instances of parts with open edges, for which enclosure cannot always be decided. */
static int count_open(const instance_tree *t, uint64_t *count)
{
    uint8_t *is_open = calloc((size_t)t->info.part_count + 1, 1);
    bvp_part_info part;
    if (!is_open)
        return complain_memory();
    for (uint32_t p = 0; p < t->info.part_count; p++)
        is_open[p] = bvp_get_part(t->file, p, &part) == BVP_OK && part.open_edge_count > 0;
    for (uint32_t i = 0; i < t->info.instance_count; i++) {
        const uint32_t p = part_of(t, i);
        *count += p < t->info.part_count && is_open[p];
    }
    free(is_open);
    return 0;
}

/* Continues at the last mark of a killed run. */
static void resume(clash_job *j)
{
    const clash_mark *last = &j->state.mark;
    j->summary.total = j->a->info.instance_count;
    if (j->set->state && last->done != 0) {
        j->summary.done = j->counted_to = last->done;
        j->before = j->summary.coverage = last->coverage;
        memcpy(j->use_sums, j->state.uses, j->rules.rule_count * sizeof *j->use_sums);
    }
}

static void watch_signals(void)
{
    const struct sigaction action = {.sa_handler = ask_to_stop, .sa_flags = SA_RESTART};
    timeout_ask(&stop_asked);
    for (int i = 0; i < 2; i++)
        if (sigaction(stopping[i], NULL, &earlier[i]) == 0 && earlier[i].sa_handler != SIG_IGN)
            sigaction(stopping[i], &action, NULL);
}

/* Everything that the state holds. The last mark may be behind where a stopped run came. */
static int give_state(clash_job *j, clash_pair_fn give, void *user)
{
    const clash_mark *last = &j->state.mark;
    j->summary.done = last->done;
    j->summary.coverage = last->coverage;
    memcpy(j->use_sums, j->state.uses, j->rules.rule_count * sizeof *j->use_sums);
    return clash_state_each(&j->state, give, user);
}

/* A clash_pair_fn. */
static int write_pair(void *user, const bvp_clash_pair *pair)
{
    return clash_share_add(user, pair);
}

static int choose_ranges(clash_job *j)
{
    const bvp_control control = {.cancel = &stop_asked};
    bvp_clash_scene scene;
    bvp_error error = {0};
    const bvp_clash_options options = set_up(j, &control, &scene);
    const bvp_status status = bvp_clash_share(&scene, &options, j->shard.index - 1, j->shard.count,
                                              j->ranges, &j->range_count, &error);
    if (status != BVP_OK)
        return status == BVP_ERR_CANCELLED ? EXIT_STOPPED
                                           : complain_status(j->run.path_a, status, &error);
    for (uint32_t i = 0; i < j->range_count; i++)
        j->own_count += j->ranges[i].end - j->ranges[i].first;
    j->head.index = j->shard.index;
    j->head.count = j->shard.count;
    j->head.range_count = j->range_count;
    memcpy(j->head.ranges, j->ranges, sizeof j->head.ranges);
    return 0;
}

int clash_run_share(clash_job *j)
{
    resume(j);
    watch_signals();
    int code = choose_ranges(j);
    if (code == 0)
        code = clash_share_begin(&j->share, j->set->output, &j->head);
    if (code == 0 && (j->summary.done < j->summary.total || !j->set->state))
        code = ask(j);
    if (code == 0 && j->set->state)
        code = give_state(j, write_pair, &j->share);
    j->summary.complete = code == 0 && j->summary.done == j->summary.total;
    if (j->summary.complete)
        code = clash_share_end(&j->share, &j->summary.coverage, j->use_sums);
    else if (code == 0)
        code = EXIT_STOPPED;
    clash_share_discard(&j->share);
    j->seconds = seconds_now() - j->began;
    return code;
}

/* Everything that the machines have found, as if this one had. */
static int give_shares(clash_job *j)
{
    j->summary.done = j->summary.total;
    j->summary.coverage = j->shares.coverage;
    memcpy(j->use_sums, j->shares.uses, j->rules.rule_count * sizeof *j->use_sums);
    return clash_shares_each(&j->shares, deliver, j);
}

int clash_run_all(clash_job *j)
{
    const int from_state = j->set->state != NULL;
    assert(j->a == &j->trees[0] && (j->b == j->a || j->b == &j->trees[1]));
    resume(j);
    j->resolved_of = calloc((size_t)j->baseline.issue_count + 1, sizeof *j->resolved_of);
    j->unreported = calloc((size_t)j->baseline.issue_count + 1, 1);
    if (!j->resolved_of || !j->unreported)
        return complain_memory();
    int code = from_state ? clash_outputs_try(&j->set->reports)
                          : clash_outputs_begin(&j->outputs, &j->set->reports, &j->run);
    if (!j->set->merge)
        watch_signals();
    if (code == 0 && j->set->merge)
        code = give_shares(j);
    else if (code == 0 && (j->summary.done < j->summary.total || !from_state))
        code = ask(j);
    if (code == 0 && j->set->incremental) {
        code = clash_journal_merge(&j->journal, j->summary.done, &j->summary.coverage);
        for (size_t i = 0; i < j->journal.count && code == 0; i++)
            code = deliver(j, &j->journal.pairs[i]);
    }
    if (code == 0 && from_state) {
        code = clash_outputs_begin(&j->outputs, &j->set->reports, &j->run);
        code = code ? code : give_state(j, deliver, j);
    }
    if (code == 0) {
        clash_summary *s = &j->summary;
        assert(s->done <= s->total);
        s->complete = s->done == s->total;
        if (s->complete && j->set->baseline)
            code = compare(j);
    }
    if (code == 0)
        code = give_rows(j);
    if (code == 0) {
        clash_summary *s = &j->summary;
        s->coverage.instance_count = j->a->info.instance_count;
        s->coverage.open_count = 0;
        code = count_open(j->a, &s->coverage.open_count);
        if (code == 0 && j->a != j->b && j->zones.count == 0) {
            s->coverage.instance_count += j->b->info.instance_count;
            code = count_open(j->b, &s->coverage.open_count);
        }
        for (uint32_t i = 0; i < j->rules.rule_count; i++)
            j->uses[i] =
                (clash_rule_use){j->rules.rules[i].name,
                                 clash_action_name(j->rules.rules[i].action), j->use_sums[i]};
        s->rules = j->uses;
        s->rule_count = j->rules.rule_count;
        s->warnings = (const char *const *)j->rules.warnings;
        s->warning_count = j->rules.warning_count;
    }
    if (code == 0 && j->summary.complete && j->set->baseline)
        code = clash_baseline_rest(&j->baseline, deliver_resolved, j);
    if (code == 0)
        code = clash_outputs_end(&j->outputs, &j->summary);
    if (code == 0 && j->set->incremental && j->summary.complete)
        code = clash_journal_write(&j->journal);
    clash_outputs_discard(&j->outputs);
    j->seconds = seconds_now() - j->began;
    return code == 0 && !j->summary.complete ? EXIT_STOPPED : code;
}
