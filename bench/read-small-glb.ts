// SPDX-License-Identifier: MIT
// The integers that a file of `--for size` stores: grid positions, bones and weights in steps from its Draco streams, and animated values from its meshopt views, before meshopt's filters
// convert them to floats.
import type { GLTF } from '@gltf-transform/core';
import { MESHOPT } from '../src/gltf/check-gltf-data.ts';
import { splitGlb } from '../src/gltf/split-glb.ts';
import { DRACO } from '../src/gltf/unpack-gltf-draco.ts';
import { decodeDraco } from './decode-draco.ts';

export interface SmallMeshNumbers {
  triangles: Uint32Array;
  vertexCount: number;
  /** vertexCount x 3, positions in file units */
  positions: Float32Array;
  /** vertexCount x laneCount each; weights in 1/255 */
  joints: Uint16Array;
  weights: Uint8Array;
  laneCount: number;
}

export interface SmallTrack {
  /** Quaternions of the filter: three components, and the place of the largest in the two lowest bits of the fourth number. Numbers: a mantissa and an exponent each. */
  kind: 'rotation' | 'numbers';
  /** Numbers per key. */
  size: number;
  /** keyCount x size */
  values: Int32Array;
}

export interface SmallGlbNumbers {
  meshes: SmallMeshNumbers[];
  tracks: SmallTrack[];
  /** The JSON, and all views that are in neither of the above. */
  rest: Uint8Array;
}

interface MeshoptView {
  byteOffset?: number;
  byteLength: number;
  byteStride: number;
  count: number;
  mode: string;
  filter?: string;
}

export async function readSmallGlb(bytes: Uint8Array): Promise<SmallGlbNumbers> {
  const { json: parsed, binary = new Uint8Array(0) } = splitGlb(bytes);
  const json = parsed as GLTF.IGLTF;
  const used = new Set<number>();
  const bytesOf = ({ byteOffset = 0, byteLength }: { byteOffset?: number; byteLength: number }) =>
    binary.slice(byteOffset, byteOffset + byteLength);
  const meshes: SmallMeshNumbers[] = [];
  for (const { extensions } of (json.meshes ?? []).flatMap(({ primitives }) => primitives)) {
    const draco = extensions?.[DRACO] as { bufferView: number; attributes: Record<string, number> } | undefined;
    if (!draco) continue;
    used.add(draco.bufferView);
    meshes.push(readMesh(await decodeDraco(bytesOf(json.bufferViews![draco.bufferView]), draco.attributes)));
  }
  const { MeshoptDecoder } = await import('meshoptimizer/decoder');
  await MeshoptDecoder.ready;
  const tracks: SmallTrack[] = [];
  json.bufferViews?.forEach((view, index) => {
    const packed = view.extensions?.[MESHOPT] as MeshoptView | undefined;
    if (!packed?.filter || packed.filter === 'NONE') return;
    used.add(index);
    const { count, byteStride, mode, filter } = packed;
    const raw = new Uint8Array(count * byteStride);
    MeshoptDecoder.decodeGltfBuffer(raw, count, byteStride, bytesOf(packed), mode);
    for (const accessor of json.accessors ?? []) {
      if (accessor.bufferView !== index) continue;
      const start = accessor.byteOffset ?? 0;
      tracks.push(readTrack(raw.slice(start, start + accessor.count * byteStride), byteStride, filter));
    }
  });
  const others = (json.bufferViews ?? [])
    .filter((_, index) => !used.has(index))
    .map((view) => bytesOf((view.extensions?.[MESHOPT] as MeshoptView | undefined) ?? view));
  const chunks = [new TextEncoder().encode(JSON.stringify(json)), ...others];
  return { meshes, tracks, rest: Uint8Array.from(chunks.flatMap((chunk) => [...chunk])) };
}

function readMesh({ triangles, vertexCount, floats }: Awaited<ReturnType<typeof decodeDraco>>): SmallMeshNumbers {
  const sets = Object.keys(floats).filter((name) => name.startsWith('JOINTS_')).length;
  const laneCount = 4 * sets;
  const joints = new Uint16Array(vertexCount * laneCount);
  const weights = new Uint8Array(vertexCount * laneCount);
  for (let set = 0; set < sets; set++)
    for (let e = 0; e < 4 * vertexCount; e++) {
      const o = (e >> 2) * laneCount + 4 * set + (e & 3);
      joints[o] = floats[`JOINTS_${set}`][e];
      weights[o] = floats[`WEIGHTS_${set}`][e];
    }
  return { triangles, vertexCount, positions: floats.POSITION, joints, weights, laneCount };
}

function readTrack(bytes: Uint8Array, stride: number, filter: string): SmallTrack {
  if (filter === 'QUATERNION')
    return { kind: 'rotation', size: 4, values: Int32Array.from(new Int16Array(bytes.buffer)) };
  return { kind: 'numbers', size: stride / 4, values: new Int32Array(bytes.buffer) };
}
