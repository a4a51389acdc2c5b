// SPDX-License-Identifier: MIT
// In a real browser: what renderers of three.js draw of a file, read back and compared with the CPU reference.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { build } from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchBrowser, serveFolder } from '../../../../scripts/launch-browser.ts';
import { measureBounds } from '../../../core/mesh/geometry/bounds.ts';
import { lightInto } from '../../../deformers/light/light-into.ts';
import { sampleLightInto } from '../../../deformers/light/sample-light.ts';
import { makeRestNormals } from '../../../deformers/linear-blend/rest-normals.ts';
import { bakeAt } from '../../../deformers/playback/bake/bake-at.ts';
import { createShapeRuntime } from '../../../deformers/shape-drivers/create-shape-runtime.ts';
import { writeCompactGlb } from '../../../formats/gltf/compact/write-compact-glb.ts';
import { readGltf } from '../../../formats/gltf/read-gltf.ts';
import { writeGlb } from '../../../formats/gltf/write-glb.ts';
import { convertShapes } from '../../../jobs/convert/convert-shapes.ts';
import { writeDrivenShapes } from '../../../jobs/convert/write-driven-shapes.ts';
import { light } from '../../../jobs/light/light.ts';
import { makeLitMotions } from '../../../jobs/light/make-lit-motions.ts';
import { compressDdm } from '../../../methods/compress/compress-ddm.ts';
import { precomputeDdm } from '../../../methods/mush/precompute-ddm.ts';
import { makeFace } from '../../../samples/make-face.ts';
import { makeSample } from '../../../samples/make-sample.ts';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const RATIO = 0.41;

