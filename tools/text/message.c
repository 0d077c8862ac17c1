/* SPDX-License-Identifier: MIT
 * message.c: messages to people, and the program's exit codes.
 */
#include "text/message.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const exit_text exit_texts[] = {
    {EXIT_DONE, "done; a query has been answered, whatever the answer"},
    {EXIT_FINDING, "verify found something; a query with --exit-code found a hit"},
    {EXIT_USAGE, "the command line is wrong"},
    {EXIT_INPUT, "an input file or model can't be read"},
    {EXIT_CORRUPT, "the file is not a bvpack file, or is damaged"},
    {EXIT_NEWER, "the file was written by a newer bvpack"},
    {EXIT_LIMIT, "too large for this program or this machine"},
    {EXIT_OUTPUT, "the output can't be written"},
    {EXIT_STOPPED, "its --timeout ended it before it was done; clash: or a signal did"},
    {0, NULL},
};

/* Arguments may be names from models and files, so the whole output is escaped. */
void complain(const char *where, const char *format, ...)
{
    va_list arguments, again;
    char text[1024], *longer = NULL;
    fflush(stdout);
    if (isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr); /* a progress line may stand there */
    fputs("bvpack: ", stderr);
    if (where) {
        print_plain(stderr, where);
        fputs(": ", stderr);
    }
    va_start(arguments, format);
    va_copy(again, arguments);
    int size = vsnprintf(text, sizeof text, format, arguments);
    if (size >= (int)sizeof text) {
        longer = malloc((size_t)size + 1);
        if (longer)
            vsnprintf(longer, (size_t)size + 1, format, again);
        else
            size = (int)sizeof text - 1; /* its beginning says what is wrong */
    }
    va_end(again);
    va_end(arguments);
    print_name(stderr, longer ? longer : text, size > 0 ? (size_t)size : 0);
    free(longer);
    fputc('\n', stderr);
}

int exit_code_of(bvp_status status)
{
    switch (status) {
    case BVP_OK:
        return EXIT_DONE;
    case BVP_ERR_NOT_OURS:
    case BVP_ERR_CORRUPT:
        return EXIT_CORRUPT;
    case BVP_ERR_NEWER:
        return EXIT_NEWER;
    case BVP_ERR_LIMIT:
    case BVP_ERR_NO_MEMORY:
        return EXIT_LIMIT;
    case BVP_ERR_SYSTEM:
    case BVP_ERR_AGAIN:
        return EXIT_INPUT;
    case BVP_ERR_ARGUMENT:
        return EXIT_USAGE;
    case BVP_ERR_CANCELLED:
        return EXIT_STOPPED;
    }
    return EXIT_INPUT;
}

size_t message_begin(char *out, size_t size, const char *name)
{
    enum { NAME_SIZE = 96 };
    const size_t length = strlen(name);
    const char *tail = length > NAME_SIZE ? name + length - NAME_SIZE : name;
    assert(size > NAME_SIZE + sizeof "...:");
    return (size_t)snprintf(out, size, "%s%s:", tail == name ? "" : "...", tail);
}

int message_names(const char *message, const char *name)
{
    char head[128];
    static const char opening[] =
        "cannot open "; /* of bvp_open alone, which writes the path here */
    const size_t size = message_begin(head, sizeof head, name);
    return strncmp(message, head, size) == 0 || strncmp(message, opening, sizeof opening - 1) == 0;
}

/* Does a message of the library say what to do? */
static int advises(const char *message)
{
    return strstr(message, " again") || strstr(message, "anew") || strstr(message, "\"bvpack ");
}

