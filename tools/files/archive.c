/* SPDX-License-Identifier: MIT
 * archive.c: writes a zip archive whose bytes depend only on its contents, and reads one; the only
 * user of libzip.
 *
 * libzip needs its sources until it closes the archive, and seeks in what it writes, so both are
 * files without a name.
 */
#include "files/archive.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include "text/array.h"

#if HAVE_LIBZIP
#include <zip.h>

/* ---- entries: pieces of the spool ------------------------------------------------------------ */

enum { LEVEL = 3 /* of zlib: 6 takes four times as long for a fifth less */ };

struct archive {
    FILE *spool;
    zip_uint64_t spool_size;
    zip_t *zip;
    FILE *sink; /* where libzip writes */
    unsigned date, time;
    zip_error_t error;
};

typedef struct piece {
    archive *z;
    zip_uint64_t offset, size, read;
} piece;

static zip_int64_t describe(zip_uint64_t size, void *data, zip_uint64_t room)
{
    zip_stat_t *stat = data;
    if (room < sizeof *stat)
        return -1;
    zip_stat_init(stat);
    stat->size = size;
    stat->valid |= ZIP_STAT_SIZE;
    return sizeof *stat;
}

static zip_int64_t piece_source(void *user, void *data, zip_uint64_t room, zip_source_cmd_t command)
{
    piece *p = user;
    zip_uint64_t part;
    switch (command) {
    case ZIP_SOURCE_SUPPORTS:
        return ZIP_SOURCE_SUPPORTS_READABLE;
    case ZIP_SOURCE_OPEN:
        p->read = 0;
        return 0;
    case ZIP_SOURCE_READ:
        assert(p->read <= p->size);
        part = p->size - p->read < room ? p->size - p->read : room;
        if (fseeko(p->z->spool, (off_t)(p->offset + p->read), SEEK_SET) != 0 ||
            fread(data, 1, part, p->z->spool) != part)
            return -1;
        p->read += part;
        return (zip_int64_t)part;
    case ZIP_SOURCE_STAT:
        return describe(p->size, data, room);
    case ZIP_SOURCE_ERROR:
        return zip_error_to_data(&p->z->error, data, room);
    case ZIP_SOURCE_FREE:
        free(p);
        return 0;
    default:
        return 0;
    }
}

/* ---- the archive: a file without a name ------------------------------------------------------ */

static zip_int64_t archive_source(void *user, void *data, zip_uint64_t room,
                                  zip_source_cmd_t command)
{
    archive *z = user;
    const zip_source_args_seek_t *to = data; /* for the seeks */
    switch (command) {
    case ZIP_SOURCE_SUPPORTS:
        return zip_source_make_command_bitmap(
            ZIP_SOURCE_OPEN, ZIP_SOURCE_READ, ZIP_SOURCE_CLOSE, ZIP_SOURCE_STAT, ZIP_SOURCE_ERROR,
            ZIP_SOURCE_FREE, ZIP_SOURCE_SEEK, ZIP_SOURCE_TELL, ZIP_SOURCE_BEGIN_WRITE,
            ZIP_SOURCE_COMMIT_WRITE, ZIP_SOURCE_ROLLBACK_WRITE, ZIP_SOURCE_WRITE,
            ZIP_SOURCE_SEEK_WRITE, ZIP_SOURCE_TELL_WRITE, ZIP_SOURCE_REMOVE, -1);
    case ZIP_SOURCE_READ:
        return (zip_int64_t)fread(data, 1, room, z->sink);
    case ZIP_SOURCE_WRITE:
        return fwrite(data, 1, room, z->sink) == room ? (zip_int64_t)room : -1;
    case ZIP_SOURCE_SEEK:
    case ZIP_SOURCE_SEEK_WRITE:
        if (room < sizeof *to || fseeko(z->sink, (off_t)to->offset, to->whence) != 0)
            return -1;
        return 0;
    case ZIP_SOURCE_TELL:
    case ZIP_SOURCE_TELL_WRITE:
        return ftello(z->sink);
    case ZIP_SOURCE_STAT:
        return describe(0, data, room);
    case ZIP_SOURCE_ERROR:
        return zip_error_to_data(&z->error, data, room);
    default:
        return 0;
    }
}

