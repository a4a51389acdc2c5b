// SPDX-License-Identifier: MIT
import { FormatError } from '../../../../core/model/errors.ts';
import type { Mesh, MeshAttribute } from '../../../../core/model/mesh/mesh.ts';
import { quoteName } from '../../../../core/model/plain-text.ts';
import { layOutPolygons } from '../../../polygons/index.ts';
import type { UsdPrim } from '../../syntax/usd-layer.ts';
import { isNumbers, numbersOf, textOf, type UsdNumbers, usdValueAt } from '../../syntax/usd-values-at.ts';
import { joinCornerIds } from './join-corner-ids.ts';
import { listUsdPrimvars, type UsdPrimvar } from './usd-primvars.ts';

/** Between the path of a material and the name of a subset. */
const SUBSET = '|';

/** Values per corner, as an index into a table. */
export interface CornerValues {
  values: UsdNumbers;
  /** cornerCount, -1 if none */
  indices: Int32Array;
}

/** A Mesh prim as triangles, in its own space. */
export interface UsdMesh {
  /** The material of a part is the path of a material, '' for none. */
  mesh: Mesh;
  /** vertexCount: the point of the file that each vertex shows */
  pointOfVertex: Uint32Array;
  pointCount: number;
  /** Names of the sets of UVs, without primvars:. */
  uvNames: string[];
}

/**
 * Reads a Mesh prim: points, faces, normals, every set of UVs and colours, other primvars that have a place in glTF, and a part per material.
 * @param materialOf path of the material that is bound to a prim, '' if none
 */
export function readUsdMesh(prim: UsdPrim, name: string, materialOf: (prim: UsdPrim) => string): UsdMesh {
  const fail: (fault: string) => never = (fault) => {
    throw new FormatError('usd', 'mismatch', `mesh ${quoteName(prim.name)} ${fault}`);
  };
  const points = numbersOf(prim, 'points');
  if (!points || points.length < 3) fail('has no points');
  const positions = Float32Array.from(points);
  const pointCount = Math.floor(positions.length / 3);
  const faces = readFaces(prim, pointCount, fail);
  const { faceStart, corners, faceOf } = faces;
  const expand = (key: string, size: number): CornerValues | undefined =>
    readCornerValues(prim, key, size, faces, fail);
  const primvars = listUsdPrimvars(prim, expand);
  const normals = expand(prim.properties.has('primvars:normals') ? 'primvars:normals' : 'normals', 3);
  const { faceMaterials, materials } = readMaterials(prim, faceOf, materialOf);
  // a vertex is a point with one value of every primvar: their common number stands in for UVs
  const ids = joinCornerIds(primvars.flatMap(({ layers }) => layers));
  const { layout } = layOutPolygons({
    ...{ name, positions, faceStart, faceMaterials, materials },
    uvs: ids ? Float32Array.from({ length: 3 * ids.count }, (_, c) => (c % 3 === 0 ? c / 3 : 0)) : new Float32Array(0),
    normals: normals ? Float32Array.from(normals.values, (x) => (Number.isFinite(x) ? x : 0)) : new Float32Array(0),
    cornerPositions: corners,
    cornerUvs: ids?.ids ?? new Int32Array(corners.length).fill(-1),
    cornerNormals: normals?.indices ?? new Int32Array(corners.length).fill(-1),
    objects: materials.map(() => name),
  });
  const { positionOfVertex, cornerOfVertex, triangles, parts } = layout;
  const vertices = new Float32Array(3 * positionOfVertex.length);
  for (let i = 0; i < positionOfVertex.length; i++)
    for (let c = 0; c < 3; c++) vertices[3 * i + c] = positions[3 * positionOfVertex[i] + c];
  const mesh: Mesh = {
    ...{ name, positions: vertices, triangles },
    attributes: primvars.map((primvar) => gatherPrimvar(primvar, cornerOfVertex)),
    parts: parts.map((part) => ({ ...part, name, material: part.material.split(SUBSET)[0] })),
    ...(normals ? { normals: gatherNormals(normals, cornerOfVertex) } : {}),
  };
  const uvNames = primvars
    .filter((primvar) => primvar.attribute.startsWith('TEXCOORD_'))
    .map((primvar) => primvar.name);
  return { mesh, pointOfVertex: positionOfVertex, pointCount, uvNames };
}

/** Values of vertices; of points that no face uses, zero, and white for colours. Numbers that are not finite are read as zero. */
function gatherPrimvar({ attribute, size, layers, isFlipped }: UsdPrimvar, cornerOfVertex: Int32Array): MeshAttribute {
  const values = new Float32Array(size * cornerOfVertex.length);
  let at = 0;
  for (const { values: table, indices, size: own } of layers) {
    cornerOfVertex.forEach((corner, i) => {
      for (let c = 0; c < own; c++) {
        const value = corner < 0 ? (attribute.startsWith('COLOR_') ? 1 : 0) : table[own * indices[corner] + c];
        const plain = Number.isFinite(value) ? value : 0;
        values[size * i + at + c] = isFlipped && c === 1 ? 1 - plain : plain;
      }
    });
    at += own;
  }
  return { name: attribute, size, values };
}

/** Normals of unit length; those without length point along z. */
function gatherNormals({ values, indices }: CornerValues, cornerOfVertex: Int32Array): Float32Array {
  const out = new Float32Array(3 * cornerOfVertex.length);
  cornerOfVertex.forEach((corner, i) => {
    const o = corner < 0 ? -1 : 3 * indices[corner];
    const [x, y, z] = [0, 1, 2].map((c) => (o < 0 || !Number.isFinite(values[o + c]) ? 0 : values[o + c]));
    const length = Math.hypot(x, y, z);
    if (length > 0) out.set([x / length, y / length, z / length], 3 * i);
    else out[3 * i + 2] = 1;
  });
  return out;
}

