// SPDX-License-Identifier: MIT

import { weldVertices } from '../../../core/mesh/topology/weld.ts';
import { MAX_COORDINATE } from '../../../core/model/mesh/coordinate-limit.ts';
import type { Mesh, MeshAttribute } from '../../../core/model/mesh/mesh.ts';
import { quoteName } from '../../../core/model/plain-text.ts';
import { layOutPolygons } from '../../polygons/index.ts';
import { lightFromScreen } from '../fbx-colors.ts';
import { type FbxNode, type FbxNumbers, failFbx, numbersOfFbx } from '../syntax/fbx-node.ts';
import { type FbxCorners, type FbxLayer, readFbxLayers, readFbxMaterials } from './fbx-layers.ts';
import { readFbxTangents } from './fbx-tangents.ts';

/** A geometry as triangles, in its own space. */
export interface FbxMesh {
  mesh: Mesh;
  /** vertexCount: the point of the file that each vertex shows */
  pointOfVertex: Uint32Array;
  pointCount: number;
  /** Names of the sets of UVs. */
  uvSets: string[];
}

/**
 * Reads a polygon mesh: points, polygons, normals, every set of UVs and colours, and a part per material.
 * Undefined if it has no polygons.
 * @param materials identifiers of the model's materials, which the parts of the mesh get as their material
 */
export function readFbxGeometry(
  node: FbxNode,
  name: string,
  materials: readonly string[],
  log?: (message: string) => void,
): FbxMesh | undefined {
  const points = numbersOfFbx(node, 'Vertices');
  const pointCount = Math.floor(points.length / 3);
  const positions = readPositions(points, name, log);
  const { corners, faceStart } = readCorners(node, name, pointCount, log);
  if (faceStart.length === 1) return undefined;
  const cornerCount = corners.points.length;
  const [normals] = readFbxLayers(node, 'LayerElementNormal', corners, log);
  const uvSets = readFbxLayers(node, 'LayerElementUV', corners, log);
  const colors = readFbxLayers(node, 'LayerElementColor', corners, log);
  const cornerMaterials = readFbxMaterials(node, corners);
  const { used, faceMaterials } = listMaterials(cornerMaterials, faceStart, materials);

  // A vertex is a point with one UV and normal; whatever else differs between its corners goes into the third component of the UV.
  const others = [...uvSets.slice(1), ...colors];
  let variant: Int32Array | undefined = used.length > 1 ? cornerMaterials : undefined;
  for (const layer of others) variant = joinIds(variant, idsOf(layer));
  const { layout } = layOutPolygons({
    name,
    positions,
    ...packUvs(uvSets.at(0), variant, cornerCount),
    normals: normals ? finiteFloats(normals.data) : new Float32Array(0),
    faceStart,
    cornerPositions: corners.points,
    cornerNormals: normals?.rows ?? new Int32Array(cornerCount).fill(-1),
    faceMaterials,
    materials: used,
    // each material has its own vertices, also where the order of the points does not suit it
    objects: used.map(() => name),
  });
  const { positionOfVertex, cornerOfVertex, triangles, parts } = layout;
  const vertices = new Float32Array(3 * positionOfVertex.length);
  for (let i = 0; i < positionOfVertex.length; i++)
    for (let c = 0; c < 3; c++) vertices[3 * i + c] = positions[3 * positionOfVertex[i] + c];
  const attributes: MeshAttribute[] = uvSets.map((layer, n) => gatherUvs(layer, cornerOfVertex, `TEXCOORD_${n}`));
  colors.forEach((layer, n) => {
    attributes.push(gatherColors(layer, cornerOfVertex, `COLOR_${n}`));
  });
  const vertexNormals = normals?.rows.every((row) => row >= 0) ? gatherNormals(normals, cornerOfVertex) : undefined;
  const tangents = vertexNormals && readFbxTangents(node, corners, vertexNormals, cornerOfVertex);
  if (tangents) attributes.push(tangents);
  const mesh: Mesh = {
    name,
    positions: vertices,
    triangles,
    attributes,
    parts: parts.map((part) => ({ ...part, name })),
    ...(vertexNormals ? { normals: vertexNormals } : {}),
  };
  return { mesh, pointOfVertex: positionOfVertex, pointCount, uvSets: uvSets.map((layer) => layer.name) };
}

