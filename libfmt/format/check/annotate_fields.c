/* SPDX-License-Identifier: MIT
 * annotate_fields.c: the tables of the spec, row by row.
 * Spec: format.md, the tables of chapters 3 to 18.
 */
#include "format/check/annotate.h"

#define U8     BVPI_FIELD_U8
#define U16    BVPI_FIELD_U16
#define I16    BVPI_FIELD_I16
#define U32    BVPI_FIELD_U32
#define INDEX  BVPI_FIELD_INDEX
#define STRING BVPI_FIELD_STRING
#define U64    BVPI_FIELD_U64
#define F32    BVPI_FIELD_F32
#define F64    BVPI_FIELD_F64
#define HEX    BVPI_FIELD_HEX
#define TEXT   BVPI_FIELD_TEXT
#define ZERO   BVPI_FIELD_ZERO
#define END                                                                                        \
    {                                                                                              \
        "", BVPI_FIELD_END, 0, ""                                                                  \
    }

const bvpi_field bvpi_header_fields[] = {
    {"magic", HEX, 12, "HDR-1"},
    {"version_major", U16, 1, "HDR-4"},
    {"version_minor", U16, 1, "HDR-5"},
    {"feature_compatible", U32, 1, ""},
    {"feature_read_compatible", U32, 1, ""},
    {"feature_incompatible", U32, 1, "HDR-6"},
    {"header_size", U32, 1, "HDR-7"},
    {"file_size", U64, 1, "HDR-8"},
    {"header_hash", HEX, 8, "HDR-3"},
    {"root_hash", HEX, 16, "HSH-1"},
    {"source_hash", HEX, 16, ""},
    {"section_count", U32, 1, "HDR-10"},
    {"block_size", U32, 1, "HDR-11"},
    {"triangle_count", U64, 1, "HDR-20"},
    {"unique_triangle_count", U64, 1, "HDR-19"},
    {"part_count", U32, 1, "HDR-12"},
    {"instance_count", U32, 1, "HDR-12"},
    {"node_count", U32, 1, "HDR-12"},
    {"up_axis", U32, 1, "HDR-13"},
    {"unit_in_metres", F64, 1, "HDR-14"},
    {"lo", F64, 3, "HDR-15"},
    {"hi", F64, 3, "HDR-15"},
    {"top_hierarchy", INDEX, 1, "HDR-16"},
    {"hierarchy_count", U32, 1, "HDR-12"},
    {"hierarchy_size", U64, 1, "HDR-21"},
    {"geometry_size", U64, 1, "HDR-21"},
    {"id_size", U64, 1, "HDR-21"},
    {"tessellation_tolerance", F64, 1, "HDR-23"},
    {"store", U32, 1, "HDR-24"},
    {"reserved", ZERO, 36, "HDR-18"},
    END,
};

const bvpi_field bvpi_entry_fields[] = {
    {"kind", TEXT, 4, "DIR-1"},
    {"flags", U32, 1, "DIR-3"},
    {"offset", U64, 1, "DIR-4"},
    {"size", U64, 1, "DIR-5"},
    {"raw_size", U64, 1, "DIR-8"},
    {"record_count", U64, 1, "DIR-6"},
    {"record_size", U32, 1, "DIR-6"},
    {"codec", U32, 1, "DIR-7"},
    END,
};

const bvpi_field bvpi_trailer_fields[] = {
    {"file_size", U64, 1, "END-1"},
    {"header_hash", HEX, 8, "END-1"},
    {"root_hash", HEX, 16, "END-1"},
    {"magic", HEX, 16, "END-1"},
    END,
};

const bvpi_field bvpi_node_fields[] = {
    {"lo.x", HEX, 8, "NOD-9"},  {"hi.x", HEX, 8, "NOD-9"},
    {"lo.y", HEX, 8, "NOD-9"},  {"hi.y", HEX, 8, "NOD-9"},
    {"lo.z", HEX, 8, "NOD-9"},  {"hi.z", HEX, 8, "NOD-9"},
    {"meta", HEX, 8, "NOD-1"},  {"child", U32, 1, "NOD-6"},
    {"geom", U32, 1, "NOD-10"}, END,
};

