/* SPDX-License-Identifier: MIT
 * test_verify.c: for every rule of the format a mutation of a good file that violates it.
 * Spec: format.md, all numbered rules.
 */
#include "build_case.h"
#include "node/cluster_record.h"
#include "repair.h"
#include "tiny_binary.h"
#include "suite.h"

#include <check.h>
#include <math.h>
#include <pthread.h>
#include <unistd.h>

/* ---- mutations ------------------------------------------------------------------------------ */

enum { PAGE = -1, ENTRY = -2, END = -3 }; /* besides the sections: places that offsets count from */

/* One number of a good file overwritten; hashes are repaired afterwards unless `raw`. */
typedef struct mutation {
    const char *rule;
    bvp_status status; /* BVP_OK: another rule may come first */
    int place;         /* a section, PAGE, or for directory entries ENTRY - section * 16 */
    uint32_t offset;
    int size;
    uint64_t value;
    int raw;
} mutation;

#define ENTRY_OF(section) (ENTRY - 16 * (section))
#define F64_NAN           UINT64_C(0x7ff8000000000000)
#define F64_1E300         UINT64_C(0x7e37e43c8800759c)
#define F64_MINUS_1       UINT64_C(0xbff0000000000000)
#define F64_3             UINT64_C(0x4008000000000000)
#define F64_5             UINT64_C(0x4014000000000000)
#define C                 BVP_ERR_CORRUPT
#define N                 BVP_ERR_NEWER
#define ANY               BVP_OK
#define HDR(name)         offsetof(bvpd_header, name)
#define DIR(name)         offsetof(bvpd_section, name)
#define PRT(name)         offsetof(bvpd_part, name)
#define HIE(name)         offsetof(bvpd_hierarchy, name)
#define TRE(name)         offsetof(bvpd_tree_node, name)
#define INS(name)         offsetof(bvpd_instance, name)
#define REC1              sizeof(bvpd_part)

