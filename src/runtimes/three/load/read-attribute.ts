// SPDX-License-Identifier: MIT
import type { BufferAttribute, InterleavedBufferAttribute } from 'three';

/** Copies the numbers of an accessor as floats, without interleaving; normalized integers are converted to [-1, 1]. */
export function readAttribute(attribute: BufferAttribute | InterleavedBufferAttribute): Float32Array<ArrayBuffer> {
  const { count, itemSize } = attribute;
  const values = new Float32Array(count * itemSize);
  for (let i = 0; i < count; i++)
    for (let c = 0; c < itemSize; c++) values[i * itemSize + c] = attribute.getComponent(i, c);
  return values;
}
