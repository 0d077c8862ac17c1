// SPDX-License-Identifier: MIT
// ifc_facts.mjs: what an IFC file says of an element, as keys and values: class, type, systems,
// materials, property sets.
// Spec: IFC4 8.13, IfcPropertyResource; 5.4, IfcKernel; attributes stand at these places in IFC2X3,
// IFC4 and IFC4X3
import { refsOf } from './ifc_tree.mjs';

const DEPTH_MOST = 8; // of complex properties and materials in one another
const VALUE_MOST = 1024; // characters of a value
const KEYS_MOST = 512; // of an element
const LIST_MOST = 64; // values of a list, pieces of a material

const GROUPS = { IFCSYSTEM: 'system', IFCDISTRIBUTIONSYSTEM: 'system', IFCDISTRIBUTIONCIRCUIT: 'system', IFCBUILDINGSYSTEM: 'system', IFCBUILTSYSTEM: 'system', IFCELECTRICALCIRCUIT: 'system', IFCZONE: 'zone', IFCSPATIALZONE: 'zone' };

const textOf = (value) => (typeof value === 'string' ? value.trim() : '');

// A value as text; '' for none.
function valueOf(value, depth = 0) {
  if (Array.isArray(value))
    return depth < DEPTH_MOST ? value.slice(0, LIST_MOST).map((one) => valueOf(one, depth + 1)).filter(Boolean).join(', ') : '';
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return String(value);
  if (value.word === 'T') return 'true';
  if (value.word === 'F') return 'false';
  if (value.word !== undefined) return value.word === 'U' ? 'unknown' : value.word;
  return value.type && depth < DEPTH_MOST ? valueOf(value.value, depth + 1) : '';
}

export class Facts {
  #file;
  #budget; // characters of keys and values that are left for all elements
  #sets = new Map(); // of a property set: [[key, value], ...]
  #setsOf; // element or type -> its sets
  #typeOf;
  #materialOf;
  #groupsOf;
  #classesOf;
  #layerOf = new Map(); // of a representation or an item of one
  leftOut = 0; // keys for which there was no room

  constructor(file, budget) {
    this.#file = file;
    this.#budget = budget;
    this.#setsOf = this.#related('IFCRELDEFINESBYPROPERTIES', 4, 5);
    this.#typeOf = this.#related('IFCRELDEFINESBYTYPE', 4, 5);
    this.#materialOf = this.#related('IFCRELASSOCIATESMATERIAL', 4, 5);
    this.#groupsOf = this.#related('IFCRELASSIGNSTOGROUP', 4, 6);
    this.#classesOf = this.#related('IFCRELASSOCIATESCLASSIFICATION', 4, 5);
    for (const id of file.idsOf('IFCPRESENTATIONLAYERASSIGNMENT', 'IFCPRESENTATIONLAYERWITHSTYLE')) {
      const values = file.argumentsOf(id);
      for (const item of refsOf(values[2])) this.#layerOf.set(item, textOf(values[0]));
    }
    for (const [id, groups] of this.#related('IFCRELASSIGNSTOGROUPBYFACTOR', 4, 6)) this.#groupsOf.set(id, groups);
  }

  // element -> [what these relations say of it]
  #related(type, elements, what) {
    const out = new Map();
    for (const id of this.#file.idsOf(type)) {
      const values = this.#file.argumentsOf(id);
      const found = refsOf(values[what]?.type ? values[what].value : values[what]);
      for (const element of refsOf(values[elements]))
        out.set(element, out.has(element) ? [...out.get(element), ...found].slice(0, KEYS_MOST) : found);
    }
    return out;
  }

