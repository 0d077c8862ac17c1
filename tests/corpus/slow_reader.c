/* SPDX-License-Identifier: MIT
 * slow_reader.c: a second reader, written from spec/format.md alone: prints everything that is in a
 * valid file. Shares no code with the library, is simple rather than fast, and stops at what it
 * cannot read. tests/corpus/dump_library.c prints the same through the library.
 */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_SIZE = 4096 };

static const uint8_t *file;
static uint64_t file_size;
static const uint8_t *chunk; /* of a GLB: its binary chunk */
static uint64_t chunk_size;
static const uint8_t *read_bytes; /* to be freed */

static void fail(const char *what)
{
    fprintf(stderr, "slow_reader: %s\n", what);
    exit(1);
}

static void read_file(const char *path)
{
    FILE *in = fopen(path, "rb");
    if (!in || fseek(in, 0, SEEK_END) != 0)
        fail("cannot open the file");
    const long size = ftell(in);
    uint8_t *bytes = malloc((size_t)size + 1);
    rewind(in);
    if (!bytes || fread(bytes, 1, (size_t)size, in) != (size_t)size)
        fail("cannot read the file");
    fclose(in);
    file = read_bytes = bytes;
    file_size = (uint64_t)size;
}

/* gltf.md: the packed file is the chunk of type BVP of a GLB. */
static void enter_glb(void)
{
    const uint8_t *glb = file;
    const uint64_t size = file_size;
    if (size < 12 || memcmp(glb, "glTF", 4) != 0)
        return;
    for (uint64_t at = 12; at + 8 <= size;) {
        uint64_t bytes = 0;
        for (int i = 0; i < 4; i++)
            bytes |= (uint64_t)glb[at + i] << (8 * i);
        if (bytes > size - at - 8)
            fail("a chunk leaves the GLB");
        const char *kind = (const char *)glb + at + 4;
        if (memcmp(kind, "BIN", 4) == 0) {
            chunk = glb + at + 8;
            chunk_size = bytes;
        } else if (memcmp(kind, "BVP", 4) == 0) {
            file = glb + at + 8;
            file_size = bytes;
            return;
        }
        at += 8 + bytes;
    }
    fail("a GLB without a packed file");
}

/* ---- chapter 1: numbers --------------------------------------------------------------------- */

static uint64_t number(uint64_t offset, int size)
{
    uint64_t value = 0;
    if (offset > file_size || file_size - offset < (uint64_t)size)
        fail("an offset leaves the file");
    for (int i = 0; i < size; i++)
        value |= (uint64_t)file[offset + i] << (8 * i);
    return value;
}

static uint8_t u8(uint64_t offset)
{
    return (uint8_t)number(offset, 1);
}

static uint32_t u32(uint64_t offset)
{
    return (uint32_t)number(offset, 4);
}

static uint64_t u64(uint64_t offset)
{
    return number(offset, 8);
}

