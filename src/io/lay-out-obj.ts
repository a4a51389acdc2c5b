// SPDX-License-Identifier: MIT
// Which vertices, triangles and parts an OBJ file has.
//
// Order of vertices. Point caches count the v lines, so their order is kept wherever that is possible:
// - Every v used with one vt and vn at most (or with none): vertices are the v lines, the unused ones included.
// - Seams (a v used with several): the v lines come first, each with the vt and vn of its first corner; each further
//   combination is one more vertex after them, in order of first use.
// - Seams and several materials: parts must be runs of vertices, so each material gets its own, in order of first use;
//   unused v lines close the last part.
// positionOfVertex says in all cases which v line a vertex came from, so that a cache over v lines fits any of them.
//
// Parts. One per material; groups and objects make none. Without seams, materials that do not use separate, rising ranges
// of v lines cannot be parts without disturbing the order: then there is one part, and its material is ''.

import { triangulatePolygon } from '../mesh/triangulate-polygon.ts';
import { weldVertices } from '../mesh/weld.ts';
import { InputError } from '../model/errors.ts';
import type { MeshPart } from '../model/mesh.ts';
import { CornerTable } from './corner-table.ts';
import type { ObjScan } from './scan-obj.ts';

/** Corners of triangles, and what of the file's vt and vn is in use. */
export interface ObjCorners {
  /** triangleCount x 3 corners of the scan */
  list: Uint32Array;
  /** triangleCount */
  faceOfTriangle: Uint32Array;
  /** cornerCount: the first vt of equal value, -1 for none */
  uvs: Int32Array;
  /** cornerCount: the first vn of equal value, -1 for none; absent where some corner has none */
  normals?: Int32Array;
  hasUvs: boolean;
  hasSeams: boolean;
}

export interface ObjLayout {
  positionOfVertex: Uint32Array;
  /** vertexCount: a corner with the vertex's attributes, -1 for a v line that no face uses */
  cornerOfVertex: Int32Array;
  triangles: Uint32Array;
  parts: Omit<MeshPart, 'name'>[];
}

/** Decides on the vertices, triangles and parts of a scanned file. */
export function layOutObj(scan: ObjScan): { corners: ObjCorners; layout: ObjLayout } {
  const corners = listCorners(scan);
  const groups = scan.materials.length > 1 ? groupByMaterial(scan, corners) : undefined;
  if (corners.hasSeams)
    return { corners, layout: groups ? splitByPart(scan, corners, groups) : appendSeams(scan, corners) };
  const split = groups && keepOrder(scan, groups, scan.materials);
  if (split) return { corners, layout: split };
  const whole = keepOrder(scan, [corners.list], [groups ? '' : scan.materials[0]]);
  if (!whole) throw new InputError('layOutObj', 'one group always keeps the order');
  return { corners, layout: whole };
}

function listCorners(scan: ObjScan): ObjCorners {
  const faceCount = scan.faceStart.length - 1;
  const cornerCount = scan.cornerPositions.length;
  const list = new Uint32Array(3 * (cornerCount - 2 * faceCount));
  const faceOfTriangle = new Uint32Array(list.length / 3);
  const cut: number[] = [];
  let at = 0;
  for (let f = 0; f < faceCount; f++) {
    const start = scan.faceStart[f];
    cut.length = 0;
    triangulatePolygon(scan.positions, scan.cornerPositions, start, scan.faceStart[f + 1] - start, cut);
    for (let n = 0; n < cut.length; n++) {
      faceOfTriangle[Math.floor(at / 3)] = f;
      list[at++] = start + cut[n];
    }
  }
  const uvs = firstOfEqual(scan.cornerUvs, scan.uvs);
  // Normals for some corners only are no use: the mesh would need others to go with them.
  const normals = scan.cornerNormals.includes(-1) ? undefined : firstOfEqual(scan.cornerNormals, scan.normals);
  const hasUvs = uvs.some((t) => t >= 0);

  const corner = new Int32Array(scan.positions.length / 3).fill(-1);
  let hasSeams = false;
  for (let c = 0; c < cornerCount && !hasSeams; c++) {
    const v = scan.cornerPositions[c];
    if (corner[v] < 0) corner[v] = c;
    else hasSeams = uvs[c] !== uvs[corner[v]] || (normals !== undefined && normals[c] !== normals[corner[v]]);
  }
  return { list, faceOfTriangle, uvs, normals, hasUvs, hasSeams };
}

