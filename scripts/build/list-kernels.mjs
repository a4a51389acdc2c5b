// SPDX-License-Identifier: MIT
// The tables of the kernels: calls of kernel('name', { slot: type, … }, …) in src/core/kernels. They are read from the syntax trees because Node 20 does not
// run TypeScript.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'vite';
import { walk } from '../shape/source-tree.mjs';

const FOLDER = 'src/core/kernels';

/**
 * All kernels, by name.
 * @param root the repository
 * @returns {{ name: string, slots: string[] }[]}
 */
export function listKernels(root) {
  const folder = join(root, FOLDER);
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => /(?<!\.as|\.d)\.ts$/.test(path) && !/(^|\/)tests\//.test(path));
  return files
    .flatMap((path) => listTables(`${FOLDER}/${path}`, readFileSync(join(folder, path), 'utf8')))
    .sort(byName);
}

function listTables(path, text) {
  const { program, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path}: syntax error: ${errors[0].message}`);
  const tables = [];
  walk(program, (node) => {
    if (node.type !== 'CallExpression' || node.callee.name !== 'kernel') return;
    const [name, slots] = node.arguments;
    const isPlain = slots?.properties?.every(({ key, computed }) => key?.type === 'Identifier' && !computed);
    if (typeof name?.value !== 'string' || !isPlain)
      throw new Error(
        `${path}: kernel() needs a literal name and literal slots, because offsets are made from its text`,
      );
    tables.push({ name: name.value, slots: slots.properties.map(({ key }) => key.name) });
  });
  return tables;
}

const byName = (a, b) => (a.name < b.name ? -1 : 1);
