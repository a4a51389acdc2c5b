// SPDX-License-Identifier: MIT
import { type Accessor, type Document, Primitive, PropertyType, type TypedArray } from '@gltf-transform/core';
import { readFloats } from '../../../deformers/layout/index.ts';
import { MESHOPT } from '../check/check-gltf-data.ts';
import { arrayOf } from '../document/gltf-graph.ts';
import { storedArrayOf } from '../document/read-accessor.ts';

/**
 * Widens numbers of elements that meshopt compression does not support, in a document that will be compressed: because of an option, or because it was
 * read from a compressed file. Compressed elements start at multiples of four bytes. glTF-Transform pads shorter ones, but writes the stride for
 * vertex attributes only: readers misread all others, such as the arrays of our extensions. Indices must have 16 or 32 bits, and lists of triangles must be complete.
 */
export function padGltfForMeshopt(document: Document): void {
  const root = document.getRoot();
  if (!root.listExtensionsUsed().some(({ extensionName }) => extensionName === MESHOPT)) return;
  for (const accessor of root.listAccessors()) {
    const array = accessor.getArray();
    const uses = listUses(document, accessor);
    if (!array || accessor.getSparse() || uses.has('attributes')) continue;
    if (uses.has('indices')) {
      if (array instanceof Uint8Array) accessor.setArray(Uint16Array.from(array));
      trimTriangles(accessor);
    } else if ((array.BYTES_PER_ELEMENT * accessor.getElementSize()) % 4 !== 0) {
      const isWhole = !accessor.getNormalized() && (array instanceof Uint8Array || array instanceof Uint16Array);
      accessor.setArray(isWhole ? Uint32Array.from(array) : (readFloats(storedArrayOf(accessor)) as TypedArray));
      accessor.setNormalized(false);
    }
  }
}

/** Drops the corners of an incomplete triangle at the end of a list of triangles. */
function trimTriangles(indices: Accessor): void {
  const array = arrayOf(indices);
  const isList = indices
    .listParents()
    .every((parent) => !(parent instanceof Primitive) || parent.getMode() === Primitive.Mode.TRIANGLES);
  if (isList && array.length > 3) indices.setArray(array.slice(0, array.length - (array.length % 3)));
}

/** Names of the references to an accessor. */
function listUses(document: Document, accessor: Accessor): Set<string> {
  const edges = document.getGraph().listParentEdges(accessor);
  return new Set(edges.filter((edge) => edge.getParent().propertyType !== PropertyType.ROOT).map((e) => e.getName()));
}
