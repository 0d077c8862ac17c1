// SPDX-License-Identifier: MIT
// properties.mjs: what is known of the selected node: where it is in the tree, its part, its
// properties.

const number = (value) => value.toLocaleString('en');

function table(rows) {
  const made = document.createElement('dl');
  for (const [key, value] of rows) {
    if (value === '' || value === undefined || value === null) continue;
    const [term, text] = [document.createElement('dt'), document.createElement('dd')];
    term.textContent = key;
    text.textContent = value;
    made.append(term, text);
  }
  return made;
}

function heading(text) {
  const made = document.createElement('h3');
  made.textContent = text;
  return made;
}

export class Properties {
  constructor(box, model) {
    this.box = box;
    this.model = model;
    this.none();
  }

  none() {
    this.asked = null;
    const hint = document.createElement('p');
    hint.className = 'hint';
    hint.textContent = 'Click a part in the picture or a row of the tree.';
    const { info } = this.model;
    const rows = [
      ['triangles', number(info.triangleCount)],
      ['of parts, once each', number(info.uniqueTriangleCount)],
      ['parts', number(info.partCount)],
      ['instances', number(info.instanceCount)],
      ['unit', info.unitInMetres > 0 ? `${info.unitInMetres} m` : 'not known'],
      ['format', info.format],
    ];
    this.box.replaceChildren(hint, heading('The file'), table(rows));
  }

  async show(node, instanceCount) {
    this.asked = node;
    const { file } = this.model;
    const [record, path, own] = await Promise.all([
      this.model.record(node),
      file.nodePath(node),
      file.properties(node),
    ]);
    const part = record.part === null ? null : await this.model.part(record.part);
    if (this.asked !== node) return;
    const title = document.createElement('h2');
    title.textContent = record.label;
    const partNumber = own.part_number || part?.sourceId || part?.name;
    const made = [
      title,
      table([
        ['path', path],
        ['part number', partNumber],
        ['source id', record.sourceId],
        ['instances', part ? '' : number(instanceCount)],
        ['instance', record.instance],
      ]),
    ];
    if (part) {
      const size = this.model.lengths([0, 1, 2].map((k) => part.hi[k] - part.lo[k])).join(' × ');
      made.push(
        heading('Part'),
        table([
          ['name', part.name],
          ['number in the file', record.part],
          ['triangles', number(part.triangleCount)],
          ['box', size],
          ['open edges', part.openEdgeCount > 0 ? number(part.openEdgeCount) : 'none: closed'],
        ]),
      );
    }
    if (Object.keys(own).length > 0) made.push(heading('Properties'), table(Object.entries(own)));
    this.box.replaceChildren(...made);
  }
}
