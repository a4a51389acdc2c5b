// SPDX-License-Identifier: MIT
// The models of the GPU benchmark as one file: named typed arrays behind a JSON header, so that a machine with nothing but Node can read them.

import type { DdmVariant, DirectDeltaMush } from '../../src/core/model/deformed/direct-delta-mush.ts';
import type { TwoLayer } from '../../src/core/model/deformed/two-layer.ts';
import { type Mesh, makeMesh } from '../../src/core/model/mesh/mesh.ts';
import { makeLooseSkeleton } from '../../src/core/model/skin/skeleton.ts';
import { makeSkin, type Skin } from '../../src/core/model/skin/skin.ts';

type Numbers = Float32Array | Float64Array | Uint32Array;
const TYPES = { Float32Array, Float64Array, Uint32Array };

/** A character with its weights, multi-weights by name of their threshold, and poses. */
export interface BenchModel {
  name: string;
  mesh: Mesh;
  boneCount: number;
  skin: Skin;
  /** poseCount x boneCount x 16 */
  poses: Float64Array;
  multiWeights: Record<string, DirectDeltaMush['multiWeights']>;
  /** By number of virtual bones. */
  twoLayers: Record<string, Layers>;
}

export type Layers = Pick<TwoLayer, 'virtualBones' | 'centers' | 'skin'>;

export function writeModels(models: BenchModel[]): Uint8Array {
  const arrays: Numbers[] = [];
  const keep = (array: Numbers): { type: string; length: number } => {
    arrays.push(array);
    return { type: array.constructor.name, length: array.length };
  };
  const header = models.map(({ name, mesh, boneCount, skin, poses, multiWeights, twoLayers }) => ({
    name,
    boneCount,
    arrays: {
      positions: keep(mesh.positions),
      normals: keep(mesh.normals!),
      rowStart: keep(skin.rowStart),
      boneIndices: keep(skin.boneIndices),
      weights: keep(skin.weights),
      poses: keep(poses),
    },
    multiWeights: Object.fromEntries(
      Object.entries(multiWeights).map(([key, m]) => [
        key,
        { rowStart: keep(m.rowStart), boneIndices: keep(m.boneIndices), omegas: keep(m.omegas) },
      ]),
    ),
    twoLayers: Object.fromEntries(
      Object.entries(twoLayers).map(([key, { virtualBones, centers, skin: second }]) => [
        key,
        {
          rowStart: keep(virtualBones.rowStart),
          boneIndices: keep(virtualBones.boneIndices),
          omegas: keep(virtualBones.omegas),
          centers: keep(centers),
          skinStart: keep(second.rowStart),
          skinBones: keep(second.boneIndices),
          skinWeights: keep(second.weights),
        },
      ]),
    ),
  }));
  const json = new TextEncoder().encode(JSON.stringify(header).padEnd(4));
  const start = Math.ceil((4 + json.length) / 8) * 8;
  const size = arrays.reduce((sum, array) => sum + Math.ceil(array.byteLength / 8) * 8, start);
  const bytes = new Uint8Array(size);
  new DataView(bytes.buffer).setUint32(0, json.length, true);
  bytes.set(json, 4);
  let offset = start;
  for (const array of arrays) {
    bytes.set(new Uint8Array(array.buffer, array.byteOffset, array.byteLength), offset);
    offset += Math.ceil(array.byteLength / 8) * 8;
  }
  return bytes;
}

interface Header {
  name: string;
  boneCount: number;
  arrays: Record<'positions' | 'normals' | 'rowStart' | 'boneIndices' | 'weights' | 'poses', Place>;
  multiWeights: Record<string, Record<'rowStart' | 'boneIndices' | 'omegas', Place>>;
  twoLayers: Record<
    string,
    Record<'rowStart' | 'boneIndices' | 'omegas' | 'centers' | 'skinStart' | 'skinBones' | 'skinWeights', Place>
  >;
}
interface Place {
  type: keyof typeof TYPES;
  length: number;
}

