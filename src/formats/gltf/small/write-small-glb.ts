// SPDX-License-Identifier: MIT
// The smallest GLB that loaders open: meshes by Draco, animations and matrices by meshopt, and short JSON. Numbers are rounded to the given steps.
import type { GLTF } from '@gltf-transform/core';
import { joinArrays } from '../../../core/math/join-arrays.ts';
import type { Asset } from '../../../core/model/asset.ts';
import { COMPONENT_BYTES, MESHOPT, TYPE_SIZE } from '../check/check-gltf-data.ts';
import { readJsonAccessor } from '../check/json-accessor.ts';
import { DRACO } from '../codecs/unpack-gltf-draco.ts';
import { jsonAccessor, jsonIndices, jsonView } from '../document/gltf-json.ts';
import { listVertexStarts } from '../document/list-vertex-starts.ts';
import { packGlb } from '../document/pack-glb.ts';
import { makeGltf } from '../write/make-gltf.ts';
import type { GlbContent, WriteGlbOptions } from '../write-glb.ts';
import { canReorder } from './can-reorder.ts';
import { measureMotionSteps } from './motion-steps.ts';
import { shortenGltf } from './shorten-gltf.ts';
import { encodePrimitive } from './small-mesh.ts';
import { storeMeshopt } from './small-meshopt.ts';
import { placeAccessor, storeSmallMotion } from './small-motion.ts';
import type { SmallPrecision } from './small-precision.ts';
import { SmallViews } from './small-views.ts';

export interface SmallGlb {
  bytes: Uint8Array<ArrayBuffer>;
  /** By vertex of the file: the vertex of the asset. */
  order: Uint32Array;
  /** Bytes of the file by what they hold. */
  parts: { meshes: number; motion: number; json: number; other: number };
}

/** How a small file is written. */
export interface SmallGlbOptions extends Pick<WriteGlbOptions, 'shading' | 'log'> {
  /** Codec of meshes. Default 'draco'. */
  meshes?: 'draco' | 'meshopt';
}

/** Writes a small GLB. Content is that of writeGlb. */
export async function writeSmallGlb(
  asset: Asset,
  content: GlbContent,
  precision: SmallPrecision,
  options: SmallGlbOptions = {},
): Promise<SmallGlb> {
  const { json, binary } = await makeGltf(asset, content, { ...options, isPlain: true });
  const { MeshoptEncoder } = await import('meshoptimizer/encoder');
  await MeshoptEncoder.ready;
  const steps = measureMotionSteps(json, binary, precision);
  const views = new SmallViews(MeshoptEncoder);
  const starts = listVertexStarts(json, asset, content);
  const made = { json, binary, views, encoder: MeshoptEncoder };
  const { order, done, byteLength: meshes } = await storeMeshes(made, starts, precision, options.meshes ?? 'draco');
  const before = views.byteLength;
  storeSmallMotion(json, binary, views, MeshoptEncoder, steps);
  const motion = views.byteLength - before;
  for (const { samplers } of json.animations ?? [])
    for (const { input, output } of samplers) done.add(input).add(output);
  storeOthers(json, binary, views, done);
  const isDraco = options.meshes !== 'meshopt' && meshes > 0;
  const extensions = [...(isDraco ? [DRACO] : []), ...(views.hasCompressed ? [MESHOPT] : [])];
  for (const list of ['extensionsUsed', 'extensionsRequired'] as const)
    json[list] = [...new Set([...(json[list] ?? []), ...extensions])];
  const { binary: chunk, buffers } = views.finish();
  const bytes = packGlb(shortenGltf({ ...json, buffers, bufferViews: views.list }), chunk);
  const text = bytes.length - chunk.length;
  return {
    bytes,
    order: order.length > 0 ? joinArrays(order) : new Uint32Array(0),
    parts: { meshes, motion, json: text, other: bytes.length - text - meshes - motion },
  };
}

/** A document, and the views that it is stored in. */
interface SmallDocument {
  json: GLTF.IGLTF;
  binary: Uint8Array;
  views: SmallViews;
  encoder: typeof import('meshoptimizer/encoder').MeshoptEncoder;
}

interface StoredPrimitive {
  /** By vertex of the file: the vertex of the primitive. */
  order: Uint32Array;
  byteLength: number;
}

/**
 * Stores all primitives whose vertices may change their order.
 * @param starts the first vertex of each primitive in the asset
 * @returns by primitive and vertex of the file, the vertex of the asset; the accessors that are stored; and their bytes
 */
async function storeMeshes(
  small: SmallDocument,
  starts: readonly number[],
  precision: SmallPrecision,
  codec: 'draco' | 'meshopt',
): Promise<{ order: Uint32Array[]; done: Set<number>; byteLength: number }> {
  const { json } = small;
  const order: Uint32Array[] = [];
  const done = new Set<number>();
  let byteLength = 0;
  for (const primitive of (json.meshes ?? []).flatMap(({ primitives }) => primitives)) {
    const start = starts[order.length];
    if (!canReorder(json, primitive)) {
      const count = json.accessors?.[primitive.attributes.POSITION]?.count ?? 0;
      order.push(Uint32Array.from({ length: count }, (_, n) => start + n));
      continue;
    }
    const store = codec === 'meshopt' ? storeByMeshopt : storeByDraco;
    const stored = await store(small, primitive, precision);
    order.push(stored.order.map((i) => i + start));
    byteLength += stored.byteLength;
    for (const index of [jsonIndices(primitive), ...Object.values(primitive.attributes)]) done.add(index);
  }
  return { order, done, byteLength };
}

async function storeByMeshopt(
  { json, binary, views, encoder }: SmallDocument,
  primitive: GLTF.IMeshPrimitive,
  precision: SmallPrecision,
): Promise<StoredPrimitive> {
  const before = views.byteLength;
  const order = storeMeshopt(json, binary, primitive, precision, { views, encoder });
  return { order, byteLength: views.byteLength - before };
}

async function storeByDraco(
  { json, binary, views }: SmallDocument,
  primitive: GLTF.IMeshPrimitive,
  precision: SmallPrecision,
): Promise<StoredPrimitive> {
  const { bytes, ids, order } = await encodePrimitive(json, binary, primitive, precision);
  primitive.extensions = { [DRACO]: { bufferView: views.add(bytes), attributes: ids } } as never;
  for (const index of [jsonIndices(primitive), ...Object.values(primitive.attributes)]) {
    const accessor = jsonAccessor(json, index);
    delete accessor.bufferView;
    delete accessor.byteOffset;
  }
  return { order, byteLength: bytes.length };
}

/** Stores all other accessors and views. */
function storeOthers(json: GLTF.IGLTF, binary: Uint8Array, views: SmallViews, done: ReadonlySet<number>): void {
  json.accessors?.forEach((accessor, index) => {
    if (accessor.bufferView === undefined || done.has(index)) return;
    const values = readJsonAccessor(json, binary, index);
    const width = TYPE_SIZE[accessor.type] * COMPONENT_BYTES[accessor.componentType];
    placeAccessor(accessor, views.addElements(new Uint8Array(values.buffer), width), 0);
  });
  for (const image of json.images ?? []) {
    if (image.bufferView === undefined) continue;
    const { byteOffset = 0, byteLength } = jsonView(json, image.bufferView);
    image.bufferView = views.add(binary.subarray(byteOffset, byteOffset + byteLength));
  }
}
