// SPDX-License-Identifier: MIT
import type { GLTF } from '@gltf-transform/core';

const [UNSIGNED_SHORT, UNSIGNED_INT, FLOAT] = [5123, 5125, 5126];
const TYPES = ['', 'SCALAR', 'VEC2', 'VEC3', 'VEC4'];

type ChunkArray = Float32Array | Uint32Array | Uint16Array;

/** The binary buffer of a glTF while it grows. */
export class GltfChunks {
  readonly accessors: GLTF.IAccessor[] = [];
  readonly views: GLTF.IBufferView[] = [];
  readonly #arrays: (ChunkArray | Uint8Array)[] = [];
  #length = 0;

  /** Adds an accessor of scalars or vectors over all of an array, and returns its index. */
  add(array: ChunkArray, size: number): number {
    return this.#addAccessor(array, size, TYPES[size]);
  }

  /** The same with the bounds of its numbers, which a file needs of positions and of times. */
  addBounded(array: Float32Array, size: number): number {
    const min = new Array<number>(size).fill(Infinity);
    const max = new Array<number>(size).fill(-Infinity);
    for (let n = 0; n < array.length; n++) {
      const c = n % size;
      if (array[n] < min[c]) min[c] = array[n];
      if (array[n] > max[c]) max[c] = array[n];
    }
    const index = this.add(array, size);
    if ([...min, ...max].every(Number.isFinite)) Object.assign(this.accessors[index], { min, max });
    return index;
  }

  /** Adds an accessor of 4 x 4 matrices. */
  addMatrices(array: Float32Array): number {
    return this.#addAccessor(array, 16, 'MAT4');
  }

  /** Adds a view of bytes, and returns its index. */
  addView(array: ChunkArray | Uint8Array): number {
    const byteOffset = this.#length;
    this.#arrays.push(array);
    this.#length += Math.ceil(array.byteLength / 4) * 4;
    return this.views.push({ buffer: 0, byteOffset, byteLength: array.byteLength }) - 1;
  }

  join(): Uint8Array<ArrayBuffer> {
    const out = new Uint8Array(this.#length);
    this.#arrays.forEach((array, n) => {
      out.set(new Uint8Array(array.buffer, array.byteOffset, array.byteLength), this.views[n].byteOffset);
    });
    return out;
  }

  #addAccessor(array: ChunkArray, size: number, type: string): number {
    const componentType =
      array instanceof Float32Array ? FLOAT : array instanceof Uint32Array ? UNSIGNED_INT : UNSIGNED_SHORT;
    const bufferView = this.addView(array);
    const accessor = { bufferView, componentType, count: array.length / size, type } as GLTF.IAccessor;
    return this.accessors.push(accessor) - 1;
  }
}