const bvpi_field bvpi_ray_node_fields[] = {
    {"lo.x", HEX, 8, "RAY-6"}, {"hi.x", HEX, 8, "RAY-6"}, {"lo.y", HEX, 8, "RAY-6"},
    {"hi.y", HEX, 8, "RAY-6"}, {"lo.z", HEX, 8, "RAY-6"}, {"hi.z", HEX, 8, "RAY-6"},
    {"lo", F32, 3, "RAY-5"},   {"step", F32, 3, "RAY-5"}, {"child", U32, 1, "RAY-4"},
    {"geom", U32, 1, "RAY-7"}, {"lane", U16, 8, "RAY-3"}, END,
};

static const bvpi_field top_node_fields[] = {
    {"lo.x", HEX, 8, "NOD-9"}, {"hi.x", HEX, 8, "NOD-9"},
    {"lo.y", HEX, 8, "NOD-9"}, {"hi.y", HEX, 8, "NOD-9"},
    {"lo.z", HEX, 8, "NOD-9"}, {"hi.z", HEX, 8, "NOD-9"},
    {"meta", HEX, 8, "NOD-1"}, {"child", U32, 1, "NOD-6"},
    {"geom", U32, 1, "TOP-2"}, END,
};

const bvpi_field bvpi_cluster_fields[] = {
    {"vertex_count_minus_1", U8, 1, ""},
    {"triangle_count_minus_1", U8, 1, ""},
    {"node_count", U16, 1, "CLU-2"},
    {"packing", HEX, 3, "CLU-5"},
    {"corner_bits", HEX, 1, "CLU-9"},
    {"scale", HEX, 3, "CLU-6"},
    {"corner_base", U8, 1, ""},
    {"table_count", U8, 3, "CLU-12"},
    {"reserved", ZERO, 1, "CLU-9"},
    {"base", U32, 3, ""},
    {"first_triangle", U32, 1, "CLU-3"},
    {"id_off", U32, 1, "IDS-1"},
    END,
};

const bvpi_field bvpi_ids_fields[] = {
    {"base", U32, 1, ""},          {"width", U8, 1, "IDS-2"},      {"gap_count", U8, 1, ""},
    {"gap_width", U8, 1, "IDS-2"}, {"reserved", ZERO, 1, "IDS-3"}, END,
};

const bvpi_field bvpi_buffers_fields[] = {
    {"part", U32, 1, "BUF-2"},
    {"first_triangle", U32, 1, "BUF-2"},
    {"position_off", U64, 1, "BUF-5"},
    {"index_off", U64, 1, "BUF-5"},
    {"vertex_count", U32, 1, "BUF-3"},
    {"triangle_count", U32, 1, "BUF-2"},
    {"position_stride", U32, 1, "BUF-3"},
    {"position_type", U16, 1, "BUF-3"},
    {"index_type", U16, 1, "BUF-3"},
    {"normalized", U32, 1, "BUF-3"},
    {"reserved", ZERO, 4, "BUF-3"},
    {"hash", HEX, 16, "BUF-5"},
    END,
};

