// SPDX-License-Identifier: MIT
// ifc_units.mjs: the length of an IFC file's unit.
// Spec: IFC4 8.11, IfcMeasureResource

const PREFIXES = {
  EXA: 1e18, PETA: 1e15, TERA: 1e12, GIGA: 1e9, MEGA: 1e6, KILO: 1e3, HECTO: 1e2, DECA: 10,
  DECI: 1e-1, CENTI: 1e-2, MILLI: 1e-3, MICRO: 1e-6, NANO: 1e-9, PICO: 1e-12, FEMTO: 1e-15, ATTO: 1e-18,
};

const number = (value) => (typeof value === 'number' ? value : typeof value?.value === 'number' ? value.value : NaN);

// Of an IfcSIUnit or IfcConversionBasedUnit of length; NaN: it is none.
function lengthOf(file, id, depth = 0) {
  const values = file.argumentsOf(id);
  if (values[1]?.word !== 'LENGTHUNIT' || depth > 8) return NaN;
  switch (file.typeOf(id)) {
    case 'IFCSIUNIT':
      return values[3]?.word === 'METRE' ? (values[2]?.word ? PREFIXES[values[2].word] ?? NaN : 1) : NaN;
    case 'IFCCONVERSIONBASEDUNIT':
    case 'IFCCONVERSIONBASEDUNITWITHOFFSET': {
      const [ratio, base] = file.argumentsOf(values[3]?.ref);
      return number(ratio) * lengthOf(file, base?.ref, depth + 1);
    }
    default:
      return NaN;
  }
}

// { metres: the length of one unit, 0 where the file has none; factor: by which web-ifc multiplies:
// the product of all units of length that it finds }.
export function unitsOf(file) {
  let [metres, factor] = [0, 1];
  for (const project of file.idsOf('IFCPROJECT').slice(0, 1)) {
    const assignment = file.argumentsOf(project)[8]?.ref;
    const [units] = file.typeOf(assignment) === 'IFCUNITASSIGNMENT' ? file.argumentsOf(assignment) : [];
    for (const unit of Array.isArray(units) ? units.slice(0, 1000) : []) {
      const length = lengthOf(file, unit?.ref);
      if (!(length > 0) || !Number.isFinite(length)) continue;
      metres ||= length;
      factor *= length;
    }
  }
  return { metres, factor };
}
