# SPDX-License-Identifier: MIT
# The format in the language of Kaitai Struct (https://kaitai.io), for its viewers and for parsers in other languages.
# spec/format.md is the specification: its rules, and how a stream of bits is decoded, do not stand here.
# One field a line; tests/house/check_fields.py holds names, offsets and sizes against the other tables of fields.
meta:
  id: bvpack
  title: bvpack, triangle meshes with hierarchies for collision, distance and ray queries
  file-extension: bvp
  license: MIT
  ks-version: '0.10'
  endian: le
  bit-endian: le
  encoding: UTF-8
doc-ref: spec/format.md
seq:
  - {id: header, type: header}
  - {id: directory, type: section, repeat: expr, repeat-expr: header.section_count}
  - {id: unused, type: section, repeat: expr, repeat-expr: 24 - header.section_count}
instances:
  trailer: {pos: header.file_size - 48, type: trailer}
  # A section is the last entry that a search reads. Unknown sections may stand between the known ones.
  search_part: {pos: 256, type: section, repeat: until, repeat-until: _.kind == "PART"}
  search_hier: {pos: 256, type: section, repeat: until, repeat-until: _.kind == "HIER"}
  search_plac: {pos: 256, type: section, repeat: until, repeat-until: _.kind == "PLAC"}
  search_lins: {pos: 256, type: section, repeat: until, repeat-until: _.kind == "LINS"}
  search_inst: {pos: 256, type: section, repeat: until, repeat-until: _.kind == "INST"}
  search_topn: {pos: 256, type: section, repeat: until, repeat-until: _.kind == "TOPN"}
  search_data: {pos: 256, type: section, repeat: until, repeat-until: _.kind == "DATA"}
  search_tids: {pos: 256, type: section, repeat: until, repeat-until: _.kind == "TIDS"}
  search_binh: {pos: 256, type: section, repeat: until, repeat-until: _.kind == "BINH"}
  search_tree: {pos: 256, type: section, repeat: until, repeat-until: _.kind == "TREE"}
  search_prop: {pos: 256, type: section, repeat: until, repeat-until: _.kind == "PROP"}
  search_strs: {pos: 256, type: section, repeat: until, repeat-until: _.kind == "STRS"}
  search_prov: {pos: 256, type: section, repeat: until, repeat-until: _.kind == "PROV"}
  search_hash: {pos: 256, type: section, repeat: until, repeat-until: _.kind == "HASH"}
  parts: {pos: search_part.last.offset, type: part, repeat: expr, repeat-expr: search_part.last.record_count}
  hierarchies: {pos: search_hier.last.offset, type: hierarchy, repeat: expr, repeat-expr: search_hier.last.record_count}
  placements: {pos: search_plac.last.offset, type: placement, repeat: expr, repeat-expr: search_plac.last.record_count}
  linear_parts: {pos: search_lins.last.offset, size: search_lins.last.size, type: linear_parts}
  instances: {pos: search_inst.last.offset, type: instance, repeat: expr, repeat-expr: search_inst.last.record_count}
  top_nodes: {pos: search_topn.last.offset, type: node, repeat: expr, repeat-expr: search_topn.last.record_count}
  tree: {pos: search_tree.last.offset, type: tree_node, repeat: expr, repeat-expr: search_tree.last.record_count}
  properties: {pos: search_prop.last.offset, type: property, repeat: expr, repeat-expr: search_prop.last.record_count}
  strings: {pos: search_strs.last.offset, size: search_strs.last.size, type: strings}
  provenance: {pos: search_prov.last.offset, size: search_prov.last.size}
  block_hashes: {pos: search_hash.last.offset, type: u8, repeat: expr, repeat-expr: search_hash.last.record_count}
