// SPDX-License-Identifier: MIT
import type { GLTF } from '@gltf-transform/core';
import { determinant3, transformDirection } from '../math/mat4.ts';
import type { Morphs, MorphTarget } from '../model/morphs.ts';
import { fail } from './gltf-fields.ts';
import type { GltfPiece } from './list-gltf-pieces.ts';
import type { GltfAccessors } from './make-gltf-accessors.ts';
import { labelOf } from './read-gltf-geometry.ts';
import type { GltfNodes } from './read-gltf-nodes.ts';

/**
 * Reads the morph targets of all pieces, their displacements turned into rest space by the 3x3 part of the piece's matrix.
 * Differences of normals are turned by the same part, exact for rotations and uniform scales up to that scale, which is divided out.
 */
export function readGltfMorphs(
  json: GLTF.IGLTF,
  nodes: GltfNodes,
  pieces: GltfPiece[],
  restMatrices: Float64Array[],
  accessors: GltfAccessors,
): Morphs | undefined {
  const targets: MorphTarget[] = [];
  const rest = new Map<number, Float32Array>();
  pieces.forEach((piece, p) => {
    const mesh = json.meshes![piece.mesh];
    const defs = mesh.primitives[piece.primitive].targets ?? [];
    if (defs.length === 0) return;
    const node = nodes.treeOf[piece.node];
    const weights = json.nodes![piece.node].weights ?? mesh.weights ?? defs.map(() => 0);
    rest.set(node, Float32Array.from(weights));
    const names: unknown = mesh.extras?.targetNames;
    const m = restMatrices[p];
    const scale = Math.cbrt(Math.abs(determinant3(m))) || 1;
    const turn = m.map((x) => x / scale);
    defs.forEach((def, t) => {
      const name = Array.isArray(names) && typeof names[t] === 'string' ? names[t] : `target ${t}`;
      const positions =
        def.POSITION === undefined
          ? new Float32Array(piece.vertexCount * 3)
          : turned(accessors.floats(def.POSITION), m);
      for (let c = 0; c < positions.length; c++) {
        if (!Number.isFinite(positions[c]))
          fail(
            'value',
            `vertex ${Math.floor(c / 3)} of morph target ${t} of mesh ${labelOf(json, piece)} is not finite`,
          );
      }
      const target: MorphTarget = {
        name,
        node,
        weight: t,
        vertexStart: piece.vertexStart,
        vertexCount: piece.vertexCount,
        positions,
      };
      if (def.NORMAL !== undefined) target.normals = turned(accessors.floats(def.NORMAL), turn);
      targets.push(target);
    });
  });
  if (targets.length === 0) return undefined;
  return { targets, restWeights: [...rest].map(([node, weights]) => ({ node, weights })) };
}

function turned(source: Float32Array, m: Float64Array): Float32Array {
  const out = new Float32Array(source.length);
  for (let c = 0; c < source.length; c += 3) transformDirection(m, source, out, 0, c, c);
  return out;
}
