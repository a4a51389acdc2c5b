// SPDX-License-Identifier: MIT
// The smallest GLB that loaders open: meshes by Draco, animations and matrices by meshopt, and short JSON. Numbers are rounded to the given steps.
import type { GLTF } from '@gltf-transform/core';
import type { Asset } from '../model/asset.ts';
import { COMPONENT_BYTES, MESHOPT, TYPE_SIZE } from './check-gltf-data.ts';
import { readJsonAccessor } from './json-accessor.ts';
import { makeGltf } from './make-gltf.ts';
import { measureNodeReach } from './node-reach.ts';
import { packGlb } from './pack-glb.ts';
import { shortenGltf } from './shorten-gltf.ts';
import { type AttributePrecision, encodePrimitive } from './small-mesh.ts';
import { placeAccessor, storeSmallMotion } from './small-motion.ts';
import { SmallViews } from './small-views.ts';
import { DRACO } from './unpack-gltf-draco.ts';
import type { GlbContent, WriteGlbOptions } from './write-glb.ts';

const TRIANGLES = 4;

/** The steps of a small file. */
export interface SmallPrecision extends AttributePrecision {
  /** Displacement of a vertex by one step of a track of its bone, file units. */
  motionStep: number;
}

export interface SmallGlb {
  bytes: Uint8Array<ArrayBuffer>;
  /** By vertex of the file: the vertex of the asset. */
  order: Uint32Array;
  /** Bytes of the file by what they hold. */
  parts: { meshes: number; motion: number; json: number; other: number };
}

/** Writes a small GLB. Content is that of writeGlb. */
export async function writeSmallGlb(
  asset: Asset,
  content: GlbContent,
  precision: SmallPrecision,
  options: Pick<WriteGlbOptions, 'shading' | 'log'> = {},
): Promise<SmallGlb> {
  const { json, binary } = await makeGltf(asset, content, { ...options, isPlain: true });
  const { MeshoptEncoder } = await import('meshoptimizer/encoder');
  await MeshoptEncoder.ready;
  const reach = measureNodeReach(json, binary);
  const views = new SmallViews(MeshoptEncoder);
  const order: Uint32Array[] = [];
  const done = new Set<number>();
  let vertexStart = 0;
  let meshes = 0;
  for (const { primitives } of json.meshes ?? []) {
    for (const primitive of primitives) {
      const count = json.accessors![primitive.attributes.POSITION]?.count ?? 0;
      if (canReorder(json, primitive)) {
        const encoded = await encodePrimitive(json, binary, primitive, precision);
        const bufferView = views.add(encoded.bytes);
        primitive.extensions = { [DRACO]: { bufferView, attributes: encoded.ids } } as never;
        for (const index of [primitive.indices!, ...Object.values(primitive.attributes)]) {
          delete json.accessors![index].bufferView;
          delete json.accessors![index].byteOffset;
          done.add(index);
        }
        const start = vertexStart;
        order.push(encoded.order.map((i) => i + start));
        meshes += encoded.bytes.length;
      } else order.push(Uint32Array.from({ length: count }, (_, n) => vertexStart + n));
      vertexStart += count;
    }
  }
  const before = views.byteLength;
  storeSmallMotion(json, binary, views, MeshoptEncoder, { step: precision.motionStep, reach });
  const motion = views.byteLength - before;
  for (const { samplers } of json.animations ?? [])
    for (const { input, output } of samplers) done.add(input).add(output);
  storeOthers(json, binary, views, done);
  const extensions = [...(order.length > 0 && meshes > 0 ? [DRACO] : []), ...(views.hasCompressed ? [MESHOPT] : [])];
  for (const list of ['extensionsUsed', 'extensionsRequired'] as const)
    json[list] = [...new Set([...(json[list] ?? []), ...extensions])];
  const { binary: chunk, buffers } = views.finish();
  const bytes = packGlb(shortenGltf({ ...json, buffers, bufferViews: views.list }), chunk);
  const text = bytes.length - chunk.length;
  return {
    bytes,
    order: joinOrders(order),
    parts: { meshes, motion, json: text, other: bytes.length - text - meshes - motion },
  };
}

/** Whether the vertices of a primitive may change their order: nothing but its own attributes has a number per vertex. */
function canReorder(
  json: GLTF.IGLTF,
  { mode = TRIANGLES, indices, targets, extensions, attributes }: GLTF.IMeshPrimitive,
) {
  const known = Object.keys(extensions ?? {}).every((name) => name === 'KHR_materials_variants');
  const users = (json.meshes ?? []).flatMap(({ primitives }) => primitives);
  const own = Object.values(attributes);
  const isAlone =
    users.filter((other) => Object.values(other.attributes).some((index) => own.includes(index))).length === 1;
  return (
    mode === TRIANGLES &&
    indices !== undefined &&
    !targets?.length &&
    known &&
    isAlone &&
    attributes.POSITION !== undefined
  );
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
    const { byteOffset = 0, byteLength } = json.bufferViews![image.bufferView];
    image.bufferView = views.add(binary.subarray(byteOffset, byteOffset + byteLength));
  }
}

function joinOrders(parts: readonly Uint32Array[]): Uint32Array {
  const order = new Uint32Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    order.set(part, at);
    at += part.length;
  }
  return order;
}