static double f64(uint64_t offset)
{
    uint64_t bits = u64(offset);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void print_f64s(uint64_t offset, int count)
{
    for (int i = 0; i < count; i++)
        printf(" %a", f64(offset + 8 * i));
}

static void print_bytes(uint64_t offset, uint64_t count)
{
    printf(" ");
    for (uint64_t i = 0; i < count; i++)
        printf("%02x", u8(offset + i));
}

/* ---- chapters 3 and 4: header, directory ---------------------------------------------------- */

#define NONE UINT32_MAX
enum { THIN = 1, TOPS = 2, TURNS = 4, RAYS = 8, OVER = 16, BY_USE = 32 }; /* incompatible */

static struct {
    uint64_t offset, size, raw_size, records;
} data, tids, part, hier, plac, lins, tree, inst, topn, binh, prop, strs, prov, bufs;

static void find_sections(void)
{
    const struct {
        const char *kind;
        void *section;
    } wanted[] = {{"PART", &part}, {"HIER", &hier}, {"PLAC", &plac}, {"LINS", &lins},
                  {"INST", &inst}, {"TOPN", &topn}, {"DATA", &data}, {"TIDS", &tids},
                  {"BINH", &binh}, {"TREE", &tree}, {"PROP", &prop}, {"STRS", &strs},
                  {"PROV", &prov}, {"BUFS", &bufs}};
    for (uint32_t i = 0; i < u32(80); i++) {
        const uint64_t entry = 256 + 48 * i;
        for (size_t k = 0; k < sizeof wanted / sizeof *wanted; k++) {
            if (memcmp(file + entry, wanted[k].kind, 4) != 0)
                continue;
            const uint64_t fields[4] = {u64(entry + 8), u64(entry + 16), u64(entry + 24),
                                        u64(entry + 32)};
            memcpy(wanted[k].section, fields, sizeof fields);
        }
    }
}

static void check_header(void)
{
    static const uint8_t magic[12] = {0xab, 0x62, 0x76, 0x70, 0x61, 0x63,
                                      0x6b, 0xbb, 0x0d, 0x0a, 0x1a, 0x0a};
    if (file_size < 1408 || memcmp(file, magic, sizeof magic) != 0)
        fail("not a bvpack file");
    if (number(12, 2) != 0 || number(14, 2) != 7 ||
        u32(24) > (THIN | TOPS | TURNS | RAYS | OVER | BY_USE))
        fail("a version or feature that this reader does not know");
    if (u64(32) != file_size)
        fail("the file's size is not what its header says");
}

static void print_header(void)
{
    printf("version %u.%u size %" PRIu64 "\n", (unsigned)number(12, 2), (unsigned)number(14, 2),
           u64(32));
    printf("triangles %" PRIu64 " unique %" PRIu64 " parts %u instances %u nodes %u\n", u64(88),
           u64(96), u32(104), u32(108), u32(112));
    printf("up %u unit %a tolerance %a bounds", u32(116), f64(120), f64(208));
    print_f64s(128, 6);
    printf("\nsizes %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\nroot", u64(184), u64(192),
           u64(200), u64(32) - u64(184) - u64(192) - u64(200));
    print_bytes(48, 16);
    printf(" source");
    print_bytes(64, 16);
    printf("\n");
}

/* ---- chapter 15: strings -------------------------------------------------------------------- */

static void print_string(uint32_t reference)
{
    const uint64_t record = strs.offset + 4 * (uint64_t)reference;
    const uint32_t size = u32(record);
    printf(" %u", size);
    if (size > 0)
        print_bytes(record + 4, size);
}

/* ---- chapters 6 and 7: clusters ------------------------------------------------------------- */

static uint32_t bits_at(uint64_t stream, uint64_t first, unsigned width)
{
    uint32_t value = 0;
    for (uint64_t k = 0; k < width; k++)
        value |= (uint32_t)(u8(stream + (first + k) / 8) >> (first + k) % 8 & 1) << k;
    return value;
}

static uint32_t field(uint64_t stream, unsigned width, uint32_t i)
{
    return bits_at(stream, (uint64_t)i * width, width);
}

static float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static double step_of(uint8_t scale)
{
    static const char *const decimal[16] = {"1e0",   "1e-1",  "1e-2",  "1e-3", "1e-4",  "1e-5",
                                            "1e-6",  "1e-7",  "1e-8",  "1e-9", "1e-10", "1e-11",
                                            "1e-12", "1e-13", "1e-14", "1e-15"};
    if (scale < 16)
        return strtod(decimal[scale], NULL);
    double step = 1;
    for (int i = 128; i < scale; i++)
        step *= 2;
    for (int i = 128; i > scale; i--)
        step /= 2;
    return step;
}

static uint32_t vertices_of(uint64_t cluster)
{
    return u8(cluster) + 1u;
}

static uint32_t triangles_of(uint64_t cluster)
{
    return u8(cluster + 1) + 1u;
}

static uint64_t after(uint64_t stream, uint32_t count, unsigned width)
{
    return stream + ((uint64_t)count * width + 7) / 8;
}

static unsigned corner_width(uint64_t cluster, int corner)
{
    return (u8(cluster + 7) >> (corner == 0 ? 0 : 3) & 7) + 1u;
}

static unsigned triangle_width(uint64_t cluster)
{
    return corner_width(cluster, 0) + 2 * corner_width(cluster, 1);
}

static int is_over_buffers(void)
{
    return (u32(24) & OVER) != 0;
}

static uint32_t corner_of(uint64_t cluster, uint32_t triangle, int corner)
{
    if (is_over_buffers())
        return 3 * triangle + (uint32_t)corner;
    const uint64_t first = (uint64_t)triangle * triangle_width(cluster);
    const uint32_t a = bits_at(cluster + 36, first, corner_width(cluster, 0));
    if (corner == 0)
        return a;
    const uint64_t at = first + corner_width(cluster, 0) + (corner - 1) * corner_width(cluster, 1);
    return (a + u8(cluster + 11) + bits_at(cluster + 36, at, corner_width(cluster, 1))) % 256;
}

static unsigned width_of(uint64_t cluster, int axis)
{
    return u8(cluster + 4 + axis) & 63;
}

static uint32_t entries_of(uint64_t cluster, int axis)
{
    return u8(cluster + 12 + axis);
}

/* Bits of an axis in the stream of vertices. */
static unsigned field_width(uint64_t cluster, int axis)
{
    unsigned bits = 0;
    if (entries_of(cluster, axis) == 0)
        return width_of(cluster, axis);
    while ((entries_of(cluster, axis) - 1) >> bits != 0)
        bits++;
    return bits;
}

static uint64_t table_of(uint64_t cluster, int axis)
{
    const uint64_t vertices = after(cluster + 36, triangles_of(cluster), triangle_width(cluster));
    unsigned width = 0;
    for (int i = 0; i < 3; i++)
        width += field_width(cluster, i);
    uint64_t table = after(vertices, vertices_of(cluster), width);
    for (int i = 0; i < axis; i++)
        table = after(table, entries_of(cluster, i), width_of(cluster, i));
    return table;
}

static uint32_t stored(uint64_t cluster, int axis, uint32_t vertex)
{
    const uint64_t vertices = after(cluster + 36, triangles_of(cluster), triangle_width(cluster));
    uint64_t width = 0, before = 0;
    for (int i = 0; i < 3; i++) {
        width += field_width(cluster, i);
        before += i < axis ? field_width(cluster, i) : 0;
    }
    const uint32_t found = bits_at(vertices, vertex * width + before, field_width(cluster, axis));
    if (entries_of(cluster, axis) == 0)
        return found;
    return field(table_of(cluster, axis), width_of(cluster, axis), found);
}

static float coordinate(uint64_t cluster, int axis, uint32_t vertex)
{
    const uint8_t packing = u8(cluster + 4 + axis);
    const uint32_t base = u32(cluster + 16 + 4 * axis);
    const uint32_t bits = stored(cluster, axis, vertex);
    const uint32_t v = base + bits;
    if (packing >> 6 == 0)
        return float_of(bits);
    if (packing >> 6 == 1)
        return float_of(v >= 0x80000000u ? v - 0x80000000u : ~v);
    const double product = (double)(int32_t)v * step_of(u8(cluster + 8 + axis));
    return (float)product;
}

static uint64_t source_number(uint64_t head, uint64_t packed, uint32_t local)
{
    const unsigned width = u8(head + 4), gap_count = u8(head + 5), gap_width = u8(head + 6);
    const uint64_t gaps = (uint64_t)gap_count * (width + gap_width);
    const uint32_t f = bits_at(packed, gaps + (uint64_t)local * width, width);
    uint64_t skip = 0;
    for (unsigned i = 0; i < gap_count; i++) {
        const uint64_t gap = (uint64_t)i * (width + gap_width);
        if (bits_at(packed, gap, width) <= f)
            skip = bits_at(packed, gap + width, gap_width);
    }
    return u32(head) + f + skip;
}

static uint64_t number_of(uint64_t part_record, uint64_t cluster, uint32_t local)
{
    const uint64_t ids = tids.offset + u64(part_record + 96) + 4 * (uint64_t)u32(cluster + 32);
    if (u64(part_record + 104) == 0)
        return (uint64_t)u32(cluster + 28) + local;
    if (is_over_buffers()) /* chapter 6.1 */
        return source_number(cluster + 16, ids, local);
    return source_number(ids, ids + 8, local);
}

/* ---- chapter 6.1: triangles outside ---------------------------------------------------------- */

static uint64_t now_part; /* the record of the part that is read */

static uint64_t in_chunk(uint64_t offset, uint64_t size)
{
    uint64_t value = 0;
    if (offset > chunk_size || chunk_size - offset < size)
        fail("buffers leave the binary chunk");
    for (uint64_t i = 0; i < size; i++)
        value |= (uint64_t)chunk[offset + i] << (8 * i);
    return value;
}

static uint64_t size_of_type(uint32_t type)
{
    return type <= 5121 ? 1 : type <= 5123 ? 2 : 4;
}

/* A coordinate of corner vertex % 3 of local triangle vertex / 3. */
static float outside_coordinate(uint64_t cluster, int axis, uint32_t vertex)
{
    const uint32_t own = (uint32_t)((now_part - part.offset) / 256);
    uint64_t triangle = number_of(now_part, cluster, vertex / 3), r = bufs.offset;
    while (u32(r) != own || triangle - u32(r + 4) >= u32(r + 28))
        r += 64;
    triangle -= u32(r + 4);
    const uint32_t type = (uint32_t)number(r + 36, 2), index_type = (uint32_t)number(r + 38, 2);
    uint64_t index = 3 * triangle + vertex % 3;
    if (index_type != 0)
        index = in_chunk(u64(r + 16) + index * size_of_type(index_type), size_of_type(index_type));
    if (index >= u32(r + 24))
        fail("an index lies beyond the vertices");
    const uint64_t size = size_of_type(type);
    const uint64_t bits = in_chunk(u64(r + 8) + index * u32(r + 32) + size * (uint64_t)axis, size);
    if (type == 5126)
        return float_of((uint32_t)bits);
    const float c = type == 5120   ? (float)(int8_t)bits
                    : type == 5122 ? (float)(int16_t)bits
                                   : (float)bits;
    if (u32(r + 40) == 0)
        return c;
    const float quotient = c / (type == 5120   ? 127.f
                                : type == 5121 ? 255.f
                                : type == 5122 ? 32767.f
                                               : 65535.f);
    return quotient < -1 ? -1 : quotient;
}

/* Of either sort of file. */
static float corner_coordinate(uint64_t cluster, int axis, uint32_t vertex)
{
    return is_over_buffers() ? outside_coordinate(cluster, axis, vertex)
                             : coordinate(cluster, axis, vertex);
}

static void print_triangle(uint64_t part_record, uint64_t cluster, uint32_t local)
{
    printf("triangle %" PRIu64, number_of(part_record, cluster, local));
    for (int corner = 0; corner < 3; corner++) {
        const uint32_t vertex = corner_of(cluster, local, corner);
        for (int axis = 0; axis < 3; axis++) {
            const float value = corner_coordinate(cluster, axis, vertex);
            uint32_t bits;
            memcpy(&bits, &value, sizeof bits);
            printf(" %08x", bits);
        }
    }
    printf("\n");
}

/* ---- chapters 5, 9 and 13: hierarchies ------------------------------------------------------ */

typedef struct hierarchy {
    uint64_t record; /* in HIER */
    uint64_t units;  /* where unit 0 is */
    int is_top;
    unsigned shift; /* cluster_shift */
} hierarchy;

typedef struct box {
    uint32_t lo[3], hi[3];
} box;

/* The rotation of a turned grid. Returns 0 if it is not turned. */
static int rotation_of(uint64_t record, double rows[3][3])
{
    int64_t q[4], all = 0;
    for (int k = 0; k < 4; k++) {
        q[k] = (int16_t)number(record + 112 + 2 * k, 2);
        all += q[k] * q[k];
    }
    const int64_t w = q[0], x = q[1], y = q[2], z = q[3];
    const int64_t cells[3][3] = {
        {w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)},
        {2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)},
        {2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z}};
    for (int i = 0; i < 3 && all > 0; i++)
        for (int j = 0; j < 3; j++)
            rows[i][j] = (double)cells[i][j] / (double)all;
    return all > 0;
}

