// SPDX-License-Identifier: MIT
import type { Accessor, Document, Property, TypedArray } from '@gltf-transform/core';

const TYPES: Record<number, 'SCALAR' | 'VEC2' | 'VEC3' | 'VEC4' | 'MAT4'> = {
  1: 'SCALAR',
  2: 'VEC2',
  3: 'VEC3',
  4: 'VEC4',
  16: 'MAT4',
};

/** Adds an accessor of elements of 1 to 4 or 16 numbers to the first buffer of a document. The array is shared, not copied. */
export function addAccessor(document: Document, size: number, values: TypedArray, normalized = false): Accessor {
  const buffer = document.getRoot().listBuffers()[0];
  return document.createAccessor().setType(TYPES[size]).setArray(values).setNormalized(normalized).setBuffer(buffer);
}

/** Removes properties that are referenced only by the root of their document. */
export function disposeUnused(document: Document, properties: Iterable<Property>): void {
  const root = document.getRoot();
  for (const property of properties) if (property.listParents().every((parent) => parent === root)) property.dispose();
}
