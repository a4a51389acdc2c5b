// SPDX-License-Identifier: MIT
import type { BufferAttribute, InterleavedBufferAttribute } from 'three';
import type { GLTFParser } from 'three/addons/loaders/GLTFLoader.js';
import { checkDecodedBytes } from '../extension/decode-limit.ts';
import { type PrimitiveExtension, TYPE_SIZE } from '../extension/extension-source.ts';
import type { StoredArray, StoredValues } from '../extension/stored-array.ts';

/** Accessors as the JSON of a file has them; nothing is checked. */
type AccessorDef = { type?: unknown; count?: unknown } | null | undefined;

/** A list of the JSON, which is not checked; what is no list is empty. */
export function listOf<T>(value: unknown): T[] {
  return Array.isArray(value) ? (value as T[]) : [];
}

/** Bytes of the buffers of a file, which decoded data is compared with. Buffers that cannot be loaded have none. */
export async function countBufferBytes(parser: GLTFParser): Promise<number> {
  let bytes = 0;
  for (const [n, def] of listOf<{ uri?: string } | null>(parser.json.buffers).entries()) {
    // Others without a URI stand for the decompressed data of compressed views, and have no bytes.
    if (n > 0 && def?.uri === undefined) continue;
    try {
      bytes += ((await parser.getDependency('buffer', n)) as ArrayBuffer).byteLength;
    } catch {
      // What needs this buffer fails by itself.
    }
  }
  return bytes;
}

/**
 * Loads the arrays that an extension of a primitive refers to. Fields that are no accessors of the file are left to the decoder, which names them.
 * Counts that the file cannot mean throw before the loader allocates memory for them.
 */
export async function loadExtensionArrays(
  parser: GLTFParser,
  json: unknown,
  fields: readonly string[],
  bufferBytes: number,
): Promise<Pick<PrimitiveExtension, 'json' | 'arrays' | 'accessorCount'>> {
  const accessors = listOf<AccessorDef>(parser.json.accessors);
  const named = fields.flatMap((field): [string, number][] => {
    const index = (json as Record<string, unknown> | null | undefined)?.[field];
    return Number.isInteger(index) && accessors[index as number] ? [[field, index as number]] : [];
  });
  let bytes = 0;
  for (const [, index] of named) {
    const { type, count } = accessors[index]!;
    bytes += Number(count) * (TYPE_SIZE[String(type)] ?? 16) * 4;
  }
  checkDecodedBytes(bytes, bufferBytes);
  const arrays: Record<string, StoredArray> = {};
  for (const [field, index] of named) {
    const attribute: BufferAttribute | InterleavedBufferAttribute = await parser.getDependency('accessor', index);
    arrays[field] = {
      type: String(accessors[index]!.type),
      values: storedValuesOf(attribute),
      normalized: attribute.normalized,
    };
  }
  return { json, arrays, accessorCount: accessors.length };
}

/** The numbers of an attribute as the file stores them, one element after the other. */
function storedValuesOf(attribute: BufferAttribute | InterleavedBufferAttribute): StoredValues {
  if (!('data' in attribute)) return attribute.array as StoredValues;
  const { data, offset, count, itemSize } = attribute;
  const from = data.array as StoredValues;
  const values = from.slice(0, count * itemSize);
  for (let i = 0; i < count; i++)
    for (let c = 0; c < itemSize; c++) values[i * itemSize + c] = from[i * data.stride + offset + c];
  return values;
}
