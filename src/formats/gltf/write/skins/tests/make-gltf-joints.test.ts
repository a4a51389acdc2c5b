// SPDX-License-Identifier: MIT
// Fewer keys in whole files: written, validated, read back and played.
import { validateBytes } from 'gltf-validator';
import { describe, expect, it } from 'vitest';
import { compose, makeIdentities, multiply } from '../../../../../core/math/mat4.ts';
import { quaternionFromAxisAngle } from '../../../../../core/math/quaternion.ts';
import { makeRandom } from '../../../../../core/math/random.ts';
import { measureBounds } from '../../../../../core/mesh/geometry/bounds.ts';
import type { Asset, SkinnedModel } from '../../../../../core/model/asset.ts';
import { makeTimes } from '../../../../../core/model/clip/clip.ts';
import { type Motion, poseOf } from '../../../../../core/model/clip/motion.ts';
import { type Mesh, makeMesh } from '../../../../../core/model/mesh/mesh.ts';
import { makeSkin } from '../../../../../core/model/skin/skin.ts';
import { makeLinearBlend } from '../../../../../deformers/linear-blend/make-linear-blend.ts';
import { sampleAnimation } from '../../../../../deformers/playback/sample-animation.ts';
import { detectFrameRate } from '../../../../../deformers/playback/times/list-frame-times.ts';
import { makeSample } from '../../../../../samples/make-sample.ts';
import { readGltf } from '../../../read-gltf.ts';
import { type WriteGlbOptions, writeGlb } from '../../../write-glb.ts';

function assetOf(mesh: Mesh): Asset {
  const none = new Float64Array(0);
  const nodes = { names: [], parents: new Int32Array(0), translations: none, rotations: none, scales: none };
  return { name: mesh.name, mesh, nodes, animations: [], clips: [], up: 'y', byteLength: 0 };
}

/** A net of points on the unit square, side x side. */
function net(side: number): Mesh {
  const positions = new Float32Array(side * side * 3);
  const triangles: number[] = [];
  for (let r = 0; r < side; r++) {
    for (let c = 0; c < side; c++) {
      positions.set([c / (side - 1), r / (side - 1), 0.1 * Math.sin(r + c)], (r * side + c) * 3);
      const i = r * side + c;
      if (r + 1 < side && c + 1 < side) triangles.push(i, i + 1, i + side, i + 1, i + side + 1, i + side);
    }
  }
  return makeMesh(positions, Uint32Array.from(triangles), 'net');
}

type Linear = (
  j: number,
  k: number,
) => { turn: number; axis: number[]; scale: number[]; shift: number[]; shear?: number };

/** Bones spread over the net, all under the root, each moved about its own origin; four influences with weights by distance. */
function netModel(side: number, boneCount: number, frameCount: number, linear: Linear): SkinnedModel {
  const mesh = net(side);
  const random = makeRandom(2);
  const bindMatrices = makeIdentities(boneCount);
  for (let j = 0; j < boneCount; j++) bindMatrices.set([random.next(), random.next(), 0], 16 * j + 12);
  const matrices = new Float64Array(frameCount * boneCount * 16);
  const q = new Float64Array(4);
  const world = new Float64Array(16);
  const unbind = makeIdentities(1);
  for (let k = 0; k < frameCount; k++) {
    for (let j = 0; j < boneCount; j++) {
      const { turn, axis, scale, shift, shear } = linear(j, k);
      quaternionFromAxisAngle(axis, turn, q);
      const at = [0, 1, 2].map((c) => bindMatrices[16 * j + 12 + c] + shift[c]);
      compose(at, q, scale, world);
      for (let r = 0; r < 3; r++) world[4 + r] += (shear ?? 0) * world[r];
      for (let c = 0; c < 3; c++) unbind[12 + c] = -bindMatrices[16 * j + 12 + c];
      multiply(world, unbind, matrices, 0, 0, (k * boneCount + j) * 16);
    }
  }
  const bones: number[] = [];
  const weights: number[] = [];
  for (let i = 0; i < side * side; i++) {
    const near = Array.from({ length: boneCount }, (_, j) => ({
      j,
      d: Math.hypot(...[0, 1].map((c) => mesh.positions[3 * i + c] - bindMatrices[16 * j + 12 + c])),
    })).sort((a, b) => a.d - b.d || a.j - b.j);
    for (let e = 0; e < 4; e++) {
      bones.push(near[e % boneCount].j);
      weights.push(e < boneCount ? Math.exp(-((4 * near[e].d) ** 2)) : 0);
    }
  }
  return {
    kind: 'skin',
    mesh,
    skeleton: {
      names: Array.from({ length: boneCount }, (_, j) => `bone ${j}`),
      parents: new Int32Array(boneCount).fill(-1),
      bindMatrices,
    },
    skin: makeSkin(bones, weights, 4),
    motions: [{ name: 'move', times: makeTimes(frameCount, 24), matrices }],
  };
}

