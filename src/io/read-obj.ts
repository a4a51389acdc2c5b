// SPDX-License-Identifier: MIT
import type { Mesh } from '../model/mesh.ts';
import { layOutObj, type ObjCorners, type ObjLayout } from './lay-out-obj.ts';
import { type ObjScan, scanObj } from './scan-obj.ts';

export interface ObjFile {
  mesh: Mesh;
  /** Number of v lines: what a point cache for this file counts. */
  positionCount: number;
  /** vertexCount: the v line of each vertex, from 0. All v lines are there, in order where that is possible (lay-out-obj.ts). */
  positionOfVertex: Uint32Array;
}

export interface ReadObjOptions {
  /** Name of the mesh where the file has none. */
  name?: string;
}

/**
 * Reads an OBJ file: polygons (triangulated), UVs as TEXCOORD_0 (top-left origin, as glTF), normals where every corner has
 * one, vertex colours as COLOR_0.
 */
export function readObj(bytes: Uint8Array, options: ReadObjOptions = {}): ObjFile {
  return makeObjMesh(scanObj(bytes), options);
}

/** The second half of readObj, for readers that keep the scan. */
export function makeObjMesh(scan: ObjScan, options: ReadObjOptions = {}): ObjFile {
  const { corners, layout } = layOutObj(scan);
  const name = scan.name || options.name || 'mesh';
  const isOne = layout.parts.length === 1;
  const mesh: Mesh = {
    name,
    positions: gather(scan.positions, layout.positionOfVertex, scan.positions.length / 3),
    triangles: layout.triangles,
    attributes: [],
    parts: layout.parts.map((part) => ({ ...part, name: isOne ? name : part.material || name })),
  };
  addAttributes(mesh, scan, corners, layout);
  return { mesh, positionCount: scan.positions.length / 3, positionOfVertex: layout.positionOfVertex };
}

function addAttributes(mesh: Mesh, scan: ObjScan, corners: ObjCorners, layout: ObjLayout): void {
  const { cornerOfVertex, positionOfVertex } = layout;
  const vertexCount = cornerOfVertex.length;
  if (corners.normals) {
    const normals = new Float32Array(3 * vertexCount);
    for (let i = 0; i < vertexCount; i++) {
      const o = cornerOfVertex[i] < 0 ? -1 : 3 * corners.normals[cornerOfVertex[i]];
      const x = o < 0 ? 0 : scan.normals[o];
      const y = o < 0 ? 0 : scan.normals[o + 1];
      const z = o < 0 ? 0 : scan.normals[o + 2];
      const length = Math.hypot(x, y, z);
      // A normal is a direction; where the file has none the vertex gets one that is at least valid.
      normals[3 * i] = length > 0 ? x / length : 0;
      normals[3 * i + 1] = length > 0 ? y / length : 0;
      normals[3 * i + 2] = length > 0 ? z / length : 1;
    }
    mesh.normals = normals;
  }
  if (corners.hasUvs) {
    const values = new Float32Array(2 * vertexCount);
    for (let i = 0; i < vertexCount; i++) {
      const t = cornerOfVertex[i] < 0 ? -1 : corners.uvs[cornerOfVertex[i]];
      if (t < 0) continue;
      values[2 * i] = scan.uvs[3 * t];
      // OBJ counts v from the bottom of the picture, glTF from the top.
      values[2 * i + 1] = 1 - scan.uvs[3 * t + 1];
    }
    mesh.attributes.push({ name: 'TEXCOORD_0', size: 2, values });
  }
  if (scan.colors) {
    const values = gather(scan.colors, positionOfVertex, scan.positions.length / 3);
    mesh.attributes.push({ name: 'COLOR_0', size: 3, values });
  }
}

/** Rows of three by index; the array itself when the indices are all of them in order. */
function gather(values: Float32Array, indices: Uint32Array, count: number): Float32Array {
  if (indices.length === count && indices.every((v, i) => v === i)) return values;
  const out = new Float32Array(3 * indices.length);
  for (let i = 0; i < indices.length; i++) {
    for (let c = 0; c < 3; c++) out[3 * i + c] = values[3 * indices[i] + c];
  }
  return out;
}