static const mutation mutations[] = {
    {"HDR-1", BVP_ERR_NOT_OURS, PAGE, 0, 1, 'x', 0},
    {"HDR-3", C, PAGE, HDR(lo), 1, 1, 1},
    {"HDR-4", N, PAGE, HDR(version_major), 2, 1, 0},
    {"HDR-5", N, PAGE, HDR(version_minor), 2, 6, 0},
    {"HDR-6", N, PAGE, HDR(feature_incompatible), 4, 64, 0},
    {"HDR-7", C, PAGE, HDR(header_size), 4, 4096, 0},
    {"HDR-8", C, PAGE, HDR(file_size), 8, 20480, 0},
    {"HDR-10", C, PAGE, HDR(section_count), 4, 13, 0},
    {"HDR-10", C, PAGE, HDR(section_count), 4, 25, 0},
    {"HDR-11", N, PAGE, HDR(block_size), 4, 4096, 0},
    {"HDR-12", C, PAGE, HDR(part_count), 4, 3, 0},
    {"HDR-12", C, PAGE, HDR(node_count), 4, 3, 0},
    {"HDR-13", N, PAGE, HDR(up_axis), 4, 4, 0},
    {"HDR-14", C, PAGE, HDR(unit_in_metres), 8, F64_MINUS_1, 0},
    {"HDR-14", C, PAGE, HDR(unit_in_metres), 8, F64_NAN, 0},
    {"HDR-15", C, PAGE, HDR(lo), 8, F64_NAN, 0},
    {"HDR-15", C, PAGE, HDR(hi) + 8, 8, F64_MINUS_1, 0},
    {"HDR-16", C, PAGE, HDR(top_hierarchy), 4, 3, 0},
    {"HDR-17", C, PAGE, HDR(geometry_size), 8, UINT64_MAX, 0},
    {"HDR-18", N, PAGE, HDR(reserved) + 35, 1, 1, 0},
    {"HDR-19", C, PAGE, HDR(unique_triangle_count), 8, 5, 0},
    {"HDR-20", C, PAGE, HDR(triangle_count), 8, 4, 0},
    {"HDR-20", C, PAGE, HDR(triangle_count), 8, 400, 0},
    {"HDR-21", C, PAGE, HDR(id_size), 8, 0, 0},
    {"HDR-22", C, PAGE, HDR(hi), 8, F64_5, 0},
    {"HDR-22", C, PAGE, HDR(lo) + 16, 8, 1, 0},
    {"HDR-24", C, PAGE, HDR(store), 4, 1, 0},
    {"HDR-23", C, PAGE, HDR(tessellation_tolerance), 8, F64_MINUS_1, 0},
    {"HDR-23", C, PAGE, HDR(tessellation_tolerance), 8, F64_NAN, 0},
    {"DIR-1", ANY, ENTRY_OF(BVPD_TIDS), 0, 4, 0x54524150, 0}, /* a second PART */
    {"DIR-1", C, ENTRY_OF(BVPD_PROV), 0, 8, 0x41414141, 0},   /* unknown instead of PROV */
    {"DIR-2", ANY, ENTRY_OF(BVPD_PROV), 0, 4, 0x41414141, 0},
    {"DIR-3", N, ENTRY_OF(BVPD_DATA), DIR(flags), 4, 3, 0},
    {"DIR-4", C, ENTRY_OF(BVPD_PART), DIR(offset), 8, 8192, 0},
    {"DIR-4", C, ENTRY_OF(BVPD_PART), DIR(offset), 8, UINT64_MAX - 63, 0},
    {"DIR-5", C, ENTRY_OF(BVPD_DATA), DIR(size), 8, UINT64_C(1) << 40, 0},
    {"DIR-6", C, ENTRY_OF(BVPD_PART), DIR(record_size), 4, 255, 0},
    {"DIR-6", C, ENTRY_OF(BVPD_PROP), DIR(record_count), 8, UINT64_C(1) << 61, 0},
    {"DIR-7", N, ENTRY_OF(BVPD_DATA), DIR(codec), 4, 1, 0},
    {"DIR-7", N, ENTRY_OF(BVPD_PROV), DIR(codec), 4, 2, 0},
    {"DIR-8", C, ENTRY_OF(BVPD_PROV), DIR(codec), 4, 0, 0},
    {"DIR-10", ANY, ENTRY_OF(BVPD_HASH), DIR(record_count), 8, 2, 0},
    {"DIR-11", N, ENTRY_OF(BVPD_SECTION_COUNT), 47, 1, 1, 0},
    {"DIR-12", C, BVPD_TIDS, 20, 1, 1, 0},
    {"HSH-2", C, BVPD_DATA, 0, 1, 77, 1},
    {"HSH-1", C, BVPD_HASH, 0, 1, 78, 1},
    {"END-1", C, END, 0, 8, 1, 1},
    {"END-1", C, END, 47, 1, 1, 1},
    {"END-2", C, END, (uint32_t)-1, 1, 1, 0},
    {"STR-1", C, BVPD_STRS, 0, 4, 1, 0},
    {"STR-2", C, BVPD_STRS, 4, 4, UINT32_MAX, 0},
    {"STR-3", C, BVPD_STRS, 8, 1, 0xff, 0},
    {"STR-3", C, BVPD_STRS, 8, 1, 0, 0},
    {"STR-3", C, BVPD_STRS, 24, 2, 0xa0c0, 0},
    {"STR-4", C, BVPD_STRS, 19, 1, 1, 0},
    {"PRV-2", C, BVPD_PROV, 0, 1, 0, 0},
    {"PRT-1", C, BVPD_PART, PRT(cluster_shift), 1, 5, 0},
    {"PRT-1", C, BVPD_PART, PRT(cluster_shift), 1, 13, 0},
    {"PRT-2", C, BVPD_PART, PRT(data_off), 8, 64, 0},
    {"PRT-2", C, BVPD_PART, REC1 + PRT(data_size), 8, 1000, 0},
    {"PRT-3", C, BVPD_PART, PRT(ids_off), 8, 4, 0},
    {"PRT-3", C, BVPD_PART, PRT(ids_size), 8, UINT64_MAX, 0},
    {"PRT-3", ANY, BVPD_PART, PRT(ids_size), 8, 12, 0}, /* the next part's begin later */
    {"PRT-4", C, BVPD_PART, PRT(origin), 8, F64_NAN, 0},
    {"PRT-4", C, BVPD_PART, PRT(origin) + 16, 8, F64_NAN, 0},
    {"PRT-5", C, BVPD_PART, PRT(lo), 4, 0x7f800000, 0},
    {"PRT-5", C, BVPD_PART, PRT(hi), 4, 0x43000000, 0},
    {"PRT-5", C, BVPD_PART, PRT(lo), 4, 0x42c80000, 0},
    {"PRT-6", C, BVPD_PART, PRT(cluster_table_off), 8, UINT64_MAX - 3, 0},
    {"PRT-6", C, BVPD_DATA, TINY_TABLE + 60, 1, 1, 0},
    {"PRT-7", C, BVPD_PART, PRT(triangle_count), 8, 4, 0},
    {"PRT-7", C, BVPD_PART, PRT(triangle_count), 8, UINT64_MAX, 0},
    {"PRT-8", C, BVPD_PART, PRT(vertex_count), 8, 8, 0},
    {"PRT-9", C, BVPD_PART, PRT(first_hierarchy), 4, 1, 0},
    {"PRT-9", C, BVPD_PART, PRT(hierarchy_count), 4, UINT32_MAX, 0},
    {"PRT-9", C, PAGE, HDR(feature_incompatible), 4, BVPD_FEATURE_BY_USE, 0},
    {"PRT-10", C, BVPD_PART, PRT(rounding_error), 8, F64_MINUS_1, 0},
    {"PRT-11", C, BVPD_PART, PRT(open_edge_count), 8, 10, 0},
    {"PRT-11", C, BVPD_PART, PRT(nonmanifold_edge_count), 8, 10, 0},
    {"PRT-12", N, BVPD_PART, PRT(reserved) + 39, 1, 1, 0},
    {"STR-5", C, BVPD_PART, PRT(name), 4, 2, 0},
    {"HIE-1", N, BVPD_HIER, HIE(kind), 4, 7, 0},
    {"HIE-1", N, BVPD_HIER, 2 * sizeof(bvpd_hierarchy) + HIE(kind), 4, 2, 0},
    {"HIE-2", C, BVPD_PART, PRT(hierarchy_count), 4, 2, 0},
    {"HIE-2", C, BVPD_HIER, HIE(part), 4, 1, 0},
    {"HIE-2", C, BVPD_HIER, 2 * sizeof(bvpd_hierarchy) + HIE(part), 4, 1, 0},
    {"HIE-3", C, BVPD_HIER, HIE(data_size), 8, 64, 0},
    {"HIE-3", C, BVPD_HIER, 2 * sizeof(bvpd_hierarchy) + HIE(data_off), 8, 64, 0},
    {"HIE-4", C, BVPD_HIER, HIE(root), 4, 1, 0},
    {"HIE-5", C, BVPD_HIER, HIE(upper_count), 4, 9, 0},
    {"HIE-6", C, BVPD_HIER, HIE(leaf_count), 4, 2, 0},
    {"HIE-7", C, BVPD_HIER, HIE(leaf_size), 4, 9, 0},
    {"HIE-7", C, BVPD_HIER, 2 * sizeof(bvpd_hierarchy) + HIE(leaf_size), 4, 1, 0},
    {"HIE-8", C, BVPD_HIER, HIE(depth), 4, 3, 0},
    {"HIE-9", C, BVPD_HIER, HIE(grid_unit), 8, F64_3, 0},
    {"HIE-9", C, BVPD_HIER, HIE(grid_origin), 8, UINT64_C(0x3fe0000000000000), 0},
    {"HIE-10", C, BVPD_HIER, HIE(grid_extent), 4, 1 << 22, 0},
    {"HIE-10", C, BVPD_HIER, HIE(grid_extent), 4, 257, 0},
    {"HIE-11", C, BVPD_HIER, HIE(area_cost), 8, F64_NAN, 0},
    {"HIE-11", C, BVPD_HIER, HIE(area_cost), 8, F64_MINUS_1, 0},
    {"HIE-12", N, BVPD_HIER, HIE(reserved), 4, 1, 0},
    {"HIE-18", C, BVPD_HIER, HIE(turn), 2, 5, 0}, /* without the feature */
    {"NOD-1", C, BVPD_DATA, 48 + 1, 1, 9, 0},
    {"NOD-1", C, BVPD_DATA, 48 + 1, 1, 0x81, 0},
    {"NOD-2", C, BVPD_DATA, 1, 1, 254, 0},
    {"NOD-2", C, BVPD_TOPN, 7, 1, 0, 0},
    {"NOD-3", ANY, BVPD_DATA, TINY_BLOB_0 + 48, 1, 0, 0},
    {"NOD-4", C, BVPD_DATA, TINY_NODES + 56, 4, 5, 0},
    {"NOD-5", C, BVPD_DATA, 60, 4, 1, 0},
    {"NOD-6", C, BVPD_DATA, 56, 4, 0, 0},
    {"NOD-6", C, BVPD_DATA, 56, 4, 6, 0},
    {"NOD-7", C, BVPD_DATA, 56, 4, 4, 0},
    {"NOD-8", ANY, BVPD_DATA, 48 + 2, 1, 0, 0},
    {"NOD-9", C, BVPD_DATA, 8 + 2, 1, 10, 0},
    {"NOD-9", C, BVPD_DATA, 8 + 2, 1, 7, 0},
    {"NOD-10", C, BVPD_DATA, TINY_NODES + 60, 4, 99 << 8, 0},
    {"NOD-10", C, BVPD_DATA, TINY_NODES + 60, 4, 1 << 8 | 255, 0},
    {"NOD-11", C, BVPD_DATA, TINY_NODES + 8, 1, 3, 0},
    {"NOD-12", ANY, BVPD_DATA, TINY_NODES + 48 + 1, 1, 0, 0},
    {"CLU-1", C, BVPD_DATA, TINY_TABLE, 4, 0, 0},
    {"CLU-2", C, BVPD_DATA, TINY_RECORD_1 + 2, 2, 5, 0},
    {"CLU-3", C, BVPD_DATA, TINY_RECORD_1 + 28, 4, 1, 0},
    {"CLU-4", N, BVPD_DATA, TINY_RECORD_1 + 4, 1, 3 << 6 | 1, 0},
    {"CLU-5", C, BVPD_DATA, TINY_RECORD_1 + 4, 1, 1, 0},
    {"CLU-5", C, BVPD_DATA, TINY_RECORD_0 + 5, 1, BVPD_ORDERED << 6 | 26, 0},
    {"CLU-5", C, BVPD_DATA, TINY_RECORD_0 + 16 + 8, 4, 1, 0},
    {"CLU-6", C, BVPD_DATA, TINY_RECORD_1 + 8, 1, 16, 0},
    {"CLU-6", C, BVPD_DATA, TINY_RECORD_0 + 10, 1, 1, 0},
    {"CLU-7", C, BVPD_DATA, TINY_RECORD_0 + 11, 1, 1, 0},
    {"CLU-7", C, BVPD_DATA, TINY_RECORD_0 + 11, 1, 0, 0}, /* one beyond the last */
    {"CLU-8", C, BVPD_DATA, TINY_RECORD_0 + 41, 2, 0x13fc, 0},
    {"CLU-9", N, BVPD_DATA, TINY_RECORD_0 + 7, 1, 1 | 2 << 3 | 64, 0},
    {"CLU-9", N, BVPD_DATA, TINY_RECORD_0 + 15, 1, 1, 0},
    {"CLU-10", C, BVPD_DATA, TINY_RECORD_0 + 63, 1, 1, 0},
    {"CLU-10", C, BVPD_DATA, TINY_RECORD_1 + 36, 1, 0x84, 0},
    {"CLU-11", C, BVPD_DATA, TINY_RECORD_0 + 37, 1, 2 | 0 << 2 | 1 << 5, 0},
    {"CLU-12", C, BVPD_DATA, TINY_RECORD_0 + 13, 1, 1, 0},
    {"CLU-12", C, BVPD_DATA, TINY_RECORD_0 + 4, 1, 128, 0},
    {"IDS-1", C, BVPD_DATA, TINY_RECORD_1 + 32, 4, 2, 0},
    {"IDS-2", C, BVPD_TIDS, 4, 1, 33, 0},
    {"IDS-2", C, BVPD_TIDS, 6, 1, 33, 0},
    {"IDS-2", C, BVPD_TIDS, 12 + 4, 1, 32, 0},
    {"IDS-3", N, BVPD_TIDS, 7, 1, 1, 0},
    {"IDS-4", C, BVPD_TIDS, 0, 4, UINT32_MAX, 0},
    {"IDS-5", C, BVPD_TIDS, 11, 1, 1, 0},
    {"IDS-6", C, BVPD_TIDS, 5, 1, 1, 0},
    {"IDS-6", C, BVPD_TIDS, 5, 4, 0x05000001, 0}, /* position 1 leaves nothing out */
    {"PLC-1", C, BVPD_PLAC, 24, 8, 1, 0},
    {"PLC-2", C, BVPD_PLAC, 3 * 96, 8, F64_NAN, 0},
    {"PLC-3", C, BVPD_PLAC, 3 * 96, 8, 0, 0},
    {"LIN-1", C, BVPD_LINS, 0, 1, 3, 0},
    {"LIN-2", N, BVPD_LINS, 15, 1, 1, 0},
    {"LIN-3", C, BVPD_LINS, 8, 1, 6, 0},
    {"LIN-3", C, BVPD_LINS, 8 + 5, 1, 8, 0},
    {"LIN-4", C, BVPD_LINS, 16, 8, F64_NAN, 0},
    {"LIN-4", C, BVPD_LINS, 24, 8, UINT64_C(0x4000000000000000), 0},
    {"LIN-5", C, BVPD_LINS, 8 + 5, 1, 0, 0},
    {"LIN-6", C, BVPD_INST, INS(linear), 4, 2, 0},
    {"LIN-6", C, BVPD_INST, INS(linear), 4, 4, 0},
    {"TRE-1", C, BVPD_TREE, 2 * 24 + TRE(parent), 4, 2, 0},
    {"TRE-1", C, BVPD_TREE, 3 * 24 + TRE(parent), 4, 0, 0},
    {"TRE-1", C, BVPD_TREE, TRE(parent), 4, 0, 0},
    {"TRE-2", C, BVPD_TREE, 24 + TRE(item), 4, 7, 0},
    {"TRE-3", C, BVPD_TREE, TRE(item), 4, 1, 0},
    {"TRE-4", C, BVPD_TREE, TRE(first_property), 4, 1, 0},
    {"TRE-4", C, BVPD_TREE, 3 * 24 + TRE(first_property), 4, 1, 0},
    {"TRE-5", C, BVPD_TREE, TRE(end), 4, 3, 0},
    {"TRE-5", C, BVPD_TREE, 3 * 24 + TRE(end), 4, 5, 0},
    {"TRE-5", C, BVPD_TREE, 3 * 24 + TRE(end), 4, 3, 0},
    {"INS-1", C, BVPD_INST, INS(part), 4, 2, 0},
    {"INS-2", ANY, BVPD_INST, INS(node), 4, 1, 0},
    {"INS-2", ANY, BVPD_INST, INS(node), 4, 4, 0},
    {"INS-3", C, BVPD_INST, INS(frame), 4, 4, 0},
    {"INS-4", C, BVPD_INST, INS(frame), 4, 3, 0},
    {"INS-4", C, BVPD_INST, INS(move) + 7, 1, 190, 0},
    {"INS-5", C, BVPD_INST, INS(move), 8, F64_NAN, 0},
    {"INS-5", C, BVPD_INST, INS(move), 8, F64_1E300, 0},
    {"TOP-1", C, PAGE, HDR(top_hierarchy), 4, 1, 0},
    {"TOP-1", ANY, PAGE, HDR(feature_incompatible), 4, 2, 0},
    {"TOP-2", ANY, BVPD_TOPN, 60, 4, 1, 0},
    {"TOP-3", C, BVPD_TOPN, 16 + 8, 1, 3, 0},
    {"PRP-1", ANY, BVPD_TREE, 3 * 24 + TRE(first_property), 4, 3, 0},
};

