// SPDX-License-Identifier: MIT
// ifc_file.mjs: the statements of an IFC file, by number and by type.
// Spec: ISO 10303-21 (2016), clear text encoding
//
// One pass finds where each statement begins; its arguments are read when they are asked for.
// The file is hostile: statements that are none are skipped and counted, arguments that are none
// read as null, lists are no deeper than DEPTH_MOST, and nothing grows beyond a multiple of the
// file's size.

const [TAB, QUOTE, STAR, SLASH, NINE, SEMICOLON, EQUALS, HASH, OPEN] = Buffer.from("\t'*/9;=#(");
const DEPTH_MOST = 32;
const NUMBER_MOST = 0xffffffff;
const HEADER_MOST = 1 << 16;
const TEXT_MOST = 4096; // characters kept of a string

const isSpace = (byte) => byte === 32 || (byte >= TAB && byte <= 13);
const isDigit = (byte) => byte >= 48 && byte <= NINE;

// Numbers that grow by themselves.
class Numbers {
  list = new Uint32Array(1 << 12);
  count = 0;
  push(n) {
    if (this.count === this.list.length) {
      const larger = new Uint32Array(2 * this.count);
      larger.set(this.list);
      this.list = larger;
    }
    this.list[this.count++] = n;
  }
}

export class IfcFile {
  #bytes;
  #offsets = new Numbers(); // of statement n: where its arguments' "(" is
  #ids = new Numbers();
  #types = new Numbers(); // an index of typeNames
  #records; // by id: statement + 1; an array, or a map where ids are too far apart for that
  typeNames = [];
  #idsByType = new Map();
  #quote = 0; // the first one from where #endOf looked last, or -1
  schema = '';
  strayCount = 0; // statements that are none

  constructor(bytes) {
    this.#bytes = bytes;
    this.#scan();
    this.#index();
  }