/* Of a turned grid, what is around the box, as libbvpack rounds it. */
static void around_turned(double rows[3][3], double lo[3], double hi[3])
{
    double middle[3], radius[3], sizes = 0;
    for (int k = 0; k < 3; k++) {
        middle[k] = 0.5 * (lo[k] + hi[k]);
        radius[k] = 0.5 * (hi[k] - lo[k]);
        sizes += fabs(lo[k]) + fabs(hi[k]);
    }
    for (int k = 0; k < 3; k++) {
        double far = sizes * 0x1p-48;
        for (int j = 0; j < 3; j++)
            far += fabs(rows[j][k]) * radius[j];
        const double at =
            (rows[0][k] * middle[0] + rows[1][k] * middle[1]) + rows[2][k] * middle[2];
        lo[k] = at - far;
        hi[k] = at + far;
    }
}

static void print_box(const hierarchy *h, const box *b, uint32_t level, unsigned items,
                      uint64_t first)
{
    double lo[3], hi[3], rows[3][3];
    printf("box %u %u %" PRIu64, level, items, first);
    for (int axis = 0; axis < 3; axis++) {
        lo[axis] = f64(h->record + 48 + 8 * axis) + b->lo[axis] * f64(h->record + 72);
        hi[axis] = f64(h->record + 48 + 8 * axis) + b->hi[axis] * f64(h->record + 72);
    }
    if (rotation_of(h->record, rows))
        around_turned(rows, lo, hi);
    printf(" %a %a %a %a %a %a\n", lo[0], lo[1], lo[2], hi[0], hi[1], hi[2]);
}

