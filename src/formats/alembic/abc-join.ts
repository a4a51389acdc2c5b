// SPDX-License-Identifier: MIT
import { determinant3, IDENTITY, invertAffine, transformDirections } from '../../core/math/mat4.ts';
import type { Polygons } from '../polygons/index.ts';
import { readAbcPointsInto } from './abc-points.ts';
import {
  type AbcFaces,
  type AbcParameter,
  findAbcColors,
  listAbcUvs,
  readAbcFaceSets,
  readAbcFaces,
  readAbcParameter,
} from './abc-polygons.ts';
import { type AbcMesh, worldMatrixAt } from './abc-scene.ts';
import { placeOf } from './abc-time.ts';
import type { AbcArchive } from './archive/abc-archive.ts';
import { type AbcProperty, sampleData, valueCount } from './archive/abc-property.ts';

/** A mesh among the joined ones. */
export interface JoinedMesh {
  mesh: AbcMesh;
  /** First point and number of points. */
  pointStart: number;
  pointCount: number;
}

export interface JoinedMeshes {
  /** All meshes in world space; an object and its face sets are parts of their own. */
  polygons: Polygons;
  meshes: JoinedMesh[];
}

/** One mesh, read. */
interface Piece extends JoinedMesh {
  faces: AbcFaces;
  uvs: AbcParameter[];
  normals?: AbcParameter;
  colors?: AbcParameter;
  faceSets: Int32Array;
  matrix: Float64Array;
}

/** Joins the meshes of an archive as they are at a time. Meshes without faces are left out; undefined if none is left. */
export function joinAbcMeshes(archive: AbcArchive, meshes: readonly AbcMesh[], time: number): JoinedMeshes | undefined {
  const pieces: Piece[] = [];
  let pointStart = 0;
  for (const mesh of meshes) {
    const matrix = worldMatrixAt(archive, mesh, time);
    const faces = readAbcFaces(archive, mesh, time, determinant3(matrix) < 0);
    if (faces.faceInFile.length === 0) continue;
    const data = sampleData(archive.file, mesh.positions, placeOf(archive, mesh.positions, time).index);
    archive.file.spend(data.length);
    const pointCount = Math.floor(valueCount(mesh.positions, data) / 3);
    for (const v of faces.cornerPositions) {
      if (v >= 0 && v < pointCount) continue;
      throw archive.file.fault('index', `a face of "${mesh.name}" names vertex ${v} of ${pointCount}`);
    }
    const read = (property?: AbcProperty) => readAbcParameter(archive, property, faces, time);
    pieces.push({
      mesh,
      pointStart,
      pointCount,
      faces,
      uvs: listAbcUvs(mesh).flatMap((property) => ofExtent(2, read(property)) ?? []),
      normals: ofExtent(3, read(mesh.geometry.get('N'))),
      colors: ofExtent(3, read(findAbcColors(mesh))),
      faceSets: readAbcFaceSets(archive, mesh, faces, time),
      matrix,
    });
    pointStart += pointCount;
  }
  if (pieces.length === 0) return undefined;
  const positions = new Float32Array(3 * pointStart);
  for (const { mesh, pointStart: start, pointCount } of pieces) {
    readAbcPointsInto(archive, mesh, time, 0, positions.subarray(3 * start, 3 * (start + pointCount)));
  }
  return { polygons: joinPieces(pieces, positions), meshes: pieces };
}

/** A parameter with at least as many numbers per value; others are not what their name says. */
function ofExtent(least: number, parameter: AbcParameter | undefined): AbcParameter | undefined {
  return parameter && parameter.extent >= least ? parameter : undefined;
}

