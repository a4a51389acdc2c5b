// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { eulerOf } from '../../../core/math/euler.ts';
import { compose, multiply, transformPoint } from '../../../core/math/mat4.ts';
import { conjugateQuaternion, multiplyQuaternions } from '../../../core/math/quaternion.ts';
import type { Asset } from '../../../core/model/asset.ts';
import type { Animation } from '../../../core/model/clip/animation.ts';
import { makeAsset } from '../../../core/model/make-asset.ts';
import type { NodeTree } from '../../../core/model/skin/node-tree.ts';
import { carryPoses } from '../carry-poses.ts';
import { poseAsset } from '../pose-asset.ts';

const DEGREE = Math.PI / 180;
const HALF = Math.SQRT1_2;

/** An arm: a node with scale, and two joints below it, of which the first is turned at rest. */
function makeArm(names = ['model', 'upper', 'lower']): Asset {
  const nodes: NodeTree = {
    names,
    parents: Int32Array.of(-1, 0, 1),
    translations: Float64Array.of(0, 0, 0, 1, 0, 0, 0, 2, 0),
    rotations: Float64Array.of(0, 0, 0, 1, 0, 0, HALF, HALF, 0, 0, 0, 1),
    scales: Float64Array.of(2, 2, 2, 1, 1, 1, 1, 1, 1),
  };
  const mesh = { positions: Float32Array.of(0, 0, 0, 1, 0, 0, 0, 2, 0), triangles: Uint32Array.of(0, 1, 2) };
  const base = makeAsset({
    kind: 'clip',
    name: 'arm',
    mesh: { ...mesh, attributes: [], materials: [], parts: [] },
    positions: new Float32Array(0),
    times: new Float64Array(0),
  } as never);
  const worlds = [1, 2].flatMap((node) => [...worldOf(nodes, node)]);
  return {
    ...base,
    nodes,
    clips: [],
    animations: [],
    rig: {
      skeleton: { names: names.slice(1), parents: Int32Array.of(-1, 0), bindMatrices: Float64Array.from(worlds) },
      skin: {
        rowStart: Uint32Array.of(0, 1, 2, 3),
        boneIndices: Uint32Array.of(0, 0, 1),
        weights: Float32Array.of(1, 1, 1),
      },
      nodeOfBone: Int32Array.of(1, 2),
      isJoint: Uint8Array.of(1, 1),
    },
  };
}

function worldOf(nodes: NodeTree, node: number): Float64Array {
  const own = new Float64Array(16);
  compose(nodes.translations, nodes.rotations, nodes.scales, own, 3 * node, 4 * node, 3 * node);
  if (nodes.parents[node] >= 0) multiply(worldOf(nodes, nodes.parents[node]), own, own);
  return own;
}

/** The nodes in pose k of an animation. */
function poseNodes(nodes: NodeTree, { tracks }: Animation, k: number): NodeTree {
  const posed = { ...nodes, translations: nodes.translations.slice(), rotations: nodes.rotations.slice() };
  for (const { node, path, values } of tracks) {
    if (path === 'rotation') posed.rotations.set(values.subarray(4 * k, 4 * k + 4), 4 * node);
    if (path === 'translation') posed.translations.set(values.subarray(3 * k, 3 * k + 3), 3 * node);
  }
  return posed;
}

const drawn = (asset: Asset, options = {}): Animation => poseAsset(asset, { poses: 'ranges', ...options }).drawn!;
const ONE_KEY: Animation = {
  name: 'T-pose',
  duration: 1,
  tracks: [
    {
      ...{ node: 1, path: 'translation', interpolation: 'LINEAR' },
      ...{ times: Float32Array.of(0, 1), values: Float32Array.of(1, 0, 0, 1, 0, 0) },
    },
  ],
};
const MOVING: Animation = {
  ...ONE_KEY,
  tracks: [{ ...ONE_KEY.tracks[0], values: Float32Array.of(1, 0, 0, 1, 3, 0) }],
};

