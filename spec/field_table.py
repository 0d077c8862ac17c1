# SPDX-License-Identifier: MIT
# field_table.py: the tables of fields as the library has them, for the pictures and for what compares them.
import pathlib
import re
from collections import namedtuple

Field = namedtuple("Field", "name offset size")  # bytes
ROOT = pathlib.Path(__file__).resolve().parent.parent

SIZES = {"U8": 1, "HEX": 1, "TEXT": 1, "ZERO": 1, "I16": 2, "U16": 2, "U32": 4, "INDEX": 4, "STRING": 4, "F32": 4, "U64": 8, "F64": 8}
C_SIZES = {"uint8_t": 1, "int16_t": 2, "uint16_t": 2, "uint32_t": 4, "uint64_t": 8, "float": 4, "double": 8, "bvpd_section": 48}

# table of the annotated dump -> structure of layout.h, without bvpd_
STRUCTURES = {
    "bvpi_header_fields": "header", "bvpi_entry_fields": "section", "bvpi_trailer_fields": "trailer",
    "bvpi_node_fields": "node", "top_node_fields": "node", "bvpi_cluster_fields": "cluster",
    "bvpi_ray_node_fields": "ray_node", "bvpi_ids_fields": "ids", "part_fields": "part", "hierarchy_fields": "hierarchy",
    "bvpi_buffers_fields": "buffers",
    "placement_fields": "placement", "tree_fields": "tree_node", "instance_fields": "instance",
    "property_fields": "property",
}


def lay(members):
    """Fields of (name, size), one after the other."""
    fields, offset = [], 0
    for name, size in members:
        fields.append(Field(name, offset, size))
        offset += size
    return fields


def dump_tables():
    """The tables of the annotated dump: name of the table -> fields."""
    text = (ROOT / "libfmt/format/check/annotate_fields.c").read_text()
    tables = {}
    for name, body in re.findall(r"const bvpi_field (\w+)\[\] = \{(.*?)\n\};", text, re.S):
        rows = re.findall(r'\{"([^"]+)", (\w+), (\d+), "[^"]*"\}', body)
        tables[name] = lay((field, SIZES[kind] * int(count)) for field, kind, count in rows)
    return tables


def structures():
    """The structures of layout.h: name without bvpd_ -> fields."""
    text = re.sub(r"/\*.*?\*/", "", (ROOT / "libfmt/format/layout.h").read_text(), flags=re.S)
    constants = dict(re.findall(r"\b(BVPD_\w+)\s*(?:=\s*)?\b(\d+)\b", text))
    found = {}
    for name, body in re.findall(r"typedef struct bvpd_(\w+) \{(.*?)\}", text, re.S):
        members = []
        for kind, names in re.findall(r"(\w+)\s+([^;]+);", body):
            for member in names.split(","):
                size = C_SIZES[kind]
                for count in re.findall(r"\[(\w+)\]", member):
                    size *= int(constants.get(count, count))
                members.append((member.strip().split("[")[0], size))
        found[name] = lay(members)
    return found
