/* SPDX-License-Identifier: MIT
 * slow_reader.c: a second reader, written from spec/format.md alone: prints everything that is in a
 * valid file. Shares no code with the library, is simple rather than fast, and stops at what it
 * cannot read. tests/dump_library.c prints the same through the library.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint8_t *file;
static uint64_t file_size;

static void fail(const char *what)
{
    fprintf(stderr, "slow_reader: %s\n", what);
    exit(1);
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

static uint64_t align(uint64_t offset, uint64_t alignment)
{
    return (offset + alignment - 1) / alignment * alignment;
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

static struct {
    uint64_t offset, size, raw_size, records;
} data, tids, part, hier, plac, tree, inst, topn, binh, prop, strs, prov;

static void find_sections(void)
{
    const struct {
        const char *kind;
        void *section;
    } wanted[] = {{"DATA", &data}, {"TIDS", &tids}, {"PART", &part}, {"HIER", &hier},
                  {"PLAC", &plac}, {"TREE", &tree}, {"INST", &inst}, {"TOPN", &topn},
                  {"BINH", &binh}, {"PROP", &prop}, {"STRS", &strs}, {"PROV", &prov}};
    for (uint32_t i = 0; i < u32(80); i++) {
        const uint64_t entry = 512 + 64 * i;
        for (size_t k = 0; k < sizeof wanted / sizeof *wanted; k++) {
            if (memcmp(file + entry, wanted[k].kind, 4) != 0)
                continue;
            const uint64_t fields[4] = {u64(entry + 8), u64(entry + 16), u64(entry + 24),
                                        u64(entry + 32)};
            memcpy(wanted[k].section, fields, sizeof fields);
        }
    }
}

static void print_header(void)
{
    static const uint8_t magic[12] = {0xab, 0x62, 0x76, 0x70, 0x61, 0x63,
                                      0x6b, 0xbb, 0x0d, 0x0a, 0x1a, 0x0a};
    if (file_size < 4096 || memcmp(file, magic, sizeof magic) != 0)
        fail("not a bvpack file");
    if (number(12, 2) != 0 || number(14, 2) != 2 || u32(24) != 0)
        fail("a version or feature that this reader does not know");
    if (u64(32) != file_size)
        fail("the file's size is not what its header says");
    printf("version %u.%u size %" PRIu64 "\n", (unsigned)number(12, 2), (unsigned)number(14, 2),
           u64(32));
    printf("triangles %" PRIu64 " unique %" PRIu64 " parts %u instances %u nodes %u\n", u64(88),
           u64(96), u32(104), u32(108), u32(112));
    printf("up %u unit %a bounds", u32(116), f64(120));
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

static uint32_t field(uint64_t stream, unsigned width, uint32_t i)
{
    uint32_t value = 0;
    for (unsigned k = 0; k < width; k++) {
        const uint64_t bit = (uint64_t)i * width + k;
        value |= (uint32_t)(u8(stream + bit / 8) >> bit % 8 & 1) << k;
    }
    return value;
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

static uint64_t stream_of(uint64_t cluster, int axis)
{
    uint64_t stream = cluster + 32 + 3 * triangles_of(cluster);
    for (int i = 0; i < axis; i++)
        stream += (vertices_of(cluster) * (u8(cluster + 4 + i) & 63) + 7) / 8;
    return stream;
}

static float coordinate(uint64_t cluster, int axis, uint32_t vertex)
{
    const uint8_t packing = u8(cluster + 4 + axis);
    const uint32_t base = u32(cluster + 12 + 4 * axis);
    const uint32_t bits = field(stream_of(cluster, axis), packing & 63, vertex);
    const uint32_t v = base + bits;
    if (packing >> 6 == 0)
        return float_of(bits);
    if (packing >> 6 == 1)
        return float_of(v >= 0x80000000u ? v - 0x80000000u : ~v);
    const double product = (double)(int32_t)v * step_of(u8(cluster + 8 + axis));
    return (float)product;
}

static void print_triangle(uint64_t part_record, uint64_t cluster, uint32_t local)
{
    uint64_t id = (uint64_t)u32(cluster + 24) + local;
    if (u64(part_record + 104) != 0) {
        const uint64_t ids = tids.offset + u64(part_record + 96) + 4 * (uint64_t)u32(cluster + 28);
        id = (uint64_t)u32(ids) + field(ids + 8, u8(ids + 4), local);
    }
    printf("triangle %" PRIu64, id);
    for (int corner = 0; corner < 3; corner++) {
        const uint32_t vertex = u8(cluster + 32 + 3 * local + corner);
        for (int axis = 0; axis < 3; axis++) {
            const float value = coordinate(cluster, axis, vertex);
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

static void print_box(const hierarchy *h, const box *b, uint32_t level, unsigned items,
                      uint64_t first)
{
    printf("box %u %u %" PRIu64, level, items, first);
    for (int axis = 0; axis < 3; axis++)
        printf(" %a", f64(h->record + 48 + 8 * axis) + b->lo[axis] * f64(h->record + 72));
    for (int axis = 0; axis < 3; axis++)
        printf(" %a", f64(h->record + 48 + 8 * axis) + b->hi[axis] * f64(h->record + 72));
    printf("\n");
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
    return (uint64_t)u32(cluster + 24) + (geom & 255);
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

static void print_hierarchy(const hierarchy *h)
{
    box root = {{0, 0, 0}, {0, 0, 0}};
    for (int axis = 0; axis < 3; axis++)
        root.hi[axis] = u32(h->record + 80 + 4 * axis);
    for (uint32_t level = 0; print_boxes(h, u32(h->record + 24), &root, 0, level) > 0; level++)
        printf("level\n");
}

/* ---- chapter 8: parts ----------------------------------------------------------------------- */

