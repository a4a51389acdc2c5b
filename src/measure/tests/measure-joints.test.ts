// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeIdentities, multiply } from '../../core/math/mat4.ts';
import { makeAsset } from '../../core/model/make-asset.ts';
import { makeMesh } from '../../core/model/mesh/mesh.ts';
import { makeSkin } from '../../core/model/skin/skin.ts';
import { measureJoints } from '../measure-joints.ts';

interface Chain {
  /** x of each joint; each is the parent of the next */
  at: number[];
  /** Names of the joints. Default: a, b, c … */
  names?: string[];
  /** Rotation of each joint about z relative to its parent, degrees, by frame. */
  degrees?: number[][];
  /** Vertices follow this joint. Default: the last. */
  weighted?: number;
  /** Moves the rest shape and the joints. */
  lift?: number;
}

const SIZE = 10;

/** A triangle of box diagonal 10 on a chain of joints along x. */
function makeChain({ at, names, degrees = [], weighted = at.length - 1, lift = 0 }: Chain) {
  const positions = Float32Array.of(0, lift, 0, SIZE, lift, 0, SIZE / 2, lift, 0);
  const bindMatrices = makeIdentities(at.length);
  for (const [j, x] of at.entries()) bindMatrices.set([x, lift], 16 * j + 12);
  const matrices = new Float64Array(degrees.length * at.length * 16);
  degrees.forEach((frame, k) => {
    for (let j = 0; j < at.length; j++) {
      const o = 16 * (k * at.length + j);
      const [c, s] = [Math.cos((frame[j] * Math.PI) / 180), Math.sin((frame[j] * Math.PI) / 180)];
      // about (x, lift) at rest, then lowered to y = 0 by the root
      const own = [
        c,
        s,
        0,
        0,
        -s,
        c,
        0,
        0,
        0,
        0,
        1,
        0,
        at[j] - c * at[j] + s * lift,
        lift - s * at[j] - c * lift,
        0,
        1,
      ];
      if (j === 0) {
        own[13] -= lift;
        matrices.set(own, o);
      } else multiply(matrices, own, matrices, o - 16, 0, o);
    }
  });
  return makeAsset({
    kind: 'skin',
    mesh: makeMesh(positions, Uint32Array.of(0, 1, 2)),
    skeleton: {
      names: names ?? at.map((_, j) => 'abcdef'[j]),
      parents: Int32Array.from(at, (_, j) => j - 1),
      bindMatrices,
    },
    skin: makeSkin([weighted, weighted, weighted], [1, 1, 1], 1),
    motions: degrees.length > 0 ? [{ name: 'move', times: Float64Array.from(degrees, (_, k) => k), matrices }] : [],
  });
}

const times = Float64Array.of(0, 1, 2);
const BENDS = [
  [0, 0, 0],
  [0, 20, 0],
  [0, 40, 30],
];
const measure = (reference: Chain, result: Chain) => {
  const [a, b] = [makeChain(reference), makeChain(result)];
  return measureJoints(a, b, [{ reference: a.animations[0], result: b.animations[0], times }]);
};

describe('measureJoints', () => {
  it('gives the distance to the nearest joint in percent of the size', () => {
    const report = measure({ at: [0, 2, 6], degrees: BENDS }, { at: [0, 1.95, 6.4], names: ['x', 'y', 'z'] });
    expect(report).toMatchObject({ pose: 'rest', moving: 2, worst: 'c', within1: 1, within3: 1, within5: 2 });
    expect(report!.distances.map(({ name, nearest }) => [name, nearest])).toEqual([
      ['b', 'y'],
      ['c', 'z'],
    ]);
    expect(report!.distances[0].percent).toBeCloseTo(0.5, 6);
    expect(report!.maxPercent).toBeCloseTo(4, 6);
    expect(report!.medianPercent).toBeCloseTo(2.25, 5);
  });

  it('leaves out joints that rotate by less than 5°, that have no parent, or that move no vertex', () => {
    const still = BENDS.map(([root, b]) => [root, b, b / 10]); // c rotates by 4°
    expect(measure({ at: [0, 2, 6], degrees: still }, { at: [0] })?.distances.map(({ name }) => name)).toEqual(['b']);
    const turned = BENDS.map(([, b]) => [b, 0, 0]);
    expect(measure({ at: [0, 2, 6], degrees: turned }, { at: [0] })).toBeUndefined();
    const weightless = measure({ at: [0, 2, 6], degrees: BENDS, weighted: 1 }, { at: [0] });
    expect(weightless?.distances.map(({ name }) => name)).toEqual(['b']);
  });

  it('counts the range of a rotation over the frames, not its distance from the rest pose', () => {
    const bent = BENDS.map(() => [0, 40, 0]);
    expect(measure({ at: [0, 2, 6], degrees: bent }, { at: [0] })).toBeUndefined();
    const about = [-3, 0, 3].map((b) => [0, b, 0]);
    expect(measure({ at: [0, 2, 6], degrees: about }, { at: [0] })?.moving).toBe(1);
  });

  it('compares over the frames of the shared animation where the rest shapes differ', () => {
    const reference: Chain = { at: [0, 2, 6], degrees: BENDS };
    const lifted = measure(reference, { ...reference, lift: 3 });
    expect(lifted).toMatchObject({ pose: 'frames', moving: 2, within1: 2 });
    expect(lifted!.maxPercent).toBeLessThan(1e-5);
    const off = measure(reference, { at: [0, 2.5, 6], degrees: BENDS, lift: 3 });
    expect(off!.distances[0].percent).toBeCloseTo(5, 5);
  });

  it('measures nothing without joints, or where neither the rest shape nor an animation is shared', () => {
    const reference = makeChain({ at: [0, 2, 6], degrees: BENDS });
    const { rig: _, ...plain } = makeChain({ at: [0] });
    const animations = [{ reference: reference.animations[0], times }];
    expect(measureJoints(reference, plain, animations)).toBeUndefined();
    expect(measureJoints(plain, reference, [])).toBeUndefined();
    expect(measureJoints(reference, makeChain({ at: [0], lift: 3 }), animations)).toBeUndefined();
    expect(measureJoints(reference, makeChain({ at: [0] }), animations)).toMatchObject({ pose: 'rest' });
  });
});
