// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeIdentities } from '../../../math/mat4.ts';
import { pickMotion } from '../../clip/motion.ts';
import { pickSkeleton } from '../skeleton.ts';
import { sliceSkin } from '../skin.ts';

/** Four bones in a chain; each bind matrix is marked by its number. */
const bindMatrices = makeIdentities(4).map((x, e) => (e % 16 === 12 ? Math.floor(e / 16) : x));
const chain = { names: ['a', 'b', 'c', 'd'], parents: Int32Array.of(-1, 0, 1, 2), bindMatrices };

describe('some bones of a skeleton', () => {
  it('hang on their nearest ancestor among them', () => {
    const picked = pickSkeleton(chain, [0, 3]);
    expect(picked.names).toEqual(['a', 'd']);
    expect([...picked.parents]).toEqual([-1, 0]);
    expect(picked.bindMatrices).toEqual(Float64Array.from([...bindMatrices.slice(0, 16), ...bindMatrices.slice(48)]));
  });

  it('keep their motion', () => {
    const matrices = Float64Array.from({ length: 2 * 4 * 16 }, (_, e) => e);
    const motion = pickMotion({ name: 'm', times: Float64Array.of(0, 1), matrices }, [1, 3]);
    const blocks = [1, 3, 5, 7].flatMap((block) => [...matrices.slice(16 * block, 16 * block + 16)]);
    expect(motion.matrices).toEqual(Float64Array.from(blocks));
  });
});

describe('a slice of a skin', () => {
  it('has the weights of its vertices, with rows that start at zero', () => {
    const skin = {
      rowStart: Uint32Array.of(0, 1, 3, 4),
      boneIndices: Uint32Array.of(5, 6, 7, 8),
      weights: Float32Array.of(1, 0.75, 0.25, 1),
    };
    expect(sliceSkin(skin, 1, 2)).toEqual({
      rowStart: Uint32Array.of(0, 2, 3),
      boneIndices: Uint32Array.of(6, 7, 8),
      weights: Float32Array.of(0.75, 0.25, 1),
    });
  });
});
