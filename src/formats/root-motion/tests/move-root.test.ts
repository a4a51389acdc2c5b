// SPDX-License-Identifier: MIT
import { existsSync, readFileSync } from 'node:fs';
import { validateBytes } from 'gltf-validator';
import { AnimationMixer, Mesh, type Object3D, Vector3 } from 'three';
import { GLTFLoader } from 'three/examples/jsm/loaders/GLTFLoader.js';
import { describe, expect, it } from 'vitest';
import { NodeMotion } from '../../../core/keyframes/node-motion.ts';
import { measureBounds } from '../../../core/mesh/geometry/bounds.ts';
import type { Asset } from '../../../core/model/asset.ts';
import { makeNodeTree } from '../../../core/model/make-asset.ts';
import { findTrunk } from '../../../core/model/skin/find-trunk.ts';
import { bakeAt } from '../../../deformers/playback/index.ts';
import { readAsset } from '../../assets/index.ts';
import type { Scene } from '../../gltf/index.ts';
import { writeGlb } from '../../gltf/write-glb.ts';
import { glbOf, hangBelow, makeBiped } from '../../takes/tests/make-rig.ts';
import { moveRoot } from '../move-root.ts';

const data = process.env.OSSIFY_DATA ?? '../shared';
const Z_UP = [-Math.SQRT1_2, 0, 0, Math.SQRT1_2];
const KEYS = Float64Array.of(0, 0.5, 1, 1.5, 2);
const BETWEEN = Float64Array.from({ length: 41 }, (_, k) => k / 20 + 0.013);

const read = (scene: Scene): Promise<Asset> => readAsset([{ name: 'biped.glb', bytes: glbOf(scene) }]);

/** The biped with a bone above its hips, as some rigs have. */
function withRootBone(scene: Scene, name = 'root'): Scene {
  const hung = hangBelow(scene, name, [0, 0, 0, 1], 1);
  const [shape] = hung.shapes;
  const { skin } = shape;
  if (!skin) return hung;
  const inverseBinds = Float64Array.of(...skin.inverseBinds, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1);
  return { ...hung, shapes: [{ ...shape, skin: { ...skin, joints: [...skin.joints, 0], inverseBinds } }] };
}

/** Largest distance of vertices of two assets in their first animations, relative to the size. */
function differenceOf(a: Asset, b: Asset, times: Float64Array): number {
  const p = bakeAt(a, a.animations[0], times).positions;
  const q = bakeAt(b, b.animations[0], times).positions;
  expect(p.length).toBe(q.length);
  const { diagonal } = measureBounds(b.mesh.positions);
  return p.reduce((most, x, c) => Math.max(most, Math.abs(x - q[c])), 0) / diagonal;
}

/** Local matrices of a node in the first animation. */
function localsOf({ nodes, animations }: Asset, name: string, times: Float64Array): Float64Array[] {
  const motion = new NodeMotion(nodes, animations[0]);
  return [...times].map((time) => {
    const out = new Float64Array(16);
    motion.localInto(nodes.names.indexOf(name), time, out);
    return out;
  });
}

const HOLDERS: [string, (scene: Scene) => Scene][] = [
  ['nothing above its hips', (scene) => scene],
  ['an armature of another unit and up axis', (scene) => hangBelow(scene, 'Armature', Z_UP, 0.01)],
  ['a root bone', (scene) => withRootBone(scene)],
];

