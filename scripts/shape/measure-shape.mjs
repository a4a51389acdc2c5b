// SPDX-License-Identifier: MIT
// Sizes of the sources of src/, per unit and in total. Terms: source-tree.mjs.
import { isFunction, makeLineOf, nameOfFunction, parse, walk } from './source-tree.mjs';

/** Limits that a function and a file should keep. */
export const MAX = { functionLines: 60, parameters: 6, fileLines: 400 };

/**
 * Counts of one unit or of all. Lines of functions, parameters, `!` and casts are counted in all sources but kernels; lines and files in all.
 *
 * - longFunctions: functions of more than 60 lines, from the line of the name to the closing brace; functions inside count as well
 * - wideFunctions: functions of more than 6 parameters; a destructured object is one, `this` is none
 * - nonNull: non-null assertions `a!`
 * - casts: `as unknown as`
 * - longFiles: files of more than 400 lines
 */
const makeCounts = () => ({
  files: 0,
  lines: 0,
  testFiles: 0,
  testLines: 0,
  kernelFiles: 0,
  functions: 0,
  longFunctions: 0,
  wideFunctions: 0,
  nonNull: 0,
  casts: 0,
  longFiles: 0,
});

/** Counts per unit and in total, and the places behind them. */
export function measureShape(files) {
  const units = {};
  const total = makeCounts();
  const places = { longFunctions: [], wideFunctions: [], nonNull: [], casts: [], longFiles: [] };
  for (const file of files) {
    units[file.unit] ??= makeCounts();
    const found = measureFile(file);
    for (const counts of [units[file.unit], total]) {
      for (const key of Object.keys(counts)) counts[key] += found.counts[key];
    }
    for (const key of Object.keys(places)) places[key].push(...(found.places[key] ?? []));
  }
  places.longFunctions.sort((a, b) => b.lines - a.lines);
  places.wideFunctions.sort((a, b) => b.parameters - a.parameters);
  places.longFiles.sort((a, b) => b.lines - a.lines);
  return { total, units, places };
}

function measureFile(file) {
  const counts = makeCounts();
  if (file.isTest) return { counts: { ...counts, testFiles: 1, testLines: file.lines }, places: {} };
  const places = file.isKernel ? {} : listPlaces(file);
  if (file.lines > MAX.fileLines) places.longFiles = [{ at: file.path, lines: file.lines }];
  for (const [key, found] of Object.entries(places)) {
    if (key in counts) counts[key] = found.length;
  }
  counts.files = 1;
  counts.lines = file.lines;
  counts.kernelFiles = Number(file.isKernel);
  return { counts, places };
}

function listPlaces(file) {
  const places = { functions: [], longFunctions: [], wideFunctions: [], nonNull: [], casts: [] };
  const lineOf = makeLineOf(file.text);
  walk(parse(file), (node, ancestors) => {
    if (isFunction(node)) {
      const { name, start } = locate(node, ancestors);
      const at = `${file.path}:${lineOf(start)}`;
      const lines = lineOf(node.end) - lineOf(start) + 1;
      const parameters = node.params.filter((one) => one.name !== 'this').length;
      places.functions.push(at);
      if (lines > MAX.functionLines) places.longFunctions.push({ at, name, lines });
      if (parameters > MAX.parameters) places.wideFunctions.push({ at, name, parameters });
    } else if (node.type === 'TSNonNullExpression') {
      places.nonNull.push({ at: `${file.path}:${lineOf(node.end)}` });
    } else if (isDoubleCast(node)) {
      places.casts.push({ at: `${file.path}:${lineOf(node.start)}` });
    }
  });
  return places;
}

/** Name and first character of a function; methods start at their key. */
function locate(node, ancestors) {
  const holder = ancestors.at(-1);
  const isMethod = ['Property', 'MethodDefinition'].includes(holder?.type) && holder.value === node;
  return { name: nameOfFunction(node, ancestors) ?? '(callback)', start: isMethod ? holder.start : node.start };
}

function isDoubleCast(node) {
  return (
    node.type === 'TSAsExpression' &&
    node.expression.type === 'TSAsExpression' &&
    node.expression.typeAnnotation.type === 'TSUnknownKeyword'
  );
}
