// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import type { Clip } from '../../../core/model/clip/clip.ts';
import { poseOf } from '../../../core/model/clip/motion.ts';
import { makeMesh } from '../../../core/model/mesh/mesh.ts';
import { checkSkin, makeSkin } from '../../../core/model/skin/skin.ts';
import { makeLinearBlend } from '../../../deformers/linear-blend/make-linear-blend.ts';
import { makeBoneGrowth } from '../make-bone-growth.ts';

// A strip of 24 columns along x in four pieces of six columns. Each piece turns about its own corner; the start has one bone for the left half and one for the right.
const COLUMNS = 24;
const FRAMES = 5;
const positions = Float32Array.from({ length: 9 * COLUMNS }, (_, c) =>
  c % 3 === 0 ? Math.floor(c / 9) : c % 3 === 1 ? Math.floor(c / 3) % 3 : 0,
);
const mesh = makeMesh(positions, new Uint32Array());
const turns = [0.1, -0.3, 0.4, 0.7];
const frames = new Float32Array(FRAMES * positions.length);
const vertexCount = positions.length / 3;
for (let k = 0; k < FRAMES; k++)
  for (let v = 0; v < vertexCount; v++) {
    const piece = Math.floor(v / (3 * 6));
    const angle = (turns[piece] * k) / FRAMES;
    const x = positions[3 * v] - 6 * piece;
    const y = positions[3 * v + 1];
    const o = k * positions.length + 3 * v;
    frames[o] = Math.cos(angle) * x - Math.sin(angle) * y + 6 * piece;
    frames[o + 1] = Math.sin(angle) * x + Math.cos(angle) * y;
  }
const clip: Clip = {
  kind: 'clip',
  name: 'pieces',
  mesh,
  positions: frames,
  times: Float64Array.from({ length: FRAMES }, (_, k) => k / 24),
};
const skin = makeSkin(
  Array.from({ length: vertexCount }, (_, v) => (v < vertexCount / 2 ? 0 : 2)),
  new Float32Array(vertexCount).fill(1),
  1,
);
// three bones of the file stand still; the second has no weights
const matrices = new Float64Array(FRAMES * 3 * 16);
for (let o = 0; o < matrices.length; o += 16) for (let d = 0; d < 16; d += 5) matrices[o + d] = 1;
const start = { skin, motions: [{ name: 'pieces', times: clip.times, matrices }] };

describe('makeBoneGrowth', () => {
  it('adds bones where errors are large, and states the error of the model it returns', async () => {
    const growth = await makeBoneGrowth(clip, start, { threads: 1 });
    expect(growth.boneCount).toBe(2);
    const errors: number[] = [];
    for (const count of [2, 3, 5]) {
      const first = await growth.grow(count);
      const { model, error } = await growth.grow(count, 12);
      expect(error).toBeLessThanOrEqual(first.error * (1 + 1e-9));
      checkSkin(model.skin, count);
      const deformer = makeLinearBlend(model.mesh, model.skin, count);
      const shape = new Float32Array(positions.length);
      let squares = 0;
      for (let k = 0; k < FRAMES; k++) {
        deformer.deformInto({ bones: poseOf(model.motions[0], k) }, shape);
        for (let c = 0; c < shape.length; c++) squares += (shape[c] - frames[k * shape.length + c]) ** 2;
      }
      expect(error).toBeCloseTo(Math.sqrt(squares / (FRAMES * vertexCount)), 4);
      errors.push(error);
    }
    growth.dispose();
    expect(errors[1]).toBeLessThan(errors[0]);
    expect(errors[2]).toBeLessThan(0.2 * errors[0]);
  });

  it('gives each clip its motion', async () => {
    const two = [clip, { ...clip, name: 'again' }];
    const motions = [start.motions[0], { ...start.motions[0], name: 'again' }];
    const growth = await makeBoneGrowth(two, { skin, motions }, { threads: 1 });
    const { model } = await growth.grow(4);
    growth.dispose();
    expect(model.motions.map(({ name, times }) => [name, times.length])).toEqual([
      ['pieces', FRAMES],
      ['again', FRAMES],
    ]);
    expect(model.motions[1].matrices).toHaveLength(FRAMES * 4 * 16);
  });

  it('refuses fewer bones than it starts with, and a motion with other frames', async () => {
    const growth = await makeBoneGrowth(clip, start, { threads: 1 });
    await expect(growth.grow(1)).rejects.toThrow('must be from 2');
    growth.dispose();
    const short = { ...start.motions[0], times: clip.times.slice(1), matrices: matrices.slice(48) };
    await expect(makeBoneGrowth(clip, { skin, motions: [short] })).rejects.toThrow('each of its frames');
  });
});
