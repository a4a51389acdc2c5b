// SPDX-License-Identifier: MIT
// Typed access to the JSON of a glTF. checkGltf checks every index of a file before it is used, and writers make their own indices, so that an index without an
// item is reported as a fault of the file, with the name of the list.
import type { GLTF } from '@gltf-transform/core';
import type { GltfSource } from '../../../core/model/asset.ts';
import { fail } from '../../../deformers/layout/index.ts';

/** The JSON of a source. readGltf and makeGltfSource, which make sources, have checked its fields. */
export function jsonOf({ json }: Pick<GltfSource, 'json'>): GLTF.IGLTF {
  return json as unknown as GLTF.IGLTF;
}

/** A source of a checked JSON. */
export function makeSource(json: GLTF.IGLTF, resources: GltfSource['resources']): GltfSource {
  return { json: { ...json }, resources };
}

export function jsonAccessor(json: GLTF.IGLTF, index: number): GLTF.IAccessor {
  return itemOf(json.accessors, index, 'accessors');
}

export function jsonView(json: GLTF.IGLTF, index: number): GLTF.IBufferView {
  return itemOf(json.bufferViews, index, 'bufferViews');
}

export function jsonBuffer(json: GLTF.IGLTF, index: number): GLTF.IBuffer {
  return itemOf(json.buffers, index, 'buffers');
}

export function jsonMesh(json: GLTF.IGLTF, index: number): GLTF.IMesh {
  return itemOf(json.meshes, index, 'meshes');
}

export function jsonNode(json: GLTF.IGLTF, index: number): GLTF.INode {
  return itemOf(json.nodes, index, 'nodes');
}

export function jsonSkin(json: GLTF.IGLTF, index: number): GLTF.ISkin {
  return itemOf(json.skins, index, 'skins');
}

/** The accessor index of the indices of a primitive that has some. */
export function jsonIndices({ indices }: GLTF.IMeshPrimitive): number {
  return indices ?? fail('index', 'a primitive has no indices');
}

function itemOf<T>(list: readonly T[] | undefined, index: number, name: string): T {
  return list?.[index] ?? fail('index', `${name}[${index}] does not exist`);
}