/** Points; those that are not finite are at the origin, with a note: viewers show the others. */
function readPositions(points: FbxNumbers, name: string, log?: (message: string) => void): Float32Array {
  const positions = new Float32Array(3 * Math.floor(points.length / 3));
  let repaired = 0;
  for (let p = 0; p < positions.length; p += 3) {
    const isUsable = [0, 1, 2].every((c) => Math.abs(points[p + c]) <= MAX_COORDINATE);
    if (!isUsable) repaired++;
    else for (let c = 0; c < 3; c++) positions[p + c] = points[p + c];
  }
  if (repaired > 0)
    log?.(
      `${repaired} points of mesh ${quoteName(name)} are not finite or larger than 1e18: they are put at its origin`,
    );
  return positions;
}

/** A row per corner: its UV, and what else makes it a vertex of its own. Empty if nothing does. */
function packUvs(
  layer: FbxLayer | undefined,
  variant: Int32Array | undefined,
  cornerCount: number,
): { uvs: Float32Array; cornerUvs: Int32Array } {
  const cornerUvs = new Int32Array(cornerCount).fill(-1);
  const uvs = new Float32Array(layer || variant ? 3 * cornerCount : 0);
  for (let c = 0; c < uvs.length / 3; c++) {
    const row = layer ? layer.rows[c] : -1;
    cornerUvs[c] = c;
    for (let a = 0; a < 2; a++) {
      const value = layer && row >= 0 ? layer.data[2 * row + a] : 0;
      uvs[3 * c + a] = Number.isFinite(value) ? value : 0;
    }
    uvs[3 * c + 2] = variant ? variant[c] : 0;
  }
  return { uvs, cornerUvs };
}

function finiteFloats(data: FbxNumbers): Float32Array {
  const out = new Float32Array(data.length);
  for (let c = 0; c < out.length; c++) out[c] = Number.isFinite(data[c]) ? data[c] : 0;
  return out;
}

/** Polygons of three corners or more. The last corner of each is stored as its complement. */
function readCorners(
  node: FbxNode,
  name: string,
  pointCount: number,
  log?: (message: string) => void,
): { corners: FbxCorners; faceStart: Uint32Array } {
  const list = numbersOfFbx(node, 'PolygonVertexIndex');
  const points = new Int32Array(list.length);
  const places = new Uint32Array(list.length);
  const polygons = new Uint32Array(list.length);
  const starts: number[] = [0];
  let [count, start, polygon, dropped] = [0, 0, 0, 0];
  for (let c = 0; c < list.length; c++) {
    if (list[c] >= 0) continue;
    if (c - start >= 2) {
      for (let n = start; n <= c; n++) {
        const point = list[n] < 0 ? -1 - list[n] : list[n];
        if (!(point < pointCount && Number.isInteger(point)))
          failFbx('index', `a polygon of mesh ${quoteName(name)} names point ${point} of ${pointCount}`);
        points[count] = point;
        places[count] = n;
        polygons[count++] = polygon;
      }
      starts.push(count);
    } else dropped++;
    start = c + 1;
    polygon++;
  }
  if (start < list.length) dropped++;
  if (dropped > 0)
    log?.(`${dropped} polygons of mesh ${quoteName(name)} have fewer than three corners and were left out`);
  return {
    corners: {
      points: points.subarray(0, count),
      places: places.subarray(0, count),
      polygons: polygons.subarray(0, count),
    },
    faceStart: Uint32Array.from(starts),
  };
}