export function readModels(bytes: Uint8Array): BenchModel[] {
  const buffer = bytes.slice().buffer;
  const length = new DataView(buffer).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length))) as Header[];
  let offset = Math.ceil((4 + length) / 8) * 8;
  const take = <T extends Numbers>({ type, length: count }: Place): T => {
    const array = new TYPES[type](buffer, offset, count);
    offset += Math.ceil(array.byteLength / 8) * 8;
    return array as T;
  };
  // taken in the order they were kept
  return header.map(({ name, boneCount, arrays, multiWeights, twoLayers }) => {
    const mesh = makeMesh(take<Float32Array>(arrays.positions), new Uint32Array(0), name);
    mesh.normals = take<Float32Array>(arrays.normals);
    const rowStart = take<Uint32Array>(arrays.rowStart);
    const boneIndices = take<Uint32Array>(arrays.boneIndices);
    const skin = { rowStart, boneIndices, weights: take<Float32Array>(arrays.weights) };
    const poses = take<Float64Array>(arrays.poses);
    const all: BenchModel['multiWeights'] = {};
    for (const [key, place] of Object.entries(multiWeights)) {
      const starts = take<Uint32Array>(place.rowStart);
      const bones = take<Uint32Array>(place.boneIndices);
      all[key] = { rowStart: starts, boneIndices: bones, omegas: take<Float64Array>(place.omegas) };
    }
    const layers: BenchModel['twoLayers'] = {};
    for (const [key, place] of Object.entries(twoLayers)) {
      const starts = take<Uint32Array>(place.rowStart);
      const bones = take<Uint32Array>(place.boneIndices);
      const virtualBones = { rowStart: starts, boneIndices: bones, omegas: take<Float64Array>(place.omegas) };
      const centers = take<Float64Array>(place.centers);
      const skinStart = take<Uint32Array>(place.skinStart);
      const skinBones = take<Uint32Array>(place.skinBones);
      const second = { rowStart: skinStart, boneIndices: skinBones, weights: take<Float32Array>(place.skinWeights) };
      layers[key] = { virtualBones, centers, skin: second };
    }
    return { name, mesh, boneCount, skin, poses, multiWeights: all, twoLayers: layers };
  });
}

/** The Direct Delta Mush model with the multi-weights of a threshold. */
export function ddmOf(model: BenchModel, key: string, variant: DdmVariant): DirectDeltaMush {
  const settings = { iterations: 0, lambda: 0, kappa: 0, alpha: 0 };
  return {
    kind: 'direct-delta-mush',
    mesh: model.mesh,
    skeleton: makeLooseSkeleton(model.boneCount),
    multiWeights: model.multiWeights[key],
    variant,
    settings,
  };
}

/** The two layers with that many virtual bones. */
export function twoLayerOf(model: BenchModel, key: string): TwoLayer {
  return { kind: 'two-layer', mesh: model.mesh, skeleton: makeLooseSkeleton(model.boneCount), ...model.twoLayers[key] };
}

/** The skin with exactly `width` influences everywhere, made up by the bones next in number where it has fewer: what such a kernel costs. */
export function widenSkin(model: BenchModel, width: number): Skin {
  const { skin, boneCount } = model;
  const vertexCount = skin.rowStart.length - 1;
  const bones: number[] = [];
  const weights: number[] = [];
  for (let i = 0; i < vertexCount; i++) {
    const used = new Set<number>();
    for (let e = skin.rowStart[i]; e < skin.rowStart[i + 1] && used.size < width; e++) {
      used.add(skin.boneIndices[e]);
      bones.push(skin.boneIndices[e]);
      weights.push(skin.weights[e]);
    }
    for (let j = skin.boneIndices[skin.rowStart[i]]; used.size < width; j = (j + 1) % boneCount) {
      if (used.has(j)) continue;
      used.add(j);
      bones.push(j);
      weights.push(1e-3);
    }
  }
  return makeSkin(bones, weights, width);
}
