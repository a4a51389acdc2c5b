// SPDX-License-Identifier: MIT
import type { GLTF } from '@gltf-transform/core';
import { describe, expect, it } from 'vitest';
import { canReorder } from '../can-reorder.ts';

/** One mesh per primitive. */
const make = (...primitives: GLTF.IMeshPrimitive[]): GLTF.IGLTF => ({
  asset: { version: '2.0' },
  meshes: primitives.map((primitive) => ({ primitives: [primitive] })),
});

describe('canReorder', () => {
  const first = { indices: 0, attributes: { POSITION: 1 } };

  it('is true for triangles with accessors of their own', () => {
    expect(canReorder(make(first, { indices: 2, attributes: { POSITION: 3 } }), first)).toBe(true);
  });

  it('is false where another primitive shares an attribute or the triangles, as the two hands of a character', () => {
    expect(canReorder(make(first, { indices: 2, attributes: { POSITION: 1 } }), first)).toBe(false);
    expect(canReorder(make(first, { indices: 0, attributes: { POSITION: 3 } }), first)).toBe(false);
  });
});
