// SPDX-License-Identifier: MIT
// The package as a user gets it: packed, unpacked into an empty project, run, type-checked and bundled. No network is used.
import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { builtinModules } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const isBuilt = ['dist/entry/index.js', 'dist/studio/index.html'].every((path) => existsSync(join(ROOT, path)));
const isWindows = process.platform === 'win32';

/** Uses every door for browsers, so that its types are checked. */
const PROGRAM = `
import { type DecomposeOptions, decompose, makeAsset, poseOf, readAsset, type Report, runJob, writeGlb } from 'ossify';
import { makeCollider, makeCollisionTree } from 'ossify/collide';
import { bakeClip, makeDeformer } from 'ossify/deform';
import { renderView, writePng } from 'ossify/draw';
import { createGpuDeformer, requestGpuDevice } from 'ossify/gpu';
import { makeSample } from 'ossify/sample';
import { ossifyPlugin } from 'ossify/three';

export async function shrink(bytes: Uint8Array): Promise<Uint8Array> {
  const asset = await readAsset([{ name: 'walk.glb', bytes }]);
  const options: DecomposeOptions = { bones: 20, onProgress: ({ phase, fraction }) => console.log(phase, fraction) };
  const { model } = await decompose(bakeClip(asset, { fps: 30 }), options);
  return writeGlb(asset, { kind: 'skin', model });
}

export async function show(): Promise<void> {
  const { clip } = makeSample('quadruped', { resolution: 500, frames: 8 });
  const asset = makeAsset(clip);
  const { model } = await decompose(clip, { bones: 4, iterations: 2 });
  const positions = new Float32Array(clip.mesh.positions.length);
  makeDeformer(model).deformInto({ bones: poseOf(model.motions[0], 0) }, positions);
  const png: Uint8Array = writePng(renderView({ positions, triangles: asset.mesh.triangles }));
  console.log(png.length, ossifyPlugin, runJob, {} as Report, makeCollider(makeCollisionTree(model)));
  await createGpuDeformer(await requestGpuDevice(), model, { normals: false });
}
`;

/** Uses the door for Node alone. */
const NODE_PROGRAM = `
import { type BatchRow, JobPool, planJobs, runBatch } from 'ossify/batch';

export async function many(): Promise<BatchRow[]> {
  const runner = new JobPool({ size: 2, maxMemory: 1e9 });
  return runBatch(await planJobs(['jobs.jsonl'], {}), { out: 'out', runner, lanes: 4 });
}
`;

