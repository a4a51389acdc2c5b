// SPDX-License-Identifier: MIT
// The face of the GPU benchmark: its morph targets, and the bones that were driven by them, as one file.

import type { DriverForm, ShapeDrivenSkin } from '../../src/core/model/deformed/shape-drivers.ts';
import { makeMesh } from '../../src/core/model/mesh/mesh.ts';
import { makeLooseSkeleton } from '../../src/core/model/skin/skeleton.ts';
import { readArrays, writeArrays } from './array-file.ts';

/** A face in both forms. */
export interface FaceModel {
  name: string;
  model: ShapeDrivenSkin;
  /** shapeCount x vertexCount x 3 displacements of positions */
  deltas: Float32Array;
  /** shapeCount x vertexCount x 3 differences of normals */
  normalDeltas: Float32Array;
}

export function writeFaceModel({ name, model, deltas, normalDeltas }: FaceModel): Uint8Array {
  const { mesh, skin, skeleton, drivers } = model;
  const { factors, rowStart, columns, values } = drivers;
  return writeArrays(
    { name, bones: skeleton.names, shapes: drivers.shapes, form: drivers.form },
    {
      ...{ positions: mesh.positions, normals: mesh.normals!, deltas, normalDeltas, binds: skeleton.bindMatrices },
      ...{ skinStart: skin.rowStart, skinBones: skin.boneIndices, skinWeights: skin.weights },
      ...{ factors, rowStart, columns, values },
    },
  );
}

interface Facts {
  name: string;
  bones: string[];
  shapes: string[];
  form: DriverForm;
}

type Arrays = Record<'positions' | 'normals' | 'deltas' | 'normalDeltas' | 'skinWeights' | 'values', Float32Array> &
  Record<'skinStart' | 'skinBones' | 'factors' | 'rowStart' | 'columns', Uint32Array> & { binds: Float64Array };

export function readFaceModel(bytes: Uint8Array): FaceModel {
  const { facts, arrays } = readArrays<Facts, Arrays>(bytes);
  const { factors, rowStart, columns, values, deltas, normalDeltas } = arrays;
  const mesh = makeMesh(arrays.positions, new Uint32Array(0), facts.name);
  mesh.normals = arrays.normals;
  const skeleton = makeLooseSkeleton(facts.bones.length, facts.bones);
  skeleton.bindMatrices.set(arrays.binds);
  const skin = { rowStart: arrays.skinStart, boneIndices: arrays.skinBones, weights: arrays.skinWeights };
  const drivers = { shapes: facts.shapes, form: facts.form, factors, rowStart, columns, values };
  return { name: facts.name, model: { kind: 'shape-driven', mesh, skeleton, skin, drivers }, deltas, normalDeltas };
}
