/* SPDX-License-Identifier: MIT
 * windows_text.c: texts that the C library of Windows lacks.
 */
#include <windows.h>

char *strndup(const char *text, size_t size)
{
    const size_t length = strnlen(text, size);
    char *copy = malloc(length + 1);
    if (!copy)
        return NULL;
    memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

char *stpcpy(char *to, const char *from)
{
    const size_t length = strlen(from);
    memcpy(to, from, length + 1);
    return to + length;
}

int strerror_r(int number, char *text, size_t size)
{
    return strerror_s(text, size, number);
}

/* TMPDIR and USER have other names on Windows. The texts stay for as long as the program runs, as
 * getenv's do: few names are asked for. */
char *getenv(const char *name)
{
    enum { SIZE = 32767 };
    static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
    static struct value {
        struct value *next;
        char *name, *text;
    } * values;
    wchar_t wide_name[64];
    char *result = NULL;
    if (MultiByteToWideChar(CP_UTF8, 0, name, -1, wide_name, 64) == 0)
        return NULL;
    wchar_t *wide = malloc(SIZE * sizeof *wide);
    DWORD size = wide ? GetEnvironmentVariableW(wide_name, wide, SIZE) : 0;
    const wchar_t *other = strcmp(name, "TMPDIR") == 0 ? L"TEMP"
                           : strcmp(name, "USER") == 0 ? L"USERNAME"
                                                       : NULL;
    if (wide && size == 0 && other)
        size = GetEnvironmentVariableW(other, wide, SIZE);
    char *text = size > 0 && size < SIZE ? bvpi_windows_text(wide) : NULL;
    free(wide);
    pthread_mutex_lock(&gate);
    for (struct value *v = values; v && text && !result; v = v->next)
        if (strcmp(v->name, name) == 0 && strcmp(v->text, text) == 0)
            result = v->text;
    struct value *fresh = text && !result ? malloc(sizeof *fresh) : NULL;
    if (fresh) {
        *fresh = (struct value){values, strdup(name), text};
        if (fresh->name) {
            values = fresh;
            result = text;
        } else {
            free(fresh);
        }
    }
    pthread_mutex_unlock(&gate);
    if (result != text)
        free(text);
    return result;
}