describe.skipIf(!isBuilt)('the package (needs npm run build)', { timeout: 120_000 }, () => {
  let project = '';
  const at = (...names: string[]) => join(project, ...names);
  const run = (program: string, args: readonly string[]): string =>
    execFileSync(program, args, { cwd: project, encoding: 'utf8', shell: isWindows });

  beforeAll(() => {
    project = mkdtempSync(join(tmpdir(), 'ossify-package-'));
    const line = ['pack', '--silent', '--ignore-scripts', '--pack-destination', project];
    execFileSync('npm', line, { cwd: ROOT, shell: isWindows });
    const [archive] = readdirSync(project);
    execFileSync('tar', ['-xzf', archive], { cwd: project });
    mkdirSync(at('node_modules/.bin'), { recursive: true });
    const link = (name: string, target: string) => {
      mkdirSync(dirname(at('node_modules', name)), { recursive: true });
      symlinkSync(target, at('node_modules', name), 'junction');
    };
    // as npm install does, with dependencies from the checkout
    const { dependencies, bin } = JSON.parse(readFileSync(at('package/package.json'), 'utf8')) as {
      dependencies: Record<string, string>;
      bin: { ossify: string };
    };
    for (const name of [...Object.keys(dependencies), 'three', '@types/three'])
      link(name, join(ROOT, 'node_modules', name));
    link('ossify', at('package'));
    if (!isWindows) {
      chmodSync(at('package', bin.ossify), 0o755);
      symlinkSync(at('package', bin.ossify), at('node_modules/.bin/ossify'));
    }
    writeFileSync(at('package.json'), JSON.stringify({ name: 'empty', private: true, type: 'module' }));
  });
  afterAll(() => rmSync(project, { recursive: true, force: true }));

  it('has what it needs and nothing else', () => {
    const files = readdirSync(at('package'), { recursive: true, encoding: 'utf8' }).map((name) =>
      name.replaceAll('\\', '/'),
    );
    expect(files).toEqual(
      expect.arrayContaining([
        ...['LICENSE', 'README.md', 'dist/entry/index.js', 'dist/entry/index.d.ts', 'dist/cli/main.js'],
        ...['dist/studio/NOTICES.txt', 'dist/gltf-transform/NOTICES.txt', 'dist/gltf-transform/core.js'],
        ...['dist/man/ossify.1', 'dist/schema/job.json', 'dist/schema/report.json'],
        ...['dist/core/compute/kernels.wasm', 'dist/core/compute/kernels-shared.wasm', 'dist/studio/index.html'],
      ]),
    );
    // without their sources, maps lead nowhere
    expect(files.filter((name) => name.endsWith('.map'))).toEqual([]);
    expect(files.filter((name) => /\.test\.|(^|\/)(src|tmp|out|node_modules|tests)\//.test(name))).toEqual([]);
    const top = new Set(files.map((name) => name.split('/')[0]));
    expect([...top].sort()).toEqual(['LICENSE', 'README.md', 'dist', 'package.json']);
  });

  it('has the notices of the packages that it bundles', () => {
    const notices = (folder: string) => readFileSync(at('package/dist', folder, 'NOTICES.txt'), 'utf8');
    for (const name of ['three', 'uplot', 'fflate', 'meshoptimizer', '@gltf-transform/core', 'property-graph'])
      expect(notices('studio'), name).toMatch(
        new RegExp(`^${name} \\d+\\.\\d+\\.\\d+ \\(MIT\\)\n\n[^]*?Permission is hereby granted`, 'm'),
      );
    expect(notices('gltf-transform')).toContain('@gltf-transform/extensions');
  });

  it.skipIf(isWindows)('runs by npx', () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
    expect(run('npx', ['--offline', 'ossify', '--version']).trim()).toBe(version);
  });

  it('decomposes', () => {
    const ossify = (...args: string[]) => run(process.execPath, [at('package/dist/cli/main.js'), ...args]);
    ossify('sample', 'quadruped', 'walk.pc2', '--resolution', '800', '--frames', '12');
    const report = JSON.parse(
      ossify('decompose', 'walk.obj+walk.pc2', 'out.glb', '--bones', '6', '--iterations', '3', '--json'),
    ) as { result: { bones: number }; metrics: { rmsePercent: number } };
    expect(report.result.bones).toBe(6);
    expect(report.metrics.rmsePercent).toBeLessThan(2);
  });

  it.each([
    ['esnext', 'bundler', 'ESNext'],
    ['node16', 'node16', 'ESNext'],
    ['esnext', 'bundler', 'ES2022'],
    ['node16', 'node16', 'ES2022'],
  ])('has types for module %s with resolution %s and lib %s', (module, moduleResolution, lib) => {
    writeFileSync(at('program.ts'), PROGRAM);
    writeFileSync(at('batch.ts'), NODE_PROGRAM);
    const compilerOptions = {
      ...{ target: 'es2022', lib: [lib, 'DOM'], module, moduleResolution, types: [] },
      ...{ strict: true, noEmit: true, skipLibCheck: false },
    };
    writeFileSync(at('tsconfig.json'), JSON.stringify({ compilerOptions, files: ['program.ts', 'batch.ts'] }));
    const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
    expect(spawnSync(process.execPath, [compiler, '-p', project], { encoding: 'utf8' }).stdout).toBe('');
  });

  it('is bundled for a browser by a bundler without options, kernels included', async () => {
    writeFileSync(at('program.ts'), PROGRAM);
    writeFileSync(
      at('page.ts'),
      "import { show, shrink } from './program';\nObject.assign(globalThis, { show, shrink });\n",
    );
    writeFileSync(at('index.html'), '<!doctype html><script type="module" src="./page.ts"></script>');
    // esbuild refuses modules of Node where vite replaces them
    const nodeModules: string[] = [];
    const watch = {
      name: 'watch-node-modules',
      enforce: 'pre' as const,
      resolveId(id: string) {
        if (/^node:/.test(id) || builtinModules.includes(id)) nodeModules.push(id);
      },
    };
    await build({
      root: project,
      configFile: false,
      logLevel: 'error',
      plugins: [watch],
      build: { outDir: at('bundle'), assetsInlineLimit: 0 },
    });
    expect(nodeModules).toEqual([]);
    const files = readdirSync(at('bundle/assets'));
    // two builds of the kernels, Draco's decoder and its encoder
    expect(files.filter((name) => name.endsWith('.wasm')).length).toBe(4);
    expect(files.some((name) => name.endsWith('.js'))).toBe(true);
  });
});
