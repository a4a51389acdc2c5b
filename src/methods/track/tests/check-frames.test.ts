// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { checkFrames } from '../check-frames.ts';
import type { ScanFrame } from '../register/scan-frame.ts';

/** Boxes of edge 1 with their lower corners at these places. */
function makeBoxes(...places: readonly (readonly number[])[]): ScanFrame {
  const quads = [0, 2, 3, 1, 4, 5, 7, 6, 0, 1, 5, 4, 2, 6, 7, 3, 0, 4, 6, 2, 1, 3, 7, 5];
  const triangles: number[] = [];
  for (let n = 0; n < places.length; n++)
    for (let q = 0; q < quads.length; q += 4) triangles.push(...[0, 1, 2, 0, 2, 3].map((c) => 8 * n + quads[q + c]));
  const positions = places.flatMap((place) =>
    Array.from({ length: 24 }, (_, c) => place[c % 3] + ((Math.floor(c / 3) >> (c % 3)) & 1)),
  );
  return { positions: Float32Array.from(positions), triangles: Uint32Array.from(triangles) };
}

const resize = (frame: ScanFrame, scale: number): ScanFrame => ({
  ...frame,
  positions: frame.positions.map((x) => scale * x),
});
const box = makeBoxes([0, 0, 0]);
const names = ['a', 'b', 'c'];

describe('checkFrames', () => {
  it('allows parts that move apart', () => {
    const frames = [0, 5, 40].map((x) => makeBoxes([-x, 0, 0], [x + 1.1, 0, 0]));
    expect(() => checkFrames(frames, names)).not.toThrow();
  });

  it.each([
    [2.54, /^b: is 2\.5 times as large as the other frames; all frames must have one unit/],
    [1000, /^b: is 1000 times as large/],
    [0.001, /^b: is 1000 times as small/],
  ])('refuses a frame of %s times the scale', (scale, message) => {
    expect(() => checkFrames([box, resize(box, scale), box], names)).toThrow(message);
  });

  it('refuses coordinates whose bones could exceed the range of files', () => {
    const frame = resize(box, 5e17);
    expect(() => checkFrames([frame, frame, frame], names)).toThrow(
      /^a: has a coordinate of 5\.0e\+17; bones are solved up to 1e\+16/,
    );
  });

  it('names a template in another unit', () => {
    expect(() => checkFrames([box, box], names, resize(box, 25.4))).toThrow(/^the template: is 25 times as large/);
    expect(() => checkFrames([box, box], names, resize(box, 25.4), 'scan.ply')).toThrow(/^scan\.ply: is 25 times/);
  });

  it.each([
    ['without triangles', { ...box, triangles: new Uint32Array() }, /^b: has no triangles/],
    ['whose vertices coincide', resize(box, 0), /^b: has no extent/],
    ['far from the origin', { ...box, positions: box.positions.map((x) => x + 1e6) }, /^b: is too far from the origin/],
    [
      'whose vertices are on a line',
      { ...box, positions: box.positions.map((_, c, all) => 0.7 * all[c - (c % 3)]) },
      /^b: has hardly any area for its size/,
    ],
  ])('refuses a frame %s in one sentence', (_, frame, message) => {
    expect(() => checkFrames([box, frame, box], names)).toThrow(message);
  });
});
