// SPDX-License-Identifier: MIT

import type { Random } from '../../src/core/math/random.ts';
import { splitGlb } from '../../src/formats/gltf/index.ts';
import { pick, type Seed } from '../fuzz-format.ts';
import { FLOATS, INTEGERS, join, mutateBytes, splice } from './mutate-bytes.ts';
import { jsonText, listPlaces, mutateJsonInto } from './mutate-json.ts';

interface Parts {
  text: string;
  binary: Uint8Array;
}

interface AccessorJson {
  bufferView?: number;
  byteOffset?: number;
  componentType: number;
  count: number;
  type: string;
}

interface GltfJson {
  accessors?: AccessorJson[];
  bufferViews?: { byteOffset?: number; byteStride?: number }[];
  buffers?: { uri?: string; byteLength?: number }[];
}

const COMPONENT_BYTES: Record<number, number> = { 5120: 1, 5121: 1, 5122: 2, 5123: 2, 5125: 4, 5126: 4 };
const TYPE_SIZE: Record<string, number> = { SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4, MAT4: 16 };

const known = new WeakMap<Seed, Parts>();

function partsOf(seed: Seed): Parts {
  let parts = known.get(seed);
  if (!parts) {
    const { json, binary } = splitGlb(seed.bytes);
    parts = { text: JSON.stringify(json), binary: binary ?? new Uint8Array(0) };
    known.set(seed, parts);
  }
  return parts;
}

/** A damaged GLB: fields of its JSON, elements of its accessors, its chunks, or any bytes. */
export function mutateGlb(random: Random, seeds: readonly Seed[]): Uint8Array<ArrayBuffer> {
  const seed = pick(random, seeds);
  const kind = random.below(20);
  if (kind === 0) return splice(random, seed.bytes, pick(random, seeds).bytes);
  if (kind === 1) return mutateBytes(random, seed.bytes);
  const { json, binary } = mutateContent(random, seed, seeds);
  const glb = packChunks(jsonText(json), binary);
  if (kind === 2) mutateChunksInto(random, glb);
  return kind === 3 ? mutateBytes(random, glb) : glb;
}

/** The same as a .gltf text with its buffer in a data URI. */
export function mutateGltf(random: Random, seeds: readonly Seed[]): Uint8Array<ArrayBuffer> {
  const seed = pick(random, seeds);
  const { json, binary } = mutateContent(random, seed, seeds);
  const text = new TextEncoder().encode(embed(json, binary, random));
  return random.below(10) === 0 ? mutateBytes(random, text) : text;
}

function embed(json: unknown, binary: Uint8Array, random: Random): string {
  const buffer = (json as GltfJson | null)?.buffers?.[0];
  if (typeof buffer === 'object' && buffer !== null) {
    const isBeside = random.below(8) === 0;
    buffer.uri = isBeside ? 'x.bin' : `data:application/octet-stream;base64,${Buffer.from(binary).toString('base64')}`;
    if (random.below(12) === 0) buffer.uri = mutateText(random, buffer.uri);
  }
  return jsonText(json);
}

function mutateText(random: Random, text: string): string {
  return new TextDecoder().decode(mutateBytes(random, new TextEncoder().encode(text)));
}

function mutateContent(random: Random, seed: Seed, seeds: readonly Seed[]): { json: unknown; binary: Uint8Array } {
  const parts = partsOf(seed);
  const json: unknown = JSON.parse(parts.text);
  let { binary } = parts;
  const changes = 1 + random.below(2) + (random.below(4) === 0 ? random.below(6) : 0);
  for (let n = 0; n < changes; n++) {
    const kind = random.below(12);
    if (kind < 5) mutateJsonInto(random, json);
    else if (kind < 6) mutateExtensionInto(random, json);
    else if (kind < 11) binary = mutateElement(random, json as GltfJson, binary);
    else
      binary =
        random.below(4) === 0
          ? splice(random, binary, partsOf(pick(random, seeds)).binary)
          : mutateBytes(random, Uint8Array.from(binary));
  }
  return { json, binary };
}

