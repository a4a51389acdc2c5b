// SPDX-License-Identifier: MIT
// A bone texture in a real browser: positions and normals of its vertex shader, read back as floats, compared with the CPU.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';
import { build } from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchBrowser, serveFolder } from '../../../../../scripts/launch-browser.ts';
import { measureBounds } from '../../../../core/mesh/geometry/bounds.ts';
import { frameOf } from '../../../../core/model/clip/clip.ts';
import { bakeAt } from '../../../../deformers/playback/bake/bake-at.ts';
import { readAsset } from '../../../../formats/assets/read-asset.ts';
import { writePc2 } from '../../../../formats/caches/write-pc2.ts';
import { captureCli } from '../../../../hosts/cli/capture-cli.ts';

const ROOT = fileURLToPath(new URL('../../../../../', import.meta.url));

const PAGE = `
import * as THREE from 'three';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
import { BONE_TEXTURE_GLSL, BoneTexture } from 'ossify/three';

const renderer = new THREE.WebGLRenderer({ antialias: false });
renderer.setSize(160, 160);
document.body.append(renderer.domElement);

const load = async (name) => {
  const facts = await (await fetch(name + '.json')).json();
  const png = new Uint8Array(await (await fetch(facts.texture)).arrayBuffer());
  const bones = await BoneTexture.create(facts, png);
  const { scene } = await new GLTFLoader().loadAsync(facts.mesh);
  let mesh;
  scene.traverse((object) => object.isMesh && (mesh = object));
  bones.prepare(mesh.geometry);
  return { bones, mesh, scene };
};

/** A vertex per pixel of a float target: the value that the shader computes. */
const readBack = (bones, geometry, value) => {
  const count = geometry.attributes.position.count;
  const side = Math.ceil(Math.sqrt(count));
  const points = geometry.clone();
  points.setIndex(null);
  points.setAttribute('place', new THREE.BufferAttribute(Float32Array.from({ length: count }, (_, i) => i), 1));
  const material = new THREE.ShaderMaterial({
    glslVersion: THREE.GLSL3,
    uniforms: bones.uniforms,
    vertexShader: BONE_TEXTURE_GLSL + \`
      in float place;
      out vec3 value;
      void main() {
        value = \${value};
        float side = float(\${side});
        gl_Position = vec4((vec2(mod(place, side), floor(place / side)) + 0.5) / side * 2.0 - 1.0, 0.0, 1.0);
        gl_PointSize = 1.0;
      }\`,
    fragmentShader: 'in vec3 value; out vec4 color; void main() { color = vec4(value, 1.0); }',
  });
  const target = new THREE.WebGLRenderTarget(side, side, { type: THREE.FloatType, minFilter: THREE.NearestFilter, magFilter: THREE.NearestFilter });
  const cloud = new THREE.Points(points, material);
  cloud.frustumCulled = false;
  const scene = new THREE.Scene();
  scene.add(cloud);
  renderer.setRenderTarget(target);
  renderer.render(scene, new THREE.Camera());
  const pixels = new Float32Array(side * side * 4);
  renderer.readRenderTargetPixels(target, 0, 0, side, side, pixels);
  renderer.setRenderTarget(null);
  return Array.from({ length: 3 * count }, (_, c) => pixels[4 * Math.floor(c / 3) + (c % 3)]);
};

globalThis.positions = async (name, clip, seconds, otherSeconds, ratio, other = clip) => {
  const { bones, mesh } = await load(name);
  bones.show(clip, seconds, other, otherSeconds, ratio);
  return { positions: readBack(bones, mesh.geometry, 'ossifyPosition(position)'), normals: readBack(bones, mesh.geometry, 'ossifyNormal(normal)') };
};

/** The share of the picture that the shape covers, with a built-in material. */
globalThis.cover = async (name, seconds) => {
  const { bones, mesh, scene } = await load(name);
  bones.apply(mesh.material);
  bones.show(0, seconds);
  mesh.frustumCulled = false;
  const { center, radius } = new THREE.Box3().setFromObject(mesh).getBoundingSphere(new THREE.Sphere());
  const camera = new THREE.PerspectiveCamera(40, 1, radius / 10, radius * 10);
  camera.position.copy(center).add(new THREE.Vector3(0, 0, 3 * radius));
  camera.lookAt(center);
  const stage = new THREE.Scene().add(scene, new THREE.HemisphereLight(0xffffff, 0xffffff, 3));
  const target = new THREE.WebGLRenderTarget(160, 160);
  renderer.setRenderTarget(target);
  renderer.setClearColor(0x000000, 0);
  renderer.render(stage, camera);
  const pixels = new Uint8Array(160 * 160 * 4);
  renderer.readRenderTargetPixels(target, 0, 0, 160, 160, pixels);
  renderer.setRenderTarget(null);
  return pixels.filter((value, n) => n % 4 === 3 && value > 0).length / (160 * 160);
};
globalThis.ready = true;
`;