static void print_part(uint32_t idx)
{
    const uint64_t r = part.offset + 256 * (uint64_t)idx;
    const uint32_t first_hierarchy = u32(r + 128);
    const uint64_t nodes = 64 * (uint64_t)u32(hier.offset + 128 * (uint64_t)first_hierarchy + 32);
    printf("part %u name", idx);
    print_string(u32(r + 136));
    printf(" source");
    print_string(u32(r + 140));
    printf(" triangles %" PRIu64 " vertices %" PRIu64 " clusters %u hierarchies %u origin",
           u64(r + 64), u64(r + 72), u32(r + 120), u32(r + 132));
    print_f64s(r + 16, 3);
    printf(" bounds");
    for (int i = 0; i < 6; i++)
        printf(" %a", float_of(u32(r + 40 + 4 * i)));
    printf(" error %a degenerate %" PRIu64 " duplicate %" PRIu64 " open %" PRIu64
           " nonmanifold %" PRIu64 " sizes %" PRIu64 " %" PRIu64 " %" PRIu64 " ids %d hash",
           f64(r + 144), u64(r + 152), u64(r + 160), u64(r + 168), u64(r + 176), nodes,
           u64(r + 88) - nodes, u64(r + 104), u64(r + 104) != 0);
    print_bytes(r, 16);
    printf("\n");
    const uint64_t blob = data.offset + u64(r + 80);
    const unsigned shift = u8(r + 124);
    for (uint32_t i = 0; i < u32(r + 120); i++) {
        const uint64_t cluster = blob + ((uint64_t)u32(blob + u64(r + 112) + 4 * i) << shift);
        for (uint32_t local = 0; local < triangles_of(cluster); local++)
            print_triangle(r, cluster, local);
    }
    const hierarchy h = {hier.offset + 128 * (uint64_t)first_hierarchy, blob, 0, shift};
    print_hierarchy(&h);
}

/* ---- chapters 10 to 14: the scene ----------------------------------------------------------- */

static void print_placement(uint32_t idx)
{
    printf(" placement");
    print_f64s(plac.offset + 96 * (uint64_t)idx, 12);
}

static void print_node(uint32_t idx)
{
    const uint64_t r = tree.offset + 32 * (uint64_t)idx;
    const uint32_t instance = u32(r + 16);
    printf("node %u parent %d instance %d part %d name", idx, (int32_t)u32(r), (int32_t)instance,
           instance == NONE ? -1 : (int32_t)u32(inst.offset + 16 * (uint64_t)instance));
    print_string(u32(r + 4));
    printf(" source");
    print_string(u32(r + 8));
    print_placement(u32(r + 12));
    printf("\n");
    for (uint32_t i = 0; i < u32(r + 24); i++) {
        const uint64_t property = prop.offset + 8 * ((uint64_t)u32(r + 20) + i);
        printf("property");
        print_string(u32(property));
        print_string(u32(property + 4));
        printf("\n");
    }
}

static void print_scene(void)
{
    for (uint32_t i = 0; i < tree.records; i++)
        print_node(i);
    for (uint32_t i = 0; i < inst.records; i++) {
        const uint64_t r = inst.offset + 16 * (uint64_t)i;
        printf("instance %u part %u node %u", i, u32(r), u32(r + 4));
        print_placement(u32(r + 8));
        printf("\n");
    }
    if (inst.records == 0)
        return;
    const hierarchy h = {hier.offset + 128 * (uint64_t)u32(176), topn.offset, 1, 0};
    print_hierarchy(&h);
}

/* ---- the file ------------------------------------------------------------------------------- */

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
    file = bytes;
    file_size = (uint64_t)size;
}

int main(int argc, char **argv)
{
    if (argc != 2)
        fail("usage: slow_reader FILE");
    read_file(argv[1]);
    print_header();
    find_sections();
    if (align(u32(28), 4096) != 4096 || data.offset % 4096 != 0)
        fail("DATA is not where it should be");
    for (uint32_t i = 0; i < part.records; i++)
        print_part(i);
    print_scene();
    printf("provenance %" PRIu64 "\n", prov.raw_size);
    free((void *)file);
    return 0;
}
