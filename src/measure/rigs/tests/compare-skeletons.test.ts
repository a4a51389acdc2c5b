// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeIdentities } from '../../../core/math/mat4.ts';
import { makeAsset } from '../../../core/model/make-asset.ts';
import { makeMesh } from '../../../core/model/mesh/mesh.ts';
import { makeSkin } from '../../../core/model/skin/skin.ts';
import { compareSkeletons } from '../compare-skeletons.ts';

const times = Float64Array.of(0, 1, 2);

/** A strip along x with a bone per unit of length; the last bone is pulled away by `slide` in the last frame. */
function makeStrip({ at, slide = 0, still = false }: { at: number[]; slide?: number; still?: boolean }) {
  const count = at.length;
  const positions: number[] = [];
  const bones: number[] = [];
  for (let x = 0; x <= 30; x++) {
    for (const y of [-0.5, 0.5]) {
      positions.push(x / 5, y, 0);
      bones.push(at.reduce((best, from, j) => (x / 5 >= from ? j : best), 0));
    }
  }
  const triangles: number[] = [];
  for (let x = 0; x < 30; x++) triangles.push(2 * x, 2 * x + 1, 2 * x + 2, 2 * x + 1, 2 * x + 3, 2 * x + 2);
  const bindMatrices = makeIdentities(count);
  at.forEach((x, j) => {
    bindMatrices[16 * j + 12] = x;
  });
  const matrices = new Float64Array(3 * count * 16);
  for (let k = 0; k < 3; k++) {
    let m = [1, 0, 0, 1, 0, 0];
    for (let j = 0; j < count; j++) {
      const angle = j === 0 || still ? 0 : 0.3 * k;
      const [c, s] = [Math.cos(angle), Math.sin(angle)];
      // m times the rotation about (at, 0)
      const local = [c, s, -s, c, at[j] - c * at[j], -s * at[j]];
      m = [
        m[0] * local[0] + m[2] * local[1],
        m[1] * local[0] + m[3] * local[1],
        m[0] * local[2] + m[2] * local[3],
        m[1] * local[2] + m[3] * local[3],
        m[0] * local[4] + m[2] * local[5] + m[4],
        m[1] * local[4] + m[3] * local[5] + m[5],
      ];
      const pulled = j === count - 1 && k === 2 ? slide : 0;
      matrices.set([m[0], m[1], 0, 0, m[2], m[3], 0, 0, 0, 0, 1, 0, m[4] + pulled, m[5], 0, 1], 16 * (k * count + j));
    }
  }
  return makeAsset({
    kind: 'skin',
    mesh: makeMesh(Float32Array.from(positions), Uint32Array.from(triangles)),
    skeleton: { names: at.map((_, j) => `bone${j}`), parents: Int32Array.from(at, (_, j) => j - 1), bindMatrices },
    skin: makeSkin(
      bones,
      bones.map(() => 1),
      1,
    ),
    motions: [{ name: 'bend', times, matrices }],
  });
}

const compareStrips = (a: Parameters<typeof makeStrip>[0], b: Parameters<typeof makeStrip>[0]) => {
  const [reference, result] = [makeStrip(a), makeStrip(b)];
  return compareSkeletons(reference, result, [
    { reference: reference.animations[0], result: result.animations[0], times },
  ]);
};

describe('compareSkeletons', () => {
  it('finds nothing wrong with an equal skeleton', () => {
    const report = compareStrips({ at: [0, 2, 4] }, { at: [0, 2, 4] });
    expect(report).toMatchObject({
      recall: { count: 2, within3: 1, within1: 1 },
      precision: { count: 2, within3: 1 },
      strays: [],
      sliding: [],
      released: [],
      parents: 1,
      iou: 1,
      jointToJoint: 0,
      network: { iou: 1, jointToBone: 0 },
    });
  });

  it('counts missing and additional joints one to one', () => {
    const report = compareStrips({ at: [0, 2, 4] }, { at: [0, 2.1, 2.2, 5] });
    expect(report?.recall.within3).toBe(0.5);
    expect(report?.precision).toMatchObject({ count: 3 });
    expect(report?.strays).toEqual(['bone2', 'bone3']);
  });

  it('leaves out joints that do not turn', () => {
    expect(compareStrips({ at: [0, 2, 4], still: true }, { at: [0, 2] })?.recall.count).toBe(0);
  });

  it('lists joints that slide, and scores the others alone', () => {
    const report = compareStrips({ at: [0, 2, 4], slide: 0.5 }, { at: [0, 2] });
    expect(report).toMatchObject({ sliding: ['bone2'], recallConnected: { count: 1, within3: 1 } });
    expect(report?.recall.within3).toBe(0.5);
    const released = compareStrips({ at: [0, 2, 4], slide: 0.5 }, { at: [0, 2, 4.4], slide: 0.5 });
    expect(released).toMatchObject({ released: ['bone2'], precisionConnected: { count: 1, within3: 1 } });
  });
});