static unsigned shift_of(uint32_t extent)
{
    int log2 = -1;
    for (; extent != 0; extent >>= 1)
        log2++;
    return log2 > 7 ? (unsigned)log2 - 7 : 0;
}

static box lane_box(uint64_t node, int lane, const box *frame)
{
    box b;
    for (int axis = 0; axis < 3; axis++) {
        const unsigned s = shift_of(frame->hi[axis] - frame->lo[axis]);
        b.lo[axis] = frame->lo[axis] + ((uint32_t)u8(node + 16 * axis + lane) << s);
        b.hi[axis] = frame->lo[axis] + ((uint32_t)u8(node + 16 * axis + 8 + lane) << s);
    }
    return b;
}

static uint64_t first_item(const hierarchy *h, uint32_t geom)
{
    if (h->is_top)
        return geom;
    const uint64_t cluster = h->units + ((uint64_t)(geom >> 8) << h->shift);
    return (uint64_t)u32(cluster + 28) + (geom & 255);
}

/* Prints the boxes of `wanted`, and leaves above; returns how many inner ones there were. */
static uint64_t print_boxes(const hierarchy *h, uint32_t unit, const box *frame, uint32_t level,
                            uint32_t wanted)
{
    if (level == wanted) {
        print_box(h, frame, level, 0, 0);
        return 1;
    }
    const uint64_t node = h->units + 64 * (uint64_t)unit;
    uint64_t first = 0, inner = 0;
    uint32_t child = u32(node + 56);
    for (int lane = 0; lane < 8; lane++)
        if (u8(node + 48 + lane) >= 1 && u8(node + 48 + lane) <= 8)
            first = first_item(h, u32(node + 60));
    for (int lane = 0; lane < 8; lane++) {
        const uint8_t meta = u8(node + 48 + lane);
        if (meta == 0)
            continue;
        const box b = lane_box(node, lane, frame);
        if (meta == 0x80) {
            inner += print_boxes(h, child++, &b, level + 1, wanted);
        } else {
            print_box(h, &b, level + 1, meta, first);
            first += meta;
        }
    }
    return inner;
}

static uint64_t print_level(const hierarchy *h, uint32_t level)
{
    box root = {{0, 0, 0}, {0, 0, 0}};
    for (int axis = 0; axis < 3; axis++)
        root.hi[axis] = u32(h->record + 80 + 4 * axis);
    return print_boxes(h, u32(h->record + 24), &root, 0, level);
}

static void print_hierarchy(const hierarchy *h)
{
    for (uint32_t level = 0; print_level(h, level) > 0; level++)
        printf("level\n");
}

/* ---- chapters 9.1 to 9.4: binary hierarchies ------------------------------------------------- */

enum { BOXTREE = 2, AABB, OBB, RSS };

typedef struct binary {
    uint64_t record, bytes, blob; /* in HIER, BINH and DATA */
    unsigned shift;               /* cluster_shift */
    uint32_t kind, payload_size, leaf_size, plane_max, offset_size, order_width;
} binary;

typedef struct volume {
    uint32_t lo[3], hi[3];                     /* boxtree */
    double centre[3], axis[9], size[3], reach; /* obb, rss */
} volume;

/* A node: where its payload is; what comes below it. */
typedef struct binary_node {
    uint64_t payload;
    int is_upper;
    uint32_t left;         /* an upper node's left child */
    uint64_t rest;         /* in a block: what follows the payload */
    uint32_t first, count; /* in a block: items */
} binary_node;

static uint32_t bits_of(uint32_t extent)
{
    uint32_t bits = 0;
    for (; extent != 0; extent >>= 1)
        bits++;
    return bits;
}

static uint32_t offset_steps(const binary *b, uint64_t at, uint32_t extent)
{
    const uint32_t bits = 8 * b->offset_size;
    if (b->offset_size == 4)
        return (uint32_t)float_of(u32(at));
    return (uint32_t)number(at, (int)b->offset_size)
           << (bits_of(extent) > bits ? bits_of(extent) - bits : 0);
}

static void decode_boxtree(const binary *b, const volume *parent, uint64_t payload, volume *out)
{
    uint64_t at = payload + 1;
    *out = *parent;
    for (int bit = 0; bit < 6; bit++) {
        const int axis = bit % 3;
        if ((u8(payload) >> bit & 1) == 0)
            continue;
        const uint32_t steps = offset_steps(b, at, parent->hi[axis] - parent->lo[axis]);
        if (bit < 3)
            out->lo[axis] = parent->lo[axis] + steps;
        else
            out->hi[axis] = parent->hi[axis] - steps;
        at += b->offset_size;
    }
}

static void decode_rotation(uint32_t rotation, double axis[9])
{
    const double step = sqrt(0.5) / 511;
    const int missing = (int)(rotation >> 30);
    double q[4], sum = 0;
    int shift = 0;
    for (int i = 0; i < 4; i++) {
        if (i == missing)
            continue;
        q[i] = ((int)(rotation >> shift & 1023) - 512) * step;
        sum = sum + q[i] * q[i];
        shift += 10;
    }
    q[missing] = sqrt(1 - sum);
    const double w = q[0], x = q[1], y = q[2], z = q[3];
    const double rows[9] = {
        1 - 2 * (y * y + z * z), 2 * (x * y + w * z),     2 * (x * z - w * y),
        2 * (x * y - w * z),     1 - 2 * (x * x + z * z), 2 * (y * z + w * x),
        2 * (x * z + w * y),     2 * (y * z - w * x),     1 - 2 * (x * x + y * y)};
    memcpy(axis, rows, sizeof rows);
}