interface Faces {
  pointCount: number;
  faceStart: Uint32Array;
  /** cornerCount: point indices */
  corners: Int32Array;
  /** cornerCount: the corner of the file; faces may be left out or turned around. */
  cornerOf: Int32Array;
  /** faceCount: the face of the file */
  faceOf: number[];
  /** Corners and faces in the file. */
  fileCorners: number;
  fileFaces: number;
}

/** Faces with at least three corners and without holes; a left-handed mesh is turned around. */
function readFaces(prim: UsdPrim, pointCount: number, fail: (fault: string) => never): Faces {
  const counts = numbersOf(prim, 'faceVertexCounts') ?? [];
  const indices = numbersOf(prim, 'faceVertexIndices') ?? new Int32Array(0);
  const holes = new Set(numbersOf(prim, 'holeIndices'));
  const faceOf: number[] = [];
  const starts: number[] = [0];
  const corners: number[] = [];
  const cornerOf: number[] = [];
  const isLeft = textOf(prim, 'orientation') === 'leftHanded';
  let at = 0;
  for (let f = 0; f < counts.length; f++) {
    const count = counts[f];
    if (!(count >= 0 && at + count <= indices.length)) fail(`has faces beyond its ${indices.length} indices`);
    if (count >= 3 && !holes.has(f)) {
      for (let c = 0; c < count; c++) {
        const from = at + (isLeft ? count - 1 - c : c);
        const index = indices[from];
        if (!(index >= 0 && index < pointCount)) fail(`has a face with point ${index} of ${pointCount}`);
        corners.push(index);
        cornerOf.push(from);
      }
      faceOf.push(f);
      starts.push(corners.length);
    }
    at += count;
  }
  return {
    pointCount,
    faceStart: Uint32Array.from(starts),
    corners: Int32Array.from(corners),
    cornerOf: Int32Array.from(cornerOf),
    faceOf,
    fileCorners: at,
    fileFaces: counts.length,
  };
}

/** A primvar of any interpolation, indexed or not. */
function readCornerValues(
  prim: UsdPrim,
  name: string,
  size: number,
  { faceStart, corners, cornerOf, faceOf, pointCount, fileCorners, fileFaces }: Faces,
  fail: (fault: string) => never,
): CornerValues | undefined {
  const property = prim.properties.get(name);
  const values = usdValueAt(property);
  if (!property || !isNumbers(values) || values.length < size) return undefined;
  const table = usdValueAt(prim.properties.get(`${name}:indices`));
  const count = isNumbers(table) ? table.length : values.length / size;
  const lookUp = (n: number): number => {
    const index = isNumbers(table) ? table[n] : n;
    if (!(index >= 0 && index * size + size <= values.length))
      fail(`has ${name} that name value ${index} of ${values.length / size}`);
    return index;
  };
  const interpolation = property.interpolation ?? guessInterpolation(name, count, fileCorners, pointCount, fileFaces);
  const needed: Record<string, number> = {
    constant: 1,
    uniform: fileFaces,
    vertex: pointCount,
    varying: pointCount,
    faceVarying: fileCorners,
  };
  if (!(count >= needed[interpolation])) return undefined;
  const indices = new Int32Array(corners.length);
  if (interpolation === 'uniform')
    for (let f = 0; f + 1 < faceStart.length; f++) indices.fill(lookUp(faceOf[f]), faceStart[f], faceStart[f + 1]);
  else
    for (let c = 0; c < corners.length; c++)
      indices[c] = lookUp(
        interpolation === 'constant' ? 0 : interpolation === 'faceVarying' ? cornerOf[c] : corners[c],
      );
  return { values, indices };
}

/** normals may have no interpolation: then their number decides. */
function guessInterpolation(
  name: string,
  count: number,
  cornerCount: number,
  pointCount: number,
  faceCount: number,
): string {
  if (name !== 'normals') return 'constant';
  return count === cornerCount
    ? 'faceVarying'
    : count === pointCount
      ? 'vertex'
      : count === faceCount
        ? 'uniform'
        : 'vertex';
}

/** The parts of the mesh: its subsets that bind materials, and the faces that are in none. Each is the path of a material, and the name of a subset. */
function readMaterials(prim: UsdPrim, faceOf: number[], materialOf: (prim: UsdPrim) => string) {
  const byFace = new Map<number, string>();
  const whole = materialOf(prim);
  for (const child of prim.children.values()) {
    if (child.typeName !== 'GeomSubset' || (textOf(child, 'elementType') ?? 'face') !== 'face') continue;
    const path = materialOf(child);
    if (path === '' && textOf(child, 'familyName') !== 'materialBind') continue;
    const key = `${path || whole}${SUBSET}${child.name}`;
    for (const face of numbersOf(child, 'indices') ?? []) byFace.set(face, key);
  }
  const materials: string[] = [];
  const indexOf = new Map<string, number>();
  const faceMaterials = Int32Array.from(faceOf, (face) => {
    const key = byFace.get(face) ?? whole;
    const material = indexOf.get(key) ?? materials.push(key) - 1;
    indexOf.set(key, material);
    return material;
  });
  return { faceMaterials, materials: materials.length > 0 ? materials : [''] };
}
