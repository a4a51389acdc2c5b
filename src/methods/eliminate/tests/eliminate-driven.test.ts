// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeIdentities } from '../../../core/math/mat4.ts';
import { NO_FACTOR, type ShapeDrivenSkin } from '../../../core/model/deformed/shape-drivers.ts';
import { makeMesh } from '../../../core/model/mesh/mesh.ts';
import { makeSkin } from '../../../core/model/skin/skin.ts';
import { eliminateDriven } from '../eliminate-driven.ts';

const SIZE = 100;

/** Four points on a diagonal of 100 that follow two bones. The first shape moves bone 0 by `far`, the second moves bone 1 by `near`. */
function makeDriven(far: number, near: number): ShapeDrivenSkin {
  const side = SIZE / Math.sqrt(3);
  const positions = Float32Array.from({ length: 12 }, (_, c) => (Math.floor(c / 3) / 3) * side);
  return {
    kind: 'shape-driven',
    mesh: makeMesh(positions, new Uint32Array(0)),
    skeleton: { names: ['a', 'b'], parents: Int32Array.of(-1, -1), bindMatrices: makeIdentities(2) },
    skin: makeSkin([0, 0, 1, 1], [1, 1, 1, 1], 1),
    drivers: {
      shapes: ['far', 'near'],
      form: 'rotation',
      factors: Uint32Array.of(0, NO_FACTOR, 1, NO_FACTOR),
      rowStart: Uint32Array.of(0, 1, 2),
      columns: Uint32Array.of(0, 9),
      values: Float32Array.of(far, near),
    },
  };
}
const TRACK = { name: 'move', times: Float64Array.of(0), weights: Float32Array.of(1, 1) };

describe('eliminateDriven', () => {
  it('removes what moves vertices by less than the ratio of the size, and says how far that would be', () => {
    const { shapes, largest, model } = eliminateDriven(makeDriven(5, 0.5), [TRACK], 0.01);
    expect(shapes).toEqual(['near']);
    expect(model.drivers.shapes).toEqual(['far']);
    expect(largest).toBeCloseTo(0.5, 5);
  });

  it('keeps what moves them by more', () => {
    const { shapes, bones } = eliminateDriven(makeDriven(5, 1.5), [TRACK], 0.01);
    expect([shapes, bones]).toEqual([[], []]);
  });
});
