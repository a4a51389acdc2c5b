// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import type { Clip } from '../../../model/clip/clip.ts';
import { listRigidPieces } from '../list-rigid-pieces.ts';

/** Tetrahedra at x = 0, 2, 4 … that turn about z at rates of their own; stretch adds to the height of the last one in the last frame. */
function makeTetrahedra({
  rates,
  offset = 0,
  stretch = 0,
}: {
  rates: number[];
  offset?: number;
  stretch?: number;
}): Clip {
  const frameCount = 5;
  const corners = [
    [0, 0, 0],
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ];
  const rest = rates.flatMap((_, n) => corners.flatMap(([x, y, z]) => [offset + 2 * n + x, y, z]));
  const frames: number[] = [];
  for (let k = 0; k < frameCount; k++) {
    rates.forEach((rate, n) => {
      const [c, s] = [Math.cos(rate * k), Math.sin(rate * k)];
      corners.forEach(([x, y, z], corner) => {
        const isStretched = k === frameCount - 1 && n === rates.length - 1 && corner === 3;
        frames.push(offset + 2 * n + c * x - s * y, s * x + c * y + k, z + (isStretched ? stretch : 0));
      });
    });
  }
  const triangles = rates.flatMap((_, n) => [0, 1, 2, 0, 1, 3, 0, 2, 3, 1, 2, 3].map((i) => i + 4 * n));
  return {
    kind: 'clip',
    name: 'tetrahedra',
    mesh: {
      name: '',
      positions: Float32Array.from(rest),
      triangles: Uint32Array.from(triangles),
      attributes: [],
      parts: [],
    },
    positions: Float32Array.from(frames),
    times: Float64Array.from({ length: frameCount }, (_, k) => k / 24),
  };
}

describe('listRigidPieces', () => {
  it('finds every part that turns and moves, with its motion', () => {
    const clip = makeTetrahedra({ rates: [0.3, -0.2, 0] });
    const pieces = listRigidPieces(clip);
    expect(pieces.map(({ vertices }) => [...vertices])).toEqual([
      [0, 1, 2, 3],
      [4, 5, 6, 7],
      [8, 9, 10, 11],
    ]);
    const m = pieces[0].matrices.subarray(16, 32);
    expect(m[0]).toBeCloseTo(Math.cos(0.3), 6);
    expect(m[1]).toBeCloseTo(Math.sin(0.3), 6);
    expect([m[12], m[13], m[14]].map((value) => Math.round(value * 1e5) / 1e5)).toEqual([0, 1, 0]);
  });

  it('leaves out a part that bends in one frame', () => {
    expect(listRigidPieces(makeTetrahedra({ rates: [0.3, -0.2], stretch: 1e-3 }))).toHaveLength(1);
  });

  it('tolerates the rounding of positions far from the origin', () => {
    expect(listRigidPieces(makeTetrahedra({ rates: [0.3, -0.2, 0.1], offset: 5000 }))).toHaveLength(3);
  });

  it('does not take a part for rigid whose bend is hidden by the precision far from the origin', () => {
    const far = makeTetrahedra({ rates: [0, 0], offset: 1e5, stretch: 0.3 });
    expect(listRigidPieces(far).map(({ vertices }) => vertices[0])).toEqual([0]);
    expect(listRigidPieces(makeTetrahedra({ rates: [0.3], offset: 1e7, stretch: 20 }))).toEqual([]);
  });

  it('has no pieces without triangles or frames', () => {
    const clip = makeTetrahedra({ rates: [0.3] });
    expect(listRigidPieces({ ...clip, mesh: { ...clip.mesh, triangles: new Uint32Array(0) } })).toEqual([]);
    expect(listRigidPieces({ ...clip, positions: new Float32Array(0), times: new Float64Array(0) })).toEqual([]);
  });
});