describe('poseAsset', () => {
  it('keeps animations that move, and draws poses for a rig without any, or with a single pose', () => {
    const arm = makeArm();
    expect(poseAsset({ ...arm, animations: [MOVING] })).toMatchObject({ source: 'animations' });
    const still = poseAsset(arm);
    expect(still.source).toBe('ranges');
    expect(still.asset.animations).toEqual([still.drawn]);
    expect(poseAsset({ ...arm, animations: [ONE_KEY] }).asset.animations).toHaveLength(2);
    expect(poseAsset({ ...arm, rig: undefined }).source).toBe('rest');
    expect(() => poseAsset(arm, { poses: 'animations' })).toThrow('the file has no animation');
  });

  it('starts at the rest pose and turns joints about it, by 45 degrees at most, trunks and roots by 30', () => {
    const arm = makeArm();
    const animation = drawn(arm);
    const most = [0, 0, 0];
    for (const { node, path, values } of animation.tracks) {
      expect(path).toBe('rotation');
      const back = [0, 0, 0, 1];
      conjugateQuaternion(arm.nodes.rotations.subarray(4 * node, 4 * node + 4), back);
      for (let o = 0; o < values.length; o += 4) {
        const turn = [0, 0, 0, 1];
        multiplyQuaternions(back, values, turn, 0, o);
        const angles = eulerOf(turn).map((angle) => Math.abs(angle) / DEGREE);
        if (o === 0) for (const angle of angles) expect(angle).toBeCloseTo(0, 4);
        most[node] = Math.max(most[node], ...angles);
      }
    }
    expect(animation.tracks.map(({ times }) => times.length)).toEqual([48, 48]);
    expect(most[1]).toBeCloseTo(30, 3);
    expect(most[2]).toBeCloseTo(45, 3);
  });

  it('gives the same poses for a seed, and others for another', () => {
    const [a, b, c] = [drawn(makeArm(), { seed: 3 }), drawn(makeArm(), { seed: 3 }), drawn(makeArm(), { seed: 4 })];
    expect(a).toEqual(b);
    expect(a.tracks[0].values).not.toEqual(c.tracks[0].values);
  });

  it('obeys the limits of the file and given ranges', () => {
    const source = {
      json: {
        nodes: [
          {
            name: 'lower',
            extras: {
              jointLimits: {
                rotation: [
                  [0, 0],
                  [0, 0],
                  [0, 9],
                ],
              },
            },
          },
        ],
      },
    };
    const arm = { ...makeArm(), source: { ...source, resources: {} } };
    const angles = (values: Float32Array) =>
      Array.from({ length: values.length / 4 }, (_, k) => eulerOf(values, 4 * k).map((angle) => angle / DEGREE));
    for (const [x, y, z] of angles(drawn(arm).tracks[1].values)) {
      expect(Math.hypot(x, y)).toBeCloseTo(0, 4);
      expect(z).toBeGreaterThanOrEqual(-1e-4);
      expect(z).toBeLessThan(9.001);
    }
    const wide = angles(drawn(arm, { ranges: { '*': [0, 80, 0] } }).tracks[1].values);
    expect(Math.max(...wide.map(([, y]) => y))).toBeCloseTo(80, 3);
  });

  it('moves joints along their axes where ranges of translation are given, in units of the file', () => {
    const arm = makeArm();
    const animation = drawn(arm, { ranges: { lower: { rotation: 0, translation: [[1, 1], 0, 0] } } });
    const before = worldOf(arm.nodes, 2);
    const moved = poseNodes(arm.nodes, { ...animation, tracks: animation.tracks.filter(({ node }) => node === 2) }, 1);
    const after = worldOf(moved, 2);
    // the x axis of the joint points along y
    expect([after[12] - before[12], after[13] - before[13], after[14] - before[14]].map((x) => +x.toFixed(5))).toEqual([
      0, 1, 0,
    ]);
  });

  it('carries joints along their skeleton where their nodes are side by side, as in assets made of a model', () => {
    const arm = makeArm();
    const flat = makeArm();
    flat.nodes = {
      names: ['upper', 'lower'],
      parents: Int32Array.of(-1, -1),
      translations: Float64Array.from([1, 2].flatMap((node) => [...worldOf(arm.nodes, node).subarray(12, 15)])),
      rotations: Float64Array.of(0, 0, HALF, HALF, 0, 0, HALF, HALF),
      scales: Float64Array.of(2, 2, 2, 2, 2, 2),
    };
    flat.rig!.nodeOfBone = Int32Array.of(0, 1);
    const ranges = { lower: { rotation: 70, translation: 0.3 } };
    const [own, tips] = [arm, flat].map((asset) => tipsOf(asset, drawn(asset, { ranges }), [0.5, 1, 0]));
    for (const [n, x] of own.entries()) expect(tips[n]).toBeCloseTo(x, 5);
  });

  it('gives each morph target its full weight once', () => {
    const shape = { name: '', node: 0, vertexStart: 0, vertexCount: 3, positions: new Float32Array(9) };
    const targets = [0, 1, 2].map((weight) => ({ ...shape, weight }));
    const restWeights = [{ node: 0, weights: Float32Array.of(0.5, 0, 0) }];
    const { tracks } = drawn({ ...makeArm(), morphs: { targets, restWeights } }, { count: 3 });
    expect([...tracks.find(({ path }) => path === 'weights')!.values]).toEqual([0.5, 0, 0, 1, 0, 1, 0.5, 1, 0]);
  });
});

/** Places of the last joint's tip over all poses. */
const tipsOf = ({ nodes }: Asset, animation: Animation, tip: number[]): number[] =>
  Array.from({ length: 48 }, (_, k) => {
    const out = [0, 0, 0];
    transformPoint(worldOf(poseNodes(nodes, animation, k), nodes.names.indexOf('lower')), tip, out);
    return out;
  }).flat();

describe('carryPoses', () => {
  it('turns joints with other axes in another file about the same axes in space', () => {
    const arm = makeArm();
    const posed = poseAsset(arm);
    // the joints in another order and without their turn: the tip is elsewhere in the frame of the last one
    const other = makeArm(['lower', 'model', 'upper']);
    other.nodes = {
      names: ['model', 'extra', 'upper', 'lower'],
      parents: Int32Array.of(-1, -1, 0, 2),
      translations: Float64Array.of(0, 0, 0, 5, 5, 5, 1, 0, 0, -2, 0, 0),
      rotations: Float64Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1),
      scales: Float64Array.of(2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1),
    };
    const carried = carryPoses(posed, other, 'other.glb').animations[0];
    const [own, tips] = [tipsOf(arm, posed.drawn!, [0, 1, 0]), tipsOf(other, carried, [-1, 0, 0])];
    for (const [n, x] of own.entries()) expect(tips[n]).toBeCloseTo(x, 5);
    expect(Math.max(...own) - Math.min(...own)).toBeGreaterThan(1);
  });

  it('names the joint that a file lacks', () => {
    const other = makeArm(['model', 'upper', 'hand']);
    expect(() => carryPoses(poseAsset(makeArm()), other, 'other.glb')).toThrow('other.glb: has no joint "lower"');
  });
});