/** Some exporters write a vt or vn per corner: compare by value, so that only true seams count. values: count x 3 */
function firstOfEqual(indices: Int32Array, values: Float32Array): Int32Array {
  if (values.length === 0) return indices;
  const { pointOfVertex, vertexOfPoint } = weldVertices(values);
  return indices.map((n) => (n < 0 ? -1 : vertexOfPoint[pointOfVertex[n]]));
}

/** Corners of the triangles of each material, in the file's order. */
function groupByMaterial(scan: ObjScan, corners: ObjCorners): Uint32Array[] {
  const counts = new Uint32Array(scan.materials.length);
  for (const f of corners.faceOfTriangle) counts[scan.faceMaterials[f]] += 3;
  const groups = Array.from(counts, (count) => new Uint32Array(count));
  counts.fill(0);
  for (let c = 0; c < corners.list.length; c++) {
    const material = scan.faceMaterials[corners.faceOfTriangle[Math.floor(c / 3)]];
    groups[material][counts[material]++] = corners.list[c];
  }
  return groups;
}

/** Vertices are the v lines; undefined when the groups do not use separate, rising ranges of them. */
function keepOrder(scan: ObjScan, groups: Uint32Array[], materials: string[]): ObjLayout | undefined {
  const positionCount = scan.positions.length / 3;
  const cornerOfVertex = new Int32Array(positionCount).fill(-1);
  const parts: ObjLayout['parts'] = [];
  const triangles = new Uint32Array(groups.reduce((sum, group) => sum + group.length, 0));
  let at = 0;
  let highest = -1;
  for (const [m, group] of groups.entries()) {
    const triangleStart = at / 3;
    let lowest = positionCount;
    let top = highest;
    for (let n = 0; n < group.length; n++) {
      const v = scan.cornerPositions[group[n]];
      if (cornerOfVertex[v] < 0) cornerOfVertex[v] = group[n];
      lowest = Math.min(lowest, v);
      top = Math.max(top, v);
      triangles[at++] = v;
    }
    if (lowest <= highest) return undefined;
    highest = top;
    // Unused v lines between two parts go with the earlier one, those before the first with the first.
    const vertexStart = m === 0 ? 0 : lowest;
    if (m > 0) parts[m - 1].vertexCount = vertexStart - parts[m - 1].vertexStart;
    parts.push({
      material: materials[m],
      vertexStart,
      vertexCount: positionCount - vertexStart,
      triangleStart,
      triangleCount: group.length / 3,
    });
  }
  return { positionOfVertex: Uint32Array.from(cornerOfVertex.keys()), cornerOfVertex, triangles, parts };
}

/** The v lines, then a vertex for each further combination of vt and vn. */
function appendSeams(scan: ObjScan, corners: ObjCorners): ObjLayout {
  const positionCount = scan.positions.length / 3;
  const table = new CornerTable(scan.cornerPositions, corners.uvs, corners.normals, positionCount, positionCount);
  for (let n = 0; n < corners.list.length; n++) {
    const v = scan.cornerPositions[corners.list[n]];
    if (table.cornerOfVertex[v] < 0) table.put(corners.list[n], v);
  }
  const triangles = corners.list.map((c) => table.vertexOf(c));
  const vertexCount = table.vertexCount;
  return {
    ...table.list(),
    triangles,
    parts: [
      {
        material: scan.materials[0],
        vertexStart: 0,
        vertexCount,
        triangleStart: 0,
        triangleCount: triangles.length / 3,
      },
    ],
  };
}

/** Each group gets its own vertices, in order of first use. */
function splitByPart(scan: ObjScan, corners: ObjCorners, groups: Uint32Array[]): ObjLayout {
  const triangles = new Uint32Array(corners.list.length);
  const parts: ObjLayout['parts'] = [];
  const isUsed = new Uint8Array(scan.positions.length / 3);
  const table = new CornerTable(scan.cornerPositions, corners.uvs, corners.normals, isUsed.length, 0);
  let at = 0;
  for (const [m, group] of groups.entries()) {
    const vertexStart = table.vertexCount;
    table.beginPart();
    const triangleStart = at / 3;
    for (let n = 0; n < group.length; n++) {
      isUsed[scan.cornerPositions[group[n]]] = 1;
      triangles[at++] = table.vertexOf(group[n]);
    }
    const vertexCount = table.vertexCount - vertexStart;
    parts.push({
      material: scan.materials[m],
      vertexStart,
      vertexCount,
      triangleStart,
      triangleCount: group.length / 3,
    });
  }
  for (let v = 0; v < isUsed.length; v++) if (!isUsed[v]) table.appendUnused(v);
  const last = parts[parts.length - 1];
  last.vertexCount = table.vertexCount - last.vertexStart;
  return { ...table.list(), triangles, parts };
}
