// SPDX-License-Identifier: MIT
// A glTF as text, with its numbers and images in files beside it.
import type { GLTF } from '@gltf-transform/core';
import type { GltfSource } from '../../../core/model/asset.ts';
import { MESHOPT } from '../check/check-gltf-data.ts';
import { jsonBuffer, jsonOf, jsonView } from '../document/gltf-json.ts';
import { GLB_BINARY } from '../document/load-gltf-resources.ts';

/** Views start at multiples of this, which any type of numbers allows. */
const ALIGNMENT = 8;
const TYPES: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/webp': 'webp',
  'image/ktx2': 'ktx2',
  'image/avif': 'avif',
};

/** A file of a .gltf. */
export interface GltfFile {
  /** A name in the folder of the .gltf. */
  path: string;
  bytes: Uint8Array<ArrayBuffer>;
}

/** The text of a .gltf, and the files that it names. */
export interface GltfFiles {
  bytes: Uint8Array<ArrayBuffer>;
  beside: GltfFile[];
}

/**
 * Writes a source as a .gltf with a .bin and its images beside it.
 * @param name the beginning of the names of the files
 */
export function writeGltfFiles(source: GltfSource, name: string): GltfFiles {
  const json: GLTF.IGLTF = structuredClone(jsonOf(source));
  const images = takeImages(json, source, name);
  const binary = packViews(json, source);
  const beside: GltfFile[] = [...images];
  if (binary.length > 0) {
    beside.unshift({ path: `${name}.bin`, bytes: binary });
    const fallback = (json.buffers ?? []).filter((buffer) => isFallback(buffer));
    json.buffers = [{ uri: encodeURI(`${name}.bin`), byteLength: binary.length }, ...fallback];
  } else delete json.buffers;
  return { bytes: new TextEncoder().encode(JSON.stringify(json, undefined, 2)), beside };
}

/** Gives every image a file. Their views are removed from the JSON. */
function takeImages(json: GLTF.IGLTF, source: GltfSource, name: string): GltfFile[] {
  const taken = new Set<string>();
  const views = new Set<number>();
  const files = (json.images ?? []).map((image, n): GltfFile => {
    const stem = (image.name || `${name}_${n}`)
      .replace(/\.(png|jpe?g|webp|ktx2|avif)$/i, '')
      .replace(/[^\p{L}\p{N}_.-]/gu, '_');
    const extension = TYPES[image.mimeType ?? ''] ?? 'img';
    let path = `${stem}.${extension}`;
    for (let k = 2; taken.has(path.toLowerCase()); k++) path = `${stem}_${k}.${extension}`;
    taken.add(path.toLowerCase());
    const bytes = bytesOfImage(json, image, source);
    if (image.bufferView !== undefined) views.add(image.bufferView);
    delete image.bufferView;
    image.uri = encodeURI(path);
    return { path, bytes };
  });
  removeViews(json, views);
  return files;
}

function bytesOfImage(json: GLTF.IGLTF, { uri, bufferView }: GLTF.IImage, source: GltfSource): Uint8Array<ArrayBuffer> {
  if (bufferView === undefined) return source.resources[uri ?? ''] ?? new Uint8Array(0);
  const { buffer, byteOffset = 0, byteLength } = jsonView(json, bufferView);
  return resourceOf(jsonBuffer(json, buffer), source).slice(byteOffset, byteOffset + byteLength);
}

function resourceOf({ uri }: GLTF.IBuffer, { resources }: GltfSource): Uint8Array<ArrayBuffer> {
  return resources[uri ?? GLB_BINARY] ?? new Uint8Array(0);
}

/** Removes views; those that accessors name get new numbers. */
function removeViews(json: GLTF.IGLTF, removed: ReadonlySet<number>): void {
  const placeOf = new Map<number, number>();
  json.bufferViews = json.bufferViews?.filter((_, n) => !removed.has(n) && placeOf.set(n, placeOf.size));
  for (const accessor of json.accessors ?? []) {
    if (accessor.bufferView !== undefined) accessor.bufferView = placeOf.get(accessor.bufferView);
    const { sparse } = accessor;
    for (const part of sparse ? [sparse.indices, sparse.values] : [])
      part.bufferView = placeOf.get(part.bufferView) ?? 0;
  }
  for (const { primitives } of json.meshes ?? [])
    for (const { extensions } of primitives) {
      const draco = extensions?.KHR_draco_mesh_compression as { bufferView?: number } | undefined;
      if (draco?.bufferView !== undefined) draco.bufferView = placeOf.get(draco.bufferView);
    }
}

/** A range of a buffer; compressed views have it in an extension. */
type Range = Pick<GLTF.IBufferView, 'buffer' | 'byteOffset' | 'byteLength'>;

/** Joins the bytes of all views into one buffer, the first. Changed in place. */
function packViews(json: GLTF.IGLTF, source: GltfSource): Uint8Array<ArrayBuffer> {
  const parts: Uint8Array[] = [];
  let length = 0;
  const fallbacks = (json.buffers ?? []).map(isFallback);
  const placeOfFallback = fallbacks.map((is, n) => (is ? 1 + fallbacks.slice(0, n).filter(Boolean).length : 0));
  const move = (range: Range): void => {
    const { byteOffset = 0, byteLength } = range;
    const bytes = resourceOf(jsonBuffer(json, range.buffer), source).subarray(byteOffset, byteOffset + byteLength);
    Object.assign(range, { buffer: 0, byteOffset: length });
    const padded = Math.ceil(bytes.length / ALIGNMENT) * ALIGNMENT;
    parts.push(bytes);
    length += padded;
  };
  for (const view of json.bufferViews ?? []) {
    const packed = view.extensions?.[MESHOPT] as Range | undefined;
    move(packed ?? view);
    if (packed) view.buffer = placeOfFallback[view.buffer];
  }
  const binary = new Uint8Array(length);
  let offset = 0;
  for (const part of parts) {
    binary.set(part, offset);
    offset += Math.ceil(part.length / ALIGNMENT) * ALIGNMENT;
  }
  return binary;
}

/** Whether a buffer only stands for what compressed views decode to. */
function isFallback(buffer: GLTF.IBuffer): boolean {
  return (buffer.extensions?.[MESHOPT] as { fallback?: boolean } | undefined)?.fallback === true;
}