#define BOX(at)            BVPD_BINH, TINY_BOXTREE_OFF + (at)
#define AAB(at)            BVPD_BINH, TINY_AABB_OFF + (at)
#define OBB(at)            BVPD_BINH, TINY_OBB_OFF + (at)
#define RSS(at)            BVPD_BINH, TINY_RSS_OFF + (at)
#define RECORD(idx, field) BVPD_HIER, (TINY_##idx) * sizeof(bvpd_hierarchy) + HIE(field)
#define LINK(offset)       (BVPD_LINK_BLOCK | (offset) / 4)

/* Of the file with binary hierarchies. Boxtree: records at 0, 7 and 14, blocks at 24 and 36; aabb:
 * at 0, 28, 56, 84 and 144, order at 152; obb and rss: 0, 17, 34, 52, 88 and 96. */
static const mutation binary_mutations[] = {
    {"HDR-21", C, PAGE, HDR(hierarchy_size), 8, 320, 0},
    {"HIE-1", N, RECORD(RSS, kind), 4, 7, 0},
    {"HIE-2", C, RECORD(OBB, part), 4, 1, 0},
    {"HIE-3", C, RECORD(AABB, data_off), 8, 128, 0},
    {"HIE-3", C, RECORD(RSS, data_size), 8, 102, 0},
    {"HIE-3", C, RECORD(RSS, data_size), 8, UINT64_C(1) << 32, 0},
    {"HIE-3", C, BOX(44), 1, 1, 0},
    {"HIE-3", ANY, RECORD(RSS, data_size), 8, 64, 0},
    {"HIE-4", C, RECORD(BOXTREE, root), 4, 1, 0},
    {"HIE-5", C, RECORD(BOXTREE, upper_count), 4, 0, 0},
    {"HIE-5", C, RECORD(OBB, upper_count), 4, 1000, 0},
    {"HIE-5", C, RECORD(RSS, upper_count), 4, 6, 0},
    {"HIE-5", C, RECORD(BOXTREE, node_count), 4, 2, 0},
    {"HIE-5", C, RECORD(BOXTREE, node_count), 4, 23, 0},
    {"HIE-5", C, RECORD(AABB, node_count), 4, 7, 0},
    {"HIE-6", C, RECORD(BOXTREE, node_count), 4, 6, 0},
    {"HIE-6", C, RECORD(RSS, leaf_count), 4, 2, 0},
    {"HIE-7", C, RECORD(BOXTREE, leaf_size), 4, 0, 0},
    {"HIE-7", C, RECORD(RSS, leaf_size), 4, 9, 0},
    {"HIE-8", C, RECORD(OBB, depth), 4, 4, 0},
    {"HIE-9", C, RECORD(AABB, grid_unit), 8, F64_3, 0},
    {"HIE-10", C, RECORD(AABB, grid_extent), 4, 1 << 22, 0},
    {"HIE-11", C, RECORD(AABB, area_cost), 8, F64_NAN, 0},
    {"HIE-12", N, RECORD(AABB, reserved), 1, 1, 0},
    {"HIE-13", C, RECORD(AABB, kind), 4, BVPD_KIND_BOXTREE, 0},
    {"HIE-13", C, RECORD(AABB, kind), 4, BVPD_KIND_WIDE8, 0},
    {"HIE-13", C, BVPD_HIER, HIE(kind), 4, BVPD_KIND_RSS, 0}, /* nodes without a hierarchy */
    {"HIE-14", C, RECORD(BOXTREE, plane_max), 1, 4, 0},
    {"HIE-14", C, RECORD(BOXTREE, plane_max), 1, 0, 0},
    {"HIE-14", C, RECORD(BOXTREE, offset_size), 1, 3, 0},
    {"HIE-14", C, RECORD(AABB, offset_size), 1, 1, 0},
    {"HIE-15", C, RECORD(BOXTREE, order_off), 8, 44, 0},
    {"HIE-15", C, RECORD(AABB, order_off), 8, 148, 0},
    {"HIE-15", C, RECORD(AABB, order_off), 8, UINT64_MAX, 0},
    {"HIE-15", C, RECORD(AABB, order_width), 1, 33, 0},
    {"HIE-15", C, RECORD(AABB, order_width), 1, 0, 0},
    {"HIE-16", N, RECORD(AABB, split), 1, 8, 0},
    {"HIE-17", C, RECORD(AABB, grid_origin), 8, F64_3, 0},
    {"HIE-17", C, RECORD(RSS, grid_extent) + 4, 4, 3, 0},
    {"HIE-18", C, RECORD(AABB, turn), 2, 5, 0},
    {"BIN-1", C, BOX(3), 4, 2, 0},
    {"BIN-1", C, AAB(24), 4, 0, 0},
    {"BIN-1", ANY, OBB(13), 4, LINK(52), 0},
    {"BIN-1", ANY, RSS(17 + 13), 4, 3, 0},
    {"BIN-2", C, BOX(14 + 2), 1, 1, 0},
    {"BIN-3", C, BOX(7 + 3), 4, LINK(80), 0},
    {"BIN-3", C, BOX(7 + 3), 4, LINK(0), 0},
    {"BIN-3", C, BOX(7 + 3), 4, UINT32_MAX, 0},
    {"BIN-3", C, AAB(144 + 4), 2, 4, 0}, /* into the order stream */
    {"BIN-4", C, BOX(14 + 3), 4, LINK(24), 0},
    {"BIN-3", C, BOX(14 + 3), 4, LINK(28), 0},
    {"BIN-4", C, BOX(24 + 4), 2, 0, 0},
    {"BIN-5", C, BOX(21), 1, 1, 0},
    {"BIN-5", C, AAB(142), 1, 1, 0},
    {"BIN-5", C, AAB(156), 1, 0x82, 0},
    {"BIN-6", ANY, RECORD(BOXTREE, leaf_size), 4, 8, 0},
    {"BIN-7", ANY, AAB(84), 4, 0, 0},
    {"BIN-7", C, RSS(97), 1, 1, 0},
    {"BIN-8", ANY, BOX(24), 4, TINY_RECORD_0 / 64 << 8 | 1, 0},
    {"BIN-8", ANY, BOX(36), 4, 7 << 8, 0},
    {"BIN-8", C, AAB(144), 4, 3, 0},
    {"BIN-8", C, AAB(144), 4, UINT32_MAX, 0},
    {"BLK-1", N, BOX(24 + 7), 1, 1, 0},
    {"BLK-2", C, BOX(24 + 8), 1, 1, 0},
    {"BLK-2", C, OBB(52 + 8 + 1), 1, 0, 0},
    {"BLK-3", C, BOX(24 + 9), 1, 3, 0},
    {"BLK-3", C, RSS(52 + 9), 1, 2, 0},
    {"BLK-3", C, BOX(36 + 6), 1, 1, 0}, /* a second triangle, and no bytes */
    {"BLK-4", C, OBB(52 + 6), 1, 0, 0},
    {"BLK-5", C, BOX(24), 1, 255, 0},
    {"BOX-1", N, BOX(0), 1, 0x40, 0},
    {"BOX-2", C, BOX(0), 1, 0x3f, 0},
    {"BOX-4", C, BOX(7 + 2), 1, 10, 0},
    {"BOX-5", C, BOX(14 + 1), 1, 9, 0},
    {"AAB-1", C, AAB(84 + 10 + 4), 4, 0x3f800000, 0},
    {"AAB-1", C, AAB(56), 4, 0x7fc00000, 0},
    {"AAB-2", C, AAB(0), 4, 0x7fc00000, 0},
    {"AAB-2", C, AAB(28 + 12), 4, 0x40a00000, 0},
    {"ORI-1", C, OBB(0), 4, TINY_ROTATION & ~1023, 0},
    {"ORI-1", ANY, RSS(0), 4, 0x3fffffff, 0},
    {"ORI-2", C, OBB(52 + 10 + 10), 1, 0, 0},
    {"ORI-2", C, OBB(12), 1, 0, 0}, /* the root, relative to which all others shrink */
    {"ORI-3", C, RSS(52 + 10 + 12), 1, 0, 0},
    {"ORI-4", C, RSS(17 + 10), 1, 0x0f, 0},
    {"ORI-4", C, OBB(17 + 4), 2, 0x7fff, 0},
};