const PAGE = `
import * as THREE from 'three/webgpu';
import { WebGLRenderer } from 'three';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
import { compactSkinPlugin, createDeformedCrowd, ossifyPlugin } from 'ossify/three';

const SIZE = 128;
const renderer = new THREE.WebGPURenderer({ antialias: false });
renderer.setSize(SIZE, SIZE);
renderer.shadowMap.enabled = true;
await renderer.init();
document.body.append(renderer.domElement);

const load = async (url, by, options = {}) => {
  const warnings = [];
  const loader = new GLTFLoader().register(ossifyPlugin(by, { warn: (text) => warnings.push(text), ...options }));
  const gltf = await loader.loadAsync(url);
  let mesh;
  gltf.scene.traverse((object) => {
    if (object.isMesh) mesh = object;
    object.castShadow = true;
  });
  return { gltf, mesh, warnings };
};

const makeStage = (object, size) => {
  const scene = new THREE.Scene();
  scene.background = new THREE.Color(0, 0, 1);
  const sun = new THREE.DirectionalLight(0xffffff, 3);
  sun.position.set(0, 4 * size, 0.5 * size);
  sun.castShadow = true;
  Object.assign(sun.shadow.camera, { left: -size, right: size, top: size, bottom: -size, near: 0.1, far: 10 * size });
  const ground = new THREE.Mesh(new THREE.PlaneGeometry(4 * size, 4 * size), new THREE.MeshLambertMaterial({ color: 0x00ff00 }));
  ground.rotation.x = -Math.PI / 2;
  ground.position.y = -0.5 * size;
  ground.receiveShadow = true;
  scene.add(object, sun, ground);
  const camera = new THREE.PerspectiveCamera(40, 1, 0.1, 20 * size);
  camera.position.set(1.5 * size, 1.2 * size, 2 * size);
  camera.lookAt(0, 0, 0);
  return { scene, camera };
};

/** Colours of the picture: white of the model, dark green of its shadow. */
const shoot = async (scene, camera) => {
  const flat = new OffscreenCanvas(SIZE, SIZE).getContext('2d');
  renderer.render(scene, camera);
  // in the same task: the canvas is empty after
  flat.drawImage(renderer.domElement, 0, 0);
  await renderer.backend.device.queue.onSubmittedWorkDone();
  return [...flat.getImageData(0, 0, SIZE, SIZE).data];
};

const stand = (gltf, time) => {
  const mixer = new THREE.AnimationMixer(gltf.scene);
  mixer.clipAction(gltf.animations[0]).play();
  mixer.setTime(time);
};

globalThis.draw = async (url, ratio) => {
  const { gltf, mesh, warnings } = await load(url, renderer);
  const time = ratio * gltf.animations[0].duration;
  stand(gltf, time);
  const { scene, camera } = makeStage(gltf.scene, 1.2);
  const picture = await shoot(scene, camera);
  const positions = [...new Float32Array(await renderer.getArrayBufferAsync(mesh.geometry.attributes.position))];
  const { color } = mesh.geometry.attributes;
  const colors = color ? [...new Float32Array(await renderer.getArrayBufferAsync(color))] : [];
  const before = renderer.info.memory.geometries;
  mesh.geometry.dispose();
  return { time, isDeformed: mesh.isDeformedMesh === true, positions, colors, picture, warnings, freed: before - renderer.info.memory.geometries };
};

/** An app that knows morph targets alone: it sets influences by name. */
globalThis.drawFace = async (url, influences) => {
  const { gltf, mesh, warnings } = await load(url, renderer);
  for (const [name, value] of Object.entries(influences)) mesh.morphTargetInfluences[mesh.morphTargetDictionary[name]] = value;
  const { scene, camera } = makeStage(gltf.scene, 0.3);
  await shoot(scene, camera);
  const positions = [...new Float32Array(await renderer.getArrayBufferAsync(mesh.geometry.attributes.position))];
  return { isDeformed: mesh.isDeformedMesh === true, positions, warnings };
};

globalThis.drawCrowd = async (url, count, ratio, far = 0) => {
  const { gltf } = await load(url, renderer, { all: true });
  const time = ratio * gltf.animations[0].duration;
  const crowd = await createDeformedCrowd(gltf, { count });
  const side = Math.ceil(Math.sqrt(count));
  for (let k = 0; k < count; k++)
    crowd.setMatrixAt(k, new THREE.Matrix4().makeTranslation(1.5 * ((k % side) - (side - 1) / 2), 0, 1.5 * (Math.floor(k / side) - (side - 1) / 2)));
  const { scene, camera } = makeStage(crowd, far > 0 ? 4 * far : count === 1 ? 1.2 : side);
  crowd.update(new Float32Array(count).fill(time));
  const picture = await shoot(scene, camera);
  crowd.update(Float32Array.from({ length: count }, (_, k) => time + 0.07 * k));
  const later = await shoot(scene, camera);
  crowd.dispose();
  return { picture, later };
};

/** World positions of the vertices of a compact file, as three.js skins them, by the plugin for any renderer. */
globalThis.skinCompact = async (url, ratio) => {
  const gltf = await new GLTFLoader().register(compactSkinPlugin()).loadAsync(url);
  const time = ratio * gltf.animations[0].duration;
  stand(gltf, time);
  gltf.scene.updateMatrixWorld(true);
  const positions = [];
  gltf.scene.traverse((object) => {
    if (!object.isSkinnedMesh) return;
    object.skeleton.update();
    const point = new THREE.Vector3();
    for (let i = 0; i < object.geometry.attributes.position.count; i++)
      positions.push(...object.getVertexPosition(i, point).applyMatrix4(object.matrixWorld).toArray());
  });
  return { time, positions };
};

globalThis.drawPlain = async (url) => {
  const plain = new WebGLRenderer();
  plain.setSize(SIZE, SIZE);
  const { gltf, mesh, warnings } = await load(url, plain);
  const { scene, camera } = makeStage(gltf.scene, 1.2);
  plain.render(scene, camera);
  plain.dispose();
  return { warnings, isDeformed: mesh.isDeformedMesh === true, isSkinned: mesh.isSkinnedMesh === true };
};
globalThis.isReady = true;
`;

interface Drawn {
  time: number;
  isDeformed: boolean;
  positions: number[];
  colors: number[];
  picture: number[];
  warnings: string[];
  freed: number;
}

