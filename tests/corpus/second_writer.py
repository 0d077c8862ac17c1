#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A second writer, written from spec/format.md alone: as small as the format allows. Packs binary
STL files, or a manifest of them (spec/manifest.md: meshes, names, parents, placements of 12
numbers), as wide hierarchies with coordinates in 32 bits, and shares no code with the library.
Usage: second_writer.py OUT.bvp MODEL.stl|MANIFEST.jsonl [STORE]
With STORE, a folder beside OUT.bvp, the parts lie there and OUT.bvp is thin. Exit code 77: there is
no libxxhash here."""
import ctypes
import json
import math
import os
import struct
import sys
from fractions import Fraction

NONE = 0xFFFFFFFF

# ---- chapter 17: hashes --------------------------------------------------------------------------


class Hash128(ctypes.Structure):
    _fields_ = [("low", ctypes.c_uint64), ("high", ctypes.c_uint64)]


def load_xxhash():
    for name in "libxxhash.so.0", "libxxhash.0.dylib", "libxxhash.so":
        try:
            library = ctypes.CDLL(name)
            library.XXH3_64bits.restype = ctypes.c_uint64
            library.XXH3_64bits.argtypes = [ctypes.c_char_p, ctypes.c_size_t]
            library.XXH3_128bits.restype = Hash128
            library.XXH3_128bits.argtypes = [ctypes.c_char_p, ctypes.c_size_t]
            return library
        except (OSError, AttributeError):
            pass
    print("second_writer: no libxxhash")
    sys.exit(77)


XXHASH = load_xxhash()


def hash64(data):
    return struct.pack("<Q", XXHASH.XXH3_64bits(data, len(data)))


def hash128(data):
    value = XXHASH.XXH3_128bits(data, len(data))
    return struct.pack(">QQ", value.high, value.low)


def align(x, a):
    return (x + a - 1) // a * a


def fill(data, a):
    return data + bytes(align(len(data), a) - len(data))


# ---- chapters 5 and 9: boxes, grids, wide nodes --------------------------------------------------


def shift_of(extent):
    return max(0, extent.bit_length() - 8)


class Grid:
    """The finest one that a box of exact numbers fits in."""

    def __init__(self, lo, hi):
        exponent = -301
        largest = max(h - l for l, h in zip(lo, hi))
        if largest > 0:
            exponent = max(exponent, math.frexp(float(largest))[1] - 23)
        while not self.fits(lo, hi, exponent):
            exponent += 1

    def fits(self, lo, hi, exponent):
        self.unit = Fraction(2) ** exponent
        first = [math.floor(x / self.unit) for x in lo]
        self.extent = [math.ceil(h / self.unit) - f for h, f in zip(hi, first)]
        for a in range(3):
            while self.extent[a] % (1 << shift_of(self.extent[a])) != 0:
                self.extent[a] = align(self.extent[a], 1 << shift_of(self.extent[a]))
        self.origin = [f * self.unit for f in first]
        return max(map(abs, first)) <= 1 << 52 and max(self.extent) < 1 << 22

    def box(self, lo, hi):
        return ([math.floor((x - o) / self.unit) for x, o in zip(lo, self.origin)],
                [math.ceil((x - o) / self.unit) for x, o in zip(hi, self.origin)])


def join(boxes):
    return ([min(b[0][a] for b in boxes) for a in range(3)],
            [max(b[1][a] for b in boxes) for a in range(3)])


def area(lo, hi):
    x, y, z = (h - l for l, h in zip(lo, hi))
    return x * y + y * z + z * x


def halves(items, boxes):
    """By the middle one's centre, along the axis on which the centres are spread most."""
    centres = {i: [boxes[i][0][a] + boxes[i][1][a] for a in range(3)] for i in items}
    axis = max(range(3), key=lambda a: max(centres[i][a] for i in items) -
               min(centres[i][a] for i in items))
    ordered = sorted(items, key=lambda i: (centres[i][axis], i))
    return ordered[:(len(items) + 1) // 2], ordered[(len(items) + 1) // 2:]


class Wide:
    """A hierarchy of upper nodes only. Up to 64 items make a node of leaves; more, a node of eight
    inner lanes. put_items(list) is called for each node of leaves and returns its geom."""

    def __init__(self, boxes, grid, put_items):
        self.boxes, self.grid = boxes, grid
        self.leaf_count, self.depth, self.area = 0, 1, 0
        frame = [0, 0, 0], list(grid.extent)
        queue = [(list(range(len(boxes))), frame, 1)]
        nodes = []
        while len(nodes) < len(queue):  # breadth first: children come after their parents, in a row
            items, frame, level = queue[len(nodes)]
            self.depth = max(self.depth, level)
            nodes.append(self.node(items, frame, level, queue, put_items))
        self.bytes, self.node_count = b"".join(nodes), len(nodes)

    def node(self, items, frame, level, queue, put_items):
        is_leaf = len(items) <= 64
        lanes = [items]
        for _ in range(3):
            lanes = [part for lane in lanes for part in
                     (halves(lane, self.boxes) if len(lane) > 8 else [lane])]
        bounds, meta = [[255] * 8 + [0] * 8 for _ in range(3)], [0] * 8
        child = 0 if is_leaf else len(queue)
        geom = put_items([i for lane in lanes for i in lane]) if is_leaf else 0
        for j, lane in enumerate(lanes):
            lo, hi = join([self.boxes[i] for i in lane])
            for a in range(3):
                s = shift_of(frame[1][a] - frame[0][a])
                bounds[a][j] = (lo[a] - frame[0][a]) >> s
                bounds[a][8 + j] = -((frame[0][a] - hi[a]) >> s)
                lo[a] = frame[0][a] + (bounds[a][j] << s)
                hi[a] = frame[0][a] + (bounds[a][8 + j] << s)
            meta[j] = len(lane) if is_leaf else 0x80
            self.leaf_count += is_leaf
            self.area += area(lo, hi)
            if not is_leaf:
                queue.append((lane, (lo, hi), level + 1))
        return b"".join(map(bytes, bounds)) + bytes(meta) + struct.pack("<II", child, geom)

    def record(self, part, data_off, data_size):
        whole = area([0, 0, 0], self.grid.extent)
        return struct.pack("<IIQQ6I3dd3I4BdQ16x", 1, part, data_off, data_size, 0, self.node_count,
                           self.node_count, self.leaf_count, 8, self.depth,
                           *map(float, self.grid.origin), float(self.grid.unit), *self.grid.extent,
                           0, 0, 0, 0, self.area / whole if whole else 0, 0)


# ---- chapters 6 to 8: parts ----------------------------------------------------------------------


def read_stl(path):
    data = open(path, "rb").read()
    count = struct.unpack_from("<I", data, 80)[0]
    if len(data) != 84 + 50 * count or count == 0:
        sys.exit("second_writer: %s is no binary STL file" % path)
    return [[data[at + 12 + 12 * k:at + 24 + 12 * k] for k in range(3)]
            for at in range(84, 84 + 50 * count, 50)]


class Part:
    """triangles: of each, the bytes of its three corners; number i is triangle i."""

    PACKER = b"second_writer 1\0"

    def __init__(self, triangles):
        numbers = {}
        self.indices = [[numbers.setdefault(c, len(numbers)) for c in t] for t in triangles]
        self.vertices = list(numbers)
        self.points = [struct.unpack("<3f", v) for v in self.vertices]
        self.count = len(triangles)
        self.lo = [min(p[a] for p in self.points) for a in range(3)]
        self.hi = [max(p[a] for p in self.points) for a in range(3)]
        self.content_hash = hash128(
            struct.pack("<QQ3d", len(self.vertices), self.count, 0, 0, 0) + b"".join(self.vertices)
            + b"".join(struct.pack("<3I", *t) for t in self.indices))
        self.address = hash128(self.content_hash + struct.pack("<d", 0) + self.PACKER)
        self.pack()

    def pack(self):
        exact = [[Fraction(x) for x in p] for p in self.points]
        grid = Grid([Fraction(x) for x in self.lo], [Fraction(x) for x in self.hi])
        boxes = [grid.box(*join([(exact[v], exact[v]) for v in t])) for t in self.indices]
        clusters, self.ids, first = [], b"", 0

        def put_cluster(items):
            clusters.append(items)
            return len(clusters) - 1

        self.wide = Wide(boxes, grid, put_cluster)
        blob, table = self.wide.bytes, []
        for items in clusters:
            table.append(len(blob) // 64)
            blob += self.cluster(items, first)
            self.put_numbers(items)
            first += len(items)
        # geom names a cluster by its place, which was not known before
        nodes = bytearray(blob)
        for at in range(0, len(self.wide.bytes), 64):
            if nodes[at + 48] < 9:
                number = struct.unpack_from("<I", nodes, at + 60)[0]
                struct.pack_into("<I", nodes, at + 60, table[number] << 8)
        self.table_off, self.cluster_count = len(blob), len(table)
        self.blob = bytes(nodes) + struct.pack("<%dI" % len(table), *table)

    def cluster(self, items, first):
        local = {}
        corners = [[local.setdefault(v, len(local)) for v in self.indices[i]] for i in items]
        head = struct.pack("<BBH3BB3BB3BB3III", len(local) - 1, len(items) - 1, 0, 32, 32, 32,
                           7 | 7 << 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, first, len(self.ids) // 4)
        stream = b"".join(bytes((a, (b - a) % 256, (c - a) % 256)) for a, b, c in corners)
        return fill(head + stream + b"".join(self.vertices[v] for v in local), 64)

    def put_numbers(self, items):
        least = min(items)
        width = (max(items) - least).bit_length()
        stream = sum((i - least) << width * k for k, i in enumerate(items))
        self.ids += struct.pack("<IBBBB", least, width, 0, 0, 0)
        self.ids += fill(stream.to_bytes((width * len(items) + 7) // 8, "little"), 4)

    def defects(self):
        edges, seen, degenerate, duplicate = {}, set(), 0, 0
        for t in self.indices:
            p, q, r = ([Fraction(x) for x in self.points[v]] for v in t)
            u, v = [b - a for a, b in zip(p, q)], [b - a for a, b in zip(p, r)]
            degenerate += all(u[i] * v[i - 1] == u[i - 1] * v[i] for i in range(3))
            corners = tuple(sorted(t))
            duplicate += corners in seen
            seen.add(corners)
            for edge in (corners[:2], corners[1:], corners[::2]) if len(set(t)) == 3 else ():
                edges[edge] = edges.get(edge, 0) + 1
        return (degenerate, duplicate, sum(n == 1 for n in edges.values()),
                sum(n > 2 for n in edges.values()))

    def record(self, data_off, ids_off, hierarchy, name, is_thin):
        own = (data_off, len(self.blob), ids_off, len(self.ids), self.table_off, self.cluster_count,
               6, hierarchy, 1)
        return struct.pack("<16s3d3f3f7QIB3x4Id4Q16s16s40x", self.content_hash, 0, 0, 0, *self.lo,
                           *self.hi, self.count, len(self.vertices), *([0] * 9 if is_thin else own),
                           name, 0, 0, *self.defects(), self.address, self.PACKER)


# ---- chapters 10 to 12: placements ---------------------------------------------------------------

IDENTITY = (1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0)


def product(f, p):
    """Exact; twelve Fractions."""
    m = []
    for a in range(0, 12, 4):
        for c in range(4):
            total = sum(Fraction(f[a + k]) * Fraction(p[4 * k + c]) for k in range(3))
            m.append(total + (Fraction(f[a + 3]) if c == 3 else 0))
    return m


def placement_of(frame, p):
    """What the format defines, operation by operation."""
    if frame == IDENTITY:
        return p
    m = []
    for a in range(0, 12, 4):
        for c in range(4):
            total = (frame[a] * p[c] + frame[a + 1] * p[4 + c]) + frame[a + 2] * p[8 + c]
            m.append(total + frame[a + 3] if c == 3 else total)
    return tuple(m)


def image(m, lo, hi):
    """The exact box of a box at a placement."""
    low, high = [], []
    for a in range(0, 12, 4):
        ends = [sorted((Fraction(m[a + k]) * Fraction(lo[k]), Fraction(m[a + k]) * Fraction(hi[k])))
                for k in range(3)]
        low.append(sum(e[0] for e in ends) + Fraction(m[a + 3]))
        high.append(sum(e[1] for e in ends) + Fraction(m[a + 3]))
    return low, high


def outward(x, way):
    """The double next to x on that side."""
    y = float(x)
    return math.nextafter(y, way) if (y > x) != (way > 0) and y != x else y


class Table:
    """Records that are kept once, and what they are referred to by."""

    def __init__(self, first):
        self.bytes, self.known = b"", {}
        self.refer(first)

    def refer(self, record, unit=1):
        if record not in self.known:
            self.known[record] = len(self.bytes) // unit
            self.bytes += record
        return self.known[record]


def linear_record(p):
    magnitudes, word = [], 0
    for i in range(9):
        x = p[4 * (i // 3) + i % 3]
        if abs(x) in (0, 1):
            code = int(abs(x))
        else:
            if abs(x) not in magnitudes:
                magnitudes.append(abs(x))
            code = 2 + magnitudes.index(abs(x))
        word |= (code << 1 | (math.copysign(1, x) < 0)) << 5 * i
    return struct.pack("<Q%dd" % len(magnitudes), word, *magnitudes)


def string_record(text):
    data = text.encode()
    return fill(struct.pack("<I", len(data)) + data, 4)


# ---- the scene -----------------------------------------------------------------------------------


class Node:
    def __init__(self, name, mesh=None, p=IDENTITY):
        self.name, self.mesh, self.p, self.children = name, mesh, tuple(map(float, p)), []


def read_manifest(path):
    """The root of a tree, and the unit's length."""
    lines = [json.loads(line) for line in open(path, encoding="utf-8") if line.strip()]
    units = {"mm": 0.001, "m": 1.0}
    meshes = {x["id"]: x["mesh"] for x in lines if "id" in x and "mesh" in x}
    root, nodes, unit = Node(os.path.basename(path)), {}, 0.0
    for x in lines:
        unit = units[x["unit"]] if "bvpack_manifest" in x else unit
        if "bvpack_manifest" not in x and "mesh" not in x:
            mesh = os.path.join(os.path.dirname(path), meshes[x["part"]]) if "part" in x else None
            node = Node(x.get("name", x.get("part")), mesh, x.get("placement", IDENTITY))
            nodes[x.get("id")] = node
            (nodes[x["parent"]] if "parent" in x else root).children.append(node)
    return root, unit


class Scene:
    """root: or None, and `alone` is the only part."""

    def __init__(self, root, unit, alone=None):
        self.unit = unit
        self.strings, self.linears = Table(string_record("")), Table(linear_record(IDENTITY))
        self.placements = Table(struct.pack("<12d", *IDENTITY))
        self.nodes, self.found, self.parts = [], [], [alone] if alone else []
        self.instances, self.top, self.lo, self.hi = b"", None, [1] * 3, [-1] * 3
        if root:
            self.walk(root, NONE, [Fraction(x) for x in IDENTITY], {})
            self.place()

    def walk(self, node, parent, world, paths):
        """In preorder. world: the exact product of the placements above the node."""
        index, part = len(self.nodes), None
        self.nodes.append(node)
        node.parent, node.instance = parent, None
        if node.mesh:
            if node.mesh not in paths:
                made = Part(read_stl(node.mesh))
                equal = [i for i, p in enumerate(self.parts) if p.address == made.address]
                paths[node.mesh] = equal[0] if equal else len(self.parts)
                if not equal:
                    self.parts.append(made)
            part = self.parts[paths[node.mesh]]
            frame = tuple(map(float, world))
            m = placement_of(frame, node.p)
            self.found.append((node, index, paths[node.mesh], frame, image(m, part.lo, part.hi)))
        for child in node.children:
            self.walk(child, index, product(world, node.p), paths)
        node.end = len(self.nodes)

    def place(self):
        """Instances in the order of the leaves of the hierarchy over them."""
        self.lo, self.hi = join([f[4] for f in self.found])
        grid = Grid(self.lo, self.hi)
        ordered = []

        def put_instances(items):
            ordered.extend(items)
            return len(ordered) - len(items)

        self.top = Wide([grid.box(*f[4]) for f in self.found], grid, put_instances)
        for number, i in enumerate(ordered):
            node, index, part, frame, _ = self.found[i]
            node.instance = number
            self.instances += struct.pack(
                "<3d4I", *node.p[3::4], self.linears.refer(linear_record(node.p), 8),
                self.placements.refer(struct.pack("<12d", *frame), 96), part, index)

    def tree(self):
        records = b""
        for node in self.nodes:
            item = node.instance
            if item is None:
                item = len(self.found) + self.placements.refer(struct.pack("<12d", *node.p), 96)
            name = self.strings.refer(string_record(node.name or ""), 4)
            records += struct.pack("<6I", node.parent, node.end, item, name, 0, 0)
        return records


# ---- chapters 2 to 4, 16 to 18: the file ---------------------------------------------------------

RECORD_SIZE = {b"PART": 256, b"HIER": 128, b"PLAC": 96, b"TOPN": 64, b"LINS": 8, b"INST": 40,
               b"DATA": 1, b"TIDS": 1, b"BINH": 1, b"TREE": 24, b"PROP": 8, b"STRS": 1, b"PROV": 1,
               b"HASH": 8}


def sections_of(scene, is_thin):
    parts = hiers = data = ids = b""
    for number, part in enumerate(scene.parts):
        data = fill(data, 64)
        parts += part.record(len(data), len(ids), number, 0, is_thin)
        if not is_thin:
            hiers += part.wide.record(number, len(data), len(part.blob))
            data += part.blob
            ids += part.ids
    if scene.top:
        hiers += scene.top.record(NONE, 0, len(scene.top.bytes))
    tree = scene.tree()
    made = json.dumps({"program": "second_writer", "version": "1"})
    return {b"PART": parts, b"HIER": hiers, b"PLAC": scene.placements.bytes,
            b"LINS": scene.linears.bytes, b"INST": scene.instances,
            b"TOPN": scene.top.bytes if scene.top else b"", b"DATA": data, b"TIDS": ids,
            b"BINH": b"", b"TREE": tree, b"PROP": b"", b"STRS": scene.strings.bytes,
            b"PROV": made.encode()}


def write(scene, path, store=None):
    store_name = scene.strings.refer(string_record(store or ""), 4)
    sections = sections_of(scene, store is not None)
    entries, body = b"", b""
    for kind in RECORD_SIZE:
        body = fill(body, 64)
        if kind == b"HASH":
            blocks = [body[at:at + 16384] for at in range(0, len(body), 16384)]
            sections[kind] = b"".join(map(hash64, blocks))
        content = sections[kind]
        entries += struct.pack("<4sIQQQQII", kind, 1, 1408 + len(body), len(content), len(content),
                               len(content) // RECORD_SIZE[kind], RECORD_SIZE[kind], 0)
        if kind == b"DATA":
            data_end = 1408 + len(body) + len(content)
        body += content
    size = align(max(1408 + len(body) + 48, data_end + 8192), 4096)
    part_nodes = 0 if store else sum(p.wide.node_count for p in scene.parts)
    top_nodes = scene.top.node_count if scene.top else 0
    hierarchies = len(sections[b"HIER"]) // 128
    counts = [p.count for p in scene.parts]

    def head(header_hash, root_hash):
        fixed = struct.pack(
            "<12sHHIIIIQ8s16s16xIIQQIIIId3d3dIIQQQdI36x", b"\xabbvpack\xbb\r\n\x1a\n", 0, 7, 0, 0,
            int(store is not None), 1408, size, header_hash, root_hash, len(RECORD_SIZE), 16384,
            sum(counts[f[2]] for f in scene.found), sum(counts), len(scene.parts), len(scene.found),
            len(scene.nodes), 3, scene.unit, *(outward(x, -math.inf) for x in scene.lo),
            *(outward(x, math.inf) for x in scene.hi), hierarchies - 1 if scene.top else NONE,
            hierarchies, 64 * (part_nodes + top_nodes), len(sections[b"DATA"]) - 64 * part_nodes,
            len(sections[b"TIDS"]), 0, store_name)
        return fixed + entries + bytes(1408 - len(fixed) - len(entries))

    root_hash = hash128(head(bytes(8), bytes(16)) + sections[b"HASH"])
    header_hash = hash64(head(bytes(8), root_hash))
    end = struct.pack("<Q8s16s16s", size, header_hash, root_hash, b"bvpack.end\r\n\x1a\n\xab\xbb")
    with open(path, "wb") as out:
        out.write(head(header_hash, root_hash) + body)
        out.write(bytes(size - 1408 - len(body) - 48) + end)


def write_store(scene, folder):
    for part in scene.parts:
        name = part.address.hex()
        path = os.path.join(folder, name[:2], name[2:] + ".bvp")
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if not os.path.exists(path):
            write(Scene(None, 0.0, part), path + ".new")
            os.rename(path + ".new", path)


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit("usage: second_writer.py OUT.bvp MODEL.stl|MANIFEST.jsonl [STORE]")
    out, model = sys.argv[1:3]
    if model.endswith(".jsonl"):
        scene = Scene(*read_manifest(model))
    else:
        scene = Scene(Node(os.path.splitext(os.path.basename(model))[0], model), 0.0)
    if len(sys.argv) == 4:
        write_store(scene, os.path.join(os.path.dirname(out), sys.argv[3]))
        write(scene, out, sys.argv[3])
    else:
        write(scene, out)


if __name__ == "__main__":
    main()
