// SPDX-License-Identifier: MIT
// The imports between the files of src/. Terms: source-tree.mjs.
//
// import  `import … from`, `export … from`, `import('…')` as a value or as a type, with a relative path to a file of src/. Imports in comments do not count.
// value   an import that is left after types are removed: not `import type`, and not a list of names that are all marked `type`
// reach   files that a file imports directly or through others, by value or by type, and itself
// index   a file that only re-exports names of other files: an entry of the package, or the index of a unit
// users   sources that import a file, directly or by name through indexes. An index and a test are no users.
import { dirname, join } from 'node:path/posix';
import { parse, walk } from './source-tree.mjs';

/**
 * Imports of every file: a map from its path to a map from the imported path to `{ isValue, names }`. `names` are the imported names; undefined for all.
 * Kernels import nothing here.
 */
export function readImports(files) {
  const known = new Set(files.map(({ path }) => path));
  return new Map(
    files.map((file) => {
      const targets = new Map();
      for (const { target, isValue, names } of file.isKernel ? [] : listImports(file)) {
        const path = join(dirname(file.path), target);
        if (!target.startsWith('.') || !known.has(path)) continue;
        const before = targets.get(path) ?? { isValue: false, names: [] };
        targets.set(path, {
          isValue: isValue || before.isValue,
          names: names && before.names && [...before.names, ...names],
        });
      }
      return [file.path, targets];
    }),
  );
}

function listImports(file) {
  const found = [];
  walk(parse(file), (node) => {
    const target = node.source?.value;
    if (typeof target !== 'string') return;
    if (node.type === 'ImportExpression') found.push({ target, isValue: true });
    else if (node.type === 'TSImportType') found.push({ target, isValue: false });
    else found.push({ target, isValue: isValueImport(node), names: namesOf(node) });
  });
  return found;
}

function isValueImport(node) {
  if (node.importKind === 'type' || node.exportKind === 'type') return false;
  const names = node.specifiers ?? [];
  return names.length === 0 || names.some((one) => one.importKind !== 'type' && one.exportKind !== 'type');
}

/** Names that a statement takes from a file; undefined for all of them. */
function namesOf({ specifiers }) {
  const names = specifiers?.map(({ imported, local, type }) => (type === 'ExportSpecifier' ? local : imported)?.name);
  return names?.includes(undefined) ? undefined : names;
}

/** Re-exported names of every index: a map from its path to a map from the name to `{ path, name }` of the original. */
function readIndexes(files, known) {
  const indexes = new Map();
  for (const file of files.filter(({ isKernel }) => !isKernel)) {
    const { body } = parse(file);
    if (body.length === 0 || !body.every(({ type, source }) => type === 'ExportNamedDeclaration' && source)) continue;
    const names = new Map();
    for (const { source, specifiers } of body) {
      const path = join(dirname(file.path), source.value);
      if (!known.has(path)) continue;
      for (const { local, exported } of specifiers) names.set(exported.name, { path, name: local.name });
    }
    indexes.set(file.path, names);
  }
  return indexes;
}

/** Users of every file: a map from its path to a set of paths. */
function findUsers(files, imports) {
  const indexes = readIndexes(files, imports);
  const users = new Map(files.map(({ path }) => [path, new Set()]));
  const addUser = (user, path, names) => {
    users.get(path).add(user);
    const index = indexes.get(path);
    for (const name of index ? (names ?? index.keys()) : []) {
      const original = index.get(name);
      if (original) addUser(user, original.path, [original.name]);
    }
  };
  for (const [user, targets] of imports) {
    if (!indexes.has(user)) for (const [path, { names }] of targets) addUser(user, path, names);
  }
  return { users, indexes };
}

/** The same graph with all imports turned. */
export function reverseImports(imports) {
  const users = new Map([...imports.keys()].map((path) => [path, new Map()]));
  for (const [path, targets] of imports) for (const [target, how] of targets) users.get(target).set(path, how);
  return users;
}

/** Files that `from` reaches, itself included, with the number of steps. */
export function findReach(imports, from, { valuesOnly = false } = {}) {
  const steps = new Map([[from, 0]]);
  for (const [path, count] of steps) {
    for (const [target, { isValue }] of imports.get(path) ?? []) {
      if ((isValue || !valuesOnly) && !steps.has(target)) steps.set(target, count + 1);
    }
  }
  return steps;
}

/**
 * Figures of the graph of the sources:
 *
 * - imports: pairs of a file and a file it imports; crossing: those between two units
 * - oneUser: files with exactly one user, without indexes; oneUserElsewhere: those whose user is in another unit
 * - oneForeignUnit: files used by exactly one other unit, and by no file of their own; indexes are left out
 * - units: the same per unit, with the units that it imports and that import it
 */
export function measureGraph(files) {
  const sources = files.filter(({ isTest }) => !isTest);
  const imports = readImports(sources);
  const { users, indexes } = findUsers(sources, imports);
  const unitOf = new Map(sources.map(({ path, unit }) => [path, unit]));
  const units = {};
  for (const { unit } of sources) {
    units[unit] ??= {
      files: 0,
      importsUnits: new Set(),
      usedByUnits: new Set(),
      oneUser: 0,
      oneUserElsewhere: 0,
      oneForeignUnit: 0,
    };
  }
  const pairs = [...imports].flatMap(([path, targets]) => [...targets.keys()].map((target) => [path, target]));
  const crossing = pairs.map((pair) => pair.map((path) => unitOf.get(path))).filter(([from, to]) => from !== to);
  for (const [from, to] of crossing) {
    units[from].importsUnits.add(to);
    units[to].usedByUnits.add(from);
  }
  for (const { path, unit } of sources) {
    const counts = units[unit];
    counts.files++;
    if (indexes.has(path)) continue;
    const using = [...users.get(path)].map((user) => unitOf.get(user));
    counts.oneUser += Number(using.length === 1);
    counts.oneUserElsewhere += Number(using.length === 1 && using[0] !== unit);
    counts.oneForeignUnit += Number(new Set(using).size === 1 && using[0] !== unit);
  }
  const sum = (key) => Object.values(units).reduce((all, counts) => all + counts[key], 0);
  const total = {
    files: sources.length,
    indexes: indexes.size,
    imports: pairs.length,
    crossing: crossing.length,
    oneUser: sum('oneUser'),
    oneUserElsewhere: sum('oneUserElsewhere'),
    oneForeignUnit: sum('oneForeignUnit'),
  };
  const listed = Object.entries(units).map(([unit, { importsUnits, usedByUnits, ...counts }]) => [
    unit,
    { ...counts, importsUnits: [...importsUnits].sort(), usedByUnits: [...usedByUnits].sort() },
  ]);
  return { total, units: Object.fromEntries(listed), imports };
}

/** Numbers of files and units that a file reaches. */
export function measureReach(files, imports, from) {
  if (!imports.has(from))
    throw new Error(`${from} is not a source of src/. Give its path from the root, with slashes.`);
  const unitOf = new Map(files.map(({ path, unit }) => [path, unit]));
  const reached = [...findReach(imports, from).keys()];
  return {
    from,
    files: reached.length,
    filesByValue: findReach(imports, from, { valuesOnly: true }).size,
    units: new Set(reached.map((path) => unitOf.get(path))).size,
  };
}