describe('files in a three.js page', () => {
  let browser: Browser;
  let page: Page;
  let folder = '';
  let server: Awaited<ReturnType<typeof serveFolder>>;
  const files: Record<string, Uint8Array<ArrayBuffer>> = {};
  const complaints: string[] = [];

  beforeAll(async () => {
    mkdirSync(join(ROOT, 'tmp'), { recursive: true });
    folder = mkdtempSync(join(ROOT, 'tmp', 'three-room-'));
    writeFileSync(join(folder, 'page.js'), PAGE);
    const icon = '<link rel="icon" href="data:,">';
    writeFileSync(
      join(folder, 'index.html'),
      `<!doctype html>${icon}<body><script type="module" src="./page.js"></script>`,
    );
    await build({
      root: folder,
      logLevel: 'error',
      resolve: { alias: { 'ossify/three': join(ROOT, 'src/entry/three.ts') } },
      build: { outDir: join(folder, 'dist'), minify: false, target: 'esnext', chunkSizeWarningLimit: 10_000 },
    });
    await makeFiles();
    for (const [name, bytes] of Object.entries(files)) writeFileSync(join(folder, 'dist', `${name}.glb`), bytes);
    server = await serveFolder(join(folder, 'dist'), false);
    browser = await launchBrowser();
    page = await browser.newPage();
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(String(error)));
    await page.goto(server.url);
    await page.waitForFunction('globalThis.isReady');
  });
  afterAll(async () => {
    await browser?.close();
    server?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** A creature by multi-weights, in two layers, and with six influences. */
  async function makeFiles(): Promise<void> {
    const { clip, skeleton, skin, motion } = makeSample('creature', { resolution: 200, frames: 4 });
    const none = new Float64Array(0);
    const nodes = { names: [], parents: new Int32Array(0), translations: none, rotations: none, scales: none };
    const mesh = { ...clip.mesh, normals: makeRestNormals(clip.mesh) };
    const bare = { name: 'creature', mesh, nodes, animations: [], clips: [], up: 'y' as const, byteLength: 0 };
    files.plain = await writeGlb(bare, {
      kind: 'skin',
      model: { kind: 'skin', mesh, skeleton: skeleton!, skin: skin!, motions: [motion!] },
    });
    const asset = await readGltf(files.plain);
    const ddm = await precomputeDdm(asset.mesh, asset.rig!.skeleton, asset.rig!.skin);
    files.mushed = await writeGlb(asset, { kind: 'delta-mush', model: ddm, skin: asset.rig!.skin });
    const { model } = await compressDdm(ddm, { virtualBones: 8, influences: 4, iterations: 1, poses: 4 });
    files.layered = await writeGlb(asset, { kind: 'two-layer', model, skin: asset.rig!.skin });
    const precision = { positionStep: 1e-3, motionStep: 1e-3, aim: 'max' as const, weightSteps: 85 };
    const bits = { normalBits: 8, texcoordBits: 12, colorBits: 8 };
    const skinned = { kind: 'skin' as const, mesh, skeleton: skeleton!, skin: skin!, motions: [motion!] };
    const compact = await writeCompactGlb(bare, { kind: 'skin', model: skinned }, { ...precision, ...bits });
    files.compact = compact.bytes;
    const { model: found } = await light(asset, { kind: 'prelit', rank: 3, rays: 16, threads: 1 });
    files.lit = await writeGlb(asset, { kind: 'light', model: found });
    const face = makeFace(14);
    const source = { ...bare, name: 'face', mesh: face.mesh, morphs: face.morphs };
    const driven = await convertShapes(source, { bones: 8, influences: 6, threads: 1 });
    files.face = await writeDrivenShapes(source, driven.model, [face.track]);
  }

  /** Pixels that are neither sky nor lit ground: the model, and its shadow. */
  function countPixels(picture: number[]): { model: number; shadow: number } {
    let [model, shadow] = [0, 0];
    for (let o = 0; o < picture.length; o += 4) {
      const [r, g, b] = picture.slice(o, o + 3);
      if (r > 40 && b > 40) model++;
      else if (b < 40 && g < 60) shadow++;
    }
    return { model, shadow };
  }

  const differ = (a: number[], b: number[]): number =>
    a.reduce((count, value, c) => count + (Math.abs(value - b[c]) > 24 ? 1 : 0), 0) / a.length;

  it.each(['mushed', 'layered'])('%s is drawn in the shape of the reference, and casts its shadow', async (name) => {
    const drawn = (await page.evaluate(`draw('/${name}.glb', ${RATIO})`)) as Drawn;
    const asset = await readGltf(files[name]);
    const expected = bakeAt(asset, asset.animations[0], Float64Array.of(drawn.time)).positions;
    const { diagonal } = measureBounds(asset.mesh.positions);
    expect(drawn.positions.length).toBe(expected.length);
    const far = drawn.positions.reduce((most, x, c) => Math.max(most, Math.abs(x - expected[c])), 0);
    expect(far / diagonal).toBeLessThan(2e-5);
    const { model, shadow } = countPixels(drawn.picture);
    expect(model).toBeGreaterThan(100);
    expect(shadow).toBeGreaterThan(50);
    expect(drawn).toMatchObject({ isDeformed: true, warnings: [], freed: 1 });
    expect(complaints).toEqual([]);
  });

  it('a lit skin has the colours of the reference, and its picture shows them', async () => {
    const drawn = (await page.evaluate(`draw('/lit.glb', ${RATIO})`)) as Drawn;
    const { light: model, mesh } = await readGltf(files.lit);
    const coefficients = new Float32Array(model!.rank);
    sampleLightInto(model!, model!.tracks[0], drawn.time, coefficients);
    const expected = new Float32Array(mesh.positions.length);
    const asset = await readGltf(files.lit);
    const normals = new Float32Array(mesh.positions.length);
    makeLitMotions(asset, [Float64Array.of(drawn.time)])[0].frameInto(0, new Float32Array(normals.length), normals);
    expect(model!.terms).toBeDefined();
    lightInto(model!, coefficients, expected, { normals });
    expect(drawn.colors.length).toBe(expected.length);
    expect(drawn.colors.reduce((most, x, c) => Math.max(most, Math.abs(x - expected[c])), 0)).toBeLessThan(1e-4);
    expect(countPixels(drawn.picture).model).toBeGreaterThan(100);
    expect(drawn).toMatchObject({ isDeformed: true, warnings: [] });
    expect(complaints).toEqual([]);
  });

  it('a driven face follows morphTargetInfluences as the run-time on the CPU follows weights', async () => {
    const influences = { jawOpen: 0.7, mouthSmileLeft: 0.4, browInnerUp: 1 };
    const drawn = (await page.evaluate(`drawFace('/face.glb', ${JSON.stringify(influences)})`)) as Drawn;
    const { mesh, rig, driven } = await readGltf(files.face);
    const { skeleton, skin } = rig!;
    const { drivers } = driven!;
    const runtime = await createShapeRuntime({ kind: 'shape-driven', mesh, skeleton, skin, drivers });
    const weights = drivers.shapes.map((name) => influences[name as keyof typeof influences] ?? 0);
    const { positions } = await runtime.deform(weights);
    const far = (a: ArrayLike<number>, b: ArrayLike<number>): number =>
      Array.from(a).reduce((most, x, c) => Math.max(most, Math.abs(x - b[c])), 0);
    const { diagonal } = measureBounds(mesh.positions);
    expect(drawn.positions.length).toBe(positions.length);
    expect(far(drawn.positions, positions) / diagonal).toBeLessThan(2e-5);
    expect(far(drawn.positions, mesh.positions) / diagonal).toBeGreaterThan(0.02);
    runtime.dispose();
    expect(drawn).toMatchObject({ isDeformed: true, warnings: [] });
    expect(complaints).toEqual([]);
  });

  it.each(['mushed', 'layered', 'lit'])('a crowd of one looks as the mesh does: %s', async (name) => {
    const one = (await page.evaluate(`draw('/${name}.glb', ${RATIO})`)) as Drawn;
    const crowd = (await page.evaluate(`drawCrowd('/${name}.glb', 1, ${RATIO})`)) as { picture: number[] };
    expect(countPixels(one.picture).model).toBeGreaterThan(100);
    expect(differ(one.picture, crowd.picture)).toBeLessThan(2e-3);
    expect(complaints).toEqual([]);
  });

  it('a crowd is drawn to the last of it', async () => {
    const crowds = [4, 9, 16].map((count) => `drawCrowd('/layered.glb', ${count}, ${RATIO}, 1.2)`);
    const sizes: number[] = [];
    for (const call of crowds)
      sizes.push(countPixels(((await page.evaluate(call)) as Record<string, number[]>).picture).model);
    // all seen from as far: pixels grow with their number
    expect(sizes[1] / sizes[0]).toBeGreaterThan(1.7);
    expect(sizes[2] / sizes[0]).toBeGreaterThan(2.8);
  });

  it('a crowd of a thousand moves, without an error', async () => {
    const crowd = (await page.evaluate(`drawCrowd('/layered.glb', 1000, ${RATIO})`)) as Record<string, number[]>;
    expect(countPixels(crowd.picture).model).toBeGreaterThan(150);
    expect(differ(crowd.picture, crowd.later)).toBeGreaterThan(2e-3);
    expect(complaints).toEqual([]);
  });

  it('a compact skin has the positions that our reader has, with either plugin and without a warning', async () => {
    const { time, positions } = (await page.evaluate(`skinCompact('/compact.glb', ${RATIO})`)) as Drawn;
    const asset = await readGltf(files.compact);
    const expected = bakeAt(asset, asset.animations[0], Float64Array.of(time)).positions;
    expect(positions.length).toBe(expected.length);
    const far = positions.reduce((most, x, c) => Math.max(most, Math.abs(x - expected[c])), 0);
    expect(far / measureBounds(asset.mesh.positions).diagonal).toBeLessThan(2e-5);
    const shown = await page.evaluate(`drawPlain('/compact.glb')`);
    expect(shown).toEqual({ warnings: [], isDeformed: false, isSkinned: true });
    expect(complaints).toEqual([]);
  });

  it('WebGLRenderer shows the plain skin, and one warning', async () => {
    const { warnings, ...shown } = (await page.evaluate(`drawPlain('/mushed.glb')`)) as { warnings: string[] };
    expect(shown).toEqual({ isDeformed: false, isSkinned: true });
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toMatch(/does not draw with WebGPU/);
  });
});
