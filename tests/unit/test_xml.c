/* SPDX-License-Identifier: MIT
 * test_xml.c: elements, attributes and their places; what is no XML, too deep, or a bomb.
 */
#include "structure/xml.h"

#include <stdlib.h>
#include <string.h>
#include "suite.h"

enum { ANYWHERE = 1 << 30 };

static void expect(const char *text, xml_document *d)
{
    xml_fault fault;
    ck_assert_msg(xml_open(text, strlen(text), d, &fault) == BVP_OK, "%s", fault.text);
}

static void refuse(const char *text, size_t size, bvp_status status, uint64_t offset,
                   const char *phrase)
{
    xml_document d;
    xml_fault fault;
    ck_assert_int_eq(xml_open(text, size, &d, &fault), status);
    ck_assert_int_eq(fault.status, status);
    ck_assert(offset == ANYWHERE || fault.offset == offset);
    ck_assert_msg(strstr(fault.text, phrase) != NULL, "%s", fault.text);
    xml_close(&d);
}

START_TEST(elements)
{
    xml_document d;
    expect(
        "<?xml version='1.0'?>\n<a x='1' y=''><b/>text<c n='&lt;&#228;'/><b k='2'/><!-- b --></a>",
        &d);
    ck_assert_uint_eq(d.element_count, 4);
    ck_assert_str_eq(xml_name(&d, 0), "a");
    ck_assert_str_eq(xml_attribute(&d, 0, "x"), "1");
    ck_assert_str_eq(xml_attribute(&d, 0, "y"), "");
    ck_assert_ptr_null(xml_attribute(&d, 0, "1"));
    ck_assert_uint_eq(d.elements[0].offset, 22);
    const uint32_t b = xml_child(&d, 0, "b"), c = xml_child(&d, 0, "c");
    ck_assert_uint_eq(b, 1);
    ck_assert_str_eq(xml_attribute(&d, c, "n"), "<\xc3\xa4");
    ck_assert_ptr_null(xml_attribute(&d, b, "k"));
    ck_assert_str_eq(xml_attribute(&d, xml_next(&d, b), "k"), "2");
    ck_assert_uint_eq(xml_next(&d, xml_next(&d, b)), XML_NONE);
    ck_assert_uint_eq(xml_next(&d, c), XML_NONE);
    ck_assert_uint_eq(xml_child(&d, 0, "text"), XML_NONE);
    ck_assert_uint_eq(xml_child(&d, c, "b"), XML_NONE);
    ck_assert_uint_eq(d.elements[c].parent, 0);
    xml_close(&d);
}
END_TEST

START_TEST(texts)
{
    static const char text[] =
        "<?xml version='1.0' encoding='ISO-8859-1'?><a>no<b>x &lt;\n<![CDATA[<&]]>&#228;\xe4</b>"
        "<c/>no<d><e>y</e>no</d><f></f></a>";
    xml_document d;
    xml_fault fault;
    ck_assert_int_eq(xml_open_with_text(text, sizeof text - 1, &d, &fault), BVP_OK);
    ck_assert_str_eq(xml_text(&d, 1), "x <\n<&\xc3\xa4\xc3\xa4");
    ck_assert_str_eq(xml_text(&d, xml_child(&d, 0, "c")), "");
    ck_assert_str_eq(xml_text(&d, xml_child(&d, 0, "f")), "");
    ck_assert_str_eq(xml_text(&d, 4), "y");
    ck_assert_str_eq(xml_text(&d, 0), ""); /* has children */
    ck_assert_str_eq(xml_text(&d, 3), "");
    xml_close(&d);
    expect("<a>x</a>", &d);
    ck_assert_str_eq(xml_text(&d, 0), ""); /* was not kept */
    xml_close(&d);
}
END_TEST

static void refuse_text(const char *text, bvp_status status, uint64_t offset, const char *phrase)
{
    refuse(text, strlen(text), status, offset, phrase);
}

START_TEST(broken)
{
    refuse_text("", BVP_ERR_CORRUPT, 0, "no element found");
    refuse_text("<a>\n</b>", BVP_ERR_CORRUPT, 6, "mismatched tag");
    refuse_text("<a><b/>", BVP_ERR_CORRUPT, 7, "no element found");
    refuse_text("<a x='1' x='2'/>", BVP_ERR_CORRUPT, 9, "duplicate");
    refuse_text("<a>&b;</a>", BVP_ERR_CORRUPT, 3, "undefined entity");
    refuse_text("<a/><b/>", BVP_ERR_CORRUPT, 4, "junk");
    refuse("<a>\0</a>", 8, BVP_ERR_CORRUPT, 3, "not well-formed");
}
END_TEST

START_TEST(bomb)
{
    refuse_text("<!DOCTYPE a [<!ENTITY b 'bbbbbbbbbb'><!ENTITY c '&b;&b;&b;&b;&b;'>]><a>&c;</a>",
                BVP_ERR_ARGUMENT, ANYWHERE, "entities");
    refuse_text("<!DOCTYPE a [<!ENTITY b SYSTEM '/etc/passwd'>]><a>&b;</a>", BVP_ERR_ARGUMENT,
                ANYWHERE, "entities");
    refuse_text("<!DOCTYPE a [<!ENTITY % p 'x'>]><a/>", BVP_ERR_ARGUMENT, ANYWHERE, "entities");
    xml_document d;
    expect("<!DOCTYPE a SYSTEM 'a.dtd'><a/>", &d);
    xml_close(&d);
}
END_TEST

/* Longer than what is handed to expat at once, too. */
START_TEST(deep_and_long)
{
    enum { COUNT = 100000 };
    char *text = malloc(7 * COUNT + 8), *at = text;
    xml_document d;
    ck_assert_ptr_nonnull(text);
    for (int i = 0; i < COUNT; i++, at += 3)
        memcpy(at, "<a>", 3);
    refuse(text, 3 * COUNT, BVP_ERR_LIMIT, 3 * 256, "256 elements");
    at = text + 3;
    for (int i = 0; i < COUNT; i++, at += 4)
        memcpy(at, "<b/>", 4);
    strcpy(at, "</a>");
    expect(text, &d);
    ck_assert_uint_eq(d.element_count, COUNT + 1);
    ck_assert_uint_eq(d.elements[COUNT].offset, 3 + 4 * (COUNT - 1));
    xml_close(&d);
    free(text);
}
END_TEST

SUITE(test_xml)
{
    return suite_run("xml", (const TTest *[]){elements, texts, broken, bomb, deep_and_long, NULL});
}