static void decode_oriented(const volume *parent, uint64_t payload, volume *out)
{
    decode_rotation(u32(payload), out->axis);
    for (int axis = 0; axis < 3; axis++) {
        const int16_t c = (int16_t)number(payload + 4 + 2 * axis, 2);
        const uint8_t s = u8(payload + 10 + axis);
        out->centre[axis] = parent->centre[axis] + c / 16384.0 * parent->reach;
        out->size[axis] = s == 0 ? 0 : (16 + (s & 15)) / (16.0 * (1 << (s >> 4))) * parent->reach;
    }
    out->reach = out->size[0] + out->size[1] + out->size[2];
}

static void decode(const binary *b, const volume *parent, uint64_t payload, volume *out)
{
    if (b->kind == BOXTREE)
        decode_boxtree(b, parent, payload, out);
    else if (b->kind == OBB || b->kind == RSS)
        decode_oriented(parent, payload, out);
}

static void grid_volume(const binary *b, volume *out)
{
    for (int axis = 0; axis < 3; axis++) {
        out->lo[axis] = 0;
        out->hi[axis] = u32(b->record + 80 + 4 * axis);
        out->size[axis] = 0.5 * f64(b->record + 72) * out->hi[axis];
        out->centre[axis] = f64(b->record + 48 + 8 * axis) + out->size[axis];
    }
    out->reach = out->size[0] + out->size[1] + out->size[2];
}

static uint32_t payload_size(const binary *b, uint64_t payload)
{
    uint32_t planes = 0;
    if (b->kind != BOXTREE)
        return b->payload_size;
    for (int bit = 0; bit < 6; bit++)
        planes += u8(payload) >> bit & 1;
    return 1 + planes * b->offset_size;
}

static binary_node upper_node(const binary *b, uint32_t idx)
{
    binary_node node = {.payload = b->bytes + (uint64_t)idx * (b->payload_size + 4)};
    const uint32_t link = u32(node.payload + b->payload_size);
    if (link < 0x80000000u) {
        node.is_upper = 1;
        node.left = link;
        return node;
    }
    const uint64_t block = b->bytes + 4 * (uint64_t)(link & 0x7fffffff);
    node.first = u32(block);
    node.count = u8(block + 6) + 1u;
    node.rest = block + 8;
    return node;
}

static int is_leaf(const binary *b, const binary_node *node)
{
    return !node->is_upper && node->count <= b->leaf_size;
}

static void open_node(const binary *b, const binary_node *node, binary_node child[2])
{
    if (node->is_upper) {
        child[0] = upper_node(b, node->left);
        child[1] = upper_node(b, node->left + 1);
        return;
    }
    const uint32_t left = u8(node->rest) + 1u, span = u8(node->rest + 1);
    const uint32_t size =
        b->kind == BOXTREE ? span : (2 * span - 1) * b->payload_size + 2 * (span - 1);
    child[0] = (binary_node){.payload = node->rest + 2, .first = node->first, .count = left};
    child[1] = (binary_node){
        .payload = node->rest + 2 + size, .first = node->first + left, .count = node->count - left};
    for (int i = 0; i < 2; i++)
        child[i].rest = child[i].payload + payload_size(b, child[i].payload);
}

