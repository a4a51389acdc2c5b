// SPDX-License-Identifier: MIT
// Vertices, triangles and parts of a polygon mesh.
//
// Order of vertices. Point caches list points in the order of the file, so that order is kept where possible:
// - Every point has at most one combination of UV and normal: vertices are points, including unused ones.
// - Seams (a point with several combinations): points come first, each with the UV and normal of its first corner; each further
//   combination is one more vertex after them, in order of first use.
// - Seams and several materials: parts are runs of vertices, so each material has its own vertices, in order of first use;
//   unused points are at the end of the last part.
// positionOfVertex is the point of each vertex in all cases, so that a cache of points fits any of them.
//
// Parts. One per material. Without seams, materials that do not use separate, rising ranges of points cannot be parts in this
// order: then there is one part, and its material is ''. A file that holds its own frames does not need that order: if it names objects,
// each material has its own vertices, as with seams.

import { weldVertices } from '../../core/mesh/topology/weld.ts';
import type { MeshPart } from '../../core/model/mesh/mesh.ts';
import { CornerTable } from './corner-table.ts';
import type { Polygons } from './polygons.ts';
import { triangulatePolygon } from './triangulate-polygon.ts';

/** Corners of triangles, and the UVs and normals that they use. */
export interface PolygonCorners {
  /** triangleCount x 3 corners */
  list: Uint32Array;
  /** triangleCount */
  faceOfTriangle: Uint32Array;
  /** cornerCount: the first UV of equal value, -1 if none */
  uvs: Int32Array;
  /** Further UV sets, each as uvs. */
  uvSets: Int32Array[];
  /** cornerCount: equal for corners of equal UVs and colour */
  seams: Int32Array;
  /** cornerCount: the first normal of equal value; absent if some corner has none */
  normals?: Int32Array;
  hasUvs: boolean;
  hasSeams: boolean;
}

export interface PolygonLayout {
  positionOfVertex: Uint32Array;
  /** vertexCount: a corner with the vertex's attributes, -1 for a point that no face uses */
  cornerOfVertex: Int32Array;
  triangles: Uint32Array;
  parts: Omit<MeshPart, 'name'>[];
}

/** Lays out the vertices, triangles and parts of polygons. */
export function layOutPolygons(polygons: Polygons): { corners: PolygonCorners; layout: PolygonLayout } {
  const corners = listCorners(polygons);
  const groups = polygons.materials.length > 1 ? groupByMaterial(polygons, corners) : undefined;
  if (corners.hasSeams)
    return { corners, layout: groups ? splitByPart(polygons, corners, groups) : appendSeams(polygons, corners) };
  const split = groups && keepOrder(polygons, groups, polygons.materials);
  if (split) return { corners, layout: split };
  if (groups && polygons.objects) return { corners, layout: splitByPart(polygons, corners, groups) };
  // a single group is always in order
  const whole = keepOrder(polygons, [corners.list], [groups ? '' : polygons.materials[0]]);
  return { corners, layout: whole ?? appendSeams(polygons, corners) };
}

function listCorners(polygons: Polygons): PolygonCorners {
  const faceCount = polygons.faceStart.length - 1;
  const cornerCount = polygons.cornerPositions.length;
  const list = new Uint32Array(3 * (cornerCount - 2 * faceCount));
  const faceOfTriangle = new Uint32Array(list.length / 3);
  const cut: number[] = [];
  let at = 0;
  for (let f = 0; f < faceCount; f++) {
    const start = polygons.faceStart[f];
    cut.length = 0;
    triangulatePolygon(polygons.positions, polygons.cornerPositions, start, polygons.faceStart[f + 1] - start, cut);
    for (let n = 0; n < cut.length; n++) {
      faceOfTriangle[Math.floor(at / 3)] = f;
      list[at++] = start + cut[n];
    }
  }
  const uvs = firstOfEqual(polygons.cornerUvs, polygons.uvs);
  // Normals of only some corners are not used: a mesh has normals at all vertices or at none.
  const normals = polygons.cornerNormals.includes(-1)
    ? undefined
    : firstOfEqual(polygons.cornerNormals, polygons.normals);
  const hasUvs = uvs.some((t) => t >= 0);
  const { colors, cornerColors } = polygons;
  const uvSets = (polygons.uvSets ?? []).map((set) => firstOfEqual(set.cornerUvs, set.uvs));
  let seams = colors && cornerColors ? pairUp(uvs, firstOfEqual(cornerColors, colors)) : uvs;
  if (cornerColors && polygons.alphas) seams = pairUp(seams, firstOfEqual(cornerColors, asTriples(polygons.alphas)));
  for (const set of uvSets) seams = pairUp(seams, set);

  const corner = new Int32Array(polygons.positions.length / 3).fill(-1);
  let hasSeams = false;
  for (let c = 0; c < cornerCount && !hasSeams; c++) {
    const v = polygons.cornerPositions[c];
    if (corner[v] < 0) corner[v] = c;
    else hasSeams = seams[c] !== seams[corner[v]] || (normals !== undefined && normals[c] !== normals[corner[v]]);
  }
  return { list, faceOfTriangle, uvs, uvSets, seams, normals, hasUvs, hasSeams };
}

