// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { compose, makeIdentities, multiply } from '../../../core/math/mat4.ts';
import type { Asset } from '../../../core/model/asset.ts';
import type { Skeleton } from '../../../core/model/skin/skeleton.ts';
import { rangesFromLimits } from '../ranges-from-limits.ts';
import { rangesFromMotions } from '../ranges-from-motions.ts';
import { defaultRanges, readRanges, scaleRanges } from '../ranges-of-motion.ts';

const DEGREE = Math.PI / 180;

function skeletonOf(names: string[], parents: number[]): Skeleton {
  const bindMatrices = makeIdentities(names.length);
  for (let j = 0; j < names.length; j++) bindMatrices[16 * j + 12] = j;
  return { names, parents: Int32Array.from(parents), bindMatrices };
}

describe('ranges of motion', () => {
  const person = skeletonOf(['mixamorig:Hips', 'mixamorig:Spine1', 'LeftHip', 'spine_03', 'Hand'], [-1, 0, 0, 1, 1]);

  it('are narrow for hips and spine and wide for limbs, without translation', () => {
    const highs = defaultRanges(person, 2).map(({ rotation }) => Math.round(rotation[0][1] / DEGREE));
    expect(highs).toEqual([30, 30, 120, 30, 120]);
    for (const { translation } of defaultRanges(person, 2)) expect(translation[1]).toEqual([-0, 0]);
  });

  it('let loose bones translate as well', () => {
    const loose = defaultRanges(skeletonOf(['a', 'b', 'c'], [-1, -1, 1]), 2);
    expect(loose[0].translation[0]).toEqual([-0.2, 0.2]);
    expect(loose[1].translation[0][1]).toBe(0);
  });

  it('read hinges and asymmetric ranges from a table, with a default for all others', () => {
    const table = { '*': 10, Hand: [[0, 90], 0, 5], LeftHip: { rotation: [-20, 40], translation: 0.1 } };
    const ranges = readRanges(JSON.parse(JSON.stringify(table)), person, 2);
    const degrees = (j: number): number[][] => ranges[j].rotation.map((r) => r.map((v) => Math.round(v / DEGREE) + 0));
    expect(degrees(0)).toEqual([
      [-10, 10],
      [-10, 10],
      [-10, 10],
    ]);
    expect(degrees(4)).toEqual([
      [0, 90],
      [0, 0],
      [-5, 5],
    ]);
    expect(degrees(2)).toEqual([
      [-20, 40],
      [-20, 40],
      [-20, 40],
    ]);
    expect(ranges[2].translation[2]).toEqual([-0.1, 0.1]);
    expect(scaleRanges(ranges, 0.5)[4].rotation[0][1]).toBeCloseTo(45 * DEGREE, 12);
  });

  it('throw on invalid tables', () => {
    expect(() => readRanges({ Foot: 3 }, person, 2)).toThrow('there is no bone "Foot"');
    expect(() => readRanges({ Hand: -3 }, person, 2)).toThrow('at least 0 or a rising pair, got -3');
    expect(() => readRanges({ Hand: [9, 3] }, person, 2)).toThrow('rising pair');
    expect(() => readRanges({ Hand: { turn: 3 } }, person, 2)).toThrow('has "turn"');
    expect(() => readRanges({ Hand: 900 }, person, 2)).toThrow('beyond a full turn');
    expect(() => readRanges([3], person, 2)).toThrow('expected an object');
    expect(() => rangesFromMotions(person, [])).toThrow('needs an animation');
  });

  it('come from motions as joint angles relative to parents', () => {
    const two = skeletonOf(['a', 'b'], [-1, 0]);
    const matrices = new Float64Array(3 * 32);
    const angles = [0.2, -0.5, 0.9];
    angles.forEach((angle, k) => {
      const root = new Float64Array(16);
      compose([k, 0, 2], [0, Math.sin(0.3), 0, Math.cos(0.3)], [1, 1, 1], root);
      const turn = new Float64Array(16);
      compose([0, 0, 0], [0, 0, Math.sin(angle / 2), Math.cos(angle / 2)], [1, 1, 1], turn);
      // about the joint at x = 1
      turn[12] = 1 - turn[0];
      turn[13] = -turn[1];
      matrices.set(root, 32 * k);
      multiply(root, turn, matrices, 0, 0, 32 * k + 16);
    });
    const [, child] = rangesFromMotions(two, [{ name: 'wave', times: Float64Array.of(0, 1, 2), matrices }]);
    expect(child.rotation[2][0]).toBeCloseTo(-0.5, 9);
    expect(child.rotation[2][1]).toBeCloseTo(0.9, 9);
    expect(child.rotation[0][1]).toBeCloseTo(5 * DEGREE, 9);
    for (const [low, high] of child.translation) {
      expect(low).toBeCloseTo(0, 9);
      expect(high).toBeCloseTo(0, 9);
    }
  });

  it('come from the joint limits of a file, by name', () => {
    const rig = { skeleton: person } as Asset['rig'];
    const sourceOf = (limits: unknown) => ({
      rig,
      source: {
        json: {
          nodes: [
            { name: 'Hand', extras: { jointLimits: limits } },
            { name: 'Lamp', extras: { jointLimits: 3 } },
          ],
        },
        resources: {},
      },
    });
    const table = rangesFromLimits(
      sourceOf({
        rotation: [
          [0, 90],
          [-10, 10],
          [0, 0],
        ],
      }),
    );
    expect(Object.keys(table)).toEqual(['Hand']);
    const ranges = readRanges(table, person, 2);
    expect(ranges[4].rotation.map(([low, high]) => Math.round((high - low) / DEGREE))).toEqual([90, 20, 0]);
    expect(ranges[0]).toEqual(defaultRanges(person, 2)[0]);
    expect(() => rangesFromLimits({ rig })).toThrow('the file has no joint limits');
    expect(() => rangesFromLimits(sourceOf(5))).toThrow('the joint limits of bone "Hand" have no rotation');
    expect(() => readRanges(rangesFromLimits(sourceOf({ rotation: 'far' })), person, 2)).toThrow('must be a number');
  });
});