function joinPieces(pieces: readonly Piece[], positions: Float32Array): Polygons {
  const cornerCount = pieces.reduce((sum, { faces }) => sum + faces.cornerPositions.length, 0);
  const faceCount = pieces.reduce((sum, { faces }) => sum + faces.faceInFile.length, 0);
  const faceStart = new Uint32Array(faceCount + 1);
  const cornerPositions = new Int32Array(cornerCount);
  const faceMaterials = new Int32Array(faceCount);
  const materials: string[] = [];
  const objects: string[] = [];
  let corner = 0;
  let face = 0;
  for (const { mesh, faces, faceSets, pointStart } of pieces) {
    const materialOfSet = new Map<number, number>();
    for (let c = 0; c < faces.cornerPositions.length; c++)
      cornerPositions[corner + c] = faces.cornerPositions[c] + pointStart;
    for (let f = 0; f < faceSets.length; f++) {
      const set = faceSets[f];
      let material = materialOfSet.get(set);
      if (material === undefined) {
        material = materials.push(set < 0 ? '' : mesh.faceSets[set].name) - 1;
        materialOfSet.set(set, material);
        objects.push(mesh.name);
      }
      faceMaterials[face + f] = material;
      faceStart[face + f + 1] = corner + faces.faceStart[f + 1];
    }
    corner += faces.cornerPositions.length;
    face += faceSets.length;
  }
  for (const piece of pieces) if (piece.normals) piece.normals = toWorld(piece.normals, piece.matrix);
  const setCount = pieces.reduce((most, piece) => Math.max(most, piece.uvs.length), 1);
  const [uvs, ...uvSets] = Array.from({ length: setCount }, (_, n) =>
    joinParameters(pieces, (piece) => piece.uvs[n], { cornerCount, missing: 0, size: 2 }),
  );
  const normals = joinParameters(pieces, (piece) => piece.normals, { cornerCount, missing: 0, size: 3 });
  const colors = pieces.some((piece) => piece.colors)
    ? joinParameters(pieces, (piece) => piece.colors, { cornerCount, missing: 1, size: 3 })
    : undefined;
  const alphas = pieces.some((piece) => (piece.colors?.extent ?? 0) > 3)
    ? joinParameters(pieces, (piece) => piece.colors, { cornerCount, missing: 1, size: 3, from: 3 })
    : undefined;
  return {
    name: pieces.length === 1 ? pieces[0].mesh.name : '',
    positions,
    uvs: uvs.values,
    cornerUvs: uvs.corners,
    normals: normals.values,
    cornerNormals: normals.corners,
    ...(uvSets.length > 0
      ? { uvSets: uvSets.map(({ values, corners }) => ({ uvs: values, cornerUvs: corners })) }
      : {}),
    ...(colors ? { colors: colors.values, cornerColors: colors.corners } : {}),
    ...(alphas ? { alphas: alphas.values.filter((_, c) => c % 3 === 0) } : {}),
    faceStart,
    cornerPositions,
    faceMaterials,
    materials,
    objects,
  };
}

interface JoinOptions {
  cornerCount: number;
  /** Value of numbers that a piece does not have; for colours, corners without one get it too. */
  missing: 0 | 1;
  /** Numbers that are used of each value, and the first of them. Default 0. */
  size: number;
  from?: number;
}

/** The values of all pieces, three numbers each, and an index per corner. */
function joinParameters(
  pieces: readonly Piece[],
  of: (piece: Piece) => AbcParameter | undefined,
  { cornerCount, missing, size, from = 0 }: JoinOptions,
): { values: Float32Array; corners: Int32Array } {
  const counts = pieces.map((piece) => {
    const read = of(piece);
    return read ? Math.floor(read.values.length / read.extent) : 0;
  });
  const total = counts.reduce((sum, count) => sum + count, 0);
  // One more value than needed: that of corners without a colour
  const values = new Float32Array(3 * (total + missing));
  if (missing === 1) values.fill(1);
  const corners = new Int32Array(cornerCount).fill(missing === 1 ? total : -1);
  let at = 0;
  let corner = 0;
  for (const [n, piece] of pieces.entries()) {
    const read = of(piece);
    if (read) {
      const used = Math.min(size, read.extent - from);
      for (let v = 0; v < counts[n]; v++) {
        for (let c = 0; c < used; c++) {
          const value = read.values[read.extent * v + from + c];
          values[3 * (at + v) + c] = Number.isFinite(value) ? value : missing;
        }
      }
      for (let c = 0; c < read.corners.length; c++)
        if (read.corners[c] >= 0) corners[corner + c] = at + read.corners[c];
    }
    at += counts[n];
    corner += piece.faces.cornerPositions.length;
  }
  return { values, corners };
}

/** Normals by the inverse transpose of the matrix of their points. */
function toWorld(normals: AbcParameter, matrix: Float64Array): AbcParameter {
  if (matrix.every((x, c) => x === IDENTITY[c])) return normals;
  const inverse = new Float64Array(16);
  if (!invertAffine(matrix, inverse)) return normals;
  const transposed = Float64Array.from({ length: 16 }, (_, n) => inverse[4 * (n % 4) + Math.floor(n / 4)]);
  const count = Math.floor(normals.values.length / normals.extent);
  const values = new Float32Array(3 * count);
  for (let v = 0; v < count; v++)
    for (let c = 0; c < 3; c++) values[3 * v + c] = normals.values[normals.extent * v + c];
  transformDirections(transposed, values, values);
  return { ...normals, values, extent: 3 };
}