  // Where the statement that begins at `at` ends: at its semicolon, or the file's end.
  #endOf(at) {
    const bytes = this.#bytes;
    for (;;) {
      const semicolon = bytes.indexOf(SEMICOLON, at);
      if (semicolon < 0) return bytes.length;
      if (this.#quote < at && this.#quote >= 0) this.#quote = bytes.indexOf(QUOTE, at);
      if (this.#quote < 0 || this.#quote > semicolon) return semicolon;
      const close = bytes.indexOf(QUOTE, this.#quote + 1);
      if (close < 0) return bytes.length;
      at = close + 1;
      this.#quote = bytes.indexOf(QUOTE, at);
    }
  }
  #skipSpace(at, end) {
    const bytes = this.#bytes;
    for (;;) {
      while (at < end && isSpace(bytes[at])) at++;
      if (bytes[at] !== SLASH || bytes[at + 1] !== STAR) return at;
      const close = bytes.indexOf('*/', at + 2, 'latin1');
      at = close < 0 ? end : close + 2;
    }
  }
  #scan() {
    const bytes = this.#bytes;
    const numbers = new Map();
    const begin = this.#readHeader();
    this.#quote = bytes.indexOf(QUOTE, begin);
    for (let at = this.#skipSpace(begin, bytes.length); at < bytes.length; ) {
      const end = this.#endOf(at);
      if (bytes[at] === HASH) this.#add(at + 1, end, numbers);
      at = this.#skipSpace(end + 1, bytes.length);
    }
  }
  #add(at, end, numbers) {
    const bytes = this.#bytes;
    let id = 0;
    const first = at;
    for (; at < end && isDigit(bytes[at]) && id <= NUMBER_MOST; at++) id = 10 * id + bytes[at] - 48;
    const isNumbered = at > first && id <= NUMBER_MOST;
    at = this.#skipSpace(at, end);
    if (!isNumbered || bytes[at] !== EQUALS) {
      this.strayCount++;
      return;
    }
    at = this.#skipSpace(at + 1, end);
    const begin = at;
    while (at < end && (bytes[at] >= 65 || isDigit(bytes[at]))) at++; // letters, "_"
    const name = bytes.latin1Slice(begin, at).toUpperCase();
    at = this.#skipSpace(at, end);
    if (bytes[at] !== OPEN || at >= end) {
      this.strayCount++;
      return;
    }
    let type = numbers.get(name);
    if (type === undefined) {
      type = this.typeNames.push(name) - 1;
      numbers.set(name, type);
    }
    this.#offsets.push(at);
    this.#ids.push(id);
    this.#types.push(type);
  }
  // Returns where the data begins. By words, not by statements: names of files in headers have
  // quotes that are not doubled.
  #readHeader() {
    const text = this.#bytes.toString('latin1', 0, HEADER_MOST);
    const found = /FILE_SCHEMA\s*\(\s*\(\s*'([^']*)'/i.exec(text);
    this.schema = found?.[1].toUpperCase() ?? '';
    const data = /\sDATA\s*;/i.exec(text.slice(found?.index ?? 0));
    return data ? (found?.index ?? 0) + data.index + data[0].length : 0;
  }
  #index() {
    const count = this.#ids.count;
    let most = 0;
    for (let i = 0; i < count; i++) most = Math.max(most, this.#ids.list[i]);
    const isDense = most <= 8 * count + (1 << 16);
    this.#records = isDense ? new Uint32Array(most + 1) : new Map();
    for (let i = 0; i < count; i++) {
      const [id, type] = [this.#ids.list[i], this.#types.list[i]];
      if (this.#record(id) !== undefined) continue; // the first of a number counts
      if (isDense) this.#records[id] = i + 1;
      else this.#records.set(id, i + 1);
      const name = this.typeNames[type];
      if (!this.#idsByType.has(name)) this.#idsByType.set(name, []);
      this.#idsByType.get(name).push(id);
    }
  }
  #record(id) {
    const found = this.#records instanceof Map ? this.#records.get(id) : this.#records[id];
    return found ? found - 1 : undefined;
  }

  // In the bytes, too; the new name is shorter.
  renameSchema(name) {
    const at = this.#bytes.toString('latin1', 0, HEADER_MOST).toUpperCase().indexOf(`'${this.schema}'`);
    if (at < 0) return false;
    this.#bytes.latin1Write(`'${name}'`.padEnd(this.schema.length + 2), at);
    return true;
  }
  get statementCount() {
    return this.#ids.count;
  }
  // In the file's order.
  idsOf(...types) {
    return types.flatMap((type) => this.#idsByType.get(type) ?? []);
  }
  // '' where there is no such statement
  typeOf(id) {
    const record = this.#record(id);
    return record === undefined ? '' : this.typeNames[this.#types.list[record]];
  }
  // Its text from behind the first "(" on, as bytes of the file; null: there is none
  bytesOf(id) {
    const record = this.#record(id);
    if (record === undefined) return null;
    const from = this.#offsets.list[record];
    this.#quote = this.#bytes.indexOf(QUOTE, from);
    return this.#bytes.subarray(from + 1, this.#endOf(from));
  }
  // Its arguments: strings, numbers, null ($ and *), {ref}, {word} of .WORD., arrays, and {type,
  // value} of IFCLABEL('a'). Without such a statement []
  argumentsOf(id) {
    const bytes = this.bytesOf(id);
    return bytes ? new Arguments(bytes.latin1Slice(0, bytes.length)).list(0) : [];
  }
}

const REF = /\s*#(\d+)/y;
const NUMBER = /\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)/y;
const WORD = /\s*\.([A-Za-z0-9_]+)\./y;
const STRING = /\s*'([^']*(?:''[^']*)*)'/y;
const TYPED = /\s*([A-Za-z_][A-Za-z0-9_]*)\s*\(/y;
const SPACE = /(?:\s|\/\*[^]*?\*\/)*/y;

class Arguments {
  at = 0;
  constructor(text) {
    this.text = text;
  }
  match(pattern) {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text);
    if (found) this.at = pattern.lastIndex;
    return found;
  }
  // After its "(", up to its ")"
  list(depth) {
    const values = [];
    for (;;) {
      this.match(SPACE);
      const next = this.text[this.at];
      if (next === undefined) return values;
      if (next === ')') {
        this.at++;
        return values;
      }
      if (next === ',') {
        this.at++;
        continue;
      }
      values.push(this.value(next, depth));
    }
  }
  value(next, depth) {
    let found;
    if (next === '(') {
      this.at++;
      return depth < DEPTH_MOST ? this.list(depth + 1) : (this.at = this.text.length) && null;
    }
    if ((found = this.match(REF))) return { ref: Number(found[1]) };
    if ((found = this.match(NUMBER))) return Number(found[1]);
    if ((found = this.match(WORD))) return { word: found[1].toUpperCase() };
    if ((found = this.match(STRING))) return decode(found[1]);
    if ((found = this.match(TYPED))) {
      const values = depth < DEPTH_MOST ? this.list(depth + 1) : [];
      return { type: found[1].toUpperCase(), value: values.length ? values[0] : null };
    }
    this.at++; // $, *, or what is nothing
    return null;
  }
}

const UTF8 = new TextDecoder('utf-8', { fatal: true });
const ESCAPE = /\\X2\\((?:[0-9A-Fa-f]{4})*)\\X0\\|\\X4\\((?:[0-9A-Fa-f]{8})*)\\X0\\|\\X\\([0-9A-Fa-f]{2})|\\S\\([^])|\\P[A-I]\\|\\\\/g;

// A string's text. Bytes beyond ASCII, which no file should have, are UTF-8 where they can be.
export function decode(raw) {
  let text = raw.replace(/''/g, "'");
  if (/[\x80-\xff]/.test(text)) {
    const bytes = Buffer.from(text, 'latin1');
    try {
      text = UTF8.decode(bytes);
    } catch {
      // it stays Latin-1
    }
  }
  if (text.includes('\\'))
    text = text.replace(ESCAPE, (all, utf16, utf32, byte, shifted) => {
      if (utf16 !== undefined) return fromHex(utf16, 4);
      if (utf32 !== undefined) return fromHex(utf32, 8);
      if (byte !== undefined) return fromHex(byte, 2);
      if (shifted !== undefined) return String.fromCharCode((shifted.charCodeAt(0) & 127) + 128);
      return all === '\\\\' ? '\\' : '';
    });
  return text.length > TEXT_MOST ? text.slice(0, TEXT_MOST) : text;
}

function fromHex(digits, width) {
  let text = '';
  for (let i = 0; i < digits.length; i += width) {
    const code = parseInt(digits.slice(i, i + width), 16);
    if (width < 8) text += String.fromCharCode(code); // pairs of surrogates become one character
    else text += code <= 0x10ffff ? String.fromCodePoint(code) : '\ufffd';
  }
  return text;
}
