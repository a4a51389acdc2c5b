// SPDX-License-Identifier: MIT

import { vertexNormalsInto } from '../../core/mesh/geometry/vertex-normals.ts';
import { type Weld, weldVertices } from '../../core/mesh/topology/weld.ts';
import type { Deformer } from '../../core/model/deformed/deformer.ts';
import type { Morphs } from '../../core/model/deformed/morphs.ts';
import { InputError } from '../../core/model/errors.ts';
import type { Mesh } from '../../core/model/mesh/mesh.ts';

/**
 * Morph targets before another deformer: rest + Σ weight x delta, then, if given, the deformer that `make` returns for the
 * morphed mesh (a skin). The weights come from pose.morphs, one per target; without them the rest shape is used.
 *
 * The targets' normal differences are added and normals rescaled to unit length; if the mesh has no normals, they are computed
 * from the morphed triangles.
 * @param make must read the positions and normals of its mesh at each call, as make-linear-blend.ts and dual-quaternion.ts do
 */
export function makeMorphBlend(mesh: Mesh, morphs: Morphs, make?: (shaped: Mesh) => Deformer): Deformer {
  const shapedNormals = new Float32Array(mesh.positions.length);
  const shaped: Mesh = { ...mesh, positions: mesh.positions.slice(), normals: shapedNormals };
  for (const target of morphs.targets) {
    const end = (target.vertexStart + target.vertexCount) * 3;
    if (end > mesh.positions.length || target.positions.length !== target.vertexCount * 3) {
      throw new InputError('morph blend', `target "${target.name}" has another number of vertices than the mesh`);
    }
  }
  let weld: Weld | undefined;
  const inner = make?.(shaped);
  return {
    vertexCount: mesh.positions.length / 3,
    boneCount: inner ? inner.boneCount : 0,
    deformInto(pose, positions, normals) {
      const weights = pose.morphs;
      if (weights && weights.length !== morphs.targets.length) {
        throw new InputError(
          'morph blend',
          `the pose has ${weights.length} morph weights, expected ${morphs.targets.length}`,
        );
      }
      shaped.positions.set(mesh.positions);
      if (weights) addTargets(morphs, weights, 'positions', shaped.positions);
      if (normals) {
        if (mesh.normals) {
          shapedNormals.set(mesh.normals);
          if (weights) addTargets(morphs, weights, 'normals', shapedNormals);
          normalizeAll(shapedNormals);
        } else {
          weld ??= weldVertices(mesh.positions);
          vertexNormalsInto(shaped.positions, shaped.triangles, shapedNormals, weld);
        }
      }
      if (inner) {
        inner.deformInto(pose, positions, normals);
      } else {
        positions.set(shaped.positions);
        normals?.set(shapedNormals);
      }
    },
  };
}

function addTargets(morphs: Morphs, weights: Float32Array, what: 'positions' | 'normals', out: Float32Array): void {
  for (let n = 0; n < weights.length; n++) {
    const weight = weights[n];
    const target = morphs.targets[n];
    const deltas = target[what];
    if (weight === 0 || !deltas) continue;
    const start = target.vertexStart * 3;
    for (let c = 0; c < deltas.length; c++) out[start + c] += weight * deltas[c];
  }
}

function normalizeAll(vectors: Float32Array): void {
  for (let c = 0; c < vectors.length; c += 3) {
    const length = Math.hypot(vectors[c], vectors[c + 1], vectors[c + 2]);
    if (!(length > 0)) continue;
    vectors[c] /= length;
    vectors[c + 1] /= length;
    vectors[c + 2] /= length;
  }
}