/* Of the file whose boxtree has offsets in floats: records at 0, 13 and 26. */
static const mutation float_mutations[] = {
    {"BOX-3", C, BOX(26 + 1), 4, 0x40f00000, 0}, /* 7.5 */
    {"BOX-3", ANY, BOX(26 + 1), 4, 0x80000000, 0},   {"BOX-3", ANY, BOX(26 + 1), 4, 0x7fc00000, 0},
    {"BOX-3", ANY, BOX(26 + 1), 4, 0x4a800000, 0}, /* 2^22 */
    {"BOX-4", C, BOX(13 + 1 + 4), 4, 0x41200000, 0}, {"BOX-5", C, BOX(26 + 1), 4, 0x41100000, 0},
};

/* Of the file whose second part's hierarchy comes first, record 0; the first part has the next
 * five, record 6 is over the instances. */
static const mutation by_use_mutations[] = {
    {"PRT-9", C, PAGE, HDR(feature_incompatible), 4, 0, 0},
    {"PRT-9", ANY, PAGE, HDR(feature_incompatible), 4, BVPD_FEATURE_BY_USE | 1, 0},
    {"PRT-9", C, BVPD_PART, PRT(first_hierarchy), 4, 6, 0},
    {"HIE-2", ANY, BVPD_PART, PRT(first_hierarchy), 4, 2, 0}, /* the last of five is not its */
    {"HIE-2", C, BVPD_PART, PRT(first_hierarchy), 4, 0, 0},
    {"PRT-9", C, BVPD_PART, REC1 + PRT(first_hierarchy), 4, 1, 0},
    {"PRT-9", C, BVPD_PART, REC1 + PRT(first_hierarchy), 4, 6, 0},
    {"PRT-9", C, BVPD_PART, REC1 + PRT(first_hierarchy), 4, UINT32_MAX, 0},
    {"TOP-1", ANY, BVPD_PART, PRT(hierarchy_count), 4, 4, 0}, /* record 5 is left over */
    {"PRT-9", C, BVPD_HIER, HIE(part), 4, 0, 0},
    {"HIE-3", C, BVPD_HIER, 3 * sizeof(bvpd_hierarchy) + HIE(data_off), 8, 128, 0},
};

