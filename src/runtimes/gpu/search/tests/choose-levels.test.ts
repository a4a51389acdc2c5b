// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { chooseLevels } from '../choose-levels.ts';

const view = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];
/** 90 degrees: what is as far away as it is high fills the screen from the middle up. */
const perspective = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, -1, -1, 0, 0, -0.1, 0];
const orthographic = [0.1, 0, 0, 0, 0, 0.1, 0, 0, 0, 0, -0.1, 0, 0, 0, 0, 1];
const centers = [0, 0, -2, 0, 0, -10, 0, 0, -100, 0, 0, -4, 0, 0, 5];

describe('chooseLevels', () => {
  it('chooses by the size on the screen, and takes what is behind the camera as near', () => {
    const { lists, coverage } = chooseLevels({ centers, radius: 1, view, projection: perspective }, [0.2, 0.05, 0]);
    expect(lists.map((list) => [...list])).toEqual([[0, 3, 4], [1], [2]]);
    expect([...coverage].map((x) => Number(x.toFixed(3)))).toEqual([0.5, 0.1, 0.01, 0.25, 1]);
  });

  it('does not depend on the distance in an orthographic view', () => {
    const { coverage } = chooseLevels({ centers, radius: [1, 2, 3, 4, 5], view, projection: orthographic }, [0]);
    expect([...coverage].map((x) => Number(x.toFixed(3)))).toEqual([0.1, 0.2, 0.3, 0.4, 0.5]);
  });

  it('gives a full level to the largest, and the rest to the next', () => {
    const seen = { centers, radius: 1, view, projection: perspective };
    const { lists } = chooseLevels(seen, [0.2, 0.05, 0], [2, 1, 5]);
    expect(lists.map((list) => [...list])).toEqual([[4, 0], [3], [2, 1]]);
    expect(() => chooseLevels(seen, [0.2, 0], [1, 2])).toThrow(/holds 2 of 4/);
  });
});
