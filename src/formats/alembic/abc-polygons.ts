// SPDX-License-Identifier: MIT
import type { AbcMesh } from './abc-scene.ts';
import { placeOf } from './abc-time.ts';
import type { AbcArchive } from './archive/abc-archive.ts';
import { metadataValue } from './archive/abc-metadata.ts';
import { type AbcProperty, readNumbers } from './archive/abc-property.ts';

/** The faces of a mesh, and where their corners are in the file. */
export interface AbcFaces {
  /** faceCount + 1: as in Polygons */
  faceStart: Uint32Array;
  /** cornerCount: point index */
  cornerPositions: Int32Array;
  /** cornerCount: index of the corner in the file */
  cornerInFile: Int32Array;
  /** faceCount: index of the face in the file */
  faceInFile: Int32Array;
}

/** Values per point, face, corner or mesh, as an index per corner. */
export interface AbcParameter {
  /** valueCount x extent */
  values: Float32Array;
  extent: number;
  /** cornerCount; -1 if the value is missing */
  corners: Int32Array;
}

/**
 * Reads the faces of a mesh at a time. Alembic winds faces clockwise, so corners after the first are in reverse order; `isMirrored` leaves
 * them as in the file. Faces of fewer than three corners are left out.
 */
export function readAbcFaces(archive: AbcArchive, mesh: AbcMesh, time: number, isMirrored: boolean): AbcFaces {
  const { file } = archive;
  const at = (property: AbcProperty): Int32Array =>
    readNumbers(file, property, placeOf(archive, property, time).index, Int32Array);
  const counts = at(mesh.faceCounts);
  const indices = at(mesh.faceIndices);
  file.spend(4 * (counts.length + indices.length));
  let cornerCount = 0;
  let total = 0;
  let faceCount = 0;
  for (const count of counts) {
    if (count < 0) throw file.fault('value', `a face of "${mesh.name}" has ${count} corners`);
    total += count;
    if (count < 3) continue;
    cornerCount += count;
    faceCount++;
  }
  if (total > indices.length)
    throw file.fault(
      'length',
      `the faces of "${mesh.name}" have ${total} corners, but it has ${indices.length} indices`,
    );
  const faceStart = new Uint32Array(faceCount + 1);
  const faceInFile = new Int32Array(faceCount);
  const cornerPositions = new Int32Array(cornerCount);
  const cornerInFile = new Int32Array(cornerCount);
  let from = 0;
  let to = 0;
  let f = 0;
  for (let n = 0; n < counts.length; n++) {
    const count = counts[n];
    if (count >= 3) {
      for (let c = 0; c < count; c++, to++) {
        cornerInFile[to] = from + (c === 0 || isMirrored ? c : count - c);
        cornerPositions[to] = indices[cornerInFile[to]];
      }
      faceInFile[f++] = n;
      faceStart[f] = to;
    }
    from += count;
  }
  return { faceStart, cornerPositions, cornerInFile, faceInFile };
}

/** Whether a mesh has faces at a time. */
export function hasAbcFaces(archive: AbcArchive, { faceCounts }: AbcMesh, time: number): boolean {
  const counts = readNumbers(archive.file, faceCounts, placeOf(archive, faceCounts, time).index, Int32Array);
  archive.file.spend(counts.byteLength);
  return counts.some((count) => count >= 3);
}