  // { id, name, tag, type, objectType, longName }: texts, '' where there is none
  identity(id) {
    const file = this.#file;
    const values = file.argumentsOf(id);
    const type = file.argumentsOf(this.#typeOf.get(id)?.[0]);
    return {
      id: textOf(values[0]),
      name: textOf(values[2]),
      description: textOf(values[3]),
      objectType: textOf(values[4]),
      seventh: textOf(values[7]), // an element's tag, the long name of what has elements
      kind: values.slice(8).find((value) => value?.word && !/^(T|F|U|ELEMENT|COMPLEX|PARTIAL)$/.test(value.word))?.word ?? '',
      elevation: values[9],
      typeName: textOf(type[2]),
    };
  }

  // All keys that the element has, as [[key, value], ...]; `first` come before those of its sets.
  propertiesOf(id, first) {
    const out = [];
    const known = new Set();
    const put = (key, value) => {
      value = value.length > VALUE_MOST ? value.slice(0, VALUE_MOST) : value;
      if (!value || known.has(key)) return;
      if (out.length === KEYS_MOST || this.#budget < key.length + value.length) {
        this.leftOut++;
        return;
      }
      this.#budget -= key.length + value.length;
      known.add(key);
      out.push([key, value]);
    };
    for (const [key, value] of first) put(key, value);
    const named = { system: [], zone: [], group: [] };
    for (const group of this.#groupsOf.get(id) ?? [])
      named[GROUPS[this.#file.typeOf(group)] ?? 'group'].push(textOf(this.#file.argumentsOf(group)[2]));
    for (const [key, names] of Object.entries(named)) put(key, [...new Set(names)].filter(Boolean).join(', '));
    const types = this.#typeOf.get(id) ?? [];
    const materials = [id, ...types].flatMap((one) => this.#materialOf.get(one) ?? []);
    put('material', [...new Set(materials.slice(0, 1).flatMap((one) => this.#materialNames(one)))].join(', '));
    put('layer', this.#layersOf(id).join(', '));
    put('classification', this.#classNames([id, ...types]).join(', '));
    for (const set of this.#setsOf.get(id) ?? []) for (const [key, value] of this.#flatten(set)) put(key, value);
    for (const type of types)
      for (const set of refsOf(this.#file.argumentsOf(type)[5])) for (const [key, value] of this.#flatten(set)) put(key, value);
    return out;
  }

  #layersOf(id) {
    if (this.#layerOf.size === 0) return [];
    const file = this.#file;
    const representations = refsOf(file.argumentsOf(file.argumentsOf(id)[6]?.ref)[2]).slice(0, LIST_MOST);
    const items = representations.flatMap((one) => [one, ...refsOf(file.argumentsOf(one)[3]).slice(0, LIST_MOST)]);
    return [...new Set(items.map((one) => this.#layerOf.get(one)).filter(Boolean))];
  }
  // "Pr_20_31 Insulation": the identification and the name of a reference
  #classNames(ids) {
    const found = ids.flatMap((id) => this.#classesOf.get(id) ?? []).slice(0, LIST_MOST);
    const names = found.map((one) => {
      const values = this.#file.argumentsOf(one);
      return this.#file.typeOf(one) === 'IFCCLASSIFICATIONREFERENCE' ? `${textOf(values[1])} ${textOf(values[2])}`.trim() : '';
    });
    return [...new Set(names)].filter(Boolean);
  }

  // "SET.NAME" and the value of each property of a set.
  #flatten(set) {
    const known = this.#sets.get(set);
    if (known) return known;
    const [file, out] = [this.#file, []];
    const values = file.argumentsOf(set);
    const prefix = textOf(values[2]) || file.typeOf(set);
    if (file.typeOf(set) === 'IFCPROPERTYSET') this.#properties(values[4], prefix, out, 0);
    else if (file.typeOf(set) === 'IFCELEMENTQUANTITY') this.#properties(values[5], prefix, out, 0);
    this.#sets.set(set, out);
    return out;
  }
  #properties(list, prefix, out, depth) {
    for (const id of refsOf(list)) {
      if (out.length >= KEYS_MOST) return;
      const values = this.#file.argumentsOf(id);
      const key = `${prefix}.${textOf(values[0])}`.slice(0, VALUE_MOST);
      switch (this.#file.typeOf(id)) {
        case 'IFCPROPERTYSINGLEVALUE':
        case 'IFCPROPERTYENUMERATEDVALUE':
        case 'IFCPROPERTYLISTVALUE':
          out.push([key, valueOf(values[2])]);
          break;
        case 'IFCPROPERTYBOUNDEDVALUE': { // upper, lower, unit, set point
          const [low, high] = [valueOf(values[3]), valueOf(values[2])];
          out.push([key, valueOf(values[5]) || (low === high ? low : `${low} .. ${high}`)]);
          break;
        }
        case 'IFCCOMPLEXPROPERTY':
          if (depth < DEPTH_MOST) this.#properties(values[3], key, out, depth + 1);
          break;
        case 'IFCPHYSICALCOMPLEXQUANTITY':
          if (depth < DEPTH_MOST) this.#properties(values[2], key, out, depth + 1);
          break;
        default: // IfcQuantityLength and its kin: name, description, unit, value
          if (this.#file.typeOf(id).startsWith('IFCQUANTITY')) out.push([key, valueOf(values[3])]);
      }
    }
  }

  #materialNames(id, depth = 0) {
    const [file, values] = [this.#file, this.#file.argumentsOf(id)];
    if (depth > DEPTH_MOST) return [];
    const of = (list) => refsOf(list).slice(0, LIST_MOST).flatMap((one) => this.#materialNames(one, depth + 1)).slice(0, LIST_MOST);
    switch (file.typeOf(id)) {
      case 'IFCMATERIAL':
        return [textOf(values[0])].filter(Boolean);
      case 'IFCMATERIALLIST':
      case 'IFCMATERIALLAYERSET':
      case 'IFCMATERIALLAYERSETUSAGE':
      case 'IFCMATERIALPROFILESETUSAGE':
      case 'IFCMATERIALPROFILESETUSAGETAPERING':
      case 'IFCMATERIALLAYER':
      case 'IFCMATERIALLAYERWITHOFFSETS':
        return of(values[0]);
      case 'IFCMATERIALCONSTITUENTSET':
      case 'IFCMATERIALPROFILESET':
      case 'IFCMATERIALCONSTITUENT':
      case 'IFCMATERIALPROFILE':
      case 'IFCMATERIALPROFILEWITHOFFSETS':
        return of(values[2]);
      default:
        return [];
    }
  }
}
