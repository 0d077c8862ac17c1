/* SPDX-License-Identifier: MIT
 * issue_status.h: what people have come to about an issue, in our words and in those of BIM tools.
 */
#ifndef ISSUE_STATUS_H
#define ISSUE_STATUS_H

typedef enum issue_status {
    ISSUE_NEW,      /* nobody has looked at it */
    ISSUE_ACTIVE,   /* somebody works on it */
    ISSUE_REVIEWED, /* it has been looked at, and is yet to be solved */
    ISSUE_APPROVED, /* it may stay as it is */
    ISSUE_RESOLVED, /* said to be solved; the next run shows whether it is */
    ISSUE_STATUS_COUNT
} issue_status;

/* "new|active|reviewed|approved|resolved", for an option's table. */
#define ISSUE_STATUS_WORDS "new|active|reviewed|approved|resolved"

const char *issue_status_name(issue_status status);
/* The status of one of our names; ISSUE_STATUS_COUNT: it is none. */
issue_status issue_status_of(const char *name);

/* The TopicStatus that BCF files get. */
const char *issue_status_topic(issue_status status);
/* What a tool's word for it means to us: "In Progress" is active, "Closed" is resolved. Case,
 * blanks and hyphens do not matter. ISSUE_STATUS_COUNT: nobody knows. */
issue_status issue_status_meant(const char *word);

#endif
