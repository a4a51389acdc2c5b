// SPDX-License-Identifier: MIT

import { determinant3, transformDirections } from '../../../core/math/mat4.ts';
import type { Morphs, MorphTarget } from '../../../core/model/deformed/morphs.ts';
import { fail } from '../../../deformers/layout/index.ts';
import { meshOf } from '../document/gltf-graph.ts';
import type { GltfPiece } from '../document/pieces/list-gltf-pieces.ts';
import { findNotFinite, floatsOf, zeroNotFinite } from '../document/read-accessor.ts';
import type { GltfNodes } from './read-gltf-nodes.ts';

/**
 * Reads the morph targets of all pieces. Displacements are transformed to rest space by the 3x3 part of the piece's matrix. Differences of
 * normals are transformed by the same part, divided by its scale, which is exact for rotations and uniform scales.
 */
export function readGltfMorphs(
  nodes: GltfNodes,
  pieces: readonly GltfPiece[],
  restMatrices: readonly Float64Array[],
  log?: (message: string) => void,
): Morphs | undefined {
  const targets: MorphTarget[] = [];
  const rest = new Map<number, Float32Array>();
  pieces.forEach(({ node: gltfNode, primitive, vertexStart, vertexCount, label }, p) => {
    const defs = primitive.listTargets();
    if (defs.length === 0) return;
    const node = nodes.treeOf(gltfNode);
    const mesh = meshOf(gltfNode);
    const weights = [gltfNode.getWeights(), mesh.getWeights()].find((list) => list.length > 0) ?? defs.map(() => 0);
    rest.set(node, Float32Array.from(weights));
    const names: unknown = mesh.getExtras().targetNames;
    const m = restMatrices[p];
    const scale = Math.cbrt(Math.abs(determinant3(m))) || 1;
    const turn = m.map((x) => x / scale);
    defs.forEach((def, t) => {
      const name = Array.isArray(names) && typeof names[t] === 'string' ? names[t] : `target ${t}`;
      const displacements = def.getAttribute('POSITION');
      const positions = displacements ? turned(floatsOf(displacements), m) : new Float32Array(vertexCount * 3);
      const wrong = findNotFinite(positions);
      if (wrong >= 0)
        fail('value', `vertex ${Math.floor(wrong / 3)} of morph target ${t} of mesh ${label} is not finite`);
      const target: MorphTarget = { name, node, weight: t, vertexStart, vertexCount, positions };
      const normals = def.getAttribute('NORMAL');
      if (normals) {
        target.normals = turned(floatsOf(normals), turn);
        const count = zeroNotFinite(target.normals);
        if (count > 0)
          log?.(`${count} normals of morph target ${t} of mesh ${label} are not finite; they are read as zero`);
      }
      targets.push(target);
    });
  });
  if (targets.length === 0) return undefined;
  return { targets, restWeights: [...rest].map(([node, weights]) => ({ node, weights })) };
}

function turned(source: Float32Array, m: Float64Array): Float32Array {
  const out = new Float32Array(source.length);
  transformDirections(m, source, out);
  return out;
}