static uint64_t place_of(const uint8_t *file, size_t size, const mutation *m)
{
    const bvpd_header *h = (const bvpd_header *)file;
    if (m->place == PAGE)
        return m->offset;
    if (m->place == END)
        return size - sizeof(bvpd_trailer) + (uint64_t)(int32_t)m->offset;
    if (m->place <= ENTRY)
        return HDR(sections) + (uint64_t)((ENTRY - m->place) / 16) * sizeof(bvpd_section) +
               m->offset;
    return h->sections[m->place].offset + m->offset;
}

static void apply(uint8_t *file, size_t size, const mutation *m)
{
    uint8_t *at = file + place_of(file, size, m);
    ck_assert_msg(memcmp(at, &m->value, (size_t)m->size) != 0, "%s: nothing changes", m->rule);
    memcpy(at, &m->value, (size_t)m->size);
    if (!m->raw && m->place != END)
        repair_file(file, size);
}

/* ---- listening ------------------------------------------------------------------------------ */

typedef struct listener {
    const char *rule;
    int seen, total;
} listener;

static int listen(void *user, const bvp_finding *finding)
{
    listener *l = user;
    ck_assert_ptr_nonnull(finding->message);
    ck_assert_int_gt((int)strlen(finding->message), 0);
    l->seen += strcmp(finding->rule, l->rule) == 0;
    l->total++;
    return 0;
}

