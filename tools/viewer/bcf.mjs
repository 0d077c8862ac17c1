// SPDX-License-Identifier: MIT
// bcf.mjs: viewpoints of BCF: the camera, the section, what is selected, hidden and coloured; in from .bcf of
// versions 2 and 3, as reports of `bvpack clash` are, and out as a topic of version 3.
// Spec: buildingSMART BCF-XML 3.0. Lengths are metres of the model's world.

import { unzip, zip } from './zip.mjs';

const HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n';
const COMPONENTS_MOST = 1000;

const escaped = (text) =>
  String(text).replace(/[&<>"]/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[c]);
const element = (name, text) => `<${name}>${escaped(text)}</${name}>`;
const point = (name, p) =>
  `<${name}><X>${p[0]}</X><Y>${p[1]}</Y><Z>${p[2]}</Z></${name}>`;
const uuid = () => {
  const b = crypto.getRandomValues(new Uint8Array(16));
  b[6] = 0x40 | (b[6] & 15);
  b[8] = 0x80 | (b[8] & 63);
  const hex = [...b].map((one) => one.toString(16).padStart(2, '0')).join('');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
};

// ---- out ------------------------------------------------------------------------------------------

// view: {eye, way, up, fov, aspect, plane, selected, hidden, isolated, colouring}: components, which
// are {path} or, of other programs, {path, guid}; lengths of the model; colouring: [colour of three
// numbers of 0 to 255, components][].
function viewpoint(view, unit, guid) {
  const component = ({ path }) =>
    `<Component><OriginatingSystem>bvpack</OriginatingSystem>${element('AuthoringToolId', path)}</Component>`;
  const list = (name, of) => (of.length > 0 ? `<${name}>${of.map(component).join('')}</${name}>` : '');
  const hex = (colour) => colour.map((one) => one.toString(16).padStart(2, '0').toUpperCase()).join('');
  const colours = view.colouring.filter(([, of]) => of.length > 0);
  const colouring = colours.map(([colour, of]) => `<Color Color="${hex(colour)}">${list('Components', of)}</Color>`);
  const isDefault = view.isolated === null;
  const exceptions = list('Exceptions', isDefault ? view.hidden : view.isolated);
  const metres = (p) => p.map((x) => x * unit);
  // BCF takes away what the plane's direction points to
  const plane = view.plane && [
    '<ClippingPlanes><ClippingPlane>',
    point('Location', metres(view.plane.slice(0, 3).map((n) => -n * view.plane[3]))),
    point('Direction', view.plane.slice(0, 3).map((n) => -n)),
    '</ClippingPlane></ClippingPlanes>',
  ].join('');
  return [
    `${HEAD}<VisualizationInfo Guid="${guid}">`,
    `<Components>${list('Selection', view.selected)}<Visibility DefaultVisibility="${isDefault}">${exceptions}</Visibility>`,
    colours.length > 0 ? `<Coloring>${colouring.join('')}</Coloring>` : '',
    '</Components>',
    '<PerspectiveCamera>',
    point('CameraViewPoint', metres(view.eye)),
    point('CameraDirection', view.way),
    point('CameraUpVector', view.up),
    element('FieldOfView', view.fov),
    element('AspectRatio', view.aspect),
    '</PerspectiveCamera>',
    plane || '',
    '</VisualizationInfo>\n',
  ].join('\n');
}

export function writeBcf(view, { title, fileName, unit, snapshot }) {
  const [topic, guid] = [uuid(), uuid()];
  const text = (string) => new TextEncoder().encode(string);
  const markup = [
    `${HEAD}<Markup><Header><Files><File IsExternal="true">${element('Filename', fileName)}</File></Files></Header>`,
    `<Topic Guid="${topic}" TopicType="Viewpoint" TopicStatus="Open">`,
    element('Title', title),
    element('CreationDate', new Date().toISOString()),
    element('CreationAuthor', 'bvpack'),
    `<Viewpoints><ViewPoint Guid="${guid}">${element('Viewpoint', 'viewpoint.bcfv')}`,
    `${element('Snapshot', 'snapshot.png')}</ViewPoint></Viewpoints></Topic></Markup>\n`,
  ].join('\n');
  return zip([
    ['bcf.version', text(`${HEAD}<Version VersionId="3.0"/>\n`)],
    [`${topic}/markup.bcf`, text(markup)],
    [`${topic}/viewpoint.bcfv`, text(viewpoint(view, unit, guid))],
    [`${topic}/snapshot.png`, snapshot],
  ]);
}

// ---- in -------------------------------------------------------------------------------------------

const child = (of, name) => of?.getElementsByTagName(name)[0] ?? null;
const textOf = (of, name) => child(of, name)?.textContent.trim() ?? '';

function pointOf(of, name) {
  const found = child(of, name);
  const numbers = ['X', 'Y', 'Z'].map((axis) => Number(textOf(found, axis) || NaN));
  if (!numbers.every(Number.isFinite)) throw new Error(`the viewpoint has no ${name}`);
  return numbers;
}

const componentsOf = (of) =>
  of
    ? [...of.getElementsByTagName('Component')]
        .slice(0, COMPONENTS_MOST)
        .map((one) => ({ path: textOf(one, 'AuthoringToolId'), guid: one.getAttribute('IfcGuid') ?? '' }))
        .filter(({ path, guid }) => path || guid)
    : [];

function parsed(bytes) {
  const xml = new DOMParser().parseFromString(new TextDecoder().decode(bytes), 'application/xml');
  if (xml.getElementsByTagName('parsererror').length > 0) throw new Error('a file of the archive is no XML');
  return xml;
}

// "RRGGBB", or with alpha before it; null: neither.
function colourOf(text) {
  const [, hex] = /^(?:[0-9a-f]{2})?([0-9a-f]{6})$/i.exec(text ?? '') ?? [];
  return hex ? [0, 2, 4].map((at) => parseInt(hex.slice(at, at + 2), 16)) : null;
}

// As viewpoint() takes it.
function viewOf(xml, unit) {
  const camera = child(xml, 'PerspectiveCamera') ?? child(xml, 'OrthogonalCamera');
  if (!camera) throw new Error('the viewpoint has no camera');
  const visibility = child(xml, 'Visibility');
  const isDefault = visibility?.getAttribute('DefaultVisibility') !== 'false';
  const exceptions = componentsOf(child(visibility, 'Exceptions'));
  const clipping = child(xml, 'ClippingPlane');
  const model = (p) => p.map((x) => x / unit);
  let plane = null;
  if (clipping) {
    const way = pointOf(clipping, 'Direction');
    const length = Math.hypot(...way);
    const n = way.map((x) => -x / length);
    const at = model(pointOf(clipping, 'Location'));
    if (length > 0) plane = [...n, -n.reduce((sum, x, k) => sum + x * at[k], 0)];
  }
  return {
    eye: model(pointOf(camera, 'CameraViewPoint')),
    way: pointOf(camera, 'CameraDirection'),
    up: pointOf(camera, 'CameraUpVector'),
    fov: Number(textOf(camera, 'FieldOfView')) || 45,
    plane,
    selected: componentsOf(child(xml, 'Selection')),
    hidden: isDefault ? exceptions : [],
    isolated: isDefault ? null : exceptions,
    colouring: [...(child(xml, 'Coloring')?.getElementsByTagName('Color') ?? [])]
      .map((one) => [colourOf(one.getAttribute('Color')), componentsOf(one)])
      .filter(([colour]) => colour !== null),
  };
}

// [{title, view(): Promise<view>}, ...], in the archive's order, which may be one of severity.
// Archives, or one .bcfv.
export async function readBcf(bytes, unit) {
  if (bytes[0] !== 0x50) return [{ title: 'viewpoint', view: async () => viewOf(parsed(bytes), unit) }];
  const members = unzip(bytes);
  const topics = [];
  for (const [name, read] of members) {
    if (!name.endsWith('/markup.bcf')) continue;
    const folder = name.slice(0, -'markup.bcf'.length);
    const markup = parsed(await read());
    for (const one of markup.getElementsByTagName('Viewpoint')) {
      const member = members.get(folder + one.textContent.trim());
      if (!member) continue;
      topics.push({
        title: textOf(markup, 'Title') || folder,
        view: async () => viewOf(parsed(await member()), unit),
      });
    }
  }
  if (topics.length === 0) throw new Error('the archive has no viewpoint');
  return topics;
}
