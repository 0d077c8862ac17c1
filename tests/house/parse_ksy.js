// SPDX-License-Identifier: MIT
// Compiles a .ksy, reads a file with what comes out, and holds each value against a dump of that file.
// Usage: NODE_PATH=... node parse_ksy.js FORMAT.ksy FILE.bvp DUMP. Prints how many values are equal.
"use strict";
const fs = require("fs");
const yaml = require("js-yaml");
const KaitaiStream = require("kaitai-struct/KaitaiStream");
const kaitai = require("kaitai-struct-compiler");

async function compile(path) {
  const compiler = kaitai.compile ? kaitai : new kaitai(); // 0.11; 0.10
  const sources = await compiler.compile("javascript", yaml.load(fs.readFileSync(path, "utf8")), null, false);
  const module = { exports: {} };
  new Function("module", "exports", "require", sources["Bvpack.js"])(module, module.exports, require);
  return module.exports.Bvpack || module.exports;
}

// the dump's line: offset, bytes, path, value, rule
function readDump(path) {
  const rows = [];
  for (const line of fs.readFileSync(path, "utf8").split("\n")) {
    const [, offset, bytes, item, value] =
      /^([0-9a-f]{8,}) {2}((?:[0-9a-f]{2} ?)+?) {2,}(\S+)(?: = (.*?))?(?: {2}\([A-Z]{3}-\d+\))?$/.exec(line) || [];
    if (item)
      rows.push({ offset: parseInt(offset, 16), bytes: bytes.trim(), item, value });
  }
  return rows;
}

// the objects of the file under the names that the dump has for them
function name(file) {
  const named = new Map([["header", file.header], ["trailer", file.trailer]]);
  const table = (kind, records) => records.forEach((record, i) => named.set(`${kind}[${i}]`, record));
  table("directory", file.directory);
  table("PART", file.parts);
  table("HIER", file.hierarchies);
  table("PLAC", file.placements);
  table("INST", file.instances);
  table("TOPN", file.topNodes);
  table("TREE", file.tree);
  table("PROP", file.properties);
  table("HASH", file.blockHashes.map((hash) => ({ hash })));
  let word = 0; // what comes before, in units of the reference
  for (const linear of file.linearParts.records) {
    named.set(`LINS[${word}]`, { word: linear._raw_word, magnitude: linear.magnitudes });
    word += 1 + linear.magnitudes.length;
  }
  word = 0;
  for (const string of file.strings.records) {
    named.set(`STRS[${word}]`, string);
    word += 1 + (string.size + string.padding.length) / 4;
  }
  named.set("PROV", { text: Buffer.from(file.provenance).toString() });
  file.parts.forEach((part, i) => nameBlob(named, part.blob, i));
  for (const hierarchy of file.hierarchies)
    if (hierarchy.binary) {
      const kind = ["", "", "boxtree", "aabb", "obb", "rss"][hierarchy.kind];
      table(`BINH.part[${hierarchy.part}].${kind}.upper`, hierarchy.binary.uppers);
      table(`BINH.part[${hierarchy.part}].${kind}.block`, hierarchy.binary.blocks.records.map((r) => r.header));
    }
  return named;
}

function nameBlob(named, blob, part) {
  if (!blob)
    return;
  const prefix = `DATA.part[${part}]`;
  named.set(prefix, { clusterTable: blob.clusterTable });
  blob.upperNodes.forEach((node, i) => named.set(`${prefix}.node[${i}]`, node));
  blob.clusters.forEach(({ offset, record }, i) => {
    const streams = [record.corners, record.vertices, record.tableX, record.tableY, record.tableZ, record.padding];
    const unit = (offset + 36 + streams.reduce((sum, bytes) => sum + bytes.length, 0)) / 64;
    named.set(`${prefix}.cluster[${i}]`, record.header);
    record.nodes.forEach((node, k) => named.set(`${prefix}.node[${unit + k}]`, node));
    if (record.ids)
      named.set(`TIDS.part[${part}].cluster[${i}]`, record.ids.header);
  });
}

const camel = (id) => id.replace(/[._](.)/g, (_, c) => c.toUpperCase());
const little = (bytes) => Number("0x" + bytes.split(" ").reverse().join(""));
const hex = (bytes) => Array.from(bytes, (b) => b.toString(16).padStart(2, "0")).join(" ");

// `text`: of a string reference
function isEqual(found, text, row) {
  if (typeof found === "string")
    return row.value.startsWith(`"${found}"`.slice(0, 200));
  if (text !== undefined && row.value !== `${found} "${text.text}"`)
    return false;
  if (typeof found !== "number")
    return hex(found) === row.value;
  if (row.item.endsWith(".link")) // the dump says what it means
    return found === little(row.bytes);
  if (row.value === "none")
    return found === 0xffffffff;
  if (row.value === row.bytes) // a hash, or bits
    return found === little(row.bytes);
  const value = Number(row.value.split(" ")[0]);
  return found === value || found === Math.fround(value);
}

// what the dump unfolds and the .ksy leaves as bytes, and bytes that are zero
const FOLDED = /\.(corners|vertices|table\.[xyz]|packed|padding|reserved|unused|order)$|^padding$|\.block\[\d+\]\.node|\.upper\[\d+\]\.(mask|offset|lo|hi|rotation|centre|size)|\.order\[/;

async function main([ksy, path, dump]) {
  const Bvpack = await compile(ksy);
  const file = new Bvpack(new KaitaiStream(fs.readFileSync(path), 0));
  const named = name(file);
  let equal = 0, wrong = 0;
  for (const row of readDump(dump)) {
    const [, prefix, id, index] = /^(.*?)\.((?:(?:lo|hi)\.)?[^.[]+)(?:\[(\d+)\])?$/.exec(row.item) || [];
    const record = named.get(prefix) || {};
    let found = record[camel(id || "")];
    if (found !== undefined && index !== undefined)
      found = found[Number(index)];
    else if (Array.isArray(found) && found.length === 1) // the dump writes no index then
      found = found[0];
    if (found !== undefined && row.value !== undefined && isEqual(found, record[camel(id) + "Text"], row)) {
      equal++;
    } else if (!FOLDED.test(row.item)) {
      wrong++;
      console.log(`${row.item}: ${found} by the .ksy, ${row.value} by the dump`);
    }
  }
  console.log(`${equal} values`);
  if (wrong > 0)
    process.exit(1);
}

main(process.argv.slice(2)).catch((error) => {
  console.log(String(error && error.stack || error));
  process.exit(1);
});
