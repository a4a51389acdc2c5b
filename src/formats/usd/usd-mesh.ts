// SPDX-License-Identifier: MIT

import { FormatError } from '../../core/model/errors.ts';
import { quoteName } from '../../core/model/plain-text.ts';
import type { Polygons } from '../polygons/index.ts';
import type { UsdPrim, UsdProperty } from './syntax/usd-layer.ts';
import { isNumbers, numbersOf, textOf, type UsdNumbers, usdValueAt } from './syntax/usd-values-at.ts';

/** Names of the UVs that exporters write, most common first. */
const UV_NAMES = [
  'primvars:st',
  'primvars:UVMap',
  'primvars:uv',
  'primvars:st0',
  'primvars:map1',
  'primvars:Texture_uv',
];

/** Values per corner, as an index into a table. */
interface CornerValues {
  values: UsdNumbers;
  /** cornerCount, -1 if none */
  indices: Int32Array;
}

/**
 * Reads a Mesh prim: points, faces, UVs, normals, colours, and the materials of its faces.
 * @param materialOf name of the material that is bound to a prim, '' if none
 */
export function readUsdMesh(prim: UsdPrim, materialOf: (prim: UsdPrim) => string): Polygons {
  const fail: (fault: string) => never = (fault) => {
    throw new FormatError('usd', 'mismatch', `mesh ${quoteName(prim.name)} ${fault}`);
  };
  const points = numbersOf(prim, 'points');
  if (!points || points.length < 3) fail('has no points');
  const positions = Float32Array.from(points);
  const pointCount = Math.floor(positions.length / 3);
  const faces = readFaces(prim, pointCount, fail);
  const { faceStart, corners, faceOf } = faces;
  const expand = (name: string, size: number): CornerValues | undefined =>
    readCornerValues(prim, name, size, faces, fail);
  const uvName = UV_NAMES.find((name) => prim.properties.has(name)) ?? findTexCoords(prim);
  const uvs = uvName === undefined ? undefined : expand(uvName, 2);
  const normals = expand(prim.properties.has('primvars:normals') ? 'primvars:normals' : 'normals', 3);
  const none = new Int32Array(corners.length).fill(-1);
  const { faceMaterials, materials } = readMaterials(prim, faceOf, materialOf);
  const polygons: Polygons = {
    name: prim.name,
    positions,
    uvs: new Float32Array(uvs ? 3 * (uvs.values.length / 2) : 0),
    normals: normals ? Float32Array.from(normals.values) : new Float32Array(0),
    faceStart,
    cornerPositions: corners,
    cornerUvs: uvs?.indices ?? none,
    cornerNormals: normals?.indices ?? none,
    faceMaterials,
    materials,
    objects: materials.map(() => prim.name),
  };
  for (let n = 0; uvs && 2 * n < uvs.values.length; n++) polygons.uvs.set(uvs.values.subarray(2 * n, 2 * n + 2), 3 * n);
  const colors = readColors(prim, pointCount);
  if (colors) polygons.colors = colors;
  return polygons;
}

/** Any primvar of UVs. */
function findTexCoords(prim: UsdPrim): string | undefined {
  for (const [name, { typeName }] of prim.properties)
    if (name.startsWith('primvars:') && typeName.startsWith('texCoord2')) return name;
  return undefined;
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

function readColors(prim: UsdPrim, pointCount: number): Float32Array | undefined {
  const property: UsdProperty | undefined = prim.properties.get('primvars:displayColor');
  const values = usdValueAt(property);
  if (!isNumbers(values) || property?.interpolation !== 'vertex' || values.length !== 3 * pointCount) return undefined;
  return Float32Array.from(values);
}

/** The material of the mesh, and of its subsets of faces. */
function readMaterials(prim: UsdPrim, faceOf: number[], materialOf: (prim: UsdPrim) => string) {
  const byFace = new Map<number, string>();
  for (const child of prim.children.values()) {
    if (child.typeName !== 'GeomSubset' || (textOf(child, 'elementType') ?? 'face') !== 'face') continue;
    const name = materialOf(child);
    if (name !== '') for (const face of numbersOf(child, 'indices') ?? []) byFace.set(face, name);
  }
  const whole = materialOf(prim);
  const materials: string[] = [];
  const indexOf = new Map<string, number>();
  const faceMaterials = Int32Array.from(faceOf, (face) => {
    const name = byFace.get(face) ?? whole;
    const material = indexOf.get(name) ?? materials.push(name) - 1;
    indexOf.set(name, material);
    return material;
  });
  return { faceMaterials, materials: materials.length > 0 ? materials : [''] };
}
