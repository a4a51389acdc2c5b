// SPDX-License-Identifier: MIT
// Files that the command line writes, in a three.js page in a real browser: they move as our own deformers say, and they show.
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';
import { build } from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchBrowser, serveFolder } from '../../../../scripts/launch-browser.ts';
import { measureBounds } from '../../../core/mesh/geometry/bounds.ts';
import { frameOf } from '../../../core/model/clip/clip.ts';
import { bakeAt } from '../../../deformers/playback/bake/bake-at.ts';
import { readAsset } from '../../../formats/assets/read-asset.ts';
import type { Report } from '../../../jobs/engine/report/report.ts';
import { measureError } from '../../../measure/error/measure-error.ts';
import { captureCli } from '../capture-cli.ts';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const VERTICES = 50;
/** Relative to the box diagonal. Files store 32-bit floats, and three.js blends close rotations without slerp. */
const TOLERANCE = 1e-4;
/** Minimum ratio of the picture that a visible shape covers. */
const MIN_COVER = 0.05;

/** What the page returns for one file. */
interface Played {
  /** Vertices per drawn mesh, in the order of the file. */
  counts: number[];
  skinned: number;
  morphing: number;
  duration: number;
  /** times x vertices x 3, world space */
  positions: number[][];
  /** Shares of the picture that are not background, and of those pixels that are lit. */
  cover: number;
  lit: number;
}

const PAGE = `
import { AnimationMixer, Box3, Color, DirectionalLight, HemisphereLight, LoopOnce, PerspectiveCamera, Scene, Sphere, Vector3, WebGLRenderer } from 'three';
import { GLTFLoader } from 'three/examples/jsm/loaders/GLTFLoader.js';

const SIZE = 160;
const BACKGROUND = [0, 0, 255];

/** Vertex i of all meshes together, as it is drawn. */
const readVertex = (meshes, i) => {
  const target = new Vector3();
  for (const mesh of meshes) {
    const { count } = mesh.geometry.attributes.position;
    if (i < count) return mesh.getVertexPosition(i, target).applyMatrix4(mesh.matrixWorld).toArray();
    i -= count;
  }
};

const draw = (model) => {
  const scene = new Scene();
  scene.background = new Color().setRGB(...BACKGROUND.map((c) => c / 255));
  const sun = new DirectionalLight(0xffffff, 2);
  sun.position.set(1, 2, 3);
  scene.add(model, new HemisphereLight(0xffffff, 0x888888, 2), sun);
  const { center, radius } = new Box3().setFromObject(model, true).getBoundingSphere(new Sphere());
  const camera = new PerspectiveCamera(40, 1, radius / 10, radius * 10);
  camera.position.copy(center).add(new Vector3(0.72, 0.42, 0.78).setLength(3 * radius));
  camera.lookAt(center);
  const renderer = new WebGLRenderer({ antialias: false });
  renderer.setSize(SIZE, SIZE);
  document.body.replaceChildren(renderer.domElement);
  renderer.render(scene, camera);
  const flat = document.createElement('canvas');
  flat.width = flat.height = SIZE;
  const pen = flat.getContext('2d');
  pen.drawImage(renderer.domElement, 0, 0);
  const { data } = pen.getImageData(0, 0, SIZE, SIZE);
  let covered = 0;
  let lit = 0;
  for (let p = 0; p < data.length; p += 4) {
    if (BACKGROUND.every((c, n) => Math.abs(data[p + n] - c) < 8)) continue;
    covered++;
    if (data[p] + data[p + 1] + data[p + 2] > 150) lit++;
  }
  renderer.dispose();
  return { cover: covered / (SIZE * SIZE), lit: lit / Math.max(1, covered) };
};

/** A file that stands at the time it is told. */
const load = async (url) => {
  const gltf = await new GLTFLoader().loadAsync(url);
  const meshes = [];
  gltf.scene.traverse((object) => object.isMesh && meshes.push(object));
  const counts = meshes.map((mesh) => mesh.geometry.attributes.position.count);
  const all = counts.reduce((a, b) => a + b, 0);
  const [clip] = gltf.animations;
  const mixer = new AnimationMixer(gltf.scene);
  const action = mixer.clipAction(clip);
  action.setLoop(LoopOnce, 1);
  action.clampWhenFinished = true;
  action.play();
  const stand = (time) => {
    mixer.setTime(time);
    gltf.scene.updateMatrixWorld(true);
  };
  return { gltf, meshes, counts, all, clip, stand };
};

/** Every vertex at every time, the bytes of 32-bit floats in base 64, a text per time. */
globalThis.playAll = async (url, times) => {
  const { meshes, all, stand } = await load(url);
  return times.map((time) => {
    stand(time);
    const positions = new Float32Array(all * 3);
    for (let i = 0; i < all; i++) positions.set(readVertex(meshes, i), i * 3);
    let text = '';
    for (const byte of new Uint8Array(positions.buffer)) text += String.fromCharCode(byte);
    return btoa(text);
  });
};

globalThis.play = async (url, ratios, vertexCount) => {
  const { gltf, meshes, counts, all, clip, stand } = await load(url);
  const positions = ratios.map((ratio) => {
    stand(ratio * clip.duration);
    return Array.from({ length: vertexCount }, (_, n) => readVertex(meshes, Math.floor((n * all) / vertexCount))).flat();
  });
  return {
    counts,
    skinned: meshes.filter((mesh) => mesh.isSkinnedMesh).length,
    morphing: meshes.filter((mesh) => mesh.morphTargetInfluences?.length > 0).length,
    duration: clip.duration,
    positions,
    ...draw(gltf.scene),
  };
};
`;