/** Materials in order of first use, and which of them each face has. */
function listMaterials(
  cornerMaterials: Int32Array,
  faceStart: Uint32Array,
  names: readonly string[],
): { used: string[]; faceMaterials: Int32Array } {
  const placeOf = new Map<number, number>();
  const used: string[] = [];
  const faceMaterials = new Int32Array(faceStart.length - 1);
  for (let f = 0; f < faceMaterials.length; f++) {
    const material = cornerMaterials[faceStart[f]];
    let place = placeOf.get(material);
    if (place === undefined) {
      place = used.push(names[material] ?? '') - 1;
      placeOf.set(material, place);
    }
    faceMaterials[f] = place;
  }
  return { used, faceMaterials };
}

/** By corner, a number that equal values of a layer share. */
function idsOf({ data, size, rows }: FbxLayer): Int32Array {
  const count = Math.floor(data.length / size);
  const values = new Float32Array(3 * count);
  for (let n = 0; n < count; n++)
    for (let c = 0; c < Math.min(3, size); c++)
      values[3 * n + c] = Number.isFinite(data[size * n + c]) ? data[size * n + c] : 0;
  const { pointOfVertex } = weldVertices(values);
  return rows.map((row) => (row < 0 ? -1 : pointOfVertex[row]));
}

/** By corner, a number that corners share which have both numbers in common. */
function joinIds(a: Int32Array | undefined, b: Int32Array): Int32Array {
  if (!a) return b;
  let largest = 0;
  for (const id of b) largest = Math.max(largest, id);
  const ids = new Map<number, number>();
  return a.map((id, c) => {
    const key = (id + 1) * (largest + 2) + b[c] + 1;
    const known = ids.get(key);
    if (known !== undefined) return known;
    ids.set(key, ids.size);
    return ids.size - 1;
  });
}

function gatherUvs({ data, rows }: FbxLayer, cornerOfVertex: Int32Array, name: string): MeshAttribute {
  const values = new Float32Array(2 * cornerOfVertex.length);
  for (let i = 0; i < cornerOfVertex.length; i++) {
    const row = cornerOfVertex[i] < 0 ? -1 : rows[cornerOfVertex[i]];
    if (row < 0 || !Number.isFinite(data[2 * row]) || !Number.isFinite(data[2 * row + 1])) continue;
    values[2 * i] = data[2 * row];
    // glTF measures v from the top of the picture
    values[2 * i + 1] = 1 - data[2 * row + 1];
  }
  return { name, size: 2, values };
}

/** Colours, with alpha only where some is not opaque; white for corners without one. */
function gatherColors({ data, rows }: FbxLayer, cornerOfVertex: Int32Array, name: string): MeshAttribute {
  let isOpaque = true;
  for (let c = 3; c < data.length; c += 4) if (data[c] !== 1) isOpaque = false;
  const size = isOpaque ? 3 : 4;
  const values = new Float32Array(size * cornerOfVertex.length).fill(1);
  for (let i = 0; i < cornerOfVertex.length; i++) {
    const row = cornerOfVertex[i] < 0 ? -1 : rows[cornerOfVertex[i]];
    for (let c = 0; c < size && row >= 0; c++)
      if (Number.isFinite(data[4 * row + c]))
        values[size * i + c] = c < 3 ? lightFromScreen(Math.max(0, data[4 * row + c])) : data[4 * row + c];
  }
  return { name, size, values };
}

function gatherNormals({ data, rows }: FbxLayer, cornerOfVertex: Int32Array): Float32Array {
  const normals = new Float32Array(3 * cornerOfVertex.length);
  for (let i = 0; i < cornerOfVertex.length; i++) {
    const o = cornerOfVertex[i] < 0 ? -1 : 3 * rows[cornerOfVertex[i]];
    const length = o < 0 ? 0 : Math.hypot(data[o], data[o + 1], data[o + 2]);
    // unused points have no normal: they get a valid one
    const isUsable = length > 0 && Number.isFinite(length);
    for (let c = 0; c < 3; c++) normals[3 * i + c] = isUsable ? data[o + c] / length : c === 2 ? 1 : 0;
  }
  return normals;
}
