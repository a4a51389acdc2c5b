// SPDX-License-Identifier: MIT

import { type JsonObject, listField } from '../../../deformers/layout/index.ts';
import type { GltfParts } from './expand-compact-skin.ts';

type NumberArray = Uint8Array | Uint16Array | Uint32Array | Int8Array | Int16Array | Float32Array;

const SIZES: Readonly<Record<string, number>> = { SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4, MAT4: 16 };

/** Accessors and views that are added to those of a file. */
export class ExpandedViews {
  readonly #accessors: JsonObject[];
  readonly #views: JsonObject[];
  readonly #buffers: JsonObject[];
  readonly #chunks: Uint8Array[];
  #length: number;

  constructor({ json, binary = new Uint8Array(0) }: GltfParts) {
    this.#accessors = [...listField(json, 'accessors')];
    this.#views = [...listField(json, 'bufferViews')];
    this.#buffers = listField(json, 'buffers').map((buffer) => ({ ...buffer }));
    this.#chunks = [binary];
    this.#length = Math.ceil(binary.length / 4) * 4;
  }

  /**
   * Adds an accessor over all of an array; returns its index. Elements start at multiples of four bytes.
   * @param hasBounds whether it states the minimum and maximum, as positions and key times must
   */
  add(values: NumberArray, type: string, hasBounds = false, extra: JsonObject = {}): number {
    const size = SIZES[type];
    const bytes = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
    const view: JsonObject = { buffer: 0, byteOffset: this.#length, byteLength: bytes.length };
    this.#chunks.push(bytes);
    this.#length += Math.ceil(bytes.length / 4) * 4;
    const accessor: JsonObject = {
      bufferView: this.#views.push(view) - 1,
      componentType: componentTypeOf(values),
      count: values.length / size,
      type,
      ...extra,
      ...(hasBounds ? boundsOf(values, size) : {}),
    };
    return this.#accessors.push(accessor) - 1;
  }

  /** The JSON with all views. */
  finish(json: JsonObject): JsonObject {
    const buffers = [{ ...this.#buffers[0], byteLength: this.#length }, ...this.#buffers.slice(1)];
    return { ...json, accessors: this.#accessors, bufferViews: this.#views, buffers };
  }

  get binary(): Uint8Array<ArrayBuffer> {
    const binary = new Uint8Array(this.#length);
    let at = 0;
    for (const chunk of this.#chunks) {
      binary.set(chunk, at);
      at += Math.ceil(chunk.length / 4) * 4;
    }
    return binary;
  }
}

function componentTypeOf(values: NumberArray): number {
  if (values instanceof Float32Array) return 5126;
  if (values instanceof Uint32Array) return 5125;
  if (values instanceof Uint16Array) return 5123;
  if (values instanceof Int16Array) return 5122;
  return values instanceof Int8Array ? 5120 : 5121;
}

function boundsOf(values: NumberArray, size: number): { min: number[]; max: number[] } {
  const min = new Array<number>(size).fill(Number.POSITIVE_INFINITY);
  const max = new Array<number>(size).fill(Number.NEGATIVE_INFINITY);
  for (let n = 0, c = 0; n < values.length; n++, c = c + 1 === size ? 0 : c + 1) {
    if (values[n] < min[c]) min[c] = values[n];
    if (values[n] > max[c]) max[c] = values[n];
  }
  return { min, max };
}