types:
  header: # chapter 3
    seq:
      - {id: magic, contents: [0xab, 0x62, 0x76, 0x70, 0x61, 0x63, 0x6b, 0xbb, 0x0d, 0x0a, 0x1a, 0x0a]}
      - {id: version_major, type: u2}
      - {id: version_minor, type: u2}
      - {id: feature_compatible, type: u4}
      - {id: feature_read_compatible, type: u4}
      - {id: feature_incompatible, type: u4}
      - {id: header_size, type: u4}
      - {id: file_size, type: u8}
      - {id: header_hash, type: u8}
      - {id: root_hash, size: 16}
      - {id: source_hash, size: 16}
      - {id: section_count, type: u4}
      - {id: block_size, type: u4}
      - {id: triangle_count, type: u8}
      - {id: unique_triangle_count, type: u8}
      - {id: part_count, type: u4}
      - {id: instance_count, type: u4}
      - {id: node_count, type: u4}
      - {id: up_axis, type: u4}
      - {id: unit_in_metres, type: f8}
      - {id: lo, type: f8, repeat: expr, repeat-expr: 3}
      - {id: hi, type: f8, repeat: expr, repeat-expr: 3}
      - {id: top_hierarchy, type: u4}
      - {id: hierarchy_count, type: u4}
      - {id: hierarchy_size, type: u8}
      - {id: geometry_size, type: u8}
      - {id: id_size, type: u8}
      - {id: tessellation_tolerance, type: f8}
      - {id: store, type: u4}
      - {id: reserved, size: 36}
  section: # an entry of the directory, chapter 4
    seq:
      - {id: kind, size: 4, type: str, encoding: ASCII}
      - {id: flags, type: u4}
      - {id: offset, type: u8}
      - {id: size, type: u8}
      - {id: raw_size, type: u8}
      - {id: record_count, type: u8}
      - {id: record_size, type: u4}
      - {id: codec, type: u4}
    instances:
      content: {io: _root._io, pos: offset, size: size}
  node: # chapter 5; bounds as eight lanes, lo and hi on each axis
    seq:
      - {id: lo_x, size: 8}
      - {id: hi_x, size: 8}
      - {id: lo_y, size: 8}
      - {id: hi_y, size: 8}
      - {id: lo_z, size: 8}
      - {id: hi_z, size: 8}
      - {id: meta, size: 8}
      - {id: child, type: u4}
      - {id: geom, type: u4}
  cluster: # the header of a cluster record, chapter 6
    seq:
      - {id: vertex_count_minus_1, type: u1}
      - {id: triangle_count_minus_1, type: u1}
      - {id: node_count, type: u2}
      - {id: packing, type: u1, repeat: expr, repeat-expr: 3}
      - {id: corner_bits, type: u1}
      - {id: scale, type: u1, repeat: expr, repeat-expr: 3}
      - {id: corner_base, type: u1}
      - {id: table_count, type: u1, repeat: expr, repeat-expr: 3}
      - {id: reserved, size: 1}
      - {id: base, type: u4, repeat: expr, repeat-expr: 3}
      - {id: first_triangle, type: u4}
      - {id: id_off, type: u4}
  cluster_record:
    seq:
      - {id: header, type: cluster}
      - {id: corners, size: (triangle_count * (first_bits + 2 * delta_bits) + 7) / 8, if: not is_outside}
      - {id: vertices, size: '(vertex_count * (axes[0].field_bits + axes[1].field_bits + axes[2].field_bits) + 7) / 8', if: not is_outside}
      - {id: table_x, size: 'axes[0].table_size', if: not is_outside}
      - {id: table_y, size: 'axes[1].table_size', if: not is_outside}
      - {id: table_z, size: 'axes[2].table_size', if: not is_outside}
      - {id: padding, size: (64 - _io.pos % 64) % 64}
      - {id: nodes, type: node, repeat: expr, repeat-expr: header.node_count}
    instances:
      part: {value: _parent._parent._parent}
      triangle_count: {value: header.triangle_count_minus_1 + 1}
      vertex_count: {value: header.vertex_count_minus_1 + 1}
      first_bits: {value: (header.corner_bits & 7) + 1}
      delta_bits: {value: (header.corner_bits >> 3 & 7) + 1}
      axes: {type: axis(_index), repeat: expr, repeat-expr: 3}
      is_outside: {value: 'header.packing[0] >> 6 == 3'} # chapter 6.1: no streams, and another id record
      ids: {io: _root._io, pos: _root.search_tids.last.offset + part.ids_off + 4 * header.id_off, type: id_record, if: part.ids_size != 0 and not is_outside}
  axis: # how many bits a cluster's vertices take on one axis
    params:
      - {id: idx, type: s4}
    instances:
      width: {value: '_parent.header.packing[idx] & 63'}
      entries: {value: '_parent.header.table_count[idx]'}
      entry_bits: {value: 'entries > 128 ? 8 : entries > 64 ? 7 : entries > 32 ? 6 : entries > 16 ? 5 : entries > 8 ? 4 : entries > 4 ? 3 : entries > 2 ? 2 : 1'}
      field_bits: {value: 'entries > 0 ? entry_bits : width'}
      table_size: {value: (entries * width + 7) / 8}
  buffers: # a record of section BUFS, chapter 6.1
    seq:
      - {id: part, type: u4}
      - {id: first_triangle, type: u4}
      - {id: position_off, type: u8}
      - {id: index_off, type: u8}
      - {id: vertex_count, type: u4}
      - {id: triangle_count, type: u4}
      - {id: position_stride, type: u4}
      - {id: position_type, type: u2}
      - {id: index_type, type: u2}
      - {id: normalized, type: u4}
      - {id: reserved, size: 4}
      - {id: hash, size: 16}
  ids: # the header of an id record, chapter 7
    seq:
      - {id: base, type: u4}
      - {id: width, type: u1}
      - {id: gap_count, type: u1}
      - {id: gap_width, type: u1}
      - {id: reserved, size: 1}
  id_record:
    seq:
      - {id: header, type: ids}
      - {id: packed, size: (header.gap_count * (header.width + header.gap_width) + _parent.triangle_count * header.width + 7) / 8}
  part: # chapter 8
    seq:
      - {id: content_hash, size: 16}
      - {id: origin, type: f8, repeat: expr, repeat-expr: 3}
      - {id: lo, type: f4, repeat: expr, repeat-expr: 3}
      - {id: hi, type: f4, repeat: expr, repeat-expr: 3}
      - {id: triangle_count, type: u8}
      - {id: vertex_count, type: u8}
      - {id: data_off, type: u8}
      - {id: data_size, type: u8}
      - {id: ids_off, type: u8}
      - {id: ids_size, type: u8}
      - {id: cluster_table_off, type: u8}
      - {id: cluster_count, type: u4}
      - {id: cluster_shift, type: u1}
      - {id: reserved0, size: 3}
      - {id: first_hierarchy, type: u4}
      - {id: hierarchy_count, type: u4}
      - {id: name, type: u4}
      - {id: source_id, type: u4}
      - {id: rounding_error, type: f8}
      - {id: degenerate_count, type: u8}
      - {id: duplicate_count, type: u8}
      - {id: open_edge_count, type: u8}
      - {id: nonmanifold_edge_count, type: u8}
      - {id: address, size: 16}
      - {id: packer, size: 16}
      - {id: reserved, size: 40}
    instances:
      name_text: {io: _root._io, pos: _root.search_strs.last.offset + 4 * name, type: string_record}
      source_id_text: {io: _root._io, pos: _root.search_strs.last.offset + 4 * source_id, type: string_record}
      # a part of a thin file may lie in a store: then it has no bytes and no hierarchy here
      blob: {io: _root._io, pos: _root.search_data.last.offset + data_off, size: data_size, type: blob, if: data_size != 0}
  blob:
    instances:
      first: {value: '_root.hierarchies[_parent.first_hierarchy]'}
      upper_nodes: {pos: 0, type: node, repeat: expr, repeat-expr: 'first.kind == 1 ? first.upper_count : 0'}
      cluster_table: {pos: _parent.cluster_table_off, type: u4, repeat: expr, repeat-expr: _parent.cluster_count}
      clusters: {type: 'cluster_at(cluster_table[_index] * (1 << _parent.cluster_shift))', repeat: expr, repeat-expr: _parent.cluster_count}
  cluster_at:
    params:
      - {id: offset, type: u8}
    instances:
      record: {pos: offset, type: cluster_record}
  hierarchy: # chapter 9
    seq:
      - {id: kind, type: u4}
      - {id: part, type: u4}
      - {id: data_off, type: u8}
      - {id: data_size, type: u8}
      - {id: root, type: u4}
      - {id: upper_count, type: u4}
      - {id: node_count, type: u4}
      - {id: leaf_count, type: u4}
      - {id: leaf_size, type: u4}
      - {id: depth, type: u4}
      - {id: grid_origin, type: f8, repeat: expr, repeat-expr: 3}
      - {id: grid_unit, type: f8}
      - {id: grid_extent, type: u4, repeat: expr, repeat-expr: 3}
      - {id: plane_max, type: u1}
      - {id: offset_size, type: u1}
      - {id: order_width, type: u1}
      - {id: split, type: u1}
      - {id: area_cost, type: f8}
      - {id: order_off, type: u8}
      - {id: turn, type: s2, repeat: expr, repeat-expr: 4}
      - {id: reserved, size: 8}
    instances:
      payload_size: {value: 'kind == 2 ? 1 + plane_max * offset_size : kind == 3 ? 24 : 13'}
      binary: {io: _root._io, pos: _root.search_binh.last.offset + data_off, size: data_size, type: binary, if: kind >= 2 and kind <= 5}
      rays: {io: _root._io, pos: _root.search_binh.last.offset + data_off, size: data_size, type: ray_tree, if: kind == 6}
  binary: # chapter 9.1
    seq:
      - {id: uppers, type: upper, repeat: expr, repeat-expr: _parent.upper_count}
      - {id: padding, size: (4 - _io.pos % 4) % 4}
      - {id: blocks, type: blocks, size: '(_parent.order_width == 0 ? _parent.data_size : _parent.order_off) - _io.pos'}
      - {id: order, size-eos: true}
  upper:
    seq:
      - {id: payload, size: _parent._parent.payload_size}
      - {id: link, type: u4}
  blocks:
    seq:
      - {id: records, type: block_record, repeat: eos}
  block: # the header of a block
    seq:
      - {id: first, type: u4}
      - {id: size, type: u2}
      - {id: count_minus_1, type: u1}
      - {id: reserved, size: 1}
  block_record:
    seq:
      - {id: header, type: block}
      - {id: nodes, size: header.size}
      - {id: padding, size: (4 - _io.pos % 4) % 4}
  ray_tree: # chapter 9.5
    seq:
      - {id: nodes, type: ray_node, repeat: expr, repeat-expr: _parent.node_count}
      - {id: meshlets, size-eos: true} # chapter 9.6
  ray_node:
    seq:
      - {id: lo_x, size: 8}
      - {id: hi_x, size: 8}
      - {id: lo_y, size: 8}
      - {id: hi_y, size: 8}
      - {id: lo_z, size: 8}
      - {id: hi_z, size: 8}
      - {id: lo, type: f4, repeat: expr, repeat-expr: 3}
      - {id: step, type: f4, repeat: expr, repeat-expr: 3}
      - {id: child, type: u4}
      - {id: geom, type: u4}
      - {id: lane, type: s2, repeat: expr, repeat-expr: 8}
  placement: # chapter 10
    seq:
      - {id: m, type: f8, repeat: expr, repeat-expr: 12}
  linear_parts: # chapter 10.1
    seq:
      - {id: records, type: linear_part, repeat: eos}
  linear_part:
    seq:
      - {id: word, type: linear_word, size: 8}
      - {id: magnitudes, type: f8, repeat: expr, repeat-expr: word.most_8 - 1}
  linear_word: # of each entry of the matrix its sign, and 0, 1 or the number of a magnitude plus 2
    seq:
      - {id: sign_0, type: b1}
      - {id: magnitude_0, type: b4}
      - {id: sign_1, type: b1}
      - {id: magnitude_1, type: b4}
      - {id: sign_2, type: b1}
      - {id: magnitude_2, type: b4}
      - {id: sign_3, type: b1}
      - {id: magnitude_3, type: b4}
      - {id: sign_4, type: b1}
      - {id: magnitude_4, type: b4}
      - {id: sign_5, type: b1}
      - {id: magnitude_5, type: b4}
      - {id: sign_6, type: b1}
      - {id: magnitude_6, type: b4}
      - {id: sign_7, type: b1}
      - {id: magnitude_7, type: b4}
      - {id: sign_8, type: b1}
      - {id: magnitude_8, type: b4}
      - {id: reserved, type: b19}
    instances: # the greatest number so far, at least 1
      most_0: {value: 'magnitude_0 > 1 ? magnitude_0 : 1'}
      most_1: {value: 'magnitude_1 > most_0 ? magnitude_1 : most_0'}
      most_2: {value: 'magnitude_2 > most_1 ? magnitude_2 : most_1'}
      most_3: {value: 'magnitude_3 > most_2 ? magnitude_3 : most_2'}
      most_4: {value: 'magnitude_4 > most_3 ? magnitude_4 : most_3'}
      most_5: {value: 'magnitude_5 > most_4 ? magnitude_5 : most_4'}
      most_6: {value: 'magnitude_6 > most_5 ? magnitude_6 : most_5'}
      most_7: {value: 'magnitude_7 > most_6 ? magnitude_7 : most_6'}
      most_8: {value: 'magnitude_8 > most_7 ? magnitude_8 : most_7'}
  tree_node: # chapter 11
    seq:
      - {id: parent, type: u4}
      - {id: end, type: u4}
      - {id: item, type: u4}
      - {id: name, type: u4}
      - {id: source_id, type: u4}
      - {id: first_property, type: u4}
    instances:
      name_text: {io: _root._io, pos: _root.search_strs.last.offset + 4 * name, type: string_record}
      source_id_text: {io: _root._io, pos: _root.search_strs.last.offset + 4 * source_id, type: string_record}
  instance: # chapter 12
    seq:
      - {id: move, type: f8, repeat: expr, repeat-expr: 3}
      - {id: linear, type: u4}
      - {id: frame, type: u4}
      - {id: part, type: u4}
      - {id: node, type: u4}
  property: # chapter 14
    seq:
      - {id: key, type: u4}
      - {id: value, type: u4}
    instances:
      key_text: {io: _root._io, pos: _root.search_strs.last.offset + 4 * key, type: string_record}
      value_text: {io: _root._io, pos: _root.search_strs.last.offset + 4 * value, type: string_record}
  strings: # chapter 15
    seq:
      - {id: records, type: string_record, repeat: eos}
  string_record:
    seq:
      - {id: size, type: u4}
      - {id: text, type: str, size: size}
      - {id: padding, size: (4 - size % 4) % 4}
  trailer: # chapter 18
    seq:
      - {id: file_size, type: u8}
      - {id: header_hash, type: u8}
      - {id: root_hash, size: 16}
      - {id: magic, contents: [0x62, 0x76, 0x70, 0x61, 0x63, 0x6b, 0x2e, 0x65, 0x6e, 0x64, 0x0d, 0x0a, 0x1a, 0x0a, 0xab, 0xbb]}