/* ---- writing --------------------------------------------------------------------------------- */

int archive_is_there(void)
{
    return 1;
}

archive *archive_new(const char *created)
{
    archive *z = calloc(1, sizeof *z);
    zip_source_t *source;
    if (!z)
        return NULL;
    zip_error_init(&z->error);
    /* A zip's time counts seconds by two, years from 1980 to 2107. */
    unsigned year = 1980, month = 1, day = 1, hour = 0, minute = 0, second = 0;
    const int found =
        sscanf(created, "%4u-%2u-%2uT%2u:%2u:%2u", &year, &month, &day, &hour, &minute, &second);
    if (found < 3 || year < 1980 || year > 2107) {
        year = 1980;
        month = day = 1;
        hour = minute = second = 0;
    }
    z->date = (year - 1980) << 9 | (month & 15) << 5 | (day & 31);
    z->time = (hour & 31) << 11 | (minute & 63) << 5 | (second & 63) / 2;
    z->spool = tmpfile();
    z->sink = tmpfile();
    source = zip_source_function_create(archive_source, z, &z->error);
    if (source)
        z->zip = zip_open_from_source(source, ZIP_TRUNCATE, &z->error);
    if (source && !z->zip)
        zip_source_free(source);
    if (z->spool && z->sink && z->zip)
        return z;
    archive_free(z);
    return NULL;
}

/* Adds the next `size` bytes of the spool. */
static int add_piece(archive *z, const char *name, zip_uint64_t size, int store)
{
    piece *p = malloc(sizeof *p);
    zip_source_t *source;
    if (!p)
        return 0;
    *p = (piece){.z = z, .offset = z->spool_size, .size = size};
    z->spool_size += size;
    source = zip_source_function(z->zip, piece_source, p);
    if (!source) {
        free(p);
        return 0;
    }
    const zip_int64_t index = zip_file_add(z->zip, name, source, ZIP_FL_ENC_UTF_8);
    if (index < 0) {
        zip_source_free(source);
        return 0;
    }
    return zip_set_file_compression(z->zip, (zip_uint64_t)index,
                                    store ? ZIP_CM_STORE : ZIP_CM_DEFLATE, LEVEL) == 0 &&
           zip_file_set_dostime(z->zip, (zip_uint64_t)index, (zip_uint16_t)z->time,
                                (zip_uint16_t)z->date, 0) == 0;
}

int archive_add(archive *z, const char *name, const void *data, size_t size, int store)
{
    return fwrite(data, 1, size, z->spool) == size && add_piece(z, name, size, store);
}

int archive_add_file(archive *z, const char *name, FILE *from)
{
    char block[1 << 14];
    zip_uint64_t sum = 0;
    if (fflush(from) != 0 || fseeko(from, 0, SEEK_SET) != 0)
        return 0;
    for (size_t size; (size = fread(block, 1, sizeof block, from)) > 0; sum += size)
        if (fwrite(block, 1, size, z->spool) != size)
            return 0;
    return !ferror(from) && add_piece(z, name, sum, 0);
}

const char *archive_write(archive *z, FILE *out)
{
    char block[1 << 14];
    size_t size;
    if (fflush(z->spool) != 0)
        return "no room for temporary files";
    if (zip_close(z->zip) != 0)
        return "the archive can't be written: no room for temporary files, or too many entries";
    z->zip = NULL;
    if (fflush(z->sink) != 0 || fseeko(z->sink, 0, SEEK_SET) != 0)
        return "no room for temporary files";
    while ((size = fread(block, 1, sizeof block, z->sink)) > 0)
        fwrite(block, 1, size, out);
    return ferror(z->sink) ? "a temporary file can't be read" : NULL;
}

void archive_free(archive *z)
{
    if (!z)
        return;
    if (z->zip)
        zip_discard(z->zip);
    if (z->spool)
        fclose(z->spool);
    if (z->sink)
        fclose(z->sink);
    zip_error_fini(&z->error);
    free(z);
}

/* ---- reading --------------------------------------------------------------------------------- */

struct archive_reader {
    zip_t *zip;
    zip_uint64_t count;
};