describe('written files in a three.js page', () => {
  let browser: Browser;
  let folder = '';
  let server: Awaited<ReturnType<typeof serveFolder>>;
  beforeAll(async () => {
    mkdirSync(join(ROOT, 'tmp'), { recursive: true });
    folder = mkdtempSync(join(ROOT, 'tmp', 'three-'));
    writeFileSync(join(folder, 'page.js'), PAGE);
    const icon = '<link rel="icon" href="data:,">';
    writeFileSync(
      join(folder, 'index.html'),
      `<!doctype html>${icon}<body><script type="module" src="./page.js"></script>`,
    );
    const options = { outDir: join(folder, 'dist'), minify: false, chunkSizeWarningLimit: 10_000 } as const;
    await build({ root: folder, logLevel: 'error', build: options });
    server = await serveFolder(join(folder, 'dist'), false);
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    server?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** A page with the player, and what it complains about. */
  const openPage = async () => {
    const page = await browser.newPage();
    const complaints: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(String(error)));
    await page.goto(server.url);
    await page.waitForFunction('globalThis.play');
    return { page, complaints };
  };

  /** Decomposes an input and has three.js play the result: E_RMS of the report, and of what three.js shows in every frame. */
  const playDecomposed = async (input: string, name: string, options: string[]) => {
    const path = join(folder, 'dist', name);
    const { status, out, err } = await captureCli(['decompose', input, path, '--json', ...options]);
    expect(status, err).toBe(0);
    const report = JSON.parse(out) as Report;
    const files = input.split('+').map(async (file) => ({ name: file, bytes: await readFile(file) }));
    const fps = Number(report.options.fps ?? 24);
    const [clip] = (await readAsset(await Promise.all(files), { fps })).clips;
    const { page, complaints } = await openPage();
    const frames = (await page.evaluate(`playAll('/${name}', ${JSON.stringify([...clip.times])})`)) as string[];
    await page.close();
    const stride = clip.mesh.positions.length;
    const positions = new Float32Array(frames.length * stride);
    frames.forEach((text, k) => {
      positions.set(new Float32Array(new Uint8Array(Buffer.from(text, 'base64')).buffer), k * stride);
    });
    expect(complaints).toEqual([]);
    return { report, shown: measureError(clip, { ...clip, positions }), bytes: (await readFile(path)).length };
  };

  it.each([
    { options: [] },
    { options: ['--transforms', 'affine', '--keys', '--quantize'] },
    { options: ['--corrections', '4', '--corrections-as', 'morphs'] },
  ])('a decomposed animal plays with the error of the report ($options)', async ({ options }) => {
    const cache = join(folder, 'walk.pc2');
    const sample = await captureCli(['sample', 'quadruped', cache, '--resolution', '1200', '--frames', '16']);
    expect(sample.status, sample.err).toBe(0);
    const input = `${join(folder, 'walk.obj')}+${cache}`;
    const words = ['--bones', '12', '--fps', '30', ...options];
    const { report, shown } = await playDecomposed(input, 'walk.glb', words);
    expect(shown.eRms).toBeGreaterThan(0);
    expect(Math.abs(shown.eRms / report.metrics.eRms! - 1)).toBeLessThan(1e-3);
    expect(Math.abs(shown.max / report.metrics.max! - 1)).toBeLessThan(1e-3);
  });

  const horse = join(resolve(ROOT, process.env.OSSIFY_DATA ?? '../shared'), 'datasets/horse-gallop');
  it.skipIf(!existsSync(horse))(
    'horse-gallop on 20 bones plays with the error of the report (needs the data folder)',
    {
      timeout: 120_000,
    },
    async () => {
      const input = `${join(horse, 'rest.obj')}+${join(horse, 'motion.pc2')}`;
      const { report, shown, bytes } = await playDecomposed(input, 'horse.glb', ['--bones', '20']);
      expect(Math.abs(shown.eRms / report.metrics.eRms! - 1)).toBeLessThan(1e-3);
      expect(shown.eRms).toBeLessThan(2.2);
      expect(bytes).toBeLessThan(700_000);
    },
  );

  it.each([
    { sample: 'creature', kind: 'skinned' },
    { sample: 'quadruped', kind: 'skinned' },
    { sample: 'parts', kind: 'skinned' },
    { sample: 'sheet', kind: 'morphing' },
  ])('$sample moves as our deformers say, and shows', async ({ sample, kind }) => {
    const path = join(folder, 'dist', `${sample}.glb`);
    const { status, err } = await captureCli(['sample', sample, path, '--resolution', '1200', '--frames', '12']);
    expect(status, err).toBe(0);

    const { page, complaints } = await openPage();
    // At a key, between two keys, and near the end.
    const ratios = [0, 0.37, 0.98];
    const played = (await page.evaluate(
      `play(${JSON.stringify(`/${sample}.glb`)}, ${JSON.stringify(ratios)}, ${VERTICES})`,
    )) as Played;
    await page.close();

    const asset = await readAsset([{ name: `${sample}.glb`, bytes: await readFile(path) }]);
    const vertexCount = asset.mesh.positions.length / 3;
    expect(played.counts.reduce((a, b) => a + b, 0)).toBe(vertexCount);
    expect(played[kind === 'skinned' ? 'skinned' : 'morphing']).toBe(played.counts.length);
    const [animation] = asset.animations;
    expect(played.duration).toBeCloseTo(animation.duration, 5);
    const times = Float64Array.from(ratios, (ratio) => ratio * played.duration);
    const clip = bakeAt(asset, animation, times);
    const { diagonal } = measureBounds(asset.mesh.positions);
    let moved = 0;
    for (let k = 0; k < times.length; k++) {
      const frame = frameOf(clip, k);
      for (let n = 0; n < VERTICES; n++) {
        const i = Math.floor((n * vertexCount) / VERTICES);
        const [ours, theirs, rest] = [frame, played.positions[k], asset.mesh.positions].map((from, side) => {
          const o = 3 * (side === 1 ? n : i);
          return [from[o], from[o + 1], from[o + 2]];
        });
        const distance = Math.hypot(...ours.map((value, c) => value - theirs[c]));
        expect(distance / diagonal, `vertex ${i} at ${times[k]} s`).toBeLessThan(TOLERANCE);
        moved = Math.max(moved, Math.hypot(...theirs.map((value, c) => value - rest[c])));
      }
    }
    // Both standing still would agree as well.
    expect(moved / diagonal).toBeGreaterThan(0.02);
    expect(played.cover).toBeGreaterThan(MIN_COVER);
    expect(played.cover).toBeLessThan(0.9);
    expect(played.lit).toBeGreaterThan(0.5);
    expect(complaints).toEqual([]);
  });
});
