#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""An export as a PDM system writes it, of a plant that plant.c has made as a GLB: each mesh as a
binary STL file, and a manifest that places them. Usage: plant_export.py PLANT.glb FOLDER"""
import array
import json
import os
import struct
import sys


def main(plant, folder):
    with open(plant, "rb") as file:
        data = file.read()
    (size,) = struct.unpack_from("<I", data, 12)
    tree = json.loads(data[20 : 20 + size])
    bytes_from = 20 + size + 8
    os.makedirs(folder + "/parts", exist_ok=True)

    def read(accessor, code, width):
        a = tree["accessors"][accessor]
        v = tree["bufferViews"][a["bufferView"]]
        at = bytes_from + v.get("byteOffset", 0) + a.get("byteOffset", 0)
        return array.array(code, data[at : at + 4 * width * a["count"]])

    with open(folder + "/export.jsonl", "w", encoding="utf-8") as out:
        out.write('{"bvpack_manifest": 1, "unit": "m", "up": "z"}\n')
        for mesh in tree["meshes"]:
            (primitive,) = mesh["primitives"]
            points = read(primitive["attributes"]["POSITION"], "f", 3)
            corners = read(primitive["indices"], "I", 1)
            name = "parts/" + mesh["name"] + ".stl"
            with open(folder + "/" + name, "wb") as stl:
                stl.write(bytes(80) + struct.pack("<I", len(corners) // 3))
                for i in range(0, len(corners), 3):
                    facet = [0.0, 0.0, 0.0]
                    for corner in corners[i : i + 3]:
                        facet += points[3 * corner : 3 * corner + 3]
                    stl.write(struct.pack("<12fH", *facet, 0))
            out.write(json.dumps({"id": mesh["name"], "mesh": name}) + "\n")
        parents = {}
        for number, node in enumerate(tree["nodes"]):
            for child in node.get("children", []):
                parents[child] = number
        for number, node in enumerate(tree["nodes"]):
            line = {"id": "n%d" % number}
            if "name" in node:
                line["name"] = node["name"]
            if "mesh" in node:
                line["part"] = tree["meshes"][node["mesh"]]["name"]
            if number in parents:
                line["parent"] = "n%d" % parents[number]
            if "matrix" in node:  # by columns
                m = node["matrix"]
                line["placement"] = [m[4 * k + i] for i in range(3) for k in range(4)]
            elif "translation" in node or "rotation" in node:
                line["placement"] = {
                    "translate": node.get("translation", [0, 0, 0]),
                    "rotate": node.get("rotation", [0, 0, 0, 1]),
                }
            out.write(json.dumps(line) + "\n")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
