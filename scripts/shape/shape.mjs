// SPDX-License-Identifier: MIT
// Prints the size and shape of the sources of src/ per unit and in total: files, lines, long functions, long parameter lists, non-null assertions,
// casts, long files; or the figures of the import graph. source-tree.mjs, measure-shape.mjs and import-graph.mjs define the terms.
// Usage: node scripts/shape/shape.mjs [--list] [--json] [--graph] [--from src/decompose/ssdr.ts]... [--root FOLDER]
//   --list   also prints the place of every long function, long parameter list, assertion, cast and long file
//   --graph  prints the figures of the import graph instead
//   --from   prints them too, with the number of files that one file reaches; may be repeated
//   --json   prints everything as JSON
//   --root   the folder that has src/ (default: this repository)
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { measureGraph, measureReach } from './import-graph.mjs';
import { MAX, measureShape } from './measure-shape.mjs';
import { listFiles } from './source-tree.mjs';

const { values } = parseArgs({
  options: {
    list: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    graph: { type: 'boolean', default: false },
    from: { type: 'string', multiple: true, default: [] },
    root: { type: 'string', default: fileURLToPath(new URL('../..', import.meta.url)) },
  },
});

const files = listFiles(resolve(values.root));
if (values.graph || values.from.length > 0) printGraph();
else printShape();

function printShape() {
  const shape = measureShape(files);
  if (values.json) return print(values.list ? shape : { total: shape.total, units: shape.units });
  const columns = {
    files: 'files',
    lines: 'lines',
    testFiles: 'tests',
    testLines: 'lines',
    longFunctions: `>${MAX.functionLines} lines`,
    wideFunctions: `>${MAX.parameters} params`,
    nonNull: '!',
    casts: 'casts',
    longFiles: `>${MAX.fileLines}`,
  };
  printTable(Object.values(columns), shape.units, shape.total, (counts) =>
    Object.keys(columns).map((key) => counts[key]),
  );
  if (!values.list) return;
  for (const [key, places] of Object.entries(shape.places)) {
    console.log(`\n${key}: ${places.length}`);
    for (const { at, name, lines, parameters } of places) {
      console.log(
        `  ${[at, name, lines && `${lines} lines`, parameters && `${parameters} parameters`].filter(Boolean).join('  ')}`,
      );
    }
  }
}

function printGraph() {
  const { total, units, imports } = measureGraph(files);
  const reach = values.from.map((from) => measureReach(files, imports, from));
  if (values.json) return print({ total, units, reach });
  printTable(
    ['files', 'imports', 'used by', 'one user', 'elsewhere', 'one foreign unit'],
    units,
    undefined,
    (counts) => [
      counts.files,
      counts.importsUnits.length,
      counts.usedByUnits.length,
      counts.oneUser,
      counts.oneUserElsewhere,
      counts.oneForeignUnit,
    ],
  );
  console.log(`\n${total.imports} imports between ${total.files} files, ${total.crossing} of them between units`);
  console.log(`${total.oneUser} files have exactly one user, ${total.oneUserElsewhere} of them in another unit`);
  console.log(`${total.oneForeignUnit} files are used by exactly one other unit and not by their own`);
  for (const one of reach) {
    console.log(`${one.from} reaches ${one.files} files (${one.filesByValue} by value) in ${one.units} units`);
  }
}

function print(value) {
  console.log(JSON.stringify(value, null, 2));
}

/** One row per unit and one for the total, numbers aligned to the right. */
function printTable(heads, units, total, cellsOf) {
  const rows = Object.entries(units).map(([unit, counts]) => [unit, ...cellsOf(counts)]);
  if (total) rows.push(['total', ...cellsOf(total)]);
  const table = [['unit', ...heads], ...rows].map((row) => row.map(String));
  const widths = table[0].map((_, k) => Math.max(...table.map((row) => row[k].length)));
  for (const row of table)
    console.log(row.map((cell, k) => (k ? cell.padStart(widths[k]) : cell.padEnd(widths[k]))).join('  '));
}