describe('extracted root motion', () => {
  it.each(HOLDERS)('leaves the vertices where they were, with %s', async (_, hold) => {
    const before = await read(hold(makeBiped()));
    const notes: string[] = [];
    const after = await moveRoot(before, 'extract', (text) => notes.push(text));
    expect(differenceOf(after, before, KEYS)).toBeLessThan(1e-6);
    // keys are added until the motion between them is off by less than 1e-5
    expect(differenceOf(after, before, BETWEEN)).toBeLessThan(1e-5);
    expect(notes).toEqual([
      expect.stringMatching(/^the motion of "Hips" on the ground is in the (new )?root "root" in 1 of 1/),
    ]);
    expect(after.nodes.parents[after.nodes.names.indexOf('root')]).toBe(-1);
    expect(after.nodes.names.filter((name) => name === 'root')).toHaveLength(1);
  });

  it.each(HOLDERS)('is on the ground in the root, and the rest is in the hips, with %s', async (_, hold) => {
    const after = await moveRoot(await read(hold(makeBiped())), 'extract');
    const root = localsOf(after, 'root', KEYS);
    root.forEach((m) => {
      expect([m[13], m[1], m[4], m[6], m[9]].every((x) => Math.abs(x) < 1e-6)).toBe(true);
      expect(m[5]).toBeCloseTo(1, 6);
    });
    // the hips are above the place where the root stands
    const hips = after.nodes.names.indexOf('Hips');
    const motion = new NodeMotion(after.nodes, after.animations[0]);
    const world = bakeAt(after, after.animations[0], KEYS).positions;
    expect(Math.hypot(root[4][12], root[4][14])).toBeGreaterThan(1);
    expect(world.length).toBeGreaterThan(0);
    const rest = after.nodes.translations.subarray(3 * hips, 3 * hips + 3);
    const spread = [...KEYS].map((time) => {
      const local = new Float64Array(16);
      motion.localInto(hips, time, local);
      return [12, 13, 14].map((c) => Math.abs(local[c] - rest[c - 12]) / Math.hypot(...rest));
    });
    // one axis of three moves: up
    const moving = [0, 1, 2].filter((c) => spread.some((list) => list[c] > 1e-3));
    expect(moving).toHaveLength(1);
  });

  it('adds a joint to the skin, which three.js plays alike and the validator accepts', async () => {
    const before = await read(hangBelow(makeBiped(), 'Armature', Z_UP, 0.01));
    const after = await moveRoot(before, 'extract');
    expect(after.rig?.isJoint.reduce((sum, is) => sum + is, 0)).toBe(8);
    const bytes = await writeGlb(after);
    const { issues } = await validateBytes(bytes);
    expect(issues.messages.filter(({ severity }) => severity < 2)).toEqual([]);
    const gltf = await new GLTFLoader().parseAsync(bytes.buffer, '');
    const mixer = new AnimationMixer(gltf.scene);
    mixer.clipAction(gltf.animations[0]).play();
    for (const time of [0.5, 1, 1.4]) {
      mixer.setTime(time);
      const { positions } = bakeAt(before, before.animations[0], Float64Array.of(time));
      expect(distanceOf(gltf.scene, positions)).toBeLessThan(3e-5);
    }
  });

  it('counts a root bone with weights as no root, since it would take its vertices along', async () => {
    const scene = withRootBone(makeBiped(), 'base');
    const [shape] = scene.shapes;
    const { weights } = shape.skin ?? {};
    if (weights) weights.boneIndices[0] = 7;
    const before = await read(scene);
    const after = await moveRoot(before, 'extract');
    expect(after.nodes.names).toContain('root');
    expect(differenceOf(after, before, KEYS)).toBeLessThan(1e-6);
  });

  it('keeps what values that jump do', async () => {
    const scene = makeBiped();
    for (const track of scene.animations[0].tracks) if (track.node === 0) track.interpolation = 'STEP';
    const before = await read(scene);
    const after = await moveRoot(before, 'extract');
    expect(differenceOf(after, before, KEYS)).toBeLessThan(1e-6);
    expect(differenceOf(after, before, BETWEEN)).toBeLessThan(1e-5);
  });

  const files = ['rigs/Michelle.glb', 'rigs/Fox.glb', 'animals/Wolf.glb'];
  it.skipIf(!existsSync(`${data}/rigs`)).each(files)(
    'leaves the vertices of %s within 1e-6 at keys (needs the data folder)',
    async (name) => {
      const before = await readAsset([{ name, bytes: new Uint8Array(readFileSync(`${data}/${name}`)) }]);
      const after = await moveRoot(before, 'extract');
      const { times } = before.animations[0].tracks[0];
      const some = Float64Array.from([0.1, 0.4, 0.9], (ratio) => times[Math.floor(ratio * (times.length - 1))]);
      expect(differenceOf(after, before, some)).toBeLessThan(1e-6);
    },
  );
});

describe('removed root motion', () => {
  it.each(HOLDERS)('keeps the hips above one place, with their pose, with %s', async (_, hold) => {
    const before = await read(hold(makeBiped()));
    const extracted = await moveRoot(before, 'extract');
    const notes: string[] = [];
    const after = await moveRoot(before, 'none', (text) => notes.push(text));
    expect(notes).toEqual([
      expect.stringMatching(/was removed in 1 of 1 .*errors are measured against the animations in place$/),
    ]);
    expect(after.nodes.names).toEqual(before.nodes.names);
    // what is left is the extracted animation without its root
    const animation = extracted.animations[0];
    const root = extracted.nodes.names.indexOf('root');
    const still = {
      ...extracted,
      animations: [{ ...animation, tracks: animation.tracks.filter(({ node }) => node !== root) }],
    };
    expect(differenceOf(after, still, KEYS)).toBeLessThan(1e-6);
  });
});

describe('root motion', () => {
  it('stays as it is by default, and in files without animations or joints', async () => {
    const asset = await read(makeBiped());
    expect(await moveRoot(asset, 'keep')).toBe(asset);
    const still = await read({ ...makeBiped(), animations: [] });
    expect(await moveRoot(still, 'extract')).toBe(still);
  });

  it('is that of the joint named hips or pelvis, else of the first one that moves and branches', () => {
    const nodes = makeNodeTree(5);
    nodes.parents.set([-1, 0, 1, 2, 2]);
    nodes.names = ['ground', 'LeftPelvis', 'body', 'a', 'b'];
    nodes.translations.set([0, 1, 0], 6);
    const joints = new Set([0, 1, 2, 3, 4]);
    expect(findTrunk(nodes, { joints })).toBe(2);
    expect(findTrunk(nodes, { joints, hips: 1 })).toBe(1);
    expect(findTrunk(nodes, { joints, moving: new Set() })).toBe(-1);
    nodes.names[1] = 'bip01 Pelvis';
    expect(findTrunk(nodes, { joints })).toBe(1);
  });
});

/** Largest distance of drawn vertices from others. */
function distanceOf(scene: Object3D, positions: Float32Array): number {
  let most = 0;
  scene.updateMatrixWorld(true);
  scene.traverse((object) => {
    if (!(object instanceof Mesh)) return;
    for (let i = 0; i < positions.length / 3; i++) {
      const point = object.getVertexPosition(i, new Vector3()).applyMatrix4(object.matrixWorld);
      point.toArray().forEach((x, c) => {
        most = Math.max(most, Math.abs(x - positions[3 * i + c]));
      });
    }
  });
  return most;
}
