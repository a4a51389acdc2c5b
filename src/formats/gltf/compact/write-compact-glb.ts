// SPDX-License-Identifier: MIT
// A GLB with the extension OSSIFY_compact_skin: meshes, joints, skins and animations are one stream, and the JSON holds the rest.
import type { GLTF } from '@gltf-transform/core';
import { joinArrays } from '../../../core/math/join-arrays.ts';
import type { Asset } from '../../../core/model/asset.ts';
import { COMPACT_EXTENSION, type CompactDisplacements, encodeCompactSkin } from '../../compact-skin/index.ts';
import { jsonView } from '../document/gltf-json.ts';
import { listVertexStarts } from '../document/list-vertex-starts.ts';
import { packGlb } from '../document/pack-glb.ts';
import { measureMotionSteps } from '../small/motion-steps.ts';
import type { SmallPrecision } from '../small/small-precision.ts';
import type { SmallGlb } from '../small/write-small-glb.ts';
import { makeGltf } from '../write/make-gltf.ts';
import type { GlbContent, WriteGlbOptions } from '../write-glb.ts';
import { makeCompactContent } from './compact-content.ts';

export interface CompactGlbOptions extends Pick<WriteGlbOptions, 'shading' | 'log'> {
  /** Displacements along normals at rest, frameCount x vertexCount of the asset. Readers make a morph target of each frame. */
  displacements?: CompactDisplacements;
}

/** Writes a compact GLB. Content is that of writeGlb. Throws an InputError for content that the extension does not store, such as morph targets. */
export async function writeCompactGlb(
  asset: Asset,
  content: GlbContent,
  precision: SmallPrecision,
  { displacements, ...options }: CompactGlbOptions = {},
): Promise<SmallGlb> {
  const { json, binary } = await makeGltf(asset, content, { ...options, isPlain: true });
  const steps = measureMotionSteps(json, binary, precision);
  const vertexStarts = listVertexStarts(json, asset, content);
  const displaced = displacements && { displacements, vertexStarts };
  const { skin, json: rest, jsonNodes } = makeCompactContent(json, binary, precision, steps, displaced);
  const { bytes: stream, orders, parts } = encodeCompactSkin(skin, jsonNodes);
  const chunks = [stream];
  const views: GLTF.IBufferView[] = [{ buffer: 0, byteLength: stream.length }];
  let length = align(stream.length);
  for (const image of rest.images ?? []) {
    if (image.bufferView === undefined) continue;
    const { byteOffset = 0, byteLength } = jsonView(json, image.bufferView);
    chunks.push(binary.slice(byteOffset, byteOffset + byteLength) as Uint8Array<ArrayBuffer>);
    image.bufferView = views.push({ buffer: 0, byteOffset: length, byteLength }) - 1;
    length += align(byteLength);
  }
  const chunk = new Uint8Array(length);
  views.forEach(({ byteOffset = 0 }, n) => {
    chunk.set(chunks[n], byteOffset);
  });
  const extensionsOf = (names: readonly string[] = []) => [...names, COMPACT_EXTENSION];
  const bytes = packGlb(
    {
      ...rest,
      extensionsUsed: extensionsOf(rest.extensionsUsed),
      extensionsRequired: extensionsOf(rest.extensionsRequired),
      ...{ bufferViews: views, buffers: [{ byteLength: length }] },
    },
    chunk,
  );
  const order = orders.map((one, n) => one.map((v) => vertexStarts[n] + v));
  const text = bytes.length - chunk.length;
  const { meshes, motion } = parts;
  return {
    bytes,
    order: order.length > 0 ? joinArrays(order) : new Uint32Array(0),
    parts: { meshes, motion, json: text, other: bytes.length - text - meshes - motion },
  };
}

function align(length: number): number {
  return Math.ceil(length / 4) * 4;
}
