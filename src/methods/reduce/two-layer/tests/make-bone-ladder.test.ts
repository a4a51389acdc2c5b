// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeMesh } from '../../../../core/model/mesh/mesh.ts';
import { checkSkin, makeSkin } from '../../../../core/model/skin/skin.ts';
import { makeBoneLadder } from '../make-bone-ladder.ts';

// A strip of quads along x; four bones of four columns each. Bones 1 and 2 move alike, bone 3 moves a little, bone 0 stands:
//   0 0 0 0 | 1 1 1 1 | 2 2 2 2 | 3 3 3 3
const COLUMNS = 16;
const positions = Float32Array.from({ length: 6 * COLUMNS }, (_, c) =>
  c % 3 === 0 ? Math.floor(c / 6) : c % 3 === 1 ? Math.floor(c / 3) % 2 : 0,
);
const triangles = Uint32Array.from(
  Array.from({ length: COLUMNS - 1 }, (_, n) => [2 * n, 2 * n + 1, 2 * n + 2, 2 * n + 1, 2 * n + 3, 2 * n + 2]).flat(),
);
const mesh = makeMesh(positions, triangles);
const FRAMES = 6;
const lifts = [0, 1, 1, 1.3];
const matrices = new Float64Array(FRAMES * 4 * 16);
for (let k = 0; k < FRAMES; k++)
  for (let j = 0; j < 4; j++) {
    const m = matrices.subarray(16 * (4 * k + j), 16 * (4 * k + j + 1));
    m[0] = m[5] = m[10] = m[15] = 1;
    m[14] = lifts[j] * Math.sin(k);
  }
const bones = Array.from({ length: 2 * COLUMNS }, (_, i) => Math.floor(i / 8));
const skin = makeSkin(bones, new Float32Array(bones.length).fill(1), 1);

describe('makeBoneLadder', () => {
  it('removes the bone that is missed least first, and never lowers the error', async () => {
    const ladder = await makeBoneLadder(mesh, skin, 4, { matrices }, { influences: 2 });
    expect(ladder.boneCount).toBe(4);
    // one of the two that move alike, which costs nothing
    expect([1, 2]).toContain(ladder.removed[0]);
    expect(ladder.errors[3]).toBeCloseTo(0, 6);
    expect(ladder.errors[2]).toBeCloseTo(0, 6);
    // a lift of 1 is a blend of 0 and 1.3; no bone is a blend of one
    expect(ladder.errors[1]).toBeCloseTo(0, 6);
    expect(ladder.errors[0]).toBeGreaterThan(0.1);
    for (let n = 1; n < 4; n++) expect(ladder.errors[n]).toBeLessThanOrEqual(ladder.errors[n - 1] + 1e-9);
  });

  it('gives a valid skin with each number of bones, whose error is the stated one', async () => {
    const ladder = await makeBoneLadder(mesh, skin, 4, { matrices }, { influences: 2 });
    for (let count = 1; count <= 4; count++) {
      const smaller = ladder.skinOf(count);
      checkSkin(smaller, 4);
      expect(new Set(smaller.boneIndices).size).toBe(count);
      let squares = 0;
      for (let k = 0; k < FRAMES; k++)
        for (let i = 0; i < 2 * COLUMNS; i++) {
          let lift = 0;
          for (let e = smaller.rowStart[i]; e < smaller.rowStart[i + 1]; e++)
            lift += smaller.weights[e] * lifts[smaller.boneIndices[e]] * Math.sin(k);
          squares += (lift - lifts[Math.floor(i / 8)] * Math.sin(k)) ** 2;
        }
      const rmse = Math.sqrt(squares / (FRAMES * 2 * COLUMNS));
      expect(ladder.errors[count - 1]).toBeCloseTo(rmse, 5);
    }
  });

  it('stops on a signal', async () => {
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(makeBoneLadder(mesh, skin, 4, { matrices }, { signal })).rejects.toThrow('enough');
  });
});
