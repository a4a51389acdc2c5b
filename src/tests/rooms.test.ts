// SPDX-License-Identifier: MIT
// The floor plan of src/ as a table: which group may import which, and which packages. ARCHITECTURE.md explains it.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const SRC = dirname(dirname(fileURLToPath(import.meta.url)));
const ROOT = dirname(SRC);

/** The groups of src/ from the bottom to the top, and the groups, units or folders that each may import besides itself. */
const GROUPS: Record<string, readonly string[]> = {
  core: [],
  deformers: ['core'],
  fit: ['core'],
  measure: ['core', 'deformers'],
  formats: ['core', 'deformers'],
  draw: ['core'],
  samples: ['core', 'deformers'],
  runtimes: ['core', 'deformers', 'formats/compact-skin', 'formats/textures'],
  methods: ['core', 'deformers', 'fit', 'measure'],
  jobs: ['core', 'deformers', 'fit', 'measure', 'formats', 'draw', 'samples', 'runtimes', 'methods'],
  hosts: ['core', 'deformers', 'formats', 'draw', 'runtimes', 'jobs'],
};

/** Inside core, folders import those before them. */
const CORE: Record<string, readonly string[]> = {
  math: [],
  kernels: ['math'],
  compute: ['math', 'kernels'],
  algebra: ['math', 'kernels'],
  model: ['math'],
  mesh: ['math', 'algebra', 'model'],
  keyframes: ['math', 'model', 'mesh'],
  progress: [],
  options: ['model', 'kernels', 'progress'],
};

/** Packages that a group or a unit may import; the others import none. Tests may import any development package. */
const PACKAGES: Record<string, RegExp> = {
  'core/compute': /^node:(worker_threads|fs\/promises|os)$/,
  draw: /^fflate$/,
  formats: /^fflate$/,
  'formats/gltf': /^(@gltf-transform\/(core|extensions)|meshoptimizer(\/.*)?|draco3dgltf\/.*)$/,
  // loaded when a glTF is checked
  'formats/rules': /^gltf-validator$/,
  'runtimes/three': /^three(\/.*)?$/,
  'hosts/disk': /^node:.*$/,
  'hosts/batch': /^node:.*$/,
  // BullMQ and the S3 SDK are optional: they are loaded when a queue or an s3:// address is used
  'hosts/queue': /^(node:.*|bullmq|ioredis|@aws-sdk\/client-s3)$/,
  'hosts/serve': /^node:.*$/,
  // webgpu is optional: it is loaded when --gpu is given
  'hosts/cli': /^(node:.*|commander|webgpu)$/,
};

function listFiles(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    return statSync(path).isDirectory() ? listFiles(path) : name.endsWith('.ts') ? [path] : [];
  });
}

const nameOf = (path: string): string => relative(SRC, path).replaceAll('\\', '/');
const isTest = (path: string): boolean => /(^|\/)tests\//.test(nameOf(path));
const files = listFiles(SRC);
const sources = files.filter((path) => !isTest(path));

/** Code of a file without its comments. */
const codeOf = (path: string): string => readFileSync(path, 'utf8').replace(/^ *(\*|\/\/).*$/gm, '');