const char *status_advice(bvp_status status, const bvp_error *error)
{
    const int has_text = error && error->message[0];
    const char *rule = has_text ? error->rule : "";
    if ((has_text && advises(error->message)) || strncmp(rule, "DGS", 3) == 0)
        return ""; /* of what was forged there is no good copy to be had */
    if (status == BVP_ERR_NOT_OURS)
        return "; pack the model first: bvpack pack MODEL -o FILE.bvp";
    if (status == BVP_ERR_NEWER)
        return "; read it with a bvpack of that version, or pack the model again";
    if (status != BVP_ERR_CORRUPT)
        return "";
    /* Where hashes differ, bytes have changed since they were written. Elsewhere one fault is one
     * of many, and it is not known whose. */
    const int has_changed = has_text && (rule[0] == '\0' || strncmp(rule, "HSH", 3) == 0 ||
                                         strncmp(rule, "END", 3) == 0 || !strcmp(rule, "HDR-3"));
    return has_changed ? "; copy it or pack the model again"
                       : "; \"bvpack verify\" lists what is wrong";
}

/* May the name stand in a command as it is, quoted by nobody? */
static int is_word(const char *name)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._/+";
    return name[0] != '\0' && name[strspn(name, plain)] == '\0';
}

static int is_packed_name(const char *name)
{
    static const char *const endings[] = {".bvp", ".zst"};
    const size_t size = strlen(name);
    for (int i = 0; i < 2; i++)
        if (size > 4 && strcmp(name + size - 4, endings[i]) == 0)
            return 1;
    return 0;
}

int message_packing(char *out, size_t size, const char *name)
{
    if (!name || !is_word(name) || is_packed_name(name))
        return 0;
    const char *slash = strrchr(name, '/');
    const char *base = slash ? slash + 1 : name;
    const char *dot = strrchr(base, '.');
    const int stem = (int)(dot && dot > base ? dot - base : (ptrdiff_t)strlen(base));
    const int length =
        stem == 0 ? -1 : snprintf(out, size, "bvpack pack %s -o %.*s.bvp", name, stem, base);
    return length > 0 && (size_t)length < size;
}

int complain_status(const char *path, bvp_status status, const bvp_error *error)
{
    const char *message = error && error->message[0] ? error->message : bvp_status_name(status);
    const char *hint = status_advice(status, error);
    char detail[64] = "", packing[512];
    const int is_named = path && message_names(message, path);

    if (error && error->rule[0] && error->offset != UINT64_MAX)
        snprintf(detail, sizeof detail, "byte %llu: rule %s: ", (unsigned long long)error->offset,
                 error->rule);
    else if (error && error->rule[0])
        snprintf(detail, sizeof detail, "rule %s: ", error->rule);
    /* a model where a packed file belongs: what to do comes first */
    if (status == BVP_ERR_NOT_OURS && *hint && message_packing(packing, sizeof packing, path))
        complain(path, "this is not a packed file; pack the model first: %s (%s%s)", packing,
                 detail, message);
    else
        complain(is_named ? NULL : path, "%s%s%s", detail, message, hint);
    return exit_code_of(status);
}

int complain_memory(void)
{
    complain(NULL, "%s", strerror(ENOMEM));
    return EXIT_LIMIT;
}

int finish_stdout(int code)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return code;
    complain("standard output", "%s", strerror(errno));
    return EXIT_OUTPUT;
}

/* Shortest forms only, no surrogates. */
size_t utf8_decode(const char *data, size_t size, uint32_t *code)
{
    static const uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *s = (const unsigned char *)data;
    size_t length;

    if (size == 0)
        return 0;
    *code = s[0];
    if (s[0] < 0x80)
        return 1;
    length = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
    if (s[0] < 0xc2 || s[0] > 0xf4 || length > size)
        return 0;
    *code = s[0] & (0xffu >> (length + 1));
    assert(length >= 2 && length <= 4);
    for (size_t i = 1; i < length; i++) {
        if ((s[i] & 0xc0) != 0x80)
            return 0;
        *code = *code << 6 | (s[i] & 0x3f);
    }
    if (*code < least[length] || *code > 0x10ffff || (*code >= 0xd800 && *code < 0xe000))
        return 0;
    return length;
}

size_t utf8_length(const char *data, size_t size)
{
    uint32_t code;
    return utf8_decode(data, size, &code);
}

