#!/bin/bash
# SPDX-License-Identifier: MIT
# Models that name meshes, and these meshes, into FOLDER. Usage: naming_seeds.sh FOLDER
set -eu
mkdir -p "$1"
cd "$1"

printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n' >tri.obj
{ cat tri.obj; printf 'o b\nf 3 2 1\n'; } >two.obj

cat >tree.jsonl <<'END'
{"bvpack_manifest": 1, "unit": "mm", "up": "z"}
{"id": "bolt", "mesh": "tri.obj", "unit": "m", "part_number": "4711", "properties": {"a": [1, {"b": null}]}}
{"part": "bolt", "parent": 7, "placement": {"translate": [1, 2, 3], "rotate": [0, 0, 1, 0], "scale": 2}}
{"id": 7, "name": "hall", "placement": [1, 0, 0, 5, 0, 1, 0, 0, 0, 0, 1, 0]}
{"id": "x", "mesh": "two.obj", "parent": 7, "unit": 0.5, "placement": {"matrix": [1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1]}}
{"part": "bolt", "parent": "x", "name": "inner", "revision": "B"}
END
cat >parts.jsonl <<'END'
{"id": 1, "mesh": "tri.obj"}
{"id": 2, "mesh": "two.obj", "format": "obj", "type": "part"}
END

cat >skid.plmxml <<'END'
<?xml version="1.0"?>
<PLMXML xmlns="http://www.plmxml.org/Schemas/PLMXMLSchema" schemaVersion="6"><ProductDef id="d">
  <InstanceGraph id="g" rootRefs="#v1">
    <ProductRevisionView id="v1" name="skid" instanceRefs="i1 i2"/>
    <ProductInstance id="i1" name="left" partRef="#v2" effectivityRefs="e"><Transform id="t">1 0 0 0 0 1 0 0 0 0 1 0 .5 0 0 1</Transform></ProductInstance>
    <ProductInstance id="i2" instancedRef="v3"><UserData><UserValue title="tag" value="V-1"/></UserData></ProductInstance>
    <ProductRevisionView id="v2" name="bolt" revisionRef="r"><Representation location="bolt.jt"/><Representation location="tri.obj"/></ProductRevisionView>
    <Part id="v3" instanceRefs="i3"><CompoundRep location=".\two.obj"/></Part><Instance id="i3" partRef="v2"/>
  </InstanceGraph></ProductDef>
  <ProductRevision id="r" revision="B" masterRef="p"/><Product id="p" productId="7"/><Effectivity id="e" name="all"/>
</PLMXML>
END

cat >skid.stpx <<'END'
<?xml version="1.0"?>
<n0:Uos xmlns:n0="http://standards.iso.org/iso/ts/10303/-4442/-ed-2/tech/xml-schema/domain_model" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><DataContainer xsi:type="n0:AP242DataContainer">
  <Unit uid="u"><Name><ClassString>metre</ClassString></Name><Prefix><ClassString>milli</ClassString></Prefix><Quantity><ClassString>length</ClassString></Quantity></Unit>
  <File xsi:type="n0:DigitalFile" uid="f1"><Locations><ExternalItem><Id id="tri.obj"/></ExternalItem></Locations></File><File uid="f2"><Id id="bolt.jt"/></File>
  <Document uid="d"><Files><DigitalFile uidRef="f2"/><DigitalFile uidRef="f1"/></Files></Document><Effectivity uid="e"><Id id="all"/></Effectivity>
  <Part uid="p1"><Id id="skid"/><Versions><PartVersion uid="v1"><Id id="B"/><Views><PartView uid="w1">
    <ViewOccurrenceRelationship xsi:type="n0:NextAssemblyOccurrenceUsage" uid="r1"><Related uidRef="o1"/><Placement><CartesianTransformation><RotationMatrix>0 1 0 -1 0 0 0 0 1</RotationMatrix><TranslationVector>.5 0 0</TranslationVector></CartesianTransformation></Placement><EffectivityAssignment><AssignedEffectivity uidRef="e"/></EffectivityAssignment></ViewOccurrenceRelationship>
    <ViewOccurrenceRelationship uid="r2"><Related uidRef="o2"/><Placement uidRef="x"/></ViewOccurrenceRelationship></PartView></Views></PartVersion></Versions></Part>
  <Part uid="p2"><Id><Identifier uid="i" id="4711"/></Id><Name><CharacterString>bolt &amp; nut</CharacterString></Name><Versions><PartVersion uid="v2"><Views><PartView uid="w2"><DocumentAssignment><AssignedDocument uidRef="d"/></DocumentAssignment>
    <Occurrence uid="o1"><Id id="left"/></Occurrence><Occurrence uid="o2"/><PropertyValueAssignment><PropertyValue><Name>steel</Name><Value>A2</Value></PropertyValue></PropertyValueAssignment></PartView></Views></PartVersion></Versions></Part>
  <AxisPlacement uid="x"><Position>1 2 3</Position><Axis>0 0 -2</Axis><RefDirection>0 5 4</RefDirection></AxisPlacement>
</DataContainer></n0:Uos>
END

cat >arm.urdf <<'END'
<?xml version="1.0"?>
<robot name="arm">
  <link name="base"><collision><geometry><box size="1 2 3"/></geometry></collision></link>
  <joint name="j1" type="revolute">
    <origin xyz="0 0 1" rpy="0 1.5 0"/><parent link="base"/><child link="upper"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="1"/>
  </joint>
  <link name="upper">
    <visual><geometry><sphere radius="2"/></geometry></visual>
    <collision name="c"><origin xyz="1 0 0"/><geometry><mesh filename="two.obj" scale="1 1 -2"/></geometry></collision>
  </link>
  <joint name="j2" type="prismatic">
    <parent link="upper"/><child link="lower"/><axis xyz="1 0 0"/><mimic joint="j1" multiplier="2" offset="0.5"/>
  </joint>
  <link name="lower"><collision><geometry><cylinder radius="1" length="4"/></geometry></collision></link>
</robot>
END
