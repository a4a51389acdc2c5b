// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { matchShape } from '../match-shape.ts';

const square = {
  positions: new Float32Array([0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0]),
  triangles: new Uint32Array([0, 1, 2, 0, 2, 3]),
};
/** The square with its own vertices per triangle. */
const split = {
  positions: new Float32Array([0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 0, 0, 1, 1, 0, 0, 1, 0]),
  triangles: new Uint32Array([0, 1, 2, 3, 4, 5]),
};
const raise = <T extends { positions: Float32Array }>(shape: T): T => ({
  ...shape,
  positions: shape.positions.map((x, c) => (c % 3 === 2 ? x + 1 + shape.positions[c - 1] : x)),
});

describe('matchShape', () => {
  it('takes vertices by index if the counts are equal', () => {
    expect(matchShape(square, raise(square))).toEqual(raise(square).positions);
  });

  it('takes vertices by the corners of the triangles if they are split differently', () => {
    expect(matchShape(split, raise(square))).toEqual(raise(split).positions);
    expect(matchShape(square, raise(split))).toEqual(raise(square).positions);
  });

  it('finds vertices by their position before the edit, in any order, and keeps what was not edited', () => {
    const order = [3, 1, 0, 2];
    const shuffled = {
      ...square,
      positions: new Float32Array(order.flatMap((i) => [...square.positions.slice(3 * i, 3 * i + 3)])),
    };
    const rounded = { ...shuffled, positions: shuffled.positions.map((x) => x + 1e-6) };
    const edited = { ...rounded, positions: rounded.positions.slice() };
    edited.positions[2] += 5;
    const matched = matchShape(split, edited, rounded);
    expect([...matched.slice(0, 15)]).toEqual([...split.positions.slice(0, 15)]);
    expect(matched[17]).toBeCloseTo(5, 5);
  });

  it('refuses shapes that do not match, and says what to do', () => {
    const other = { positions: new Float32Array(9), triangles: new Uint32Array([0, 1, 2]) };
    expect(() => matchShape(square, other)).toThrow(/has 3 vertices, the skin has 4; .*--original/);
    expect(() => matchShape(square, square, other)).toThrow(/has 4 vertices, the shape before the edit has 3/);
    const far = { ...square, positions: square.positions.map((x) => x + 3) };
    expect(() => matchShape(square, raise(far), far)).toThrow(/no vertex where vertex 0/);
    const torn = { positions: split.positions.slice(), triangles: split.triangles };
    torn.positions[9] = 7;
    expect(() => matchShape(square, torn)).toThrow(/has 6 vertices/);
  });
});