interface Page {
  positions(
    name: string,
    clip: number,
    seconds: number,
    otherSeconds: number,
    ratio: number,
    other?: number,
  ): Promise<{ positions: number[]; normals: number[] }>;
  cover(name: string, seconds: number): Promise<number>;
  ready: boolean;
}

describe('a bone texture in three.js', () => {
  let browser: Browser;
  let folder: string;
  let server: Awaited<ReturnType<typeof serveFolder>>;
  const at = (name: string) => join(folder, name);
  const run = async (...words: string[]) => {
    const { status, err } = await captureCli([...words, '--quiet', '--threads', '1']);
    expect(err).toBe('');
    expect(status).toBe(0);
  };

  beforeAll(async () => {
    mkdirSync(join(ROOT, 'tmp'), { recursive: true });
    folder = mkdtempSync(join(ROOT, 'tmp', 'bone-texture-'));
    await run('sample', 'bar-bend', at('bar.glb'), '--frames', '8', '--resolution', '400');
    await run('sample', 'sheet', at('sheet.abc'), '--frames', '8', '--resolution', '400');
    await run('bake', at('bar.glb'), at('rotation'), '--as', 'bone-texture');
    await run('bake', at('sheet.abc'), at('matrix'), '--as', 'bone-texture', '--bones', '6');
    // two clips of one mesh, as rigid and as affine bones: one encoding each
    await run('sample', 'bar-bend', at('a.pc2'), '--frames', '8', '--resolution', '400');
    const asset = await readAsset(['a.obj', 'a.pc2'].map((name) => ({ name, bytes: readFileSync(at(name)) })));
    const [clip] = asset.clips;
    const stride = clip.mesh.positions.length;
    const backwards = new Float32Array(clip.positions.length);
    for (const [k] of clip.times.entries()) {
      const frame = frameOf(clip, clip.times.length - 1 - k);
      backwards.set(
        frame.map((x, c) => (c % 3 === 0 ? 0.8 * x : x + 0.1)),
        k * stride,
      );
    }
    writeFileSync(at('b.pc2'), writePc2({ ...clip, positions: backwards }));
    for (const [name, transforms] of [
      ['two-rotation', 'rigid'],
      ['two-matrix', 'affine'],
    ]) {
      const two = `${at('a.obj')}+${at('a.pc2')},${at('b.pc2')}`;
      await run('decompose', two, at(`${name}-skin.glb`), '--bones', '5', '--transforms', transforms);
      await run('bake', at(`${name}-skin.glb`), at(name), '--as', 'bone-texture');
    }
    writeFileSync(at('index.html'), '<script type="module" src="page.js"></script>');
    writeFileSync(at('page.js'), PAGE);
    await build({
      root: folder,
      base: './',
      logLevel: 'error',
      resolve: { alias: [{ find: 'ossify/three', replacement: join(ROOT, 'src/entry/three.ts') }] },
      build: { outDir: at('dist'), target: 'esnext', minify: false, chunkSizeWarningLimit: 10_000 },
    });
    for (const name of ['rotation', 'matrix', 'two-rotation', 'two-matrix'])
      for (const end of ['json', 'glb', 'png'])
        writeFileSync(at(`dist/${name}.${end}`), readFileSync(at(`${name}.${end}`)));
    server = await serveFolder(at('dist'), false);
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    server?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const open = async () => {
    const page = await browser.newPage();
    const faults: string[] = [];
    page.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
    page.on('pageerror', (error) => faults.push(String(error)));
    await page.goto(server.url);
    await page
      .waitForFunction(() => (globalThis as unknown as Page).ready, undefined, { timeout: 30_000 })
      .catch(() => {});
    return { page, faults };
  };

  it.each([
    ['rotation', 'bar.glb'],
    ['matrix', 'sheet.abc'],
  ])('moves every vertex as the CPU does, encoded as %s', async (name, source) => {
    const facts = JSON.parse(readFileSync(at(`${name}.json`), 'utf8'));
    expect(facts.encoding).toBe(name);
    const asset = await readAsset([{ name: source, bytes: new Uint8Array(readFileSync(at(source))) }]);
    const [{ fps, frames }] = facts.clips;
    const { diagonal } = measureBounds(asset.mesh.positions);
    const { page, faults } = await open();
    for (const k of [0, 3, frames - 2]) {
      const time = k / fps;
      const expected =
        asset.clips.length > 0
          ? asset.clips[0].positions.subarray(k * asset.mesh.positions.length, (k + 1) * asset.mesh.positions.length)
          : bakeAt(asset, asset.animations[0], Float64Array.of(time)).positions;
      const { positions, normals } = await page.evaluate(
        ([n, t]) => (globalThis as unknown as Page).positions(n as string, 0, t as number, 0, 0),
        [name, time] as const,
      );
      expect(faults).toEqual([]);
      let max = 0;
      for (let i = 0; i < positions.length; i += 3)
        max = Math.max(max, Math.hypot(...[0, 1, 2].map((c) => positions[i + c] - expected[i + c])));
      // the decomposition of the sheet has an error of its own, which the file states
      expect(max / diagonal).toBeLessThan(facts.error.maxPercent / 100 + 2e-5);
      for (let i = 0; i < normals.length; i += 3)
        expect(Math.hypot(normals[i], normals[i + 1], normals[i + 2])).toBeCloseTo(1, 4);
    }
    await page.close();
  });

  it.each(['rotation', 'matrix'])('blends two clips as the CPU does, encoded as %s', async (encoding) => {
    const name = `two-${encoding}`;
    const facts = JSON.parse(readFileSync(at(`${name}.json`), 'utf8'));
    expect(facts.encoding).toBe(encoding);
    expect(facts.clips).toHaveLength(2);
    const bytes = new Uint8Array(readFileSync(at(`${name}-skin.glb`)));
    const asset = await readAsset([{ name: 'two.glb', bytes }]);
    const { diagonal } = measureBounds(asset.mesh.positions);
    const [fps, other] = facts.clips.map((clip: { fps: number }) => clip.fps);
    const { page, faults } = await open();
    for (const [k, m, ratio] of [
      [0, 5, 0.3],
      [3, 1, 0.5],
      [6, 4, 1],
    ]) {
      const expected = [k / fps, m / other].map(
        (time, n) => bakeAt(asset, asset.animations[n], Float64Array.of(time)).positions,
      );
      const { positions } = await page.evaluate(
        ([n, a, b, r]) =>
          (globalThis as unknown as Page).positions(n as string, 0, a as number, b as number, r as number, 1),
        [name, k / fps, m / other, ratio] as const,
      );
      expect(faults).toEqual([]);
      let [max, apart] = [0, 0];
      for (let c = 0; c < positions.length; c++) {
        const blend = (1 - ratio) * expected[0][c] + ratio * expected[1][c];
        max = Math.max(max, Math.abs(positions[c] - blend));
        apart = Math.max(apart, Math.abs(expected[0][c] - expected[1][c]));
      }
      expect(apart / diagonal).toBeGreaterThan(0.02);
      expect(max / diagonal).toBeLessThan(5e-5);
    }
    await page.close();
  });

  it('blends two times of a clip, and draws with a built-in material', async () => {
    const { page, faults } = await open();
    const [a, half, b] = await page.evaluate(async () => {
      const { positions } = globalThis as unknown as Page;
      const texture = await positions('matrix', 0, 0.04, 0.21, 0);
      const mixed = await positions('matrix', 0, 0.04, 0.21, 0.5);
      const other = await positions('matrix', 0, 0.04, 0.21, 1);
      return [texture.positions, mixed.positions, other.positions];
    });
    expect(a.some((x, c) => Math.abs(x - b[c]) > 0.01)).toBe(true);
    for (let c = 0; c < a.length; c++) expect(half[c]).toBeCloseTo((a[c] + b[c]) / 2, 5);
    const cover = await page.evaluate(() => (globalThis as unknown as Page).cover('matrix', 0.1));
    expect(faults).toEqual([]);
    expect(cover).toBeGreaterThan(0.05);
    await page.close();
  });
});
