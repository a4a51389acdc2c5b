// SPDX-License-Identifier: MIT
import type { Mesh } from '../../core/model/mesh/mesh.ts';
import { layOutPolygons, type PolygonCorners, type PolygonLayout } from './lay-out-polygons.ts';
import type { Polygons } from './polygons.ts';

/** A triangle mesh, and the points from which its vertices came. */
export interface PolygonMesh {
  mesh: Mesh;
  /** Number of points: what a point cache of the file counts. */
  positionCount: number;
  /** vertexCount: the point of each vertex. All points are there, in order if possible (lay-out-polygons.ts). */
  positionOfVertex: Uint32Array;
}

/**
 * Triangulates polygons: UVs become TEXCOORD_0, TEXCOORD_1 … (origin at the top left, as in glTF), colours COLOR_0; normals are kept if every
 * corner has one.
 * @param name name of the mesh if the polygons have none
 */
export function makePolygonMesh(polygons: Polygons, name = 'mesh'): PolygonMesh {
  const { corners, layout } = layOutPolygons(polygons);
  const positionCount = polygons.positions.length / 3;
  const meshName = polygons.name || name;
  const isOne = layout.parts.length === 1;
  const mesh: Mesh = {
    name: meshName,
    positions: gather(polygons.positions, layout.positionOfVertex, positionCount),
    triangles: layout.triangles,
    attributes: [],
    parts: layout.parts.map((part, n) => ({
      ...part,
      name: polygons.objects?.[n] ?? (isOne ? meshName : part.material || meshName),
    })),
  };
  addAttributes(mesh, polygons, corners, layout);
  return { mesh, positionCount, positionOfVertex: layout.positionOfVertex };
}

function addAttributes(mesh: Mesh, polygons: Polygons, corners: PolygonCorners, layout: PolygonLayout): void {
  const { cornerOfVertex, positionOfVertex } = layout;
  const vertexCount = cornerOfVertex.length;
  if (corners.normals) {
    const normals = new Float32Array(3 * vertexCount);
    for (let i = 0; i < vertexCount; i++) {
      const o = cornerOfVertex[i] < 0 ? -1 : 3 * corners.normals[cornerOfVertex[i]];
      const x = o < 0 ? 0 : polygons.normals[o];
      const y = o < 0 ? 0 : polygons.normals[o + 1];
      const z = o < 0 ? 0 : polygons.normals[o + 2];
      const length = Math.hypot(x, y, z);
      // Unused points have no normal: they get a valid one.
      normals[3 * i] = length > 0 ? x / length : 0;
      normals[3 * i + 1] = length > 0 ? y / length : 0;
      normals[3 * i + 2] = length > 0 ? z / length : 1;
    }
    mesh.normals = normals;
  }
  if (corners.hasUvs) addUvs(mesh, polygons.uvs, corners.uvs, cornerOfVertex);
  polygons.uvSets?.forEach((set, n) => {
    addUvs(mesh, set.uvs, corners.uvSets[n], cornerOfVertex);
  });
  const { colors, cornerColors, alphas } = polygons;
  if (colors) {
    // Unused points have the first colour.
    const indices = cornerColors
      ? Uint32Array.from(cornerOfVertex, (c) => (c < 0 ? 0 : cornerColors[c]))
      : positionOfVertex;
    const values = gather(colors, indices, colors.length / 3);
    const size = alphas ? 4 : 3;
    mesh.attributes.push({ name: 'COLOR_0', size, values: alphas ? withAlphas(values, alphas, indices) : values });
  }
}

/** The next TEXCOORD_n. */
function addUvs(mesh: Mesh, uvs: Float32Array, uvOfCorner: Int32Array, cornerOfVertex: Int32Array): void {
  const values = new Float32Array(2 * cornerOfVertex.length);
  for (let i = 0; i < cornerOfVertex.length; i++) {
    const t = cornerOfVertex[i] < 0 ? -1 : uvOfCorner[cornerOfVertex[i]];
    if (t < 0) continue;
    values[2 * i] = uvs[3 * t];
    // glTF measures v from the top of the picture.
    values[2 * i + 1] = 1 - uvs[3 * t + 1];
  }
  const number = mesh.attributes.filter(({ name }) => name.startsWith('TEXCOORD_')).length;
  mesh.attributes.push({ name: `TEXCOORD_${number}`, size: 2, values });
}

function withAlphas(colors: Float32Array, alphas: Float32Array, indices: Uint32Array): Float32Array {
  const values = new Float32Array(4 * indices.length);
  for (let i = 0; i < indices.length; i++) {
    for (let c = 0; c < 3; c++) values[4 * i + c] = colors[3 * i + c];
    values[4 * i + 3] = alphas[indices[i]];
  }
  return values;
}

/** Rows of three by index; the array itself if the indices are all rows in order. */
function gather(values: Float32Array, indices: Uint32Array, count: number): Float32Array {
  if (indices.length === count && indices.every((v, i) => v === i)) return values;
  const out = new Float32Array(3 * indices.length);
  for (let i = 0; i < indices.length; i++) {
    for (let c = 0; c < 3; c++) out[3 * i + c] = values[3 * indices[i] + c];
  }
  return out;
}