const STATIC = /\b(?:from|import)\s+['"]([^'"]+)['"]/g;
const DYNAMIC = /\bimport\(\s*['"]([^'"]+)['"]/g;

/** Imported files and packages of a file; those in the examples of doc comments do not count. */
const listImports = (path: string): string[] =>
  [STATIC, DYNAMIC].flatMap((pattern) => [...codeOf(path).matchAll(pattern)].map(([, target]) => target));

/** The first folders of a path below src/, as 'methods/track'. */
const headOf = (path: string, depth: number): string => nameOf(path).split('/').slice(0, -1).slice(0, depth).join('/');
const groupOf = (path: string): string => headOf(path, 1);

/** Groups that are one unit: they have one index. */
const WHOLE = ['measure', 'draw', 'samples'];
const unitOf = (path: string): string => headOf(path, WHOLE.includes(groupOf(path)) ? 1 : 2);

/** Whether the table allows a file to import a file of another folder. */
function isAllowed(from: string, to: string): boolean {
  const [group, other] = [groupOf(from), groupOf(to)];
  if (group === 'entry') return true;
  if (group === 'core') {
    const [folder, target] = [headOf(from, 2), headOf(to, 2)].map((head) => head.split('/')[1]);
    return other === 'core' && (folder === target || CORE[folder].includes(target));
  }
  if (group === other) return group !== 'methods' || headOf(from, 2) === headOf(to, 2);
  return GROUPS[group].some((head) => head === other || head === headOf(to, 2));
}

describe('the groups of src/', () => {
  it('are those of the floor plan', () => {
    const folders = readdirSync(SRC, { withFileTypes: true });
    expect(folders.filter((one) => !one.isDirectory()).map(({ name }) => name)).toEqual([]);
    const names = folders.map(({ name }) => name).filter((name) => name !== 'entry' && name !== 'tests');
    expect(names.sort()).toEqual(Object.keys(GROUPS).sort());
    const inCore = readdirSync(join(SRC, 'core')).filter((name) => name !== 'tests' && name !== 'README.md');
    expect(inCore.sort()).toEqual(Object.keys(CORE).sort());
  });

  it('are all in the picture and in the table of ARCHITECTURE.md', () => {
    const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
    const drawn = [...read('docs/images/rooms.svg').matchAll(/>([a-z]+)<\/text>/g)].map(([, word]) => word);
    const table = read('ARCHITECTURE.md')
      .split('\n')
      .filter((line) => line.startsWith('| `'));
    const listed = table.flatMap((line) => [...line.split('|')[1].matchAll(/`([a-z]+)`/g)].map(([, word]) => word));
    for (const group of [...Object.keys(GROUPS), 'entry']) {
      expect(drawn, 'docs/images/rooms.svg: run scripts/draw/rooms.mjs').toContain(group);
      expect(listed, 'ARCHITECTURE.md').toContain(group);
    }
  });

  it('import one another only downwards, and methods never import methods', () => {
    const wrong: string[] = [];
    for (const file of files) {
      for (const target of listImports(file)) {
        if (!target.startsWith('.')) continue;
        const path = resolve(dirname(file), target);
        if (!file.endsWith('.as.ts') && !existsSync(path)) wrong.push(`${nameOf(file)}: ${target} does not exist`);
        if (!isTest(file) && !isAllowed(file, path)) wrong.push(`${nameOf(file)} imports ${nameOf(path)}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  it('enter other units by their index alone, unless they load one file when it is needed', () => {
    const wrong: string[] = [];
    for (const file of sources.filter((path) => !path.endsWith('.as.ts'))) {
      for (const [, target] of codeOf(file).matchAll(STATIC)) {
        const path = resolve(dirname(file), target);
        if (!target.startsWith('.') || groupOf(path) === 'core' || unitOf(path) === unitOf(file)) continue;
        if (nameOf(path) !== `${unitOf(path)}/index.ts`) wrong.push(`${nameOf(file)} imports ${nameOf(path)}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  it('are entered by benchmarks and the fuzzer through the entries of the package and indexes alone', () => {
    const wrong: string[] = [];
    for (const file of ['bench', 'fuzz'].flatMap((folder) => listFiles(join(ROOT, folder)))) {
      for (const [, target] of codeOf(file).matchAll(STATIC)) {
        const path = resolve(dirname(file), target);
        if (!target.startsWith('.') || !path.startsWith(join(SRC, '/')) || groupOf(path) === 'core') continue;
        const isOpen = groupOf(path) === 'entry' || nameOf(path) === `${unitOf(path)}/index.ts`;
        if (!isOpen) wrong.push(`${relative(ROOT, file)} imports ${nameOf(path)}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  it('have a folder of their own in bench/, which holds the list of suites besides', () => {
    const names = readdirSync(join(ROOT, 'bench'), { withFileTypes: true })
      .filter((one) => !one.isDirectory())
      .map(({ name }) => name);
    expect(names).toEqual(['suites.ts']);
  });

  it('have indexes that export names and hold no code', () => {
    const indexes = sources.filter((path) => /^(?!entry).*\/index\.ts$/.test(nameOf(path)));
    expect(indexes.length).toBeGreaterThan(50);
    const wrong = indexes.filter((path) =>
      codeOf(path)
        .replace(/^export (type )?\{[^}]*\} from '[^']+';$/gm, '')
        .trim(),
    );
    expect(wrong.map(nameOf)).toEqual([]);
  });

  it('import foreign packages only where the table names them', () => {
    const wrong: string[] = [];
    for (const file of sources) {
      for (const target of listImports(file)) {
        if (target.startsWith('.')) continue;
        const patterns = [1, 2].map((depth) => PACKAGES[headOf(file, depth)]);
        if (!patterns.some((pattern) => pattern?.test(target))) wrong.push(`${nameOf(file)} imports ${target}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  it('take randomness only from core/math/random.ts', () => {
    for (const file of sources) expect(readFileSync(file, 'utf8').includes('Math.random'), nameOf(file)).toBe(false);
  });
});

describe('comments', () => {
  it('name files that exist', () => {
    const known = new Set([...files.map(nameOf), ...files.map((path) => nameOf(path).replace(/^.*\//, ''))]);
    const others = ['bench', 'docs', 'examples', 'faults', 'fuzz', 'scripts', 'studio', 'truth'].flatMap((folder) =>
      readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts')),
    );
    for (const name of others) known.add(name.replace(/^.*[/\\]/, ''));
    // parts that a unit may have
    for (const name of ['options.ts', 'solve.ts']) known.add(name);
    const wrong: string[] = [];
    for (const file of files.filter((path) => !path.endsWith('rooms.test.ts')))
      for (const [comment] of readFileSync(file, 'utf8').matchAll(/^ *(\/\/|\/?\*).*$/gm))
        for (const [, path] of comment.matchAll(
          /(?<![\w./*<>-])((?:[a-z0-9-]+\/)*[a-z0-9-]+(?:\.as|\.wgsl|\.test)?\.ts)\b/g,
        ))
          if (!known.has(path.replace(/^src\//, '')) && !existsSync(join(ROOT, path)))
            wrong.push(`${nameOf(file)}: ${path}`);
    expect(wrong).toEqual([]);
  });
});
