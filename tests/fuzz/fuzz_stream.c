/* SPDX-License-Identifier: MIT
 * fuzz_stream.c: any bytes as the messages of an importing process. Each message of the input is a
 * kind (u8), a size (u16) and that many bytes; the frames around them are right, so that the fuzzer
 * gets past them, but for every 16th input, which is read as it is.
 */
#include "import/import_protocol.h"
#include "import/import_stream.h"
#include "target.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void require(int condition)
{
    if (!condition)
        abort();
}

static void put(FILE *out, const void *bytes, size_t size)
{
    require(fwrite(bytes, 1, size, out) == size);
}

static void put_message(FILE *out, uint32_t kind, uint32_t sequence, const void *bytes, size_t size)
{
    import_frame frame = {.kind = kind, .sequence = sequence, .size = size};
    bvp_hash(bytes, size, frame.hash);
    bvp_hash(&frame, sizeof frame, frame.hash);
    put(out, &frame, sizeof frame);
    put(out, bytes, size);
}

static void put_answer(FILE *out, const uint8_t *data, size_t size)
{
    uint8_t start[16] = IMPORT_MAGIC;
    uint32_t sequence = 0;
    start[8] = IMPORT_VERSION;
    put_message(out, IMPORT_START, sequence++, start, sizeof start);
    while (size >= 3) {
        const uint32_t kind = data[0];
        size_t length = data[1] + 256u * data[2];
        data += 3;
        size -= 3;
        length = length < size ? length : size;
        put_message(out, kind, sequence++, data, length);
        data += length;
        size -= length;
    }
}

/* What model.h promises of a model that was read. */
static void check(const model *m)
{
    for (uint32_t i = 0; i < m->mesh_count; i++)
        for (uint64_t k = 0; k < 3 * m->meshes[i].triangle_count; k++)
            require(m->meshes[i].indices[k] < m->meshes[i].vertex_count);
    for (uint32_t i = 0; i < m->node_count; i++) {
        const model_node *node = &m->nodes[i];
        require(node->parent == BVP_NONE || node->parent < i);
        require(node->mesh == BVP_NONE || node->mesh < m->mesh_count);
        for (uint32_t k = 0; k < node->property_count; k++)
            require(node->properties[k].key && node->properties[k].value);
    }
}

static int try_input(const uint8_t *data, size_t size)
{
    static const import_options defaults;
    bvp_error error = {.status = BVP_OK};
    model m = {0};
    importer im = {.name = "fuzz", .options = &defaults, .out = &m, .error = &error};
    const char *what;
    FILE *file = tmpfile();
    require(file != NULL);
    if (size % 16 == 15)
        put(file, data, size);
    else
        put_answer(file, data, size);
    require(fflush(file) == 0 && lseek(fileno(file), 0, SEEK_SET) == 0);
    const import_outcome outcome = import_read_stream(&im, fileno(file), &what);
    if (outcome == IMPORT_DONE)
        check(&m);
    require(outcome != IMPORT_GARBAGE || what[0] != 0);
    model_free(&m);
    fclose(file);
    return 0;
}

const fuzz_target fuzz_stream = {"stream", try_input, NULL};
