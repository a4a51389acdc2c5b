// SPDX-License-Identifier: MIT
import { expect, it } from 'vitest';
import { describeMissing } from '../describe-missing.ts';

const files = (...numbers: (number | string)[]) => numbers.map((n) => `scan/f_${n}.ply`);

it('describes numbers that a sequence leaves out', () => {
  expect(describeMissing(files('001', '002', '004', '005'))).toBe(
    'one number is missing in the sequence, after scan/f_002.ply; the frames are played at equal intervals',
  );
  expect(describeMissing(files(0, 10, 20, 50, 60))).toMatch(/^2 numbers are missing in the sequence, after scan\/f_20/);
});

it('is silent about whole sequences, selections and other names', () => {
  for (const names of [
    files(8, 9, 10, 11),
    files(0, 5, 10),
    files(1, 2),
    files(1, 4, 6, 20),
    ['a.ply', 'b.ply', 'c.ply'],
    ['rest.obj', 'f1.obj', 'f3.obj'],
    files(3, 2, 1),
    files(1, 1, 2),
  ])
    expect(describeMissing(names)).toBeUndefined();
});