static void print_volume(const binary *b, const binary_node *node, const volume *v, uint32_t level)
{
    double centre[3], half[3], axis[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    for (int i = 0; i < 3; i++) {
        const double origin = f64(b->record + 48 + 8 * i), unit = f64(b->record + 72);
        double lo = origin + v->lo[i] * unit, hi = origin + v->hi[i] * unit;
        if (b->kind == AABB) {
            lo = float_of(u32(node->payload + 4 * i));
            hi = float_of(u32(node->payload + 12 + 4 * i));
        }
        centre[i] = b->kind >= OBB ? v->centre[i] : 0.5 * (lo + hi);
        half[i] = b->kind >= OBB ? v->size[i] : 0.5 * (hi - lo);
    }
    if (b->kind >= OBB)
        memcpy(axis, v->axis, sizeof axis);
    printf("volume %u %u", level, is_leaf(b, node) ? node->count : 0);
    for (int i = 0; i < 3; i++)
        printf(" %a", centre[i]);
    for (int i = 0; i < 9; i++)
        printf(" %a", axis[i]);
    printf(" %a %a %a %a\n", half[0], half[1], b->kind == RSS ? 0 : half[2],
           b->kind == RSS ? half[2] : 0);
}

/* Prints the volumes of `wanted`, and leaves above; returns how many inner ones there were. */
static uint64_t print_volumes(const binary *b, const binary_node *node, const volume *parent,
                              uint32_t level, uint32_t wanted)
{
    volume v;
    binary_node child[2];
    decode(b, parent, node->payload, &v);
    if (level == wanted || is_leaf(b, node)) {
        print_volume(b, node, &v, level);
        return !is_leaf(b, node);
    }
    open_node(b, node, child);
    return print_volumes(b, &child[0], &v, level + 1, wanted) +
           print_volumes(b, &child[1], &v, level + 1, wanted);
}

/* The storage numbers of each leaf's triangles, from left to right. */
static void print_leaves(const binary *b, const binary_node *node)
{
    binary_node child[2];
    if (!is_leaf(b, node)) {
        open_node(b, node, child);
        print_leaves(b, &child[0]);
        print_leaves(b, &child[1]);
        return;
    }
    printf("leaf");
    for (uint32_t i = 0; i < node->count; i++) {
        uint32_t reference = node->first + i;
        if (b->order_width != 0) {
            const uint64_t bit = (uint64_t)reference * b->order_width;
            const uint64_t order = b->bytes + u64(b->record + 104);
            reference = 0;
            for (uint32_t k = 0; k < b->order_width; k++)
                reference |= (uint32_t)(u8(order + (bit + k) / 8) >> (bit + k) % 8 & 1) << k;
        }
        const uint64_t cluster = b->blob + ((uint64_t)(reference >> 8) << b->shift);
        printf(" %" PRIu64, (uint64_t)u32(cluster + 28) + (reference & 255));
    }
    printf("\n");
}

static void print_binary(uint64_t record, uint64_t blob, unsigned shift)
{
    binary b = {.record = record,
                .bytes = binh.offset + u64(record + 8),
                .blob = blob,
                .shift = shift,
                .kind = u32(record),
                .leaf_size = u32(record + 40),
                .plane_max = u8(record + 92),
                .offset_size = u8(record + 93),
                .order_width = u8(record + 94)};
    volume grid;
    b.payload_size = b.kind == BOXTREE ? 1 + b.plane_max * b.offset_size : b.kind == AABB ? 24 : 13;
    grid_volume(&b, &grid);
    const binary_node root = upper_node(&b, 0);
    for (uint32_t level = 0; print_volumes(&b, &root, &grid, 0, level) > 0; level++)
        printf("level\n");
    print_leaves(&b, &root);
}

/* ---- chapter 9.5: ray trees ------------------------------------------------------------------ */

/* What the boxes above a leaf hold on each axis, their pads taken off. */
typedef struct ray_bounds {
    double lo[3], hi[3];
} ray_bounds;

typedef struct ray_tree {
    uint64_t nodes, meshlets, blob;
    unsigned shift; /* cluster_shift */
    double bound;   /* the chapter's B */
    uint64_t held;  /* triangles in meshlets, some perhaps several times */
    uint32_t left;  /* nodes that may still be entered */
} ray_tree;

/* A triangle of a meshlet is the one that it refers to, and inside of all boxes above. */
static void check_ray_triangle(const ray_tree *t, uint64_t meshlet, uint32_t triangles,
                               uint32_t triangle, const ray_bounds *b)
{
    const uint32_t word = u32(meshlet), vertices = (word & 15) + 1;
    const uint64_t rows = meshlet + 4 + (((uint64_t)triangles * 12 + 7) / 8 + 3) / 4 * 4;
    const uint64_t references = rows + 12 * (uint64_t)vertices;
    const uint32_t reference = word & 16 ? u32(references + 4 * (uint64_t)triangle)
                                         : (word & ~255u) | u8(references + triangle);
    const uint64_t cluster = t->blob + ((uint64_t)(reference >> 8) << t->shift);
    if ((reference & 255) >= triangles_of(cluster))
        fail("a meshlet refers to a triangle that its cluster does not have");
    for (uint32_t corner = 0; corner < 3; corner++) {
        const uint32_t field = corner * triangles + triangle;
        const uint32_t at = u8(meshlet + 4 + field / 2) >> 4 * (field % 2) & 15;
        const uint32_t vertex = corner_of(cluster, reference & 255, (int)corner);
        if (at >= vertices)
            fail("a meshlet does not have the vertex of a corner");
        for (uint32_t axis = 0; axis < 3; axis++) {
            const float value = float_of(u32(rows + 4 * (uint64_t)(axis * vertices + at)));
            const float stored = corner_coordinate(cluster, (int)axis, vertex);
            if (memcmp(&value, &stored, sizeof value) != 0)
                fail("a meshlet's corner is another than its triangle's");
            if (value < b->lo[axis] || value > b->hi[axis])
                fail("a corner leaves a box of a ray tree");
        }
    }
}

static void check_ray_node(ray_tree *t, uint32_t idx, const ray_bounds *outer)
{
    const uint64_t node = t->nodes + 96 * (uint64_t)idx;
    if (t->left-- == 0)
        fail("a ray tree has more nodes than it says");
    for (uint32_t lane = 0; lane < 8; lane++) {
        const uint32_t word = (uint32_t)number(node + 80 + 2 * lane, 2), leaf = word ^ 0x8000;
        ray_bounds b = *outer;
        for (uint32_t axis = 0; axis < 3; axis++) {
            const double lo = float_of(u32(node + 48 + 4 * axis));
            const double step = float_of(u32(node + 60 + 4 * axis));
            const double pad = t->bound * 0x1p-21 + step * 0x1p-12;
            const double from = lo + u8(node + 16 * axis + lane) * step + pad;
            const double to = lo + u8(node + 16 * axis + 8 + lane) * step - pad;
            b.lo[axis] = from > b.lo[axis] ? from : b.lo[axis];
            b.hi[axis] = to < b.hi[axis] ? to : b.hi[axis];
        }
        if (word < 0x7fff)
            check_ray_node(t, u32(node + 72) + word, &b);
        for (uint32_t i = 0; word > 0x7fff && i <= leaf % 8; i++, t->held++)
            check_ray_triangle(t, t->meshlets + 8 * ((uint64_t)u32(node + 76) + leaf / 8),
                               leaf % 8 + 1, i, &b);
    }
}

/* Nothing of it can be asked for, so it is checked against what else the file says. */
static void check_ray_tree(uint64_t part_record, uint64_t record, uint64_t blob)
{
    ray_tree t = {.nodes = binh.offset + u64(record + 8),
                  .blob = blob,
                  .shift = u8(part_record + 124),
                  .left = u32(record + 32)};
    ray_bounds all = {{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};
    t.meshlets = t.nodes + 96 * (uint64_t)t.left;
    for (int i = 0; i < 6; i++) {
        const double reach = fabs(float_of(u32(part_record + 40 + 4 * (uint64_t)i)));
        t.bound = reach > t.bound ? reach : t.bound;
    }
    check_ray_node(&t, 0, &all);
    if (t.left != 0 || t.held < u64(part_record + 64))
        fail("a ray tree leaves out nodes or triangles");
}

/* ---- chapter 8: parts ----------------------------------------------------------------------- */

static void print_any(uint64_t part_record, uint64_t record, uint64_t blob, unsigned shift)
{
    const uint64_t size = u32(record) == 1 ? 64 * (uint64_t)u32(record + 32) : u64(record + 16);
    const uint64_t order = u64(record + 104) == 0 ? 0 : size - u64(record + 104);
    printf("hierarchy %u split %u leaf %u nodes %u leaves %u depth %u planes %u offsets %u size "
           "%" PRIu64 " order %" PRIu64 " area %a\n",
           u32(record), u8(record + 95), u32(record + 40), u32(record + 32), u32(record + 36),
           u32(record + 44), u8(record + 92), u8(record + 93), size, order, f64(record + 96));
    const hierarchy h = {record, blob, 0, shift};
    if (u32(record) == 1)
        print_hierarchy(&h);
    else if (u32(record) == 6)
        check_ray_tree(part_record, record, blob);
    else
        print_binary(record, blob, shift);
}

/* All of it but its name and where it comes from. */
static void print_packed(uint32_t idx)
{
    const uint64_t r = now_part = part.offset + 256 * (uint64_t)idx;
    const uint64_t first = hier.offset + 128 * (uint64_t)u32(r + 128);
    const uint64_t nodes = u32(first) == 1 ? 64 * (uint64_t)u32(first + 32) : 0;
    uint64_t size = nodes;
    for (uint32_t i = nodes > 0; i < u32(r + 132); i++)
        size += u64(first + 128 * (uint64_t)i + 16);
    printf(" triangles %" PRIu64 " vertices %" PRIu64 " clusters %u hierarchies %u origin",
           u64(r + 64), u64(r + 72), u32(r + 120), u32(r + 132));
    print_f64s(r + 16, 3);
    printf(" bounds");
    for (int i = 0; i < 6; i++)
        printf(" %a", float_of(u32(r + 40 + 4 * i)));
    printf(" error %a degenerate %" PRIu64 " duplicate %" PRIu64 " open %" PRIu64
           " nonmanifold %" PRIu64 " sizes %" PRIu64 " %" PRIu64 " %" PRIu64 " ids %d hash",
           f64(r + 144), u64(r + 152), u64(r + 160), u64(r + 168), u64(r + 176), size,
           u64(r + 88) - nodes, u64(r + 104), u64(r + 104) != 0);
    print_bytes(r, 16);
    printf(" packer");
    print_bytes(r + 200, 16);
    printf("\n");
    const uint64_t blob = data.offset + u64(r + 80);
    const unsigned shift = u8(r + 124);
    for (uint32_t i = 0; i < u32(r + 120); i++) {
        const uint64_t cluster = blob + ((uint64_t)u32(blob + u64(r + 112) + 4 * i) << shift);
        for (uint32_t local = 0; local < triangles_of(cluster); local++)
            print_triangle(r, cluster, local);
    }
    for (uint32_t i = 0; i < u32(r + 132); i++)
        print_any(r, first + 128 * (uint64_t)i, blob, shift);
}

/* Of a thin file, chapter 8: where the part with that record lies. */
static void find_part(const char *path, uint64_t record, char out[PATH_SIZE])
{
    const uint64_t store = strs.offset + 4 * (uint64_t)u32(216);
    const char *slash = strrchr(path, '/');
    const int is_absolute = u32(store) > 0 && u8(store + 4) == '/';
    int used =
        snprintf(out, PATH_SIZE, "%.*s", slash && !is_absolute ? (int)(slash - path) + 1 : 0, path);
    if (u32(store) == 0 || (uint64_t)used + u32(store) + 40 > PATH_SIZE)
        fail("nothing says where the store is");
    memcpy(out + used, file + store + 4, u32(store));
    used += (int)u32(store);
    used += snprintf(out + used, PATH_SIZE - (size_t)used, "/%02x/", u8(record + 184));
    for (int i = 1; i < 16; i++)
        used += snprintf(out + used, PATH_SIZE - (size_t)used, "%02x", u8(record + 184 + i));
    snprintf(out + used, PATH_SIZE - (size_t)used, ".bvp");
}

/* That part's own file is the one that is read meanwhile. */
static void print_elsewhere(const char *path, uint64_t record)
{
    const uint8_t *thin = file, *thin_bytes = read_bytes;
    const uint64_t thin_size = file_size;
    char own[PATH_SIZE];
    find_part(path, record, own);
    read_file(own);
    check_header();
    find_sections();
    if ((u32(24) & THIN) != 0 || part.records != 1 ||
        memcmp(file + part.offset + 184, thin + record + 184, 32) != 0 ||
        memcmp(file + part.offset, thin + record, 16) != 0 ||
        memcmp(file + part.offset + 64, thin + record + 64, 8) != 0)
        fail("a part's file in the store holds something else");
    print_packed(0);
    free((void *)file);
    file = thin;
    read_bytes = thin_bytes;
    file_size = thin_size;
    find_sections();
}

static void print_part(const char *path, uint32_t idx)
{
    const uint64_t r = part.offset + 256 * (uint64_t)idx;
    printf("part %u name", idx);
    print_string(u32(r + 136));
    printf(" source");
    print_string(u32(r + 140));
    if ((u32(24) & THIN) != 0 && u64(r + 88) == 0)
        print_elsewhere(path, r);
    else
        print_packed(idx);
}

/* ---- chapters 10 to 14: the scene ----------------------------------------------------------- */

/* A linear part, row-major 3x4; the last column is not touched. */
static void read_linear(uint32_t reference, double m[12])
{
    const uint64_t at = lins.offset + 8 * (uint64_t)reference, word = u64(at);
    for (int i = 0; i < 9; i++) {
        const unsigned field = (unsigned)(word >> 5 * i) & 31, k = field >> 1;
        const double magnitude = k < 2 ? k : f64(at + 8 * (k - 1));
        m[4 * (i / 3) + i % 3] = field & 1 ? -magnitude : magnitude;
    }
}

/* Where instance i's node lies in its parent. */
static void read_local(uint32_t i, double m[12])
{
    const uint64_t r = inst.offset + 40 * (uint64_t)i;
    read_linear(u32(r + 24), m);
    for (int a = 0; a < 3; a++)
        m[4 * a + 3] = f64(r + 8 * a);
}

static void read_placement(uint32_t idx, double m[12])
{
    for (int i = 0; i < 12; i++)
        m[i] = f64(plac.offset + 96 * (uint64_t)idx + 8 * i);
}

static void print_placement(const double m[12])
{
    printf(" placement");
    for (int i = 0; i < 12; i++)
        printf(" %a", m[i]);
}

/* -1: it is none in lower case. */
static int hex_digit(char c)
{
    const char *at = c ? strchr("0123456789abcdef", c) : NULL;
    return at ? (int)(at - "0123456789abcdef") : -1;
}

/* Chapter 14, "Colours": first pass checks the text, second prints. */
static void print_colours(uint32_t reference)
{
    const uint64_t start = strs.offset + 4 * (uint64_t)reference + 4;
    const uint32_t size = u32(start - 4);
    for (int pass = 0; pass < 2; pass++) {
        int64_t before = -1;
        for (uint32_t at = 0; at <= size;) {
            uint64_t number = 0;
            unsigned rgba[4] = {0};
            uint32_t digits = 0;
            for (; at < size && u8(start + at) >= '0' && u8(start + at) <= '9' && digits < 10;
                 at++, digits++)
                number = 10 * number + (uint64_t)(u8(start + at) - '0');
            if (digits == 0 || at >= size || u8(start + at) != ':' || number > UINT32_MAX ||
                (before < 0 ? number != 0 : (int64_t)number <= before))
                return;
            before = (int64_t)number;
            at++;
            if (at < size && u8(start + at) == '-') {
                at++;
            } else {
                for (int i = 0; i < 8; i++, at++) {
                    const int digit = at < size ? hex_digit((char)u8(start + at)) : -1;
                    if (digit < 0)
                        return;
                    rgba[i / 2] = 16 * rgba[i / 2] + (unsigned)digit;
                }
            }
            if (at < size && u8(start + at) != ' ')
                return;
            if (pass == 1)
                printf("colour %u %u %u %u %u\n", (unsigned)number, rgba[0], rgba[1], rgba[2],
                       rgba[3]);
            at++;
        }
    }
}

static int is_string(uint32_t reference, const char *text)
{
    const uint64_t start = strs.offset + 4 * (uint64_t)reference;
    const uint32_t size = u32(start);
    if (size != strlen(text))
        return 0;
    for (uint32_t i = 0; i < size; i++)
        if (u8(start + 4 + i) != (unsigned char)text[i])
            return 0;
    return 1;
}

static void print_node(uint32_t idx)
{
    const uint64_t r = tree.offset + 24 * (uint64_t)idx;
    const uint32_t item = u32(r + 8), first = u32(r + 20);
    const int has_instance = item < inst.records;
    const uint32_t end = idx + 1 < tree.records ? u32(r + 24 + 20) : (uint32_t)prop.records;
    double m[12];
    printf("node %u parent %d end %u instance %d part %d name", idx, (int32_t)u32(r), u32(r + 4),
           has_instance ? (int32_t)item : -1,
           has_instance ? (int32_t)u32(inst.offset + 40 * (uint64_t)item + 32) : -1);
    print_string(u32(r + 12));
    printf(" source");
    print_string(u32(r + 16));
    if (has_instance)
        read_local(item, m);
    else
        read_placement((uint32_t)(item - inst.records), m);
    print_placement(m);
    printf("\n");
    for (uint32_t i = first; i < end; i++) {
        const uint64_t property = prop.offset + 8 * (uint64_t)i;
        printf("property");
        print_string(u32(property));
        print_string(u32(property + 4));
        printf("\n");
    }
    for (uint32_t i = first; i < end; i++) {
        const uint64_t property = prop.offset + 8 * (uint64_t)i;
        if (is_string(u32(property), "bvpack_colours")) {
            print_colours(u32(property + 4));
            break;
        }
    }
}

/* Chapter 12: from the part to the node, from there to the parent, from there to the world. */
static void print_instance(uint32_t i)
{
    const uint64_t r = inst.offset + 40 * (uint64_t)i,
                   origin = part.offset + 256 * (uint64_t)u32(r + 32) + 16;
    const uint32_t frame = u32(r + 28);
    double local[12], f[12], m[12];
    printf("instance %u part %u node %u", i, u32(r + 32), u32(r + 36));
    read_local(i, local);
    if (f64(origin) != 0 || f64(origin + 8) != 0 || f64(origin + 16) != 0)
        for (int a = 0; a < 12; a += 4) {
            double sum = local[a] * f64(origin) + local[a + 1] * f64(origin + 8);
            sum = sum + local[a + 2] * f64(origin + 16);
            local[a + 3] = sum + local[a + 3];
        }
    read_placement(frame, f);
    for (int a = 0; a < 12; a += 4)
        for (int c = 0; c < 4; c++) {
            double sum = f[a] * local[c] + f[a + 1] * local[4 + c];
            sum = sum + f[a + 2] * local[8 + c];
            m[a + c] = c == 3 ? sum + f[a + 3] : sum;
        }
    print_placement(frame == 0 ? local : m);
    printf("\n");
}

static void print_scene(void)
{
    for (uint32_t i = 0; i < tree.records; i++)
        print_node(i);
    for (uint32_t i = 0; i < inst.records; i++)
        print_instance(i);
    if (inst.records == 0)
        return;
    uint64_t inner = 1;
    for (uint32_t level = 0; inner > 0; level++) {
        if (level > 0)
            printf("level\n");
        inner = 0;
        for (uint64_t k = u32(176); k < hier.records; k++) {
            const uint64_t record = hier.offset + 128 * k;
            const hierarchy h = {record, topn.offset + u64(record + 8), 1, 0};
            inner += print_level(&h, level);
        }
    }
}

int main(int argc, char **argv)
{
    if (argc != 2)
        fail("usage: slow_reader FILE");
    read_file(argv[1]);
    enter_glb();
    check_header();
    print_header();
    find_sections();
    if (u32(28) != 1408 || data.offset % 64 != 0)
        fail("DATA is not where it should be");
    for (uint32_t i = 0; i < part.records; i++)
        print_part(argv[1], i);
    print_scene();
    printf("provenance %" PRIu64 "\n", prov.raw_size);
    free((void *)read_bytes);
    return 0;
}
