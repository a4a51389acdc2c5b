// SPDX-License-Identifier: MIT
import { expect, it } from 'vitest';
import type { Asset } from '../../../core/model/asset.ts';
import { warnDurations } from '../warn-durations.ts';

const makeAsset = (duration: number): Asset =>
  ({ clips: [], animations: [{ name: 'walk', duration }] }) as unknown as Asset;
const PAIRS = [{ name: 'walk', reference: 0, result: 0 }];

it.each([
  [
    0.5,
    0.625,
    ['"walk" lasts 0.5 s in the first file and 0.625 s in the second; both are evaluated at the same times'],
  ],
  [0.5, 0.505, []],
  [0, 0, []],
])('says that two animations of %d and %d s have different durations', (own, other, expected) => {
  const notes: string[] = [];
  warnDurations(makeAsset(own), makeAsset(other), PAIRS, (text) => notes.push(text));
  expect(notes).toEqual(expected);
});
