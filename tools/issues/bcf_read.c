/* SPDX-License-Identifier: MIT
 * bcf_read.c: the topics of a BCF archive.
 * Spec: buildingSMART BCF-XML 2.0, 2.1 and 3.0, markup.xsd, version.xsd
 *
 * An archive comes from other people's tools and is not trusted: names are only compared and
 * printed, nothing is written to disk, sizes count as they are unpacked, and the XML reader takes
 * no entities. Of 2.x comments stand beside the topic, of 3.0 within it; both are looked for.
 */
#include "issues/bcf_read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "files/archive.h"
#include "files/input.h"
#include "structure/xml.h"
#include "text/array.h"
#include "text/message.h"

enum { FILE_MOST = 8 << 20, ALL_MOST = 512 << 20 };

typedef struct reading {
    const char *path;
    archive_reader *zip;
    size_t unpacked;
    char *text; /* of the file under way */
    size_t size;
    char place[512];
    xml_document xml;
    bcf_said *comments;
    size_t comment_capacity;
} reading;

/* ---- files --------------------------------------------------------------------------------- */

/* Is the name that of a file `base`, in some folder if is_below? Some tools write "\" for "/". */
static int is_called(const char *name, const char *base, int is_below)
{
    const char *last = name;
    for (const char *at = name; *at; at++)
        if (*at == '/' || *at == '\\')
            last = at + 1;
    return (last > name) == is_below && strcasecmp(last, base) == 0;
}

static int refuse(const reading *r, int code, const char *what)
{
    complain(r->place, "%s", what);
    return code;
}

static int refuse_archive(const char *place, archive_fault fault)
{
    switch (fault) {
    case ARCHIVE_UNBUILT:
        complain(place, "this bvpack was built without libzip, which BCF needs");
        return EXIT_USAGE;
    case ARCHIVE_LARGE:
        complain(place,
                 "expected at most 8 MiB, and 512 MiB of all topics, found more; is it a BCF "
                 "archive?");
        return EXIT_LIMIT;
    case ARCHIVE_MEMORY:
        return complain_memory();
    default:
        complain(place, "can't be unpacked: no zip archive, damaged or encrypted; export it again");
        return EXIT_INPUT;
    }
}

/* Unpacks a file and reads its XML. */
static int open_file(reading *r, uint64_t number, const char *name, const char *root)
{
    xml_fault fault;
    char where[600];
    snprintf(r->place, sizeof r->place, "%.240s: %.240s", r->path, name);
    const size_t left = ALL_MOST - r->unpacked;
    const archive_fault bad =
        archive_read(r->zip, number, left < FILE_MOST ? left : FILE_MOST, &r->text, &r->size);
    if (bad != ARCHIVE_NONE)
        return refuse_archive(r->place, bad);
    r->unpacked += r->size;
    if (xml_open_with_text(r->text, r->size, &r->xml, &fault) != BVP_OK) {
        int line = 1;
        for (size_t i = 0; i < fault.offset && i < r->size; i++)
            line += r->text[i] == '\n';
        snprintf(where, sizeof where, "%s: line %d", r->place, line);
        complain(where, "%s", fault.text);
        return fault.status == BVP_ERR_NO_MEMORY || fault.status == BVP_ERR_LIMIT ? EXIT_LIMIT
                                                                                  : EXIT_INPUT;
    }
    if (strcmp(xml_name(&r->xml, 0), root) != 0) {
        snprintf(where, sizeof where, "expected <%s>, found <%.40s>; is it a BCF archive?", root,
                 xml_name(&r->xml, 0));
        return refuse(r, EXIT_INPUT, where);
    }
    return 0;
}

static void close_file(reading *r)
{
    xml_close(&r->xml);
    free(r->text);
    r->text = NULL;
}

/* ---- topics -------------------------------------------------------------------------------- */

static const char *text_of(const reading *r, uint32_t parent, const char *name)
{
    const uint32_t e = xml_child(&r->xml, parent, name);
    return e == XML_NONE ? "" : xml_text(&r->xml, e);
}

static const char *attribute(const reading *r, uint32_t element, const char *name)
{
    const char *value = xml_attribute(&r->xml, element, name);
    return value ? value : "";
}