const swing: Linear = (j, k) => ({
  turn: 0.8 * Math.sin(0.04 * k + j),
  axis: [1, j % 3, 1],
  scale: [1, 1, 1],
  shift: [0.3 * Math.sin(0.03 * k), 0.2 * Math.cos(0.02 * k + j), 0.01 * k],
});

async function write(
  model: SkinnedModel,
  { keys, ...options }: WriteGlbOptions & { keys?: number } = {},
): Promise<{ bytes: Uint8Array; asset: Asset }> {
  const bytes = await writeGlb(assetOf(model.mesh), { kind: 'skin', model, keys }, options);
  const { issues } = await validateBytes(bytes, { maxIssues: 100 });
  expect(issues.messages.filter((m) => m.severity < 2)).toEqual([]);
  return { bytes, asset: await readGltf(bytes) };
}

/** The largest distance, over vertices and frames, between a model and the first animation of an asset. */
function farthest(model: SkinnedModel, asset: Asset, m = 0): number {
  const motion = model.motions[m];
  const played = sampleAnimation(asset, asset.animations[m], Float32Array.from(motion.times)).motion;
  const one = makeLinearBlend(model.mesh, model.skin, model.skeleton.names.length);
  const other = makeLinearBlend(asset.mesh, asset.rig!.skin, asset.rig!.skeleton.names.length);
  const a = new Float32Array(model.mesh.positions.length);
  const b = new Float32Array(a.length);
  let most = 0;
  for (let k = 0; k < motion.times.length; k++) {
    one.deformInto({ bones: poseOf(motion, k) }, a);
    other.deformInto({ bones: poseOf(played, k) }, b);
    for (let i = 0; i < a.length; i += 3)
      most = Math.max(most, Math.hypot(a[i] - b[i], a[i + 1] - b[i + 1], a[i + 2] - b[i + 2]));
  }
  return most;
}

function keyCountOf(asset: Asset, m = 0): number {
  return asset.animations[m].tracks.reduce((sum, track) => sum + track.times.length, 0);
}

