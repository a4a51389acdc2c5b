// SPDX-License-Identifier: MIT
// Code in the documentation and in the examples of doc comments compiles against the sources, and commands have the options that they are shown with.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../src/hosts/cli/commands.ts';
import { makeProgram } from '../src/hosts/cli/program.ts';
import { listPages, ROOT } from './list-pages.ts';

const PAGES = listPages();

/** Sources with doc comments: entry points, and the files of the groups. */
const SOURCES = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
  .map((name) => `src/${name.replaceAll('\\', '/')}`)
  .filter((name) => name.endsWith('.ts') && !/\.(test|as|wgsl)\.ts$/.test(name))
  .sort();

/** What snippets use without declaring it. */
const GIVEN: Record<string, string> = {
  asset: "import('ossify').Asset",
  bones: 'Float64Array',
  bytes: 'Uint8Array',
  cage: "import('ossify').Mesh",
  camera: "import('three').Camera",
  clip: "import('ossify').Clip",
  clips: 'Uint32Array',
  colliderA: "import('ossify/collide').Collider",
  colliderB: "import('ossify/collide').Collider",
  ddm: "import('ossify').DirectDeltaMush",
  deformer: "import('ossify').Deformer",
  files: "import('ossify').InputFile[]",
  frames: 'Float32Array',
  gltf: "import('three/addons/loaders/GLTFLoader.js').GLTF",
  helperBones: "import('ossify').HelperBones",
  face: "import('ossify').ShapeDrivenSkin",
  shapeWeights: 'Float32Array',
  linearTwoLayer: "import('ossify').LinearTwoLayer",
  mesh: "import('ossify').Mesh",
  model: "import('ossify').SkinnedModel",
  name: 'string',
  placeOf: "(k: number) => import('three').Matrix4",
  posedCage: 'Float32Array',
  poses: "readonly import('ossify').Pose[]",
  positions: 'Float32Array',
  renderer: "import('three/webgpu').WebGPURenderer",
  scene: "import('three').Scene",
  sculpted: 'Float32Array',
  seconds: 'Float32Array',
  skeleton: "import('ossify').Skeleton",
  skin: "import('ossify').Skin",
  triangles: 'Uint32Array',
  twoLayer: "import('ossify').TwoLayer",
};

interface Snippet {
  /** File:line. */
  place: string;
  code: string;
}

function listSnippets(page: string, languages: string): Snippet[] {
  const text = readFileSync(join(ROOT, page), 'utf8');
  return [...text.matchAll(new RegExp(`^\`\`\`(?:${languages})\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map((match) => ({
    place: `${page}:${text.slice(0, match.index).split('\n').length}`,
    code: match[1],
  }));
}

/** Fenced code in doc comments, without the asterisks. */
function listExamples(source: string): Snippet[] {
  const text = readFileSync(join(ROOT, source), 'utf8');
  return [...text.matchAll(/^ *\* ```ts\n((?: *\*.*\n)*?) *\* ```$/gm)].map((match) => ({
    place: `${source}:${text.slice(0, match.index).split('\n').length}`,
    code: match[1].replace(/^ *\* ?/gm, ''),
  }));
}

function declareGiven(code: string): string {
  const isUsed = (name: string) => new RegExp(`(?<![.\\w'"/])${name}\\b(?!\\s*:(?! ))`).test(code);
  const isDeclared = (name: string) =>
    [...code.matchAll(/(?:import|const) \{([^}]*)\}|const (\w+)/g)].some(([, list = '', one]) =>
      [one, ...list.split(',').map((part) => part.trim())].includes(name),
    );
  const names = Object.keys(GIVEN).filter((name) => isUsed(name) && !isDeclared(name));
  return `${names.map((name) => `declare const ${name}: ${GIVEN[name]};\n`).join('')}export {};\n`;
}

describe('code in the documentation', () => {
  it('compiles', () => {
    const examples = SOURCES.flatMap(listExamples);
    expect(examples.length).toBeGreaterThan(50);
    const snippets = [...PAGES.flatMap((page) => listSnippets(page, 'ts|js')), ...examples];
    expect(snippets.length - examples.length).toBeGreaterThan(10);
    mkdirSync(join(ROOT, 'tmp'), { recursive: true });
    const folder = mkdtempSync(join(ROOT, 'tmp', 'snippets-'));
    try {
      snippets.forEach(({ place, code }, n) => {
        writeFileSync(join(folder, `${n}.ts`), `// ${place}\n${code}\n${declareGiven(code)}`);
      });
      const compilerOptions = {
        noUnusedLocals: false,
        allowImportingTsExtensions: true,
        paths: { ossify: ['../../src/entry/index.ts'], 'ossify/*': ['../../src/entry/*.ts'] },
      };
      writeFileSync(
        join(folder, 'tsconfig.json'),
        JSON.stringify({ extends: '../../tsconfig.json', compilerOptions, include: ['*.ts'], exclude: [] }),
      );
      const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
      const { stdout } = spawnSync(process.execPath, [compiler, '-p', folder], { encoding: 'utf8' });
      const named = stdout.replace(
        /^\S*?(\d+)\.ts\((\d+)/gm,
        (_, n, line) => `${snippets[Number(n)].place} (line ${line - 1}`,
      );
      expect(named).toBe('');
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('shows commands and options that exist', () => {
    const program = makeProgram(COMMANDS, async () => {});
    const faults: string[] = [];
    for (const { place, code } of PAGES.flatMap((page) => listSnippets(page, 'sh'))) {
      for (const [, verb, rest] of code.replaceAll('\\\n', ' ').matchAll(/^(?:npx )?ossify ([a-z]+)(.*)$/gm)) {
        const command = program.commands.find((one) => one.name() === verb);
        // batch takes the options of the command that --job names
        const [, job] = /--job (\w+)/.exec(rest) ?? [];
        const others = program.commands.find((one) => verb === 'batch' && one.name() === job);
        const options = [...(command?.options ?? []), ...(others?.options ?? [])];
        if (!command && verb !== 'help') faults.push(`${place}: ossify ${verb}`);
        for (const [flag] of rest.replace(/\s#.*$/, '').matchAll(/(?<=\s)--[a-z-]+/g))
          if (command && !options.some((option) => option.long === flag)) faults.push(`${place}: ${verb} ${flag}`);
      }
    }
    expect(faults).toEqual([]);
  });

  it('names files that exist', () => {
    const faults = PAGES.flatMap((page) => {
      const spans =
        readFileSync(join(ROOT, page), 'utf8').match(
          /`(?:src\/|scripts\/|bench\/|studio\/)?[a-z0-9]+\/[a-z0-9.-]+\.(?:ts|mjs)`/g,
        ) ?? [];
      const paths = spans.map((span) => span.slice(1, -1));
      return paths
        .filter((path) => !existsSync(join(ROOT, path)) && !existsSync(join(ROOT, 'src', path)))
        .map((path) => `${page}: ${path}`);
    });
    expect(faults).toEqual([]);
  });
});
