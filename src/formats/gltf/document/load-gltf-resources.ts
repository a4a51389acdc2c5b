// SPDX-License-Identifier: MIT

import type { GLTF } from '@gltf-transform/core';
import type { GltfSource } from '../../../core/model/asset.ts';
import { FormatError } from '../../../core/model/errors.ts';
import { fail } from '../../../deformers/layout/index.ts';
import { MESHOPT } from '../check/check-gltf-data.ts';
import { checkGltfUri, decodeDataUri } from '../check/check-gltf-uri.ts';
import type { ResolveUri } from '../read/read-gltf-options.ts';
import { dropGltfImages } from '../repair/drop-gltf-images.ts';
import type { GltfRepairs } from '../repair/gltf-repairs.ts';
import { jsonBuffer, jsonOf, jsonView } from './gltf-json.ts';

/** The key of the binary chunk in glTF-Transform. */
export const GLB_BINARY = '@glb.bin';

/**
 * Loads buffers and images: the binary chunk, data URIs (which are replaced by a short name in the JSON, to save
 * memory), and files beside this one through resolve. Throws if a buffer is shorter than declared. Images that cannot be loaded are removed from the JSON.
 * @param resolve reads a file beside this one
 * @param found repairs to count, and images that are known to have no data
 */
export async function loadGltfResources(
  json: GLTF.IGLTF,
  binary: Uint8Array | undefined,
  resolve: ResolveUri | undefined,
  { repairs, missingImages }: { repairs: GltfRepairs; missingImages: ReadonlySet<number> },
): Promise<GltfSource['resources']> {
  const resources: GltfSource['resources'] = {};
  if (binary) resources[GLB_BINARY] = owned(binary);

  const load = async (item: { uri?: string; mimeType?: string }, what: string): Promise<void> => {
    const { uri } = item;
    if (uri === undefined) return;
    if (/^data:/i.test(uri)) {
      const { bytes, mimeType } = decodeDataUri(uri);
      // A name that starts with two underscores is not written back as a URI by glTF-Transform.
      const name = `__data${Object.keys(resources).length}.bin`;
      resources[name] = bytes;
      item.uri = name;
      if (what.startsWith('image')) item.mimeType ??= mimeType;
    } else if (!Object.hasOwn(resources, uri)) {
      const path = checkGltfUri(uri);
      if (!resolve) fail('resource', `the file needs "${path}" beside it, which was not given`);
      try {
        resources[uri] = owned(await resolve(path));
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        fail('resource', `the file needs "${path}" beside it, which could not be read: ${why.replace(/\.$/, '')}`);
      }
    }
  };

  for (const [n, buffer] of (json.buffers ?? []).entries()) {
    await load(buffer, `buffer ${n}`);
    const bytes = buffer.uri === undefined ? (n === 0 ? resources[GLB_BINARY] : undefined) : resources[buffer.uri];
    if (bytes === undefined) {
      if (isFallback(buffer)) continue;
      fail('resource', `buffer ${n} has no URI and the file has no binary chunk for it`);
    }
    if (bytes.length < buffer.byteLength)
      fail('truncated', `buffer ${n} should have ${buffer.byteLength} bytes, but has ${bytes.length}`);
  }
  const hasData = (index: number): boolean =>
    jsonBuffer(json, index).uri !== undefined || (index === 0 && GLB_BINARY in resources);
  for (const [n, view] of (json.bufferViews ?? []).entries()) {
    // A fallback buffer has no bytes; only the compressed data is read.
    const packed = view.extensions?.[MESHOPT] as { buffer: number } | undefined;
    const buffer = packed?.buffer ?? view.buffer;
    if (!hasData(buffer)) fail('resource', `buffer view ${n} reads buffer ${buffer}, which has no data`);
  }
  const missing = new Set(missingImages);
  for (const [n, image] of (json.images ?? []).entries()) {
    if (missing.has(n)) continue;
    try {
      if (image.bufferView === undefined) await load(image, `image ${n}`);
      else if (jsonView(json, image.bufferView).extensions?.[MESHOPT])
        fail('unsupported', `image ${n} is a compressed view`);
    } catch (error) {
      if (!(error instanceof FormatError)) throw error;
      missing.add(n);
      repairs.add('image', error.fault);
    }
  }
  if (missing.size > 0) dropGltfImages(json, missing);
  return resources;
}

/** Size of the buffers of a source in bytes, without images. */
export function countBufferBytes(source: GltfSource): number {
  const { buffers = [] } = jsonOf(source);
  return buffers.reduce((sum, { uri }) => sum + (source.resources[uri ?? GLB_BINARY]?.length ?? 0), 0);
}

function isFallback(buffer: GLTF.IBuffer): boolean {
  return (buffer.extensions?.[MESHOPT] as { fallback?: boolean } | undefined)?.fallback === true;
}

/** glTF-Transform needs memory that is not a SharedArrayBuffer; other views are not copied. */
function owned(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return bytes.buffer instanceof ArrayBuffer ? (bytes as Uint8Array<ArrayBuffer>) : new Uint8Array(bytes);
}
