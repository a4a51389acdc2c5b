// SPDX-License-Identifier: MIT
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const SRC = dirname(fileURLToPath(import.meta.url));

const BASE = ['math', 'kernels', 'solve', 'model', 'mesh', 'keys', 'deform', 'metric', 'cluster', 'fit'];
const METHODS = [
  'decompose',
  'skeleton',
  'weights',
  'ddm',
  'rig',
  'correct',
  'track',
  'lod',
  'collide',
  'light',
  'drive',
  'shrink',
];
const EDGE = ['codec', 'extension', 'gltf', 'io', 'sample', 'draw'];

/** The floor plan: which rooms each room may import besides itself. */
const ROOMS: Record<string, string[]> = {
  math: [],
  kernels: ['math'],
  solve: ['math', 'kernels'],
  model: ['math'],
  mesh: ['math', 'solve', 'model'],
  keys: ['math', 'model', 'mesh'],
  deform: BASE.slice(0, 6),
  metric: BASE.slice(0, 7),
  cluster: BASE.slice(0, 8),
  fit: BASE.slice(0, 9),
  ...Object.fromEntries(METHODS.map((room) => [room, BASE])),
  codec: ['math', 'model'],
  extension: ['math', 'model', 'codec'],
  gltf: ['math', 'model', 'mesh', 'keys', 'codec', 'extension'],
  io: ['math', 'model', 'mesh', 'keys', 'gltf'],
  sample: ['math', 'model', 'mesh', 'deform'],
  draw: ['math', 'model', 'mesh'],
  recipe: [...BASE, ...METHODS, ...EDGE],
  gpu: ['math', 'model', 'extension'],
  three: ['math', 'model', 'deform', 'codec', 'extension', 'gpu'],
  disk: ['model', 'io', 'recipe'],
  batch: [...BASE, ...METHODS, ...EDGE, 'recipe', 'disk'],
  cli: [...BASE, ...METHODS, ...EDGE, 'recipe', 'gpu', 'three', 'disk', 'batch'],
};

/** Packages a room may import; rooms not named here import none. Tests may import any development package. */
const PACKAGES: Record<string, RegExp> = {
  kernels: /^node:(worker_threads|fs\/promises|os)$/,
  draw: /^fflate$/,
  gltf: /^(@gltf-transform\/(core|extensions)|meshoptimizer(\/.*)?|draco3dgltf\/.*)$/,
  io: /^fflate$/,
  three: /^three(\/.*)?$/,
  disk: /^node:.*$/,
  // BullMQ and the S3 SDK are optional: they are loaded when a queue or an s3:// address is used
  batch: /^(node:.*|bullmq|ioredis|@aws-sdk\/client-s3)$/,
  // webgpu is optional: it is loaded when --gpu is given
  cli: /^(node:.*|commander|webgpu)$/,
};

function listFiles(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    return statSync(path).isDirectory() ? listFiles(path) : name.endsWith('.ts') ? [path] : [];
  });
}

/** Imports of a file; those in the examples of doc comments do not count. */
function listImports(file: string): string[] {
  const text = readFileSync(file, 'utf8').replace(/^ *\*.*$/gm, '');
  const pattern = /(?:\bfrom\s+|\bimport\s+|\bimport\(\s*)['"]([^'"]+)['"]/g;
  return [...text.matchAll(pattern)].map((m) => m[1]);
}

const files = listFiles(SRC);
const roomOf = (path: string): string => relative(SRC, path).split(sep)[0];

describe('the rooms of src/', () => {
  it('are those of the floor plan, and flat', () => {
    for (const file of files) {
      const parts = relative(SRC, file).split(sep);
      expect(parts.length, `${relative(SRC, file)}: rooms hold no folders`).toBeLessThanOrEqual(2);
      if (parts.length === 2) expect(Object.keys(ROOMS), relative(SRC, file)).toContain(parts[0]);
    }
  });

  it('are all in the picture and in the table of ARCHITECTURE.md', () => {
    const read = (path: string): string => readFileSync(join(SRC, '..', path), 'utf8');
    const drawn = [...read('docs/images/rooms.svg').matchAll(/>([a-z]+)<\/text>/g)].map(([, word]) => word);
    const table = read('ARCHITECTURE.md')
      .split('\n')
      .filter((line) => line.startsWith('| `'));
    const listed = table.flatMap((line) => [...line.split('|')[1].matchAll(/`([a-z]+)`/g)].map(([, word]) => word));
    const rooms = readdirSync(SRC).filter((name) => statSync(join(SRC, name)).isDirectory());
    for (const room of rooms) {
      expect(drawn, `docs/images/rooms.svg: run scripts/draw-rooms.mjs`).toContain(room);
      expect(listed, 'ARCHITECTURE.md').toContain(room);
    }
  });

  it('import one another only downwards', () => {
    const wrong: string[] = [];
    for (const file of files) {
      const room = roomOf(file);
      if (!(room in ROOMS)) continue; // the doors in src/ itself may open any room
      for (const target of listImports(file)) {
        if (!target.startsWith('.')) continue;
        const path = resolve(dirname(file), target);
        if (!file.endsWith('.as.ts') && !existsSync(path))
          wrong.push(`${relative(SRC, file)}: ${target} does not exist`);
        const other = roomOf(path);
        if (other !== room && !ROOMS[room].includes(other) && !file.endsWith('.test.ts')) {
          wrong.push(`${relative(SRC, file)} imports ${other}`);
        }
      }
    }
    expect(wrong).toEqual([]);
  });

  it('import foreign packages only at the edge', () => {
    const wrong: string[] = [];
    for (const file of files) {
      if (file.endsWith('.test.ts')) continue;
      for (const target of listImports(file)) {
        if (target.startsWith('.')) continue;
        if (!PACKAGES[roomOf(file)]?.test(target)) wrong.push(`${relative(SRC, file)} imports ${target}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  it('take randomness only from math/random.ts', () => {
    for (const file of files) {
      if (file.endsWith('rooms.test.ts')) continue;
      expect(readFileSync(file, 'utf8').includes('Math.random'), relative(SRC, file)).toBe(false);
    }
  });
});