/** Some exporters write a UV or normal per corner. Comparing values finds the true seams. values: count x 3 */
function firstOfEqual(indices: Int32Array, values: Float32Array): Int32Array {
  if (values.length === 0) return indices;
  const { pointOfVertex, vertexOfPoint } = weldVertices(values);
  return indices.map((n) => (n < 0 ? -1 : vertexOfPoint[pointOfVertex[n]]));
}

function asTriples(values: Float32Array): Float32Array {
  const triples = new Float32Array(3 * values.length);
  for (let n = 0; n < values.length; n++) triples[3 * n] = values[n];
  return triples;
}

/** A number for each pair of numbers, from 0. */
function pairUp(a: Int32Array, b: Int32Array): Int32Array {
  const known = new Map<number, number>();
  const span = b.reduce((top, n) => Math.max(top, n), 0) + 2;
  return a.map((n, c) => {
    const pair = (n + 1) * span + b[c] + 1;
    const id = known.get(pair) ?? known.size;
    if (id === known.size) known.set(pair, id);
    return id;
  });
}

/** Corners of the triangles of each material, in the file's order. */
function groupByMaterial(polygons: Polygons, corners: PolygonCorners): Uint32Array[] {
  const counts = new Uint32Array(polygons.materials.length);
  for (const f of corners.faceOfTriangle) counts[polygons.faceMaterials[f]] += 3;
  const groups = Array.from(counts, (count) => new Uint32Array(count));
  counts.fill(0);
  for (let c = 0; c < corners.list.length; c++) {
    const material = polygons.faceMaterials[corners.faceOfTriangle[Math.floor(c / 3)]];
    groups[material][counts[material]++] = corners.list[c];
  }
  return groups;
}

/** Vertices are points; undefined if the groups do not use separate, ascending ranges of them. */
function keepOrder(polygons: Polygons, groups: Uint32Array[], materials: string[]): PolygonLayout | undefined {
  const positionCount = polygons.positions.length / 3;
  const cornerOfVertex = new Int32Array(positionCount).fill(-1);
  const parts: PolygonLayout['parts'] = [];
  const triangles = new Uint32Array(groups.reduce((sum, group) => sum + group.length, 0));
  let at = 0;
  let highest = -1;
  for (const [m, group] of groups.entries()) {
    const triangleStart = at / 3;
    let lowest = positionCount;
    let top = highest;
    for (let n = 0; n < group.length; n++) {
      const v = polygons.cornerPositions[group[n]];
      if (cornerOfVertex[v] < 0) cornerOfVertex[v] = group[n];
      lowest = Math.min(lowest, v);
      top = Math.max(top, v);
      triangles[at++] = v;
    }
    if (lowest <= highest) return undefined;
    highest = top;
    // Unused points between two parts belong to the earlier one, those before the first part to the first.
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

/** Points, then a vertex for each further combination of UV and normal. */
function appendSeams(polygons: Polygons, corners: PolygonCorners): PolygonLayout {
  const positionCount = polygons.positions.length / 3;
  const table = new CornerTable(polygons.cornerPositions, corners.seams, corners.normals, positionCount, positionCount);
  for (let n = 0; n < corners.list.length; n++) {
    const v = polygons.cornerPositions[corners.list[n]];
    if (table.cornerOfVertex[v] < 0) table.put(corners.list[n], v);
  }
  const triangles = corners.list.map((c) => table.vertexOf(c));
  const vertexCount = table.vertexCount;
  return {
    ...table.list(),
    triangles,
    parts: [
      {
        material: polygons.materials[0],
        vertexStart: 0,
        vertexCount,
        triangleStart: 0,
        triangleCount: triangles.length / 3,
      },
    ],
  };
}

/** Each group gets its own vertices, in order of first use. */
function splitByPart(polygons: Polygons, corners: PolygonCorners, groups: Uint32Array[]): PolygonLayout {
  const triangles = new Uint32Array(corners.list.length);
  const parts: PolygonLayout['parts'] = [];
  const isUsed = new Uint8Array(polygons.positions.length / 3);
  const table = new CornerTable(polygons.cornerPositions, corners.seams, corners.normals, isUsed.length, 0);
  let at = 0;
  for (const [m, group] of groups.entries()) {
    const vertexStart = table.vertexCount;
    table.beginPart();
    const triangleStart = at / 3;
    for (let n = 0; n < group.length; n++) {
      isUsed[polygons.cornerPositions[group[n]]] = 1;
      triangles[at++] = table.vertexOf(group[n]);
    }
    const vertexCount = table.vertexCount - vertexStart;
    parts.push({
      material: polygons.materials[m],
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
