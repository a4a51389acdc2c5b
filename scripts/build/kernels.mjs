// Compiles the AssemblyScript kernels: one module with its own memory, one over shared memory for threads.
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import asc from 'assemblyscript/asc';
import { listKernels } from './list-kernels.mjs';

const SOURCES = 'src/core';
const FOLDER = `${SOURCES}/compute`;
const slotsNote = '// SPDX-License-Identifier: MIT\n// Made by scripts/build/kernels.mjs.\n';
writeFileSync(`${SOURCES}/kernels/slots.as.ts`, slotsNote + listKernels('.').map(makeNamespace).join(''));
const sources = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.as.ts'));
const hash = createHash('sha256');
for (const name of sources.sort()) hash.update(readFileSync(`${SOURCES}/${name}`));
const note = `assemblyscript ${asc.version}, source ${hash.digest('hex').slice(0, 12)}`;

const shared = ['--enable', 'threads', '--sharedMemory', '--maximumMemory', '65536'];
for (const [file, options] of [
  ['kernels.wasm', []],
  ['kernels-shared.wasm', shared],
]) {
  const { error, stderr } = await asc.main([
    `${FOLDER}/index.as.ts`,
    ...['--outFile', `${FOLDER}/${file}`, '--runtime', 'stub', '--importMemory', '--initialMemory', '2'],
    ...['-O3', '--converge', '--noAssert', '--enable', 'simd', ...options],
  ]);
  if (error) {
    console.error(stderr.toString());
    process.exit(1);
  }
  writeFileSync(`${FOLDER}/${file}`, Buffer.concat([readFileSync(`${FOLDER}/${file}`), customSection('ossify', note)]));
  mkdirSync('dist/core/compute', { recursive: true });
  copyFileSync(`${FOLDER}/${file}`, `dist/core/compute/${file}`);
}

/** The byte offsets of a kernel's slots: one double per slot, in the order of its table. */
function makeNamespace({ name, slots }) {
  const offsets = slots.map((slot, n) => `${slot}: usize = ${8 * n}`);
  return `export namespace ${name[0].toUpperCase()}${name.slice(1)} {\n  export const ${offsets.join(', ')};\n}\n`;
}

/** A custom section: the built file states its compiler and its source. */
function customSection(name, text) {
  const body = Buffer.concat([Buffer.from([name.length]), Buffer.from(name), Buffer.from(text)]);
  return Buffer.concat([Buffer.from([0, body.length]), body]);
}
