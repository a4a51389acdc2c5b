// SPDX-License-Identifier: MIT
import { Document } from '@gltf-transform/core';
import { describe, expect, it } from 'vitest';
import { sortInfluences } from '../sort-influences.ts';

/** A primitive of vertices with weights in two sets of four. */
function makeDocument(weights: readonly number[][]) {
  const document = new Document();
  const buffer = document.createBuffer();
  const accessor = (array: Uint8Array<ArrayBuffer> | Float32Array<ArrayBuffer>) =>
    document.createAccessor().setType('VEC4').setArray(array).setBuffer(buffer);
  const primitive = document.createPrimitive();
  for (const set of [0, 1]) {
    const cut = weights.flatMap((row) => row.slice(4 * set, 4 * set + 4));
    const joints = weights.flatMap(() => [0, 1, 2, 3].map((n) => 4 * set + n));
    primitive.setAttribute(`JOINTS_${set}`, accessor(Uint8Array.from(joints)));
    primitive.setAttribute(`WEIGHTS_${set}`, accessor(Float32Array.from(cut)));
  }
  document.createMesh().addPrimitive(primitive);
  const read = (name: string) => [...(primitive.getAttribute(name)?.getArray() ?? [])];
  return { document, read, count: () => document.getRoot().listAccessors().length };
}

describe('sortInfluences', () => {
  it('puts the four largest weights of a vertex into the first set, with their joints', () => {
    const { document, read, count } = makeDocument([
      [0.125, 0, 0.0625, 0.0625, 0.5, 0, 0.25, 0],
      [0.5, 0.25, 0.125, 0.125, 0, 0, 0, 0],
    ]);
    sortInfluences(document);
    expect(read('WEIGHTS_0')).toEqual([0.5, 0.25, 0.125, 0.0625, 0.5, 0.25, 0.125, 0.125]);
    expect(read('JOINTS_0')).toEqual([4, 6, 0, 2, 0, 1, 2, 3]);
    expect(read('WEIGHTS_1')).toEqual([0.0625, 0, 0, 0, 0, 0, 0, 0]);
    expect(read('JOINTS_1').slice(0, 1)).toEqual([3]);
    expect(count()).toBe(4);
  });

  it('keeps the accessors where the first set has the largest weights already', () => {
    const { document, count } = makeDocument([[0.25, 0.5, 0.125, 0.0625, 0.0625, 0, 0, 0]]);
    const before = document.getRoot().listAccessors();
    sortInfluences(document);
    expect(document.getRoot().listAccessors()).toEqual(before);
    expect(count()).toBe(4);
  });
});
