// SPDX-License-Identifier: MIT
// The TypeScript files of src/ and their syntax trees. Nothing here depends on the names of folders, so that figures of two layouts can be compared.
//
// unit    the first folder of a path, or the first two where the first folder has folders with sources inside and no index.ts: src/draw, src/methods/track.
//         Files in src/ itself are the unit `src`.
// test    a *.test.ts file, or any file in a folder named `tests`
// source  any other *.ts file, without *.d.ts
// kernel  a source *.as.ts: AssemblyScript, which is not parsed
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseSync } from 'vite';

/**
 * @typedef {{ path: string, name: string, text: string, lines: number, isTest: boolean, isKernel: boolean, unit: string }} SourceFile
 * `path` is relative to the root, with slashes; `name` is its last part.
 */

/** All files of `src` under `root`, sorted by path. */
export function listFiles(root) {
  const entries = readdirSync(join(root, 'src'), { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts') && !entry.name.endsWith('.d.ts'))
    .map((entry) => {
      const folder = (entry.parentPath ?? entry.path).slice(root.length).replaceAll('\\', '/').replace(/^\//, '');
      return makeFile(root, `${folder}/${entry.name}`);
    })
    .sort((a, b) => (a.path < b.path ? -1 : 1));
  const whole = new Set(
    files.filter(({ path }) => /^src\/[^/]+\/index\.ts$/.test(path)).map(({ path }) => foldersOf(path)[0]),
  );
  const deep = new Set(
    files
      .filter(({ isTest, path }) => !isTest && foldersOf(path).length > 1)
      .map(({ path }) => foldersOf(path)[0])
      .filter((folder) => !whole.has(folder)),
  );
  for (const file of files) file.unit = unitOf(file.path, deep);
  return files;
}

function makeFile(root, path) {
  const text = readFileSync(join(root, path), 'utf8');
  return {
    path,
    name: basename(path),
    text,
    lines: text.split('\n').length - 1,
    isTest: path.endsWith('.test.ts') || foldersOf(path).includes('tests'),
    isKernel: path.endsWith('.as.ts'),
    unit: '',
  };
}

/** Folders of a path below src/. */
function foldersOf(path) {
  return path.split('/').slice(1, -1);
}

/** @param deep first folders whose folders are units */
function unitOf(path, deep) {
  const folders = foldersOf(path).filter((name) => name !== 'tests');
  return ['src', ...folders.slice(0, deep.has(folders[0]) ? 2 : 1)].join('/');
}

/** Syntax tree (ESTree with TypeScript nodes); `start` and `end` of a node are indices into the text. */
export function parse(file) {
  const { program, errors } = parseSync(file.path, file.text);
  if (errors.length > 0) throw new Error(`${file.path}: syntax error: ${errors[0].message}`);
  return program;
}

/** Calls `enter(node, ancestors)` for every node, outer nodes first; `false` leaves out the nodes inside. */
export function walk(node, enter, ancestors = []) {
  if (enter(node, ancestors) === false) return;
  ancestors.push(node);
  for (const value of Object.values(node)) {
    if (Array.isArray(value)) {
      for (const item of value) if (typeof item?.type === 'string') walk(item, enter, ancestors);
    } else if (typeof value?.type === 'string') walk(value, enter, ancestors);
  }
  ancestors.pop();
}

const FUNCTIONS = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression']);

/** Whether a node is a function with a body. */
export function isFunction(node) {
  return FUNCTIONS.has(node.type) && Boolean(node.body);
}

/** Name of a function: its own, or that of the variable, property or method that holds it; undefined for callbacks. */
export function nameOfFunction(node, ancestors) {
  if (node.id) return node.id.name;
  const holder = ancestors.at(-1);
  if (holder?.type === 'VariableDeclarator' && holder.init === node) return holder.id.name;
  if (['Property', 'MethodDefinition', 'PropertyDefinition'].includes(holder?.type) && holder.value === node) {
    return holder.key.name ?? String(holder.key.value);
  }
  if (holder?.type === 'AssignmentExpression' && holder.right === node) {
    return holder.left.name ?? holder.left.property?.name;
  }
  // what has a name is the result of the call: const addPartsKernel = kernel('addParts', …, (…) => …)
  const outer = ancestors.at(-2);
  const isNamed = holder?.type === 'CallExpression' && outer?.type === 'VariableDeclarator' && outer.init === holder;
  if (isNamed && !ancestors.some(isFunction)) return outer.id.name;
  return undefined;
}

/** Numbers of lines from indices of a text, starting at one. */
export function makeLineOf(text) {
  const starts = [0];
  for (let k = text.indexOf('\n'); k >= 0; k = text.indexOf('\n', k + 1)) starts.push(k + 1);
  return (index) => {
    let low = 0;
    let high = starts.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (starts[middle] <= index) low = middle;
      else high = middle;
    }
    return low + 1;
  };
}