/* What is found, as text. */
typedef struct account {
    char text[1 << 16];
    size_t size;
} account;

static int note_finding(void *user, const bvp_finding *finding)
{
    account *a = user;
    const size_t room = sizeof a->text - a->size;
    const int size = snprintf(a->text + a->size, room, "%s %llu %s\n", finding->rule,
                              (unsigned long long)finding->offset, finding->message);
    ck_assert_int_gt(size, 0);
    a->size += (size_t)size < room ? (size_t)size : 0;
    return 0;
}

/* Three threads find what one finds, in the same order. */
static void expect_same_on_threads(const uint8_t *file, size_t size)
{
    static account one, three;
    bvp_error error_of_one = {0}, error_of_three = {0};
    one.size = three.size = 0;
    const bvp_verify_options options = {
        .thread_count = 3, .callback = note_finding, .user = &three};
    const bvp_status status = bvp_verify(file, size, note_finding, &one, &error_of_one);
    ck_assert_int_eq(bvp_verify_with(file, size, &options, &error_of_three), status);
    ck_assert_uint_eq(one.size, three.size);
    ck_assert_mem_eq(one.text, three.text, one.size);
    ck_assert_str_eq(error_of_one.message, error_of_three.message);
    ck_assert_uint_eq(error_of_one.offset, error_of_three.offset);
}

/* The file violates the rule; `status`: and the rule comes first, with this status. */
static void expect(const uint8_t *file, size_t size, const char *rule, bvp_status status)
{
    listener l = {.rule = rule};
    bvp_error error = {0};
    bvp_status first = bvp_verify(file, size, listen, &l, &error);
    expect_same_on_threads(file, size);
    ck_assert_msg(l.seen > 0, "%s is not found; first of %d: %s %s", rule, l.total, error.rule,
                  error.message);
    ck_assert_int_eq(first, error.status);
    if (status == BVP_OK)
        return;
    ck_assert_msg(strcmp(error.rule, rule) == 0, "%s expected first, but %s: %s", rule, error.rule,
                  error.message);
    ck_assert_msg(first == status, "%s: status %s", rule, bvp_status_name(first));
}

/* Rules of the head refuse to open, and say the same. */
static void expect_open(const uint8_t *file, size_t size, const char *rule, bvp_status status)
{
    bvp_file *opened;
    bvp_error error = {0};
    bvp_open_options options = {.mode = BVP_OPEN_CHECKED};
    const int is_open =
        (strncmp(rule, "HDR", 3) == 0 && (atoi(rule + 4) <= 18 || atoi(rule + 4) == 23)) ||
        (strncmp(rule, "DIR", 3) == 0 && atoi(rule + 4) <= 11);
    bvp_status got = bvp_open_memory(file, size, &options, &opened, &error);
    ck_assert_msg((got != BVP_OK) == is_open, "%s: open says %s", rule, bvp_status_name(got));
    if (is_open && status != BVP_OK) {
        ck_assert_str_eq(error.rule, rule);
        ck_assert_int_eq(got, status);
    }
    bvp_close(opened);
    options.mode = BVP_OPEN_ISOLATED;
    got = bvp_open_memory(file, size, &options, &opened, &error);
    ck_assert_msg(got != BVP_OK && !opened, "%s: an isolated open accepts it", rule);
}

/* ---- tests ---------------------------------------------------------------------------------- */

enum { BY_USE = 100 };

/* base: bytes of the boxtree's offsets; 0: without binary hierarchies; or BY_USE. */
static uint8_t *make_base(uint32_t base, size_t *size)
{
    if (base == BY_USE) {
        uint8_t *file = tiny_make_by_use(size);
        repair_file(file, *size);
        return file;
    }
    return base == 0 ? tiny_make(size) : tiny_make_binary(size, base);
}

START_TEST(test_good)
{
    static const uint32_t bases[] = {0, 1, 4, BY_USE, 0};
    for (size_t i = 0; i < 5; i++) {
        size_t size;
        uint8_t *file = make_base(bases[i], &size);
        if (i == 4)
            wrap_provenance(file, size);
        listener l = {.rule = ""};
        bvp_error error = {0};
        ck_assert_msg(bvp_verify(file, size, listen, &l, &error) == BVP_OK, "%s: %s", error.rule,
                      error.message);
        ck_assert_int_eq(l.total, 0);
        expect_same_on_threads(file, size);
        free(file);
    }
}
END_TEST