int is_plain(uint32_t code)
{
    const int control = code < 0x20 || (code >= 0x7f && code < 0xa0);
    const int line_or_order = code >= 0x2028 && code <= 0x202e; /* U+2028, 2029; 202A to 202E */
    const int order =
        code == 0x61c || code == 0x200e || code == 0x200f || (code >= 0x2066 && code <= 0x2069);
    return !control && !line_or_order && !order;
}

void print_name(FILE *out, const char *data, size_t size)
{
    for (size_t i = 0; i < size;) {
        uint32_t code = 0;
        const size_t length = utf8_decode(data + i, size - i, &code);
        if (length > 0 && is_plain(code)) {
            fwrite(data + i, 1, length, out);
            i += length;
            continue;
        }
        for (size_t end = i + (length > 0 ? length : 1); i < end; i++)
            fprintf(out, "\\x%02x", (unsigned char)data[i]);
    }
}

void print_plain(FILE *out, const char *text)
{
    print_name(out, text, strlen(text));
}

const char *grouped(uint64_t value, char *buffer)
{
    char digits[24];
    int size = snprintf(digits, sizeof digits, "%llu", (unsigned long long)value);
    char *to = buffer;
    for (int i = 0; i < size; i++) {
        if (i > 0 && (size - i) % 3 == 0)
            *to++ = ',';
        *to++ = digits[i];
    }
    *to = '\0';
    return buffer;
}

const char *counted(uint64_t value, const char *one, char *buffer)
{
    char number[32];
    snprintf(buffer, 64, "%s %s%s", grouped(value, number), one, value == 1 ? "" : "s");
    return buffer;
}

const char *shortest(double value, char *buffer)
{
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(buffer, 32, "%.*g", digits, value);
        if (strtod(buffer, NULL) == value)
            break;
    }
    return buffer;
}

/* 15 digits and a point behind the first `whole` of them; whole may be 0 or less. */
static void place_point(uint64_t digits, int whole, char *to)
{
    char text[16];
    int size = 15;
    for (int i = size; i-- > 0; digits /= 10)
        text[i] = (char)('0' + digits % 10);
    while (size > 1 && size > whole && text[size - 1] == '0')
        size--;
    if (whole <= 0)
        *to++ = '0';
    if (whole <= 0 && size > 0)
        *to++ = '.';
    for (int i = whole; i < 0; i++)
        *to++ = '0';
    for (int i = 0; i < size; i++) {
        if (i == whole && i > 0)
            *to++ = '.';
        *to++ = text[i];
    }
    *to = '\0';
}

const char *rounded(double value, char *buffer)
{
    /* powers of ten that a double holds exactly */
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9, 1e10,
                                    1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20};
    const double size = fabs(value);
    int whole = -4; /* digits in front of the point */
    if (!(size >= 1e-5 && size < 9e14)) {
        snprintf(buffer, 32, "%.15g", value + 0.0);
        return buffer;
    }
    while (whole < 15 && size >= (whole < 0 ? 1 / powers[-whole] : powers[whole]))
        whole++;
    uint64_t digits = (uint64_t)(size * powers[15 - whole] + 0.5);
    if (digits >= 1000000000000000u) { /* rounded up to one digit more */
        digits /= 10;
        whole++;
    }
    assert(digits >= 100000000000000u && digits < 1000000000000000u);
    buffer[0] = '-';
    place_point(digits, whole, buffer + (value < 0));
    return buffer;
}

static const struct {
    const char *name;
    double metres;
} units[] = {{"mm", 0.001}, {"cm", 0.01}, {"m", 1}, {"in", 0.0254}, {"ft", 0.3048}};

const char *unit_name(double unit_in_metres)
{
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (units[i].metres == unit_in_metres)
            return units[i].name;
    return "";
}

double unit_by_name(const char *name)
{
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (strcmp(units[i].name, name) == 0)
            return units[i].metres;
    return 0;
}
