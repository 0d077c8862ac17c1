/* SPDX-License-Identifier: MIT
 * issue_status.c: what people have come to about an issue.
 *
 * BCF leaves the words for a topic's status to the project. The table has those of the tools that
 * people use beside this one, as far as they mean one thing: "Rejected" is an accepted clash in one
 * tool and a refused solution in another one, and so is in no list.
 */
#include "issues/issue_status.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

static const struct {
    const char *name, *topic;
    const char *words[16]; /* letters and digits alone, in lower case */
} table[ISSUE_STATUS_COUNT] = {
    [ISSUE_NEW] = {"new", "Open", {"new", "open", "opened", "unassigned", "untouched"}},
    [ISSUE_ACTIVE] = {"active",
                      "Active",
                      {"active", "inprogress", "inwork", "ongoing", "assigned", "started",
                       "reopened", "reopen", "reactivated", "unresolved", "wip", "pending"}},
    [ISSUE_REVIEWED] = {"reviewed",
                        "Reviewed",
                        {"reviewed", "inreview", "underreview", "review", "checked", "forreview"}},
    [ISSUE_APPROVED] = {"approved",
                        "Approved",
                        {"approved", "accepted", "ignored", "tolerated", "waived", "wontfix",
                         "notanissue", "noaction"}},
    [ISSUE_RESOLVED] = {"resolved",
                        "Resolved",
                        {"resolved", "closed", "done", "fixed", "solved", "completed", "complete",
                         "finished", "verified"}},
};

const char *issue_status_name(issue_status status)
{
    assert((unsigned)status < ISSUE_STATUS_COUNT);
    return table[status].name;
}

issue_status issue_status_of(const char *name)
{
    int s = 0;
    while (s < ISSUE_STATUS_COUNT && strcmp(table[s].name, name) != 0)
        s++;
    return (issue_status)s;
}

const char *issue_status_topic(issue_status status)
{
    assert((unsigned)status < ISSUE_STATUS_COUNT);
    return table[status].topic;
}

issue_status issue_status_meant(const char *word)
{
    char plain[32];
    size_t size = 0;
    for (; *word; word++) {
        const char lower = (char)(*word >= 'A' && *word <= 'Z' ? *word - 'A' + 'a' : *word);
        if (strchr(" _-'.\t\r\n", lower))
            continue;
        if (size + 1 == sizeof plain)
            return ISSUE_STATUS_COUNT;
        plain[size++] = lower;
    }
    plain[size] = '\0';
    for (int s = 0; s < ISSUE_STATUS_COUNT; s++)
        for (size_t i = 0; table[s].words[i]; i++)
            if (strcmp(plain, table[s].words[i]) == 0)
                return (issue_status)s;
    return ISSUE_STATUS_COUNT;
}
