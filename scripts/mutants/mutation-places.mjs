// SPDX-License-Identifier: MIT
// Places of the sources where one change makes the code wrong, and the choice of some of them. Terms: source-tree.mjs.
//
// A mutant is { file, function, kind, source, replacement, ordinal }: the name of the file without its folder, the innermost function with a name, the kind
// of the change, the text of the expression and its replacement, and its number among equal ones of that function, from zero. A mutant is therefore found
// again after its file was moved.
import { isFunction, makeLineOf, nameOfFunction, parse, walk } from '../shape/source-tree.mjs';

const COMPARISONS = { '<': '>', '>': '<', '<=': '>=', '>=': '<=', '===': '!==', '!==': '===' };
const SIGNS = { '+': '-', '-': '+', '*': '/', '/': '*', '+=': '-=', '-=': '+=', '*=': '/=', '/=': '*=' };
const LOGICAL = { '&&': '||', '||': '&&' };

/** Type nodes that hold an expression; other type nodes are left out. */
const TYPED_EXPRESSIONS = new Set(['TSNonNullExpression', 'TSAsExpression', 'TSSatisfiesExpression']);

/** Nodes without places: texts, and errors, of which tests rarely state every word. */
const LEFT_OUT = new Set(['TemplateLiteral', 'ThrowStatement', 'ImportExpression', 'ImportDeclaration']);

/** Mutants of a file in the order of the text, with `path`, `line`, and what is written: `text` from `start` to `end`. */
export function listPlaces(file) {
  const lineOf = makeLineOf(file.text);
  const numbers = new Map();
  const places = [];
  walk(parse(file), (node, ancestors) => {
    if (LEFT_OUT.has(node.type) || (node.type.startsWith('TS') && !TYPED_EXPRESSIONS.has(node.type))) return false;
    const name = innermostName(ancestors);
    if (name === undefined) return true;
    for (const { kind, replacement } of listChanges(node, ancestors.at(-1), file.text)) {
      const source = squeeze(file.text.slice(node.start, node.end));
      const key = [name, kind, source].join('\n');
      const ordinal = numbers.get(key) ?? 0;
      numbers.set(key, ordinal + 1);
      const mutant = { file: file.name, function: name, kind, source, replacement: squeeze(replacement), ordinal };
      places.push({
        ...mutant,
        path: file.path,
        line: lineOf(node.start),
        start: node.start,
        end: node.end,
        text: replacement,
      });
    }
    return true;
  });
  return places;
}

/** Name of the innermost function around a node that has a name; undefined outside of functions. */
function innermostName(ancestors) {
  for (let k = ancestors.length - 1; k >= 0; k--) {
    const name = isFunction(ancestors[k]) ? nameOfFunction(ancestors[k], ancestors.slice(0, k)) : undefined;
    if (name !== undefined) return name;
  }
  return undefined;
}

/** Line breaks and indentation may change when a file is moved and formatted. */
function squeeze(text) {
  return text.replace(/\s+/g, ' ');
}

function listChanges(node, parent, text) {
  const textOf = (one) => text.slice(one.start, one.end);
  const changes = [];
  const add = (kind, replacement) => changes.push({ kind, replacement });
  const swap = (operator) =>
    textOf({ start: node.start, end: node.left.end }) +
    textOf({ start: node.left.end, end: node.right.start }).replace(node.operator, () => operator) +
    textOf({ start: node.right.start, end: node.end });

  if (node.type === 'BinaryExpression') {
    const isLoopTest = parent.type === 'ForStatement' && parent.test === node;
    if (node.operator in COMPARISONS && !isLoopTest) add('comparison', swap(COMPARISONS[node.operator]));
    if (node.operator in SIGNS && !isText(node)) add('sign', swap(SIGNS[node.operator]));
    if ((node.operator === '+' || node.operator === '-') && !isText(node)) add('term', `(${textOf(node.left)})`);
  } else if (node.type === 'AssignmentExpression' && node.operator in SIGNS && !isText(node)) {
    add('sign', swap(SIGNS[node.operator]));
  } else if (node.type === 'UnaryExpression' && node.operator === '-') {
    add('sign', `(${textOf(node.argument)})`);
  } else if (node.type === 'LogicalExpression' && node.operator in LOGICAL) {
    add('logical', `(${swap(LOGICAL[node.operator])})`);
  } else if (node.type === 'Literal' && !(parent.type === 'Property' && parent.key === node)) {
    if (typeof node.value === 'boolean') add('constant', String(!node.value));
    if (typeof node.value === 'number') add('constant', String(changeNumber(node.value)));
  }
  if (['IfStatement', 'ConditionalExpression'].includes(parent.type) && parent.test === node) {
    add('condition', `!(${textOf(node)})`);
  }
  return changes;
}

