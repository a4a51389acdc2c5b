// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeCompute } from '../../../../core/compute/make-compute.ts';
import { makeScanSurface } from '../../register/make-scan-surface.ts';
import { placeSurface } from '../../template/make-template-model.ts';
import { findHidden } from '../find-hidden.ts';

const SIZE = 11;

/** Two sheets of SIZE x SIZE points in the unit square, the upper one a part of the size, facing each other. */
function makeSheets(gap: number, part: number): Float32Array {
  const positions: number[] = [];
  for (const [z, scale] of [
    [0, 1],
    [gap, part],
  ])
    for (let r = 0; r < SIZE; r++)
      for (let c = 0; c < SIZE; c++) positions.push((scale * c) / (SIZE - 1), (scale * r) / (SIZE - 1), z);
  return Float32Array.from(positions);
}

function listTriangles(): Uint32Array {
  const triangles: number[] = [];
  for (const isUpper of [false, true])
    for (let r = 0; r + 1 < SIZE; r++)
      for (let c = 0; c + 1 < SIZE; c++) {
        const i = (isUpper ? SIZE * SIZE : 0) + r * SIZE + c;
        const square = [i, i + 1, i + SIZE, i + 1, i + SIZE + 1, i + SIZE];
        triangles.push(...(isUpper ? square.reverse() : square));
      }
  return Uint32Array.from(triangles);
}

async function hiddenWith(rest: Float32Array, posed: Float32Array): Promise<Uint8Array> {
  const compute = await makeCompute({ kind: 'typescript' });
  const surface = makeScanSurface({ positions: rest, triangles: listTriangles() }, { scale: 1, center: [0, 0, 0] });
  const positions = new Float64Array(surface.positions.length);
  surface.pointOfVertex.forEach((point, v) => {
    for (let a = 0; a < 3; a++) positions[3 * point + a] = posed[3 * v + a];
  });
  const placed = placeSurface(compute, surface, positions);
  const isHidden = await findHidden(placed);
  return Uint8Array.from(surface.pointOfVertex, (point) => isHidden[point]);
}

describe('findHidden', () => {
  it('finds the points of parts that came together, and no others', async () => {
    const isHidden = await hiddenWith(makeSheets(0.3, 0.5), makeSheets(0.004, 0.5));
    for (let v = 0; v < isHidden.length; v++) {
      const [r, c] = [Math.floor((v % (SIZE * SIZE)) / SIZE), v % SIZE];
      const isBelow = r <= (SIZE - 1) / 2 && c <= (SIZE - 1) / 2;
      expect(isHidden[v]).toBe(v >= SIZE * SIZE || isBelow ? 1 : 0);
    }
  });

  it('tests given points alone', async () => {
    const rest = makeSheets(0.3, 1);
    const surface = makeScanSurface({ positions: rest, triangles: listTriangles() }, { scale: 1, center: [0, 0, 0] });
    const positions = surface.positions.map((x, c) => (c % 3 === 2 && x > 0 ? 0.004 : x));
    const placed = placeSurface(await makeCompute({ kind: 'typescript' }), surface, positions);
    const isHidden = await findHidden(placed, Uint32Array.of(3, 70));
    expect([...isHidden.keys()].filter((i) => isHidden[i] === 1)).toEqual([3, 70]);
  });

  it('does not hide parts that are apart, or a thin gap that is there in the rest shape', async () => {
    expect((await hiddenWith(makeSheets(0.3, 0.5), makeSheets(0.05, 0.5))).includes(1)).toBe(false);
    expect((await hiddenWith(makeSheets(0.004, 1), makeSheets(0.004, 1))).includes(1)).toBe(false);
  });
});
