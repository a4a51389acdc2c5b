// SPDX-License-Identifier: MIT
import { weldVertices } from '../../../../core/mesh/topology/weld.ts';
import type { UsdNumbers } from '../../syntax/usd-values-at.ts';

/** Values of corners, as indices into a table. */
export interface UsdCornerLayer {
  /** Numbers per value, at most four. */
  size: number;
  values: UsdNumbers;
  /** cornerCount */
  indices: Int32Array;
}

/** Numbers corners by their values in all layers: equal numbers for equal values, from 0. undefined without layers. */
export function joinCornerIds(layers: readonly UsdCornerLayer[]): { ids: Int32Array; count: number } | undefined {
  let joined: Int32Array | undefined;
  let count = 0;
  for (const layer of layers) {
    const own = idsOf(layer);
    const known = new Map<number, number>();
    const before = joined;
    const span = own.reduce((top, n) => Math.max(top, n), 0) + 1;
    joined = own.map((id, c) => {
      const key = (before ? before[c] : 0) * span + id;
      const place = known.get(key) ?? known.size;
      if (place === known.size) known.set(key, place);
      return place;
    });
    count = known.size;
  }
  return joined && { ids: joined, count };
}

/** cornerCount: the first value of the table that is equal. */
function idsOf({ size, values, indices }: UsdCornerLayer): Int32Array {
  const count = Math.floor(values.length / size);
  let ids: Int32Array = Int32Array.from({ length: count }, (_, n) => n);
  // welding compares three numbers at a time
  for (let from = 0; from < size; from += 3) {
    const rows = new Float32Array(3 * count);
    for (let n = 0; n < count; n++)
      for (let c = from; c < Math.min(size, from + 3); c++) rows[3 * n + c - from] = values[size * n + c];
    const { pointOfVertex } = weldVertices(rows);
    if (from === 0) ids = Int32Array.from(pointOfVertex);
    else {
      const known = new Map<string, number>();
      ids = ids.map((id, n) => {
        const key = `${id} ${pointOfVertex[n]}`;
        const place = known.get(key) ?? known.size;
        known.set(key, place);
        return place;
      });
    }
  }
  return indices.map((n) => ids[n]);
}