/** Reads UVs, normals or colours at a time; undefined if the mesh has none that fit its faces. */
export function readAbcParameter(
  archive: AbcArchive,
  property: AbcProperty | undefined,
  faces: AbcFaces,
  time: number,
): AbcParameter | undefined {
  if (!property) return undefined;
  const parts = property.kind === 'compound' ? property.list() : undefined;
  const values = parts ? parts.get('.vals') : property;
  const indexProperty = parts?.get('.indices');
  if (values?.kind !== 'array' || values.sampleCount === 0) return undefined;
  const { file } = archive;
  const numbers = readNumbers(file, values, placeOf(archive, values, time).index, Float32Array);
  const extent = extentOf(values);
  const valueCount = Math.floor(numbers.length / extent);
  const indices =
    indexProperty?.kind === 'array' && indexProperty.sampleCount > 0
      ? readNumbers(file, indexProperty, placeOf(archive, indexProperty, time).index, Int32Array)
      : undefined;
  file.spend(numbers.byteLength + (indices?.byteLength ?? 0));
  const scope = metadataValue(property.metadata, 'geoScope') || metadataValue(values.metadata, 'geoScope');
  const count = indices?.length ?? valueCount;
  const elements = listElements(scope, faces, count);
  let used = 0;
  const corners = elements.map((n) => {
    const index = n < 0 || n >= count ? -1 : indices ? indices[n] : n;
    if (index < 0 || index >= valueCount) return -1;
    used++;
    return index;
  });
  return used > 0 ? { values: numbers, extent, corners } : undefined;
}

/** Elements of old files are arrays of extent 1: the metadata then tells how many values belong together. */
function extentOf({ extent, metadata }: AbcProperty): number {
  if (extent > 1) return extent;
  return Math.max(1, Number.parseInt(metadataValue(metadata, 'arrayExtent'), 10) || 1);
}

/** The element of each corner; for an unknown scope, the one whose number of elements fits. */
function listElements(scope: string, faces: AbcFaces, count: number): Int32Array {
  const { cornerPositions, cornerInFile, faceInFile, faceStart } = faces;
  if (scope === 'fvr') return cornerInFile;
  if (scope === 'vtx' || scope === 'var') return cornerPositions;
  if (scope === 'uni') {
    const elements = new Int32Array(cornerPositions.length);
    for (let f = 0; f < faceInFile.length; f++) elements.fill(faceInFile[f], faceStart[f], faceStart[f + 1]);
    return elements;
  }
  if (count === cornerInFile.length) return cornerInFile;
  // Without a scope the value is constant, except that some exporters leave the scope out of values per point.
  return count > 1 ? cornerPositions : new Int32Array(cornerPositions.length);
}

/** Colours of a mesh: the first of its parameters that are RGB or RGBA. */
export function findAbcColors(mesh: AbcMesh): AbcProperty | undefined {
  return listParameters(mesh).find((property) => /^rgba?$/.test(metadataValue(property.metadata, 'interpretation')));
}

/** UV sets of a mesh: its own, then the parameters of two numbers that are not marked as something else. */
export function listAbcUvs(mesh: AbcMesh): AbcProperty[] {
  const own = mesh.geometry.get('uv');
  const others = listParameters(mesh).filter(({ metadata }) => {
    const isVector =
      metadataValue(metadata, 'interpretation') === 'vector' && metadataValue(metadata, 'podExtent') === '2';
    return isVector && metadataValue(metadata, 'notUV') !== '1';
  });
  return own ? [own, ...others] : others;
}

function listParameters(mesh: AbcMesh): AbcProperty[] {
  return [...(mesh.geometry.get('.arbGeomParams')?.list().values() ?? [])];
}

/** The face set of each face, by index; -1 for none. A face in several sets belongs to the first. */
export function readAbcFaceSets(archive: AbcArchive, mesh: AbcMesh, faces: AbcFaces, time: number): Int32Array {
  const sets = new Int32Array(faces.faceInFile.length).fill(-1);
  if (mesh.faceSets.length === 0 || sets.length === 0) return sets;
  const faceOf = new Int32Array(faces.faceInFile[sets.length - 1] + 1).fill(-1);
  for (let f = 0; f < sets.length; f++) faceOf[faces.faceInFile[f]] = f;
  for (const [s, { faces: property }] of mesh.faceSets.entries()) {
    const list = readNumbers(archive.file, property, placeOf(archive, property, time).index, Int32Array);
    archive.file.spend(list.byteLength);
    for (const n of list) {
      const f = n >= 0 && n < faceOf.length ? faceOf[n] : -1;
      if (f >= 0 && sets[f] < 0) sets[f] = s;
    }
  }
  return sets;
}