static void expect_each(const mutation *list, size_t count, uint32_t base)
{
    for (size_t i = 0; i < count; i++) {
        size_t size;
        uint8_t *file = make_base(base, &size);
        if (base == 0)
            wrap_provenance(file, size); /* rules of both codecs can be broken */
        apply(file, size, &list[i]);
        expect(file, size, list[i].rule, list[i].status);
        expect_open(file, size, list[i].rule, list[i].status);
        free(file);
    }
}

START_TEST(test_mutations)
{
    expect_each(mutations, sizeof mutations / sizeof *mutations, 0);
    expect_each(binary_mutations, sizeof binary_mutations / sizeof *binary_mutations, 1);
    expect_each(float_mutations, sizeof float_mutations / sizeof *float_mutations, 4);
    expect_each(by_use_mutations, sizeof by_use_mutations / sizeof *by_use_mutations, BY_USE);
}
END_TEST

/* A file that grew or shrank, with its header's consent. */
static uint8_t *resized(size_t new_size)
{
    size_t size;
    uint8_t *file = tiny_make(&size), *other = aligned_alloc(4096, (new_size + 4095) & ~4095u);
    memset(other, 0, new_size);
    memcpy(other, file, size < new_size ? size : new_size);
    if (new_size > size)
        memset(other + size - sizeof(bvpd_trailer), 0, sizeof(bvpd_trailer));
    const uint64_t told = new_size;
    memcpy(other + HDR(file_size), &told, sizeof told);
    repair_file(other, new_size);
    free(file);
    return other;
}

START_TEST(test_sizes)
{
    size_t size;
    uint8_t *file = tiny_make(&size);
    expect(file, 1407, "HDR-2", BVP_ERR_CORRUPT);
    expect_open(file, 1407, "HDR-2", BVP_ERR_CORRUPT);
    expect(file, 3, "HDR-2", BVP_ERR_CORRUPT);
    expect(file, 0, "HDR-1", BVP_ERR_NOT_OURS);
    expect(file, size - 1, "HDR-8", BVP_ERR_CORRUPT);
    expect_open(file, size - 4096, "HDR-8", BVP_ERR_CORRUPT);
    free(file);
    file = resized(size - 64);
    expect(file, size - 64, "HDR-9", BVP_ERR_CORRUPT);
    expect_open(file, size - 64, "HDR-9", BVP_ERR_CORRUPT);
    free(file);
    file = resized(size + 4096);
    expect(file, size + 4096, "DIR-9", BVP_ERR_CORRUPT);
    expect_open(file, size + 4096, "DIR-9", BVP_ERR_CORRUPT);
    free(file);
}
END_TEST

/* The place that is told is the wrong number's. */
START_TEST(test_hash_count)
{
    size_t size;
    bvp_error error;
    uint8_t *file = tiny_make(&size);
    bvpd_section *hash = &((bvpd_header *)file)->sections[BVPD_HASH];
    hash->record_count = 2;
    hash->size = hash->raw_size = 16;
    repair_file(file, size);
    ck_assert_int_eq(bvp_verify(file, size, NULL, NULL, &error), BVP_ERR_CORRUPT);
    ck_assert_str_eq(error.rule, "DIR-10");
    ck_assert_uint_eq(error.offset, 256 + 48 * BVPD_HASH + 32);
    free(file);
}
END_TEST

START_TEST(test_provenance)
{
    size_t size;
    uint8_t *file = tiny_make(&size);
    bvpd_section *entry = &((bvpd_header *)file)->sections[BVPD_PROV];
    wrap_provenance(file, size);
    const bvpd_section before = *entry;
    entry->codec = 0;
    entry->raw_size = entry->record_count = entry->size;
    repair_file(file, size);
    expect(file, size, "PRV-1", BVP_ERR_CORRUPT);
    *entry = before;
    entry->raw_size = entry->record_count = UINT64_C(1) << 40;
    repair_file(file, size);
    expect(file, size, "PRV-2", BVP_ERR_LIMIT);
    entry->raw_size = entry->record_count = before.raw_size + 1;
    repair_file(file, size);
    expect(file, size, "PRV-2", BVP_ERR_CORRUPT);
    free(file);
}
END_TEST

START_TEST(test_deep_tree)
{
    size_t size;
    uint8_t *file = tiny_make_chain(&size, BVPD_TREE_DEPTH_MAX - 3);
    ck_assert_int_eq(bvp_verify(file, size, NULL, NULL, NULL), BVP_OK);
    free(file);
    file = tiny_make_chain(&size, BVPD_TREE_DEPTH_MAX - 2);
    expect(file, size, "TRE-6", BVP_ERR_LIMIT);
    free(file);
}
END_TEST

START_TEST(test_unknown_section)
{
    size_t size;
    uint8_t *file = tiny_make(&size);
    bvp_error error = {0};
    insert_section(file, size, 0);
    ck_assert_msg(bvp_verify(file, size, NULL, NULL, &error) == BVP_OK, "%s: %s", error.rule,
                  error.message);
    free(file);
    file = tiny_make(&size);
    insert_section(file, size, 1);
    expect(file, size, "DIR-2", BVP_ERR_NEWER);
    free(file);
}
END_TEST

/* No hash would cover it. */
START_TEST(test_section_after_hash)
{
    size_t size;
    uint8_t *file = tiny_make(&size);
    bvpd_header *h = (bvpd_header *)file;
    bvpd_section *next = &h->sections[h->section_count++];
    memcpy(next->kind, "NEXT", 4);
    next->offset = (next[-1].offset + next[-1].size + 63) & ~UINT64_C(63);
    repair_file(file, size);
    expect(file, size, "DIR-1", BVP_ERR_CORRUPT);
    free(file);
}
END_TEST