/** A change inside of one extension. */
function mutateExtensionInto(random: Random, json: unknown): void {
  const places = listPlaces(json).filter(({ key }) => typeof key === 'string' && /^(OSSIFY|EXT|KHR)_/.test(key));
  if (places.length === 0) {
    mutateJsonInto(random, json);
    return;
  }
  const { owner, key } = pick(random, places);
  mutateJsonInto(random, random.below(8) === 0 ? owner : owner[key]);
}

/** An element of an accessor gets a value at the edge of its type, or that of another element. */
function mutateElement(random: Random, json: GltfJson, binary: Uint8Array): Uint8Array {
  const accessors = Array.isArray(json.accessors) ? json.accessors : [];
  const accessor = accessors[random.below(accessors.length || 1)];
  const view = json.bufferViews?.[accessor?.bufferView ?? -1];
  const size = COMPONENT_BYTES[accessor?.componentType];
  const width = TYPE_SIZE[accessor?.type];
  if (!view || !size || !width || !(accessor.count > 0)) return binary;
  const element = random.below(accessor.count);
  const place = (view.byteOffset ?? 0) + (accessor.byteOffset ?? 0) + element * (view.byteStride ?? width * size);
  const at = place + size * random.below(width);
  if (!(at >= 0 && at + size <= binary.length)) return binary;
  const out = Uint8Array.from(binary);
  const data = new DataView(out.buffer);
  if (accessor.componentType === 5126) {
    const value = data.getFloat32(at, true);
    data.setFloat32(at, pick(random, [...FLOATS, -value, 2 * value, value + 1]), true);
  } else {
    const value = pick(random, [...INTEGERS, random.below(16), random.below(16)]);
    if (size === 1) data.setUint8(at, value);
    else if (size === 2) data.setUint16(at, value, true);
    else data.setUint32(at, value, true);
  }
  return out;
}

function mutateChunksInto(random: Random, glb: Uint8Array<ArrayBuffer>): void {
  const view = new DataView(glb.buffer);
  const textLength = view.getUint32(12, true);
  const fields = [4, 8, 12, 16, 20 + textLength, 24 + textLength].filter((at) => at + 4 <= glb.length);
  const at = pick(random, fields);
  view.setUint32(at, pick(random, [...INTEGERS, view.getUint32(at, true) + 4, view.getUint32(at, true) - 4]), true);
}

/** A GLB of any text; packGlb would encode the JSON again. */
export function packChunks(text: string, binary: Uint8Array): Uint8Array<ArrayBuffer> {
  const encoded = new TextEncoder().encode(text);
  const padding = new Uint8Array(-encoded.length & 3).fill(0x20);
  const header = new DataView(new ArrayBuffer(20));
  const isPresent = binary.length > 0;
  const chunk = new DataView(new ArrayBuffer(isPresent ? 8 : 0));
  const end = new Uint8Array(-binary.length & 3);
  const length = 20 + encoded.length + padding.length + chunk.byteLength + binary.length + end.length;
  [0x46546c67, 2, length, encoded.length + padding.length, 0x4e4f534a].forEach((word, n) => {
    header.setUint32(4 * n, word, true);
  });
  if (isPresent) {
    chunk.setUint32(0, binary.length + end.length, true);
    chunk.setUint32(4, 0x004e4942, true);
  }
  return join(new Uint8Array(header.buffer), encoded, padding, new Uint8Array(chunk.buffer), binary, end);
}

/** The file without the n-th value of its JSON. */
export function shrinkGltf(bytes: Uint8Array<ArrayBuffer>, n: number): Uint8Array<ArrayBuffer> | undefined {
  let parts: { json: unknown; binary?: Uint8Array };
  try {
    parts = splitGlb(bytes);
  } catch {
    return undefined;
  }
  const place = listPlaces(parts.json)[n];
  if (!place) return undefined;
  if (Array.isArray(place.owner)) place.owner.splice(place.key as number, 1);
  else delete place.owner[place.key];
  const text = JSON.stringify(parts.json);
  return bytes[0] === 0x67 ? packChunks(text, parts.binary ?? new Uint8Array(0)) : new TextEncoder().encode(text);
}
