// SPDX-License-Identifier: MIT
// Tangents and binormals of a geometry, as glTF has them: a direction, and the side on which the binormal is, sign(n x t . b). Both formats measure binormals along v from
// the bottom of the picture.
import { determinant3, transformDirections } from '../../../core/math/mat4.ts';
import type { Mesh, MeshAttribute } from '../../../core/model/mesh/mesh.ts';
import type { FbxNode } from '../syntax/fbx-node.ts';
import { type FbxCorners, type FbxLayer, readFbxLayers } from './fbx-layers.ts';

/** The tangents of the vertices of a mesh with normals; undefined where a vertex has none, since players compute all of them then. */
export function readFbxTangents(
  geometry: FbxNode,
  corners: FbxCorners,
  normals: Float32Array,
  cornerOfVertex: Int32Array,
): MeshAttribute | undefined {
  const [tangents] = readFbxLayers(geometry, 'LayerElementTangent', corners);
  if (!tangents) return undefined;
  const [binormals] = readFbxLayers(geometry, 'LayerElementBinormal', corners);
  const values = new Float32Array(4 * cornerOfVertex.length);
  for (let i = 0; i < cornerOfVertex.length; i++) {
    const tangent = directionOf(tangents, cornerOfVertex[i]);
    if (!tangent) return undefined;
    const binormal = binormals && directionOf(binormals, cornerOfVertex[i]);
    values.set(tangent, 4 * i);
    values[4 * i + 3] = binormal && sideOf(normals.subarray(3 * i, 3 * i + 3), tangent, binormal) < 0 ? -1 : 1;
  }
  return { name: 'TANGENT', size: 4, values };
}

/** Tangents moved with their mesh: they turn as lines do, and a mirror changes the side of the binormal. */
export function moveFbxTangents({ attributes }: Mesh, matrix: Float64Array): MeshAttribute[] {
  const side = determinant3(matrix) < 0 ? -1 : 1;
  return attributes.map((attribute) => {
    if (attribute.name !== 'TANGENT') return attribute;
    const count = attribute.values.length / 4;
    const turned = new Float32Array(3);
    const values = new Float32Array(4 * count);
    for (let i = 0; i < count; i++) {
      transformDirections(matrix, attribute.values.slice(4 * i, 4 * i + 3), turned);
      const length = Math.hypot(...turned) || 1;
      values.set(
        turned.map((x) => x / length),
        4 * i,
      );
      values[4 * i + 3] = side * attribute.values[4 * i + 3];
    }
    return { ...attribute, values };
  });
}

type Direction = [number, number, number];

/** The unit vector of a corner; undefined if it has none. */
function directionOf({ data, rows }: FbxLayer, corner: number): Direction | undefined {
  const row = corner < 0 ? -1 : rows[corner];
  if (row < 0) return undefined;
  const own: Direction = [data[3 * row], data[3 * row + 1], data[3 * row + 2]];
  const length = Math.hypot(...own);
  if (!(length > 0 && Number.isFinite(length))) return undefined;
  return [own[0] / length, own[1] / length, own[2] / length];
}

function sideOf([nx, ny, nz]: Float32Array, [tx, ty, tz]: Direction, [bx, by, bz]: Direction): number {
  return (ny * tz - nz * ty) * bx + (nz * tx - nx * tz) * by + (nx * ty - ny * tx) * bz;
}
