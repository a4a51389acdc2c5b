// SPDX-License-Identifier: MIT
import { expect, it } from 'vitest';
import { makeSample } from '../../../samples/make-sample.ts';
import { warnImprecise } from '../warn-imprecise.ts';

it('names a frame whose coordinates are rounded visibly, and no other', () => {
  const { clip } = makeSample('bar-bend', { resolution: 100, frames: 4 });
  const stride = clip.mesh.positions.length;
  const notes: string[] = [];
  const warn = (shift: number, isShifted: (k: number) => boolean) =>
    warnImprecise(
      [{ ...clip, positions: clip.positions.map((x, c) => (isShifted(Math.floor(c / stride)) ? x + shift : x)) }],
      (text) => notes.push(text),
    );
  warn(1000, (k) => k === 2);
  expect(notes).toEqual([]);
  warn(1e6, (k) => k === 2);
  expect(notes[0]).toMatch(/^frame 2 of "bend" is so far .* rounded to [\d.]+ % of the size; move/);
  warn(1e6, () => true);
  expect(notes[1]).toMatch(/^4 frames, such as frame 0, of "bend" are so far/);
});
