/* SPDX-License-Identifier: MIT
 * issue_topic.c: an issue as a topic of BCF.
 */
#include "issues/issue_topic.h"

#include <string.h>

const char *issue_topic_status(const issue_record *record, int is_gone)
{
    /* what is approved stays so, should it come back */
    if (is_gone)
        return record->status == ISSUE_APPROVED ? issue_status_topic(ISSUE_APPROVED) : "Closed";
    if (record->status == ISSUE_RESOLVED)
        return "ReOpened";
    return record->word[0] ? record->word : issue_status_topic(record->status);
}

/* The bytes of a text that a mark has, up to `stop`. Cuts no character of UTF-8 in two. */
static const char *copy_plain(const char *from, char stop, int has_brackets,
                              char out[ISSUE_MARK_SIZE])
{
    size_t size = 0;
    for (; *from && *from != stop && size < ISSUE_NAME_MAX; from++) {
        const unsigned char c = (unsigned char)*from;
        const int is_blank = c <= ' ' || c == 0x7f;
        if ((!has_brackets && (c == '[' || c == ']')) ||
            (is_blank && (size == 0 || out[size - 1] == ' ')))
            continue;
        out[size++] = (char)(is_blank ? ' ' : c);
    }
    if (((unsigned char)*from & 0xc0) == 0x80) { /* within a character */
        while (size > 0 && ((unsigned char)out[size - 1] & 0xc0) == 0x80)
            size--;
        size -= size > 0;
    }
    size -= size > 0 && out[size - 1] == ' ';
    out[size] = '\0';
    return from;
}

void issue_topic_name(const char *text, char out[ISSUE_MARK_SIZE])
{
    copy_plain(text, '\0', 1, out);
}

void issue_mark_plain(const char *name, char out[ISSUE_MARK_SIZE])
{
    copy_plain(name, '\0', 0, out);
}

/* " [text]" */
static const char *take_bracket(const char *at, char out[ISSUE_MARK_SIZE])
{
    at += strspn(at, " \t\r\n");
    if (*at != '[')
        return NULL;
    at = copy_plain(at + 1, ']', 0, out);
    return *at == ']' ? at + 1 : NULL;
}

int issue_mark_find(const char *description, const char *topic_guid, issue_mark *out)
{
    static const char word[] = "Issue:";
    for (const char *at = description; (at = strstr(at, word)) != NULL;) {
        char guid[ISSUE_GUID_SIZE];
        at += sizeof word - 1;
        at += strspn(at, " \t\r\n");
        if (strspn(at, "0123456789abcdef") != ISSUE_ID_SIZE - 1)
            continue;
        memcpy(out->id, at, ISSUE_ID_SIZE - 1);
        out->id[ISSUE_ID_SIZE - 1] = '\0';
        issue_guid_make(out->id, "topic", guid);
        if (strcmp(guid, topic_guid) != 0)
            continue;
        const char *rest = take_bracket(at + ISSUE_ID_SIZE - 1, out->status);
        out->is_whole = rest && take_bracket(rest, out->assignee);
        return 1;
    }
    return 0;
}
