// SPDX-License-Identifier: MIT
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { validateBytes } from 'gltf-validator';
import { describe, expect, it } from 'vitest';
import type { Asset } from '../../../core/model/asset.ts';
import { checkMesh } from '../../../core/model/mesh/mesh.ts';
import { checkSkeleton } from '../../../core/model/skin/skeleton.ts';
import { checkSkin } from '../../../core/model/skin/skin.ts';
import { bakeClip } from '../../../deformers/playback/bake/bake-clip.ts';
import { sampleAnimation } from '../../../deformers/playback/sample-animation.ts';
import { readGltf } from '../read-gltf.ts';
import { writeGlb } from '../write-glb.ts';

const root = fileURLToPath(new URL('../../../..', import.meta.url));
const data = resolve(root, process.env.OSSIFY_DATA ?? '../shared');
const files = ['rigs', 'formats']
  .map((folder) => join(data, folder))
  .filter((folder) => existsSync(folder))
  .flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)))
  .filter((path) => path.endsWith('.glb'));

/** Errors and warnings of the Khronos validator, counted by code. */
async function countFaults(bytes: Uint8Array): Promise<Map<string, number>> {
  const { issues } = await validateBytes(bytes, { maxIssues: 10000 });
  const counts = new Map<string, number>();
  for (const { code, severity } of issues.messages) if (severity < 2) counts.set(code, (counts.get(code) ?? 0) + 1);
  return counts;
}

const inputFaults = new Map<string, Promise<Map<string, number>>>();

/** The same of a file of the folder, asked for once. */
function countInputFaults(path: string): Promise<Map<string, number>> {
  const known = inputFaults.get(path) ?? countFaults(new Uint8Array(readFileSync(path)));
  inputFaults.set(path, known);
  return known;
}

/** Largest difference of positions, in parts of the largest coordinate. */
function difference(a: Float32Array, b: Float32Array): number {
  expect(a.length).toBe(b.length);
  let most = 0;
  let size = 0;
  for (let c = 0; c < a.length; c++) {
    most = Math.max(most, Math.abs(a[c] - b[c]));
    size = Math.max(size, Math.abs(a[c]));
  }
  return most / size;
}

/** A few frames of the first animation. */
function frames(asset: Asset): Float32Array {
  const { duration } = asset.animations[0] ?? { duration: 0 };
  return bakeClip(asset, { fps: duration > 0 ? 2 / duration : 24 }).positions;
}

describe.skipIf(files.length === 0)('glTF files of the data folder (needs the data folder)', () => {
  it.each(files.map((path) => [basename(path), path]))('%s comes back whole, and validates', async (_, path) => {
    const bytes = new Uint8Array(readFileSync(path));
    const asset = await readGltf(bytes, { name: basename(path) });
    checkMesh(asset.mesh);
    if (asset.rig) {
      checkSkeleton(asset.rig.skeleton);
      checkSkin(asset.rig.skin, asset.rig.skeleton.names.length);
    }
    const before = await countInputFaults(path);
    for (const options of [{}, { quantize: true, meshopt: true }]) {
      const written = await writeGlb(asset, undefined, options);
      const after = await countFaults(written);
      for (const [code, count] of after) expect(count, code).toBeLessThanOrEqual(before.get(code) ?? 0);
      const back = await readGltf(written);
      expect(difference(back.mesh.positions, asset.mesh.positions)).toBe(0);
      expect(back.animations.map((a) => a.name)).toEqual(asset.animations.map((a) => a.name));
      expect(difference(frames(asset), frames(back))).toBeLessThan('quantize' in options ? 1e-4 : 1e-6);
    }
  });

  it.each(files.map((path) => [basename(path), path]))('%s moves the same on bones of our own', async (_, path) => {
    const asset = await readGltf(new Uint8Array(readFileSync(path)));
    const { rig, mesh, animations } = asset;
    if (!rig || asset.morphs) return;
    const times = Float64Array.from({ length: 4 }, (_, k) => Math.fround((k * animations[0].duration) / 4));
    const { motion } = sampleAnimation(asset, animations[0], times);
    const skinned = { kind: 'skin' as const, mesh, skeleton: rig.skeleton, skin: rig.skin, motions: [motion] };
    const written = await writeGlb(asset, { kind: 'skin', model: skinned });
    const before = await countInputFaults(path);
    for (const [code, count] of await countFaults(written))
      expect(count, code).toBeLessThanOrEqual(before.get(code) ?? 0);
    const back = await readGltf(written);
    expect(difference(back.mesh.positions, mesh.positions)).toBe(0);
    const ends = { start: 0, end: times[3], fps: 3 / times[3] };
    const original = bakeClip(asset, ends).positions;
    expect(difference(original, bakeClip(back, { keys: true }).positions)).toBeLessThan(2e-6);
  });

  it.skipIf(!files.some((path) => path.endsWith('ninja.glb')))(
    'ninja.glb has 65 joints, 52 with weight, and stands upright',
    async () => {
      const { mesh, rig } = await readGltf(new Uint8Array(readFileSync(join(data, 'rigs', 'ninja.glb'))));
      expect(mesh.positions.length / 3).toBe(13560);
      expect(rig!.isJoint.reduce((sum, x) => sum + x, 0)).toBe(65);
      expect(new Set(rig!.skin.boneIndices).size).toBe(52);
      let [low, high] = [0, 0];
      for (let c = 1; c < mesh.positions.length; c += 3) {
        low = Math.min(low, mesh.positions[c]);
        high = Math.max(high, mesh.positions[c]);
      }
      expect(high - low).toBeCloseTo(1.75, 2);
    },
  );
});
