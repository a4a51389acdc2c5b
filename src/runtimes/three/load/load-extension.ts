// SPDX-License-Identifier: MIT
import type { BufferAttribute, InterleavedBufferAttribute } from 'three';
import type { GLTFParser } from 'three/addons/loaders/GLTFLoader.js';
import {
  checkDecodedBytes,
  type PrimitiveExtension,
  type StoredArray,
  type StoredValues,
  TYPE_SIZE,
} from '../../../deformers/layout/index.ts';

/** Accessors in the JSON of a file, not validated. */
type AccessorDef = { type?: unknown; count?: unknown } | null | undefined;

/** A list of the JSON, which is not validated; other values become an empty list. */
export function listOf<T>(value: unknown): T[] {
  return Array.isArray(value) ? (value as T[]) : [];
}

/** Total size of the buffers of a file, to which decoded data is compared. Buffers that cannot be loaded count as 0 bytes. */
export async function countBufferBytes(parser: GLTFParser): Promise<number> {
  let bytes = 0;
  for (const [n, def] of listOf<{ uri?: string } | null>(parser.json.buffers).entries()) {
    // Other buffers without a URI are placeholders for decompressed data, without bytes.
    if (n > 0 && def?.uri === undefined) continue;
    try {
      bytes += ((await parser.getDependency('buffer', n)) as ArrayBuffer).byteLength;
    } catch {
      // Loading what needs this buffer reports the error.
    }
  }
  return bytes;
}

/**
 * Loads the arrays that an extension of a primitive refers to. Fields that are not accessors are left to the decoder, which reports them.
 * Implausible counts throw before the loader allocates memory for them.
 */
export async function loadExtensionArrays(
  parser: GLTFParser,
  json: unknown,
  fields: readonly string[],
  bufferBytes: number,
): Promise<Pick<PrimitiveExtension, 'json' | 'arrays' | 'accessorCount'>> {
  const accessors = listOf<AccessorDef>(parser.json.accessors);
  const named = fields.flatMap((field) => {
    const index = (json as Record<string, unknown> | null | undefined)?.[field];
    const accessor = typeof index === 'number' && Number.isInteger(index) ? accessors[index] : undefined;
    return accessor ? [{ field, index: index as number, accessor }] : [];
  });
  let bytes = 0;
  for (const { accessor } of named) {
    const { type, count } = accessor;
    bytes += Number(count) * (TYPE_SIZE[String(type)] ?? 16) * 4;
  }
  checkDecodedBytes(bytes, bufferBytes);
  const arrays: Record<string, StoredArray> = {};
  for (const { field, index, accessor } of named) {
    const attribute: BufferAttribute | InterleavedBufferAttribute = await parser.getDependency('accessor', index);
    arrays[field] = {
      type: String(accessor.type),
      values: storedValuesOf(attribute),
      normalized: attribute.normalized,
    };
  }
  return { json, arrays, accessorCount: accessors.length };
}

/** The numbers of an attribute in their stored type, without interleaving. */
function storedValuesOf(attribute: BufferAttribute | InterleavedBufferAttribute): StoredValues {
  if (!('data' in attribute)) return attribute.array as StoredValues;
  const { data, offset, count, itemSize } = attribute;
  const from = data.array as StoredValues;
  const values = from.slice(0, count * itemSize);
  for (let i = 0; i < count; i++)
    for (let c = 0; c < itemSize; c++) values[i * itemSize + c] = from[i * data.stride + offset + c];
  return values;
}
