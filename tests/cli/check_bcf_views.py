#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# check_bcf_views.py REPORT.bcf REPORT.jsonl METRES: of all viewpoints of a BCF file, do their components have
# IfcGuids, and do their cameras look at the contact of the pair that the topic is about, in metres of the model's
# own frame? METRES: the length of its unit. Prints what was counted; exit code 1 when one does not. Views of
# duplicates and of what is enclosed show the whole smaller part, and are only counted.
import json
import math
import re
import sys
import xml.etree.ElementTree as xml
import zipfile

DEGREES = 5
archive = zipfile.ZipFile(sys.argv[1])
with open(sys.argv[2], encoding='utf-8') as lines:
    pairs = {row['id']: row for row in map(json.loads, lines) if 'point_a' in row}
metres = float(sys.argv[3])


def vector(element):
    return [float(element.find(axis).text) for axis in 'XYZ']


def angle(camera, points):
    eye, direction = vector(camera.find('CameraViewPoint')), vector(camera.find('CameraDirection'))
    to = [sum(p[k] for p in points) / len(points) * metres - eye[k] for k in range(3)]
    cosine = sum(a * b for a, b in zip(to, direction)) / math.hypot(*to) / math.hypot(*direction)
    return math.degrees(math.acos(max(-1, min(1, cosine))))


views = components = guids = near = whole = 0
worst = 0
for name in archive.namelist():
    if not name.endswith('.bcfv'):
        continue
    view = xml.fromstring(archive.read(name))
    markup = archive.read(name.replace('viewpoint.bcfv', 'markup.bcf')).decode()
    pair = pairs[re.search(r'^Clash id: (\S+)', markup, re.M).group(1)]
    views += 1
    for component in view.iter('Component'):
        components += 1
        guids += re.fullmatch(r'[0-3][0-9A-Za-z_$]{21}', component.get('IfcGuid', '')) is not None
    camera = view.find('PerspectiveCamera')
    if pair['verdict'] in ('enclosed', 'duplicate'):
        whole += 1
        continue
    found = angle(camera, [pair['point_a'], pair['point_b']])
    worst = max(worst, found)
    near += found <= DEGREES
print(f'{views} views, {near} of them within {DEGREES} degrees, the worst {worst:.3g}, {whole} of whole parts; '
      f'{components} components, {guids} of them with IfcGuid')
sys.exit(0 if views > 0 and near + whole == views and guids == components > 0 else 1)