describe('writeGlb with keys', () => {
  const sheared: Linear = (j, k) => ({ ...swing(j, k), scale: [1.2, 1, 0.8], shear: 0.3 * Math.sin(0.04 * k) });
  const scaled: Linear = (j, k) => ({ ...swing(j, k), scale: [1 + 0.2 * Math.sin(0.04 * k), 1, 0.5 + 0.004 * k] });
  it.each<[string, Linear]>([
    ['rigid', swing],
    ['scaled', scaled],
    ['sheared', sheared],
  ])('keeps every vertex of %s bones within the tolerance in every frame, with far fewer keys', async (_, linear) => {
    const model = netModel(12, 6, 120, linear);
    const { asset: full, bytes: fullBytes } = await write(model);
    let last = keyCountOf(full);
    expect(farthest(model, full)).toBeLessThan(3e-6);
    for (const keys of [1e-5, 1e-3, 1e-2]) {
      const { asset, bytes } = await write(model, { keys });
      expect(farthest(model, asset)).toBeLessThanOrEqual(1.02 * keys);
      expect(asset.animations[0].duration).toBe(full.animations[0].duration);
      expect(keyCountOf(asset)).toBeLessThanOrEqual(last);
      expect(bytes.length).toBeLessThanOrEqual(fullBytes.length);
      last = keyCountOf(asset);
    }
    expect(last).toBeLessThan(keyCountOf(full) / 3);
  });

  it('shares the tolerance along the legs of a walking animal, and uses most of it', async () => {
    const { clip, skeleton, skin, motion } = makeSample('quadruped', { resolution: 1500, frames: 120 });
    const model: SkinnedModel = { kind: 'skin', mesh: clip.mesh, skeleton: skeleton!, skin: skin!, motions: [motion!] };
    const full = (await write(model)).asset;
    for (const keys of [5e-4, 5e-3]) {
      const { asset } = await write(model, { keys });
      const off = farthest(model, asset);
      expect(off).toBeLessThanOrEqual(1.02 * keys);
      expect(off).toBeGreaterThan(0.5 * keys);
      expect(keyCountOf(asset)).toBeLessThan(keyCountOf(full) * (keys > 1e-3 ? 0.3 : 0.7));
    }
  });

  it('adds up the errors of a chain of bones that turn, stretch and grow', async () => {
    const model = netModel(10, 5, 150, swing);
    model.skeleton.parents = Int32Array.of(-1, 0, 1, 2, 3);
    const { matrices } = model.motions[0];
    const { bindMatrices } = model.skeleton;
    const local = new Float64Array(16);
    const away = makeIdentities(1);
    const q = new Float64Array(4);
    for (let k = 0; k < 150; k++) {
      for (let j = 0; j < 5; j++) {
        // About its own joint, then as its parent does; the last one stretches along an axis, which no bone below would bear.
        quaternionFromAxisAngle([j, 1, 2], 0.3 * Math.sin(0.05 * k + j), q);
        const grow = 1 + 0.1 * Math.sin(0.03 * k + j);
        const at = bindMatrices.subarray(16 * j + 12, 16 * j + 15);
        compose(at, q, j < 4 ? [grow, grow, grow] : [grow, 1, 1], local);
        for (let c = 0; c < 3; c++) away[12 + c] = -at[c];
        const o = (k * 5 + j) * 16;
        multiply(local, away, matrices, 0, 0, o);
        if (j > 0) multiply(matrices, matrices, matrices, o - 16, o, o);
      }
    }
    const full = (await write(model)).asset;
    expect(full.nodes.parents.filter((parent) => full.nodes.names[parent]?.startsWith('bone'))).toHaveLength(4);
    for (const keys of [1e-3, 1e-2]) {
      const { asset } = await write(model, { keys });
      expect(farthest(model, asset)).toBeLessThanOrEqual(1.02 * keys);
      expect(keyCountOf(asset)).toBeLessThan(0.6 * keyCountOf(full));
    }
  });

  it.each([{ quantize: true }, { meshopt: true }])('goes together with %j', async (options) => {
    const model = netModel(12, 4, 100, swing);
    const { asset } = await write(model, { keys: 1e-3, ...options });
    expect(farthest(model, asset)).toBeLessThanOrEqual(1.02e-3 + 1e-4);
    expect(keyCountOf(asset)).toBe(keyCountOf((await write(model, { keys: 1e-3 })).asset));
  });

  it('keeps every frame without a tolerance, and writes the same bytes for 0 as for none', async () => {
    const model = netModel(5, 3, 20, swing);
    const { bytes, asset } = await write(model);
    expect((await write(model, { keys: 0 })).bytes).toEqual(bytes);
    for (const { times } of asset.animations[0].tracks) expect(times).toHaveLength(20);
    await expect(writeGlb(assetOf(model.mesh), { kind: 'skin', model, keys: -1 })).rejects.toThrow(
      'keys must be a length',
    );
    await expect(writeGlb(assetOf(model.mesh), { kind: 'skin', model, keys: Number.NaN })).rejects.toThrow('got NaN');
  });

  it('keeps the duration and the frame rate of a motion that hardly moves, in three keys', async () => {
    const model = netModel(5, 3, 50, (_, k) => ({ ...swing(0, 0), turn: 1e-5 * k, shift: [0, 1e-5 * k, 0] }));
    const { asset } = await write(model, { keys: 0.01 });
    const [animation] = asset.animations;
    expect(animation.duration).toBeCloseTo(49 / 24, 6);
    expect(detectFrameRate(animation)).toBe(24);
    expect(animation.tracks.filter((track) => track.times.length > 1)).toHaveLength(1);
    expect(animation.tracks[0].times).toHaveLength(3);
    expect(farthest(model, asset)).toBeLessThan(0.01);
  });

  it('leaves out tracks that stay at rest, and keeps one key of those that stay elsewhere', async () => {
    const model = netModel(5, 3, 30, (j, k) => ({
      turn: j === 1 ? 0.5 : 0,
      axis: [0, 0, 1],
      scale: [1, 1, 1],
      shift: j === 0 ? [0.1 * k, 0, 0] : [0, 0, 0],
    }));
    for (const keys of [0, 1e-3]) {
      const { asset } = await write(model, { keys });
      const shown = asset.animations[0].tracks.map((track) => `${track.path} ${track.times.length}`);
      expect(shown).toEqual(keys === 0 ? ['translation 30', 'rotation 1'] : ['translation 3', 'rotation 1']);
      expect(farthest(model, asset)).toBeLessThanOrEqual(keys + 1e-6);
    }
  });

  it.each([0, 1e-3])('closes loops with the bits they start with, and keeps signs together (keys %d)', async (keys) => {
    const frameCount = 61;
    const phase = (k: number): number => (2 * Math.PI * k) / (frameCount - 1);
    // Bone 0 swings back; bone 1 goes through a full turn, so that its last quaternion is the negative of its first.
    const model = netModel(8, 2, frameCount, (j, k) => ({
      turn: 0.3 + (j === 1 ? phase(k) : 0.5 * Math.sin(phase(k))),
      axis: [0, 1, 2],
      scale: [1, 1, 1],
      shift: [0.1 * Math.cos(phase(k)), 0.3 * Math.sin(phase(k)), 0],
    }));
    const { matrices } = model.motions[0];
    // Noise below the millionth that still counts as the same pose.
    matrices[matrices.length - 4] += 3e-7;
    const { asset } = await write(model, { keys });
    let turned = 0;
    for (const { path, values, times } of asset.animations[0].tracks) {
      const size = path === 'rotation' ? 4 : 3;
      const first = [...values.subarray(0, size)];
      const last = [...values.subarray(values.length - size)];
      const isNegative = path === 'rotation' && first[3] * last[3] < 0;
      if (isNegative) turned++;
      expect(last.map((x) => (isNegative ? -x : x))).toEqual(first);
      if (path !== 'rotation') continue;
      for (let k = 1; k < times.length; k++) {
        let dot = 0;
        for (let c = 0; c < 4; c++) dot += values[4 * k + c] * values[4 * k - 4 + c];
        expect(dot).toBeGreaterThan(0);
      }
    }
    expect(turned).toBe(1);
    expect(farthest(model, asset)).toBeLessThanOrEqual(1.02 * keys + 3e-6);
  });

  it('leaves a motion open that ends elsewhere', async () => {
    const model = netModel(5, 2, 10, (_, k) => ({ ...swing(0, 0), shift: [0, k === 9 ? 1e-4 : 0.1 * k, 0] }));
    const { asset } = await write(model);
    const { values } = asset.animations[0].tracks[0];
    expect(values[values.length - 2]).not.toBe(values[1]);
  });

  it('turns a bone without a surface as well, and thins each motion on its own', async () => {
    const model = netModel(6, 3, 40, swing);
    model.skin = makeSkin(new Array(36).fill(1), new Array(36).fill(1), 1);
    const slow: Motion = { ...model.motions[0], name: 'slow', times: makeTimes(40, 12) };
    slow.matrices = makeIdentities(120);
    model.motions.push(slow);
    const { asset } = await write(model, { keys: 1e-3 });
    const moving = (m: number, name: string): number[] => {
      const node = asset.nodes.names.indexOf(name);
      return asset.animations[m].tracks.filter((track) => track.node === node).map((track) => track.times.length);
    };
    expect(Math.min(...moving(0, 'bone 2'))).toBeGreaterThan(2);
    expect(asset.animations[1].tracks).toHaveLength(1);
    expect(asset.animations[1].duration).toBeCloseTo(39 / 12, 5);
    for (const m of [0, 1]) expect(farthest(model, asset, m)).toBeLessThanOrEqual(1.02e-3);
  });

  it('writes a model the size of the galloping horse in under 700 kB', async () => {
    const side = 92; // 8464 vertices, 16562 triangles; the horse has 8431 and 16843
    const model = netModel(side, 20, 48, swing);
    expect(measureBounds(model.mesh.positions).diagonal).toBeGreaterThan(1);
    const { bytes, asset } = await write(model);
    expect(asset.animations[0].tracks.filter((track) => track.path === 'scale')).toEqual([]);
    expect(bytes.length).toBeLessThan(430_000);
    const thin = await write(model, { keys: 1e-3 });
    expect(thin.bytes.length).toBeLessThan(bytes.length - 12_000);
  });
});
