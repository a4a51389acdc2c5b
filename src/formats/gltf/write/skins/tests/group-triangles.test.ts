// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { InputError } from '../../../../../core/model/errors.ts';
import { groupTriangles } from '../group-triangles.ts';

/** A strip of four triangles over six vertices; each vertex follows the bone of its number. */
const STRIP = [0, 1, 2, 2, 1, 3, 2, 3, 4, 4, 3, 5];
const bonesOf = [0, 1, 2, 3, 4, 5].map((bone) => [bone]);

describe('groups of triangles', () => {
  it('follow at most the maximum number of bones and have every triangle once', () => {
    const groups = groupTriangles(STRIP, bonesOf, 4);
    expect(groups).toEqual([
      { corners: [0, 1, 2, 2, 1, 3], bones: [0, 1, 2, 3] },
      { corners: [2, 3, 4, 4, 3, 5], bones: [2, 3, 4, 5] },
    ]);
  });

  it('are one where all bones fit', () => {
    expect(groupTriangles(STRIP, bonesOf, 6)).toEqual([{ corners: STRIP, bones: [0, 1, 2, 3, 4, 5] }]);
  });

  it('throw if one triangle follows more bones', () => {
    expect(() => groupTriangles(STRIP, bonesOf, 2)).toThrow(InputError);
  });
});