/* The comments below an element. */
static int add_comments(reading *r, uint32_t parent, size_t *count)
{
    uint32_t e = parent == XML_NONE ? XML_NONE : xml_child(&r->xml, parent, "Comment");
    for (; e != XML_NONE; e = xml_next(&r->xml, e)) {
        if (array_grow(&r->comments, &r->comment_capacity, *count + 1, sizeof *r->comments) != 0)
            return complain_memory();
        bcf_said *c = &r->comments[(*count)++];
        *c = (bcf_said){.date = text_of(r, e, "Date"),
                        .author = text_of(r, e, "Author"),
                        .text = text_of(r, e, "Comment"),
                        .modified_date = text_of(r, e, "ModifiedDate"),
                        .modified_author = text_of(r, e, "ModifiedAuthor")};
        if (issue_guid_read(attribute(r, e, "Guid"), c->guid) != 0)
            c->guid[0] = '\0';
    }
    return 0;
}

static int give_topic(reading *r, bcf_topic_fn callback, void *user)
{
    bcf_read_topic t = {.place = r->place};
    const uint32_t topic = xml_child(&r->xml, 0, "Topic");
    if (topic == XML_NONE)
        return refuse(r, EXIT_INPUT, "expected a <Topic>, found none; export the archive again");
    if (issue_guid_read(attribute(r, topic, "Guid"), t.guid) != 0)
        return refuse(
            r, EXIT_INPUT,
            "expected <Topic Guid=\"...\"> with 8-4-4-4-12 hexadecimal digits; export the "
            "archive again");
    t.status = attribute(r, topic, "TopicStatus");
    t.title = text_of(r, topic, "Title");
    t.assignee = text_of(r, topic, "AssignedTo");
    t.description = text_of(r, topic, "Description");
    t.modified_date = text_of(r, topic, "ModifiedDate");
    t.modified_author = text_of(r, topic, "ModifiedAuthor");
    int code = add_comments(r, 0, &t.comment_count);
    if (code == 0)
        code = add_comments(r, xml_child(&r->xml, topic, "Comments"), &t.comment_count);
    t.comments = r->comments;
    return code ? code : callback(user, &t);
}

/* ---- the archive --------------------------------------------------------------------------- */

static int check_version(reading *r, char version[BCF_VERSION_SIZE])
{
    static const char *const known[] = {"2.0", "2.1", "3.0"};
    uint64_t number = 0;
    const char *name = NULL;
    for (; number < archive_count(r->zip); number++) {
        name = archive_name(r->zip, number);
        if (name && is_called(name, "bcf.version", 0))
            break;
    }
    version[0] = '\0';
    if (number == archive_count(r->zip)) /* some libraries forget it */
        return 0;
    int code = open_file(r, number, name, "Version");
    if (code == 0) {
        snprintf(version, BCF_VERSION_SIZE, "%.15s", attribute(r, 0, "VersionId"));
        size_t i = 0;
        while (i < sizeof known / sizeof known[0] && strcmp(version, known[i]) != 0)
            i++;
        if (i == sizeof known / sizeof known[0])
            code =
                refuse(r, EXIT_INPUT,
                       "expected BCF 2.0, 2.1 or 3.0, found another version; export it as one of "
                       "these");
    }
    close_file(r);
    return code;
}

static int read_topics(reading *r, int has_version, bcf_topic_fn callback, void *user)
{
    int code = 0, has_topics = 0;
    for (uint64_t i = 0; i < archive_count(r->zip) && code == 0; i++) {
        const char *name = archive_name(r->zip, i);
        if (!name || !is_called(name, "markup.bcf", 1))
            continue;
        has_topics = 1;
        code = open_file(r, i, name, "Markup");
        if (code == 0)
            code = give_topic(r, callback, user);
        close_file(r);
    }
    if (code == 0 && !has_version && !has_topics) {
        complain(r->path,
                 "expected a BCF archive, found neither bcf.version nor a markup.bcf in it; "
                 "export it again");
        return EXIT_INPUT;
    }
    return code;
}

int bcf_read(const char *path, char version[BCF_VERSION_SIZE], bcf_topic_fn callback, void *user)
{
    reading r = {.path = path};
    input file = {.fd = -1};
    archive_fault bad;
    int code = input_open(&file, path);
    if (code != 0)
        return code;
    r.zip = archive_open(file.data, file.size, &bad);
    if (!r.zip)
        code = refuse_archive(path, bad);
    if (code == 0)
        code = check_version(&r, version);
    if (code == 0)
        code = read_topics(&r, version[0] != '\0', callback, user);
    free(r.comments);
    archive_close(r.zip);
    input_close(&file);
    return code;
}
