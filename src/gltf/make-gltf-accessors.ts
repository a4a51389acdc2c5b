// SPDX-License-Identifier: MIT
import type { GLTF } from '@gltf-transform/core';
import type { MeshoptDecoder } from 'meshoptimizer/decoder';
import type { GltfSource } from '../model/asset.ts';
import { COMPONENT_BYTES, elementBytes, MESHOPT, TYPE_SIZE } from './check-gltf-data.ts';
import { fail } from './gltf-fields.ts';
import { GLB_BINARY } from './load-gltf-resources.ts';

/** Access to the numbers of a checked glTF. Arrays are shared between calls: not to be written. */
export interface GltfAccessors {
  /** count x size, integers of normalized accessors mapped to [0, 1] or [-1, 1] */
  floats(index: number): Float32Array;
  /** count x size whole numbers, for indices and joints */
  integers(index: number): Uint32Array;
}

interface MeshoptView {
  buffer: number;
  byteOffset?: number;
  byteLength: number;
  byteStride: number;
  count: number;
  mode: 'ATTRIBUTES' | 'TRIANGLES' | 'INDICES';
  filter?: 'NONE' | 'OCTAHEDRAL' | 'QUATERNION' | 'EXPONENTIAL';
}

/**
 * Makes the reader of accessors: any component type, stride, normalization, sparse values and meshopt compression. The
 * JSON must have passed checkGltf and the resources loadGltfResources; then no read leaves its buffer.
 */
export async function makeGltfAccessors(json: GLTF.IGLTF, resources: GltfSource['resources']): Promise<GltfAccessors> {
  const bytesOf = (buffer: number): Uint8Array => resources[json.buffers![buffer].uri ?? GLB_BINARY];
  const decoder = json.bufferViews?.some((view) => view.extensions?.[MESHOPT]) ? await loadDecoder() : undefined;

  const views = new Map<number, DataView>();
  const viewOf = (index: number): DataView => {
    let view = views.get(index);
    if (!view) {
      const def = json.bufferViews![index];
      const packed = def.extensions?.[MESHOPT] as MeshoptView | undefined;
      const bytes = packed
        ? unpack(decoder!, packed, bytesOf(packed.buffer), index)
        : bytesOf(def.buffer).subarray(def.byteOffset ?? 0, (def.byteOffset ?? 0) + def.byteLength);
      view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      views.set(index, view);
    }
    return view;
  };

  const readInto = (out: Float32Array | Uint32Array, index: number): void => {
    const def = json.accessors![index];
    const size = TYPE_SIZE[def.type];
    const bytes = elementBytes(def.type, def.componentType);
    if (def.bufferView !== undefined) {
      const stride = json.bufferViews![def.bufferView].byteStride ?? bytes;
      readElements(viewOf(def.bufferView), def.byteOffset ?? 0, stride, def.count, size, def, out, null);
    }
    if (def.sparse) {
      const { indices, values, count } = def.sparse;
      const places = new Uint32Array(count);
      const plain = { componentType: indices.componentType, normalized: false };
      const step = COMPONENT_BYTES[indices.componentType];
      readElements(viewOf(indices.bufferView), indices.byteOffset ?? 0, step, count, 1, plain, places, null);
      for (const place of places)
        if (place >= def.count)
          fail('index', `accessors[${index}]: a sparse index is ${place}, there are ${def.count} elements`);
      readElements(viewOf(values.bufferView), values.byteOffset ?? 0, bytes, count, size, def, out, places);
    }
  };

  const floats = new Map<number, Float32Array>();
  const integers = new Map<number, Uint32Array>();
  const lengthOf = (index: number): number => json.accessors![index].count * TYPE_SIZE[json.accessors![index].type];
  return {
    floats(index) {
      let values = floats.get(index);
      if (!values) {
        values = new Float32Array(lengthOf(index));
        readInto(values, index);
        floats.set(index, values);
      }
      return values;
    },
    integers(index) {
      let values = integers.get(index);
      if (!values) {
        values = new Uint32Array(lengthOf(index));
        readInto(values, index);
        integers.set(index, values);
      }
      return values;
    },
  };
}

/** Loaded when a file asks for it: the module takes WebAssembly memory at once, which few files need. */
async function loadDecoder(): Promise<typeof MeshoptDecoder> {
  const { MeshoptDecoder: decoder } = await import('meshoptimizer/decoder');
  await decoder.ready;
  return decoder;
}

function unpack(decoder: typeof MeshoptDecoder, packed: MeshoptView, buffer: Uint8Array, index: number): Uint8Array {
  const offset = packed.byteOffset ?? 0;
  const source = buffer.subarray(offset, offset + packed.byteLength);
  const target = new Uint8Array(packed.count * packed.byteStride);
  try {
    decoder.decodeGltfBuffer(target, packed.count, packed.byteStride, source, packed.mode, packed.filter);
  } catch {
    fail('syntax', `buffer view ${index} does not decompress; the file is damaged`);
  }
  return target;
}

/** Reads count elements of size components into out, one after the other, or at the given places. */
function readElements(
  view: DataView,
  byteOffset: number,
  stride: number,
  count: number,
  size: number,
  format: { componentType: number; normalized?: boolean },
  out: Float32Array | Uint32Array,
  places: Uint32Array | null,
): void {
  const { componentType } = format;
  const bytes = COMPONENT_BYTES[componentType];
  const toFloat = format.normalized === true && componentType !== 5126 && out instanceof Float32Array;
  const scale = toFloat ? 1 / NORMALIZED_RANGE[componentType] : 1;
  for (let i = 0; i < count; i++) {
    const from = byteOffset + i * stride;
    const to = (places ? places[i] : i) * size;
    for (let c = 0; c < size; c++) {
      const at = from + c * bytes;
      let value: number;
      switch (componentType) {
        case 5120:
          value = view.getInt8(at);
          break;
        case 5121:
          value = view.getUint8(at);
          break;
        case 5122:
          value = view.getInt16(at, true);
          break;
        case 5123:
          value = view.getUint16(at, true);
          break;
        case 5125:
          value = view.getUint32(at, true);
          break;
        default:
          value = view.getFloat32(at, true);
      }
      // The most negative integer maps to -1 as well.
      out[to + c] = toFloat ? Math.max(value * scale, -1) : value;
    }
  }
}

/** The integer that means one. */
const NORMALIZED_RANGE: Readonly<Record<number, number>> = {
  5120: 127,
  5121: 255,
  5122: 32767,
  5123: 65535,
  5125: 4294967295,
};