/* A section that cannot be found, or leaves the file, does not keep verification from its end. */
START_TEST(test_lost_sections)
{
    for (int section = 0; section < BVPD_SECTION_COUNT; section++) {
        for (int way = 0; way < 2; way++) {
            size_t size;
            uint8_t *file = tiny_make(&size);
            bvpd_header *h = (bvpd_header *)file;
            bvpd_section *entry = &h->sections[section];
            /* a part that wants nothing of DATA is where it should be, even when DATA is lost */
            bvpd_part *part = (bvpd_part *)(file + h->sections[BVPD_PART].offset);
            part->data_size = 0;
            if (way == 0)
                memcpy(entry->kind, "LOST", 4);
            else
                entry->size = UINT64_MAX;
            repair_file(file, size);
            expect(file, size, way == 0 ? "DIR-1" : "DIR-5", BVP_OK);
            free(file);
        }
    }
}
END_TEST

static int stop_at_once(void *user, const bvp_finding *finding)
{
    (void)finding;
    ++*(int *)user;
    return 1;
}

START_TEST(test_stop)
{
    size_t size;
    int calls = 0;
    uint8_t *file = tiny_make(&size);
    memset(file + ((bvpd_header *)file)->sections[BVPD_DATA].offset, 0x55, 600);
    ck_assert_int_eq(bvp_verify(file, size, stop_at_once, &calls, NULL), BVP_ERR_CORRUPT);
    ck_assert_int_eq(calls, 1);
    ck_assert_int_eq(bvp_verify(file + 1, size - 1, NULL, NULL, NULL), BVP_ERR_ARGUMENT);
    free(file);
}
END_TEST

static int count_in_two(void *user, const bvp_finding *finding)
{
    *(uint32_t *)user += strcmp(finding->rule, "NOD-12") == 0 &&
                         strstr(finding->message, "is in two leaves") != NULL;
    return 0;
}

/* Every node in turn refers to its triangles from one earlier on. All triangles are the same, so
 * that no box tells: those that two leaves have then are found one by one. */
START_TEST(test_leaves_overlap)
{
    enum { COUNT = 700 };
    float soup[9 * COUNT];
    bvpi_part part;
    bvpi_cluster cluster;
    uint32_t nodes = 0, missed = 0;
    for (int i = 0; i < 9 * COUNT; i++)
        soup[i] = (float)(i % 9 * i % 9 % 5);
    const bvp_mesh mesh = case_mesh(soup, COUNT);
    case_file file = case_build(&mesh, NULL);
    ck_assert_int_eq(bvpi_get_part_here(file.file, 0, &part), BVP_OK);
    for (uint32_t idx = 0; idx < part.cluster_count; idx++) {
        ck_assert(bvpi_cluster_at(&part, idx, &cluster));
        for (uint32_t n = 0; n < cluster.head.node_count; n++) {
            bvpd_node *node = (bvpd_node *)(part.blob + bvpi_cluster_off(&part, idx) +
                                            bvpi_cluster_nodes_off(&cluster)) +
                              n;
            uint32_t found = 0;
            if ((node->geom & 255) == 0)
                continue;
            node->geom--;
            ck_assert_int_ne(bvp_verify(file.bytes, file.size, count_in_two, &found, NULL), BVP_OK);
            expect_same_on_threads(file.bytes, file.size);
            node->geom++;
            nodes++;
            missed += found == 0;
        }
    }
    ck_assert_uint_gt(nodes, 3);
    ck_assert_uint_eq(missed, 0);
    ck_assert_int_eq(bvp_verify(file.bytes, file.size, NULL, NULL, NULL), BVP_OK);
    case_close(&file);
}
END_TEST

/* Notes whether another thread than the test's looks at the control. The test's own one is slow
 * until then, so that it does not do all the work before the others have begun. */
typedef struct other_thread {
    pthread_t own;
    bool is_expected;
    int was_seen; /* atomic */
} other_thread;

static int look_for_thread(void *user)
{
    other_thread *o = user;
    if (!pthread_equal(pthread_self(), o->own))
        __atomic_store_n(&o->was_seen, 1, __ATOMIC_RELAXED);
    else if (o->is_expected && !__atomic_load_n(&o->was_seen, __ATOMIC_RELAXED))
        usleep(1000);
    return 0;
}

START_TEST(test_threads)
{
    uint64_t state = case_seed();
    float *soup = case_soup(&state, 100000, 1, 0.01);
    const bvp_mesh mesh = case_mesh(soup, 100000);
    case_file file = case_build(&mesh, NULL);
    for (uint32_t threads = 1; threads <= 3; threads++) {
        other_thread other = {.own = pthread_self(), .is_expected = threads > 1};
        const bvp_control control = {.callback = look_for_thread, .user = &other};
        bvp_verify_options options = {.control = &control, .thread_count = threads};
        ck_assert_int_eq(bvp_verify_with(file.bytes, file.size, &options, NULL), BVP_OK);
        ck_assert_int_eq(other.was_seen, threads > 1);
        options.reserved[1] = 1;
        ck_assert_int_eq(bvp_verify_with(file.bytes, file.size, &options, NULL), BVP_ERR_ARGUMENT);
    }
    /* hashes are not repaired, or are: then what the bytes say is wrong */
    for (int i = 0; i < 40; i++) {
        uint8_t *bytes = file.bytes;
        const size_t at = 4096 + case_random(&state) % (file.size - 8192);
        const uint8_t bit = (uint8_t)(1 << i % 8), was = bytes[at];
        bytes[at] ^= bit;
        if (i % 2 == 1)
            repair_file(file.bytes, file.size);
        expect_same_on_threads(file.bytes, file.size);
        bytes[at] = was;
        repair_file(file.bytes, file.size);
    }
    case_close(&file);
    free(soup);
}
END_TEST

SUITE(test_verify)
{
    const TTest *const list[] = {test_good,
                                 test_mutations,
                                 test_sizes,
                                 test_hash_count,
                                 test_provenance,
                                 test_deep_tree,
                                 test_unknown_section,
                                 test_section_after_hash,
                                 test_lost_sections,
                                 test_stop,
                                 test_leaves_overlap,
                                 test_threads,
                                 NULL};
    return suite_run("verify", list);
}
