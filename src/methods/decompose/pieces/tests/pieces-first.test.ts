// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeCompute } from '../../../../core/compute/make-compute.ts';
import type { Clip } from '../../../../core/model/clip/clip.ts';
import { maxInfluencesOf } from '../../../../core/model/skin/skin.ts';
import { auto } from '../../auto/auto.ts';
import { fsd } from '../../fsd/fsd.ts';
import { lssp } from '../../lssp/lssp.ts';
import { measureFarthest } from '../../shared/measure-farthest.ts';
import { sma } from '../../sma/sma.ts';
import { ssdr } from '../../ssdr/ssdr.ts';
import { ssdrByError } from '../../ssdr/ssdr-by-error.ts';

const FRAMES = 12;
const CORNERS = [
  [0, 0, 0],
  [1, 0, 0],
  [0, 1, 0],
  [0, 0, 1],
];

/** Tetrahedra that tumble, each in its own way; and with soft, a strip beside them that bends; loose: vertices without triangles. */
function makeScene(pieceCount: number, { soft = 0, loose = 0, speed = 1 } = {}): Clip {
  const rest: number[] = [];
  const triangles: number[] = [];
  for (let n = 0; n < pieceCount; n++) {
    for (const i of [0, 1, 2, 0, 1, 3, 0, 2, 3, 1, 2, 3]) triangles.push(4 * n + i);
    for (const [x, y, z] of CORNERS) rest.push(2 * n + x, y, z);
  }
  for (let n = 0; n < soft; n++) {
    rest.push(0.2 * n, -2, 0, 0.2 * n, -2.5, 0);
    const i = 4 * pieceCount + 2 * n;
    if (n + 1 < soft) triangles.push(i, i + 1, i + 2, i + 1, i + 3, i + 2);
  }
  for (let n = 0; n < loose; n++) rest.push(2 * n, 3, 0);
  const frames: number[] = [];
  for (let k = 0; k < FRAMES; k++) {
    for (let n = 0; n < pieceCount; n++) {
      const angle = 0.1 * k * (n + 1) * speed;
      const [c, s] = [Math.cos(angle), Math.sin(angle)];
      for (const [x, y, z] of CORNERS) frames.push(2 * n + c * x - s * y, s * x + c * y - 0.05 * k * k * (n % 3), z);
    }
    for (let n = 0; n < soft; n++)
      for (const y of [-2, -2.5]) frames.push(0.2 * n, y, 0.04 * k * Math.sin(0.4 * n) * (1 + y * 0.1));
    for (let n = 0; n < loose; n++) frames.push(2 * n, 3 - 0.05 * k * k * (n % 3), 0);
  }
  return {
    kind: 'clip',
    name: 'scene',
    mesh: {
      name: '',
      positions: Float32Array.from(rest),
      triangles: Uint32Array.from(triangles),
      attributes: [],
      parts: [],
    },
    positions: Float32Array.from(frames),
    times: Float64Array.from({ length: FRAMES }, (_, k) => k / 24),
  };
}

describe('rigid pieces first', () => {
  it.each([
    ['ssdr', ssdr],
    ['fsd', fsd],
    ['auto', auto],
    ['lssp', lssp],
  ] as const)('%s gives each piece of a broken thing one bone, exactly', async (_, method) => {
    const compute = await makeCompute({ threads: 1 });
    const clip = makeScene(9);
    for (const seed of [0, 1]) {
      const { model, eRms, rigidPieces } = await method(compute, clip, { bones: 9, seed });
      expect(rigidPieces).toBe(9);
      expect(model.skeleton.names).toHaveLength(9);
      expect(maxInfluencesOf(model.skin)).toBe(1);
      expect(eRms).toBeLessThan(1e-3);
      expect(measureFarthest(clip, model)).toBeLessThan(1e-5);
    }
    compute.dispose();
  });

  it('finds the number of pieces where the number of bones is free', async () => {
    const compute = await makeCompute({ threads: 1 });
    const clip = makeScene(6);
    for (const { model } of [
      await sma(compute, clip),
      await ssdrByError(compute, clip, { kind: 'max', limit: 1e-3 }),
    ]) {
      expect(model.skeleton.names).toHaveLength(6);
      expect(measureFarthest(clip, model)).toBeLessThan(1e-5);
    }
    compute.dispose();
  });

  it('leaves the other bones to the rest of the mesh', async () => {
    const compute = await makeCompute({ threads: 1 });
    const clip = makeScene(3, { soft: 30 });
    const { model, eRms, rigidPieces } = await ssdr(compute, clip, { bones: 8 });
    expect(rigidPieces).toBe(3);
    expect(model.skeleton.names).toHaveLength(8);
    for (let v = 0; v < 12; v++) expect(model.skin.rowStart[v + 1] - model.skin.rowStart[v]).toBe(1);
    expect(eRms).toBeGreaterThan(0);
    expect(eRms).toBeLessThan(5);
    compute.dispose();
  });

  it('leaves a piece to the rest of the mesh if a part of the rest moves with it', async () => {
    const compute = await makeCompute({ threads: 1 });
    // one end of the strip does not move, nor does the piece
    const { model, rigidPieces } = await ssdr(compute, makeScene(1, { soft: 30, speed: 0 }), { bones: 6 });
    expect(rigidPieces).toBeUndefined();
    expect(model.skeleton.names).toHaveLength(6);
    compute.dispose();
  });

  it('attaches vertices without triangles to the closest motion', async () => {
    const compute = await makeCompute({ threads: 1 });
    const { model } = await ssdr(compute, makeScene(4, { loose: 3 }), { bones: 4 });
    expect(model.skeleton.names).toHaveLength(4);
    expect(model.skin.rowStart).toHaveLength(4 * 4 + 3 + 1);
    compute.dispose();
  });

  it('blends where there are fewer bones than pieces', async () => {
    const compute = await makeCompute({ threads: 1 });
    const { model, rigidPieces } = await ssdr(compute, makeScene(9), { bones: 4 });
    expect(rigidPieces).toBeUndefined();
    expect(model.skeleton.names).toHaveLength(4);
    compute.dispose();
  });
});