static const bvpi_field part_fields[] = {
    {"content_hash", HEX, 16, "PRT-14"},
    {"origin", F64, 3, "PRT-4"},
    {"lo", F32, 3, "PRT-5"},
    {"hi", F32, 3, "PRT-5"},
    {"triangle_count", U64, 1, "PRT-7"},
    {"vertex_count", U64, 1, "PRT-8"},
    {"data_off", U64, 1, "PRT-2"},
    {"data_size", U64, 1, "PRT-2"},
    {"ids_off", U64, 1, "PRT-3"},
    {"ids_size", U64, 1, "PRT-3"},
    {"cluster_table_off", U64, 1, "PRT-6"},
    {"cluster_count", U32, 1, "PRT-6"},
    {"cluster_shift", U8, 1, "PRT-1"},
    {"reserved", ZERO, 3, "PRT-12"},
    {"first_hierarchy", U32, 1, "PRT-9"},
    {"hierarchy_count", U32, 1, "PRT-9"},
    {"name", STRING, 1, "STR-5"},
    {"source_id", STRING, 1, "STR-5"},
    {"rounding_error", F64, 1, "PRT-10"},
    {"degenerate_count", U64, 1, "PRT-11"},
    {"duplicate_count", U64, 1, "PRT-11"},
    {"open_edge_count", U64, 1, "PRT-11"},
    {"nonmanifold_edge_count", U64, 1, "PRT-11"},
    {"address", HEX, 16, "PRT-15"},
    {"packer", HEX, 16, "PRT-15"},
    {"reserved", ZERO, 40, "PRT-12"},
    END,
};

static const bvpi_field hierarchy_fields[] = {
    {"kind", U32, 1, "HIE-1"},         {"part", INDEX, 1, "HIE-2"},
    {"data_off", U64, 1, "HIE-3"},     {"data_size", U64, 1, "HIE-3"},
    {"root", U32, 1, "HIE-4"},         {"upper_count", U32, 1, "HIE-5"},
    {"node_count", U32, 1, "HIE-6"},   {"leaf_count", U32, 1, "HIE-6"},
    {"leaf_size", U32, 1, "HIE-7"},    {"depth", U32, 1, "HIE-8"},
    {"grid_origin", F64, 3, "HIE-9"},  {"grid_unit", F64, 1, "HIE-9"},
    {"grid_extent", U32, 3, "HIE-10"}, {"plane_max", U8, 1, "HIE-14"},
    {"offset_size", U8, 1, "HIE-14"},  {"order_width", U8, 1, "HIE-15"},
    {"split", U8, 1, "HIE-16"},        {"area_cost", F64, 1, "HIE-11"},
    {"order_off", U64, 1, "HIE-15"},   {"turn", I16, 4, "HIE-18"},
    {"reserved", ZERO, 8, "HIE-12"},   END,
};

static const bvpi_field placement_fields[] = {
    {"m", F64, 12, "PLC-2"},
    END,
};

static const bvpi_field tree_fields[] = {
    {"parent", INDEX, 1, "TRE-1"},
    {"end", U32, 1, "TRE-5"},
    {"item", U32, 1, "TRE-2"},
    {"name", STRING, 1, "STR-5"},
    {"source_id", STRING, 1, "STR-5"},
    {"first_property", U32, 1, "TRE-4"},
    END,
};

static const bvpi_field instance_fields[] = {
    {"move", F64, 3, "INS-5"}, {"linear", U32, 1, "LIN-6"}, {"frame", U32, 1, "INS-3"},
    {"part", U32, 1, "INS-1"}, {"node", U32, 1, "INS-2"},   END,
};

static const bvpi_field property_fields[] = {
    {"key", STRING, 1, "STR-5"},
    {"value", STRING, 1, "STR-5"},
    END,
};

static const bvpi_field hash_fields[] = {
    {"hash", HEX, 8, "HSH-2"},
    END,
};

const bvpi_field *bvpi_record_fields(enum bvpd_section_index section)
{
    switch (section) {
    case BVPD_PART:
        return part_fields;
    case BVPD_HIER:
        return hierarchy_fields;
    case BVPD_PLAC:
        return placement_fields;
    case BVPD_TREE:
        return tree_fields;
    case BVPD_INST:
        return instance_fields;
    case BVPD_TOPN:
        return top_node_fields;
    case BVPD_PROP:
        return property_fields;
    case BVPD_HASH:
        return hash_fields;
    default:
        return NULL;
    }
}