/** Whether a sum contains a text. */
function isText(node) {
  return [node.left, node.right].some(
    (one) =>
      one.type === 'TemplateLiteral' ||
      (one.type === 'Literal' && typeof one.value === 'string') ||
      (one.type === 'BinaryExpression' && isText(one)),
  );
}

function changeNumber(value) {
  return Number.isInteger(value) && Math.abs(value) < 1e6 ? value + 1 : value * 2;
}

/**
 * Chooses mutants: one in each unit that has tests, as far as `count` allows, and the others in units by their lines. Files are drawn by their lines; then a
 * function, a kind of change and a place with equal chances. No file has two mutants.
 */
export function choosePlaces(files, count, seed) {
  const random = makeRandom(seed);
  const units = new Set(files.filter(({ isTest }) => isTest).map(({ unit }) => unit));
  const open = new Set(files.filter((file) => !file.isTest && !file.isKernel && units.has(file.unit)));
  const chosen = [];
  const drawFrom = (candidates) => {
    while (candidates.length > 0) {
      const file = drawByLines(candidates, random);
      open.delete(file);
      const places = listPlaces(file);
      if (places.length > 0) return chosen.push(drawPlace(places, random));
      candidates = candidates.filter((one) => one !== file);
    }
  };
  for (const unit of shuffle([...units].sort(), random)) {
    if (chosen.length < count) drawFrom([...open].filter((file) => file.unit === unit));
  }
  while (chosen.length < count && open.size > 0) drawFrom([...open]);
  return chosen;
}

function drawPlace(places, random) {
  const draw = (list) => list[Math.floor(random() * list.length)];
  const name = draw([...new Set(places.map((one) => one.function))]);
  const inFunction = places.filter((one) => one.function === name);
  const kind = draw([...new Set(inFunction.map((one) => one.kind))]);
  return draw(inFunction.filter((one) => one.kind === kind));
}

function drawByLines(files, random) {
  let left = random() * files.reduce((sum, { lines }) => sum + lines, 0);
  for (const file of files) {
    left -= file.lines;
    if (left < 0) return file;
  }
  return files.at(-1);
}

function shuffle(list, random) {
  for (let k = list.length - 1; k > 0; k--) {
    const other = Math.floor(random() * (k + 1));
    [list[k], list[other]] = [list[other], list[k]];
  }
  return list;
}

/** Mulberry32: numbers from zero to below one. */
function makeRandom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * Place of a mutant of a list: in the file of that name, or, where the file has another name now, in the only file that has that function with that
 * expression. Undefined if there is none, or more than one.
 */
export function findPlace(files, mutant) {
  const sources = files.filter((file) => !file.isTest && !file.isKernel && file.text.includes(mutant.function));
  const isSame = (place) =>
    ['function', 'kind', 'source', 'replacement', 'ordinal'].every((key) => place[key] === mutant[key]);
  const find = (list) => list.flatMap((file) => listPlaces(file).filter(isSame));
  const named = find(sources.filter(({ name }) => name === mutant.file));
  const found = named.length > 0 ? named : find(sources);
  return found.length === 1 ? found[0] : undefined;
}
