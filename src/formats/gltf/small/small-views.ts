// SPDX-License-Identifier: MIT
import type { GLTF } from '@gltf-transform/core';
import { MESHOPT } from '../check/check-gltf-data.ts';

/** How meshopt transforms numbers before they are compressed. */
export type MeshoptFilter = 'QUATERNION' | 'EXPONENTIAL';

type Encoder = typeof import('meshoptimizer/encoder').MeshoptEncoder;

/** Collects the views of a new binary chunk. Compressed views refer to a second buffer, which has no bytes in the file. */
export class SmallViews {
  readonly list: GLTF.IBufferView[] = [];
  readonly #encoder: Encoder;
  readonly #chunks: Uint8Array[] = [];
  #length = 0;
  #plainLength = 0;

  constructor(encoder: Encoder) {
    this.#encoder = encoder;
  }

  /** Adds bytes as they are. */
  add(bytes: Uint8Array, target?: number): number {
    const byteOffset = this.#append(bytes);
    return this.list.push({ buffer: 0, byteOffset, byteLength: bytes.length, ...(target ? { target } : {}) }) - 1;
  }

  /**
   * Adds elements of a fixed width, compressed if this makes them smaller.
   * @param filter if given, the elements are already transformed
   */
  addElements(bytes: Uint8Array, width: number, filter?: MeshoptFilter): number {
    const count = bytes.length / width;
    const canCompress = width % 4 === 0 && width <= 256 && count > 0;
    if (!canCompress) return this.add(bytes);
    const packed = this.#encoder.encodeGltfBuffer(bytes, count, width, 'ATTRIBUTES', 0);
    if (!filter && packed.length + META_BYTES >= bytes.length) return this.add(bytes);
    const facts = { byteStride: width, mode: 'ATTRIBUTES', ...(filter ? { filter } : {}), count };
    return this.#addPacked(packed, bytes.length, facts);
  }

  /** Adds 32-bit indices of triangles, compressed. */
  addTriangles(triangles: Uint32Array): number {
    const bytes = new Uint8Array(triangles.buffer, triangles.byteOffset, triangles.byteLength);
    const packed = this.#encoder.encodeGltfBuffer(bytes, triangles.length, 4, 'TRIANGLES', 0);
    return this.#addPacked(packed, bytes.length, { byteStride: 4, mode: 'TRIANGLES', count: triangles.length });
  }

  get byteLength(): number {
    return this.#length;
  }

  get hasCompressed(): boolean {
    return this.#plainLength > 0;
  }

  /** The binary chunk, and the buffers of the JSON. */
  finish(): { binary: Uint8Array; buffers: GLTF.IBuffer[] } {
    const binary = new Uint8Array(this.#length);
    let at = 0;
    for (const chunk of this.#chunks) {
      binary.set(chunk, at);
      at += Math.ceil(chunk.length / 4) * 4;
    }
    const fallback = { byteLength: this.#plainLength, extensions: { [MESHOPT]: { fallback: true } } };
    return {
      binary,
      buffers: [{ byteLength: binary.length }, ...(this.hasCompressed ? [fallback as GLTF.IBuffer] : [])],
    };
  }

  #addPacked(packed: Uint8Array, byteLength: number, facts: object): number {
    const extension = { buffer: 0, byteOffset: this.#append(packed), byteLength: packed.length, ...facts };
    const byteOffset = this.#plainLength;
    this.#plainLength += Math.ceil(byteLength / 4) * 4;
    const view = { buffer: 1, byteOffset, byteLength, extensions: { [MESHOPT]: extension } };
    return this.list.push(view as GLTF.IBufferView) - 1;
  }

  #append(bytes: Uint8Array): number {
    const at = this.#length;
    this.#chunks.push(bytes);
    this.#length += Math.ceil(bytes.length / 4) * 4;
    return at;
  }
}

/** Bytes of JSON that a compressed view needs in addition. */
const META_BYTES = 160;