static archive_fault fault_of(zip_error_t *error)
{
    enum { ZLIB_NO_MEMORY = -4 /* zlib.h: Z_MEM_ERROR */ };
    const int code = zip_error_code_zip(error);
    const int is_memory = code == ZIP_ER_MEMORY ||
                          (code == ZIP_ER_ZLIB && zip_error_code_system(error) == ZLIB_NO_MEMORY);
    return is_memory ? ARCHIVE_MEMORY : ARCHIVE_DAMAGED;
}

archive_reader *archive_open(const void *data, size_t size, archive_fault *fault)
{
    archive_reader *z = calloc(1, sizeof *z);
    zip_error_t error;
    zip_error_init(&error);
    *fault = ARCHIVE_MEMORY;
    zip_source_t *source = z ? zip_source_buffer_create(data, size, 0, &error) : NULL;
    if (source)
        z->zip = zip_open_from_source(source, ZIP_RDONLY, &error);
    if (source && !z->zip) {
        zip_source_free(source);
        *fault = fault_of(&error);
    }
    zip_error_fini(&error);
    if (z && z->zip) {
        const zip_int64_t count = zip_get_num_entries(z->zip, 0);
        z->count = count > 0 ? (zip_uint64_t)count : 0;
        return z;
    }
    free(z);
    return NULL;
}

uint64_t archive_count(const archive_reader *z)
{
    return z->count;
}

const char *archive_name(const archive_reader *z, uint64_t number)
{
    return zip_get_name(z->zip, number, 0);
}

archive_fault archive_read(archive_reader *z, uint64_t number, size_t most, char **data,
                           size_t *size)
{
    enum { STEP = 1 << 16 };
    zip_file_t *file = zip_fopen_index(z->zip, number, 0);
    size_t capacity = 0;
    zip_int64_t some = 1;
    *data = NULL;
    *size = 0;
    if (!file)
        return fault_of(zip_get_error(z->zip));
    /* what the directory says of its size is not believed */
    while (some > 0 && *size <= most) {
        if (array_grow(data, &capacity, *size + STEP + 1, 1) != 0) {
            zip_fclose(file);
            return ARCHIVE_MEMORY;
        }
        some = zip_fread(file, *data + *size, STEP);
        *size += some > 0 ? (size_t)some : 0;
    }
    const archive_fault fault = some < 0 ? fault_of(zip_file_get_error(file)) : ARCHIVE_NONE;
    zip_fclose(file);
    if (fault != ARCHIVE_NONE)
        return fault;
    if (*size > most)
        return ARCHIVE_LARGE;
    (*data)[*size] = '\0';
    return ARCHIVE_NONE;
}

void archive_close(archive_reader *z)
{
    if (!z)
        return;
    zip_discard(z->zip);
    free(z);
}

#else

int archive_is_there(void)
{
    return 0;
}

archive *archive_new(const char *created)
{
    (void)created;
    return NULL;
}

int archive_add(archive *z, const char *name, const void *data, size_t size, int store)
{
    (void)z, (void)name, (void)data, (void)size, (void)store;
    return 0;
}

int archive_add_file(archive *z, const char *name, FILE *from)
{
    (void)z, (void)name, (void)from;
    return 0;
}

const char *archive_write(archive *z, FILE *out)
{
    (void)z, (void)out;
    return "built without libzip";
}

void archive_free(archive *z)
{
    (void)z;
}

archive_reader *archive_open(const void *data, size_t size, archive_fault *fault)
{
    (void)data, (void)size;
    *fault = ARCHIVE_UNBUILT;
    return NULL;
}

uint64_t archive_count(const archive_reader *z)
{
    (void)z;
    return 0;
}

const char *archive_name(const archive_reader *z, uint64_t number)
{
    (void)z, (void)number;
    return NULL;
}

archive_fault archive_read(archive_reader *z, uint64_t number, size_t most, char **data,
                           size_t *size)
{
    (void)z, (void)number, (void)most;
    *data = NULL;
    *size = 0;
    return ARCHIVE_UNBUILT;
}

void archive_close(archive_reader *z)
{
    (void)z;
}

#endif
