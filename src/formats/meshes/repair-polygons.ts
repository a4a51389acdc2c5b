// SPDX-License-Identifier: MIT
import { FormatError, type FormatErrorCode } from '../../core/model/errors.ts';
import { MAX_COORDINATE } from '../../core/model/mesh/coordinate-limit.ts';
import type { Polygons } from '../polygons/index.ts';

/** An index of a corner that cannot name anything, for references that a file gets wrong. */
export const NOWHERE = 0x7fffffff;

/** How faults of a file are described. */
export interface RepairOptions {
  /** Short name of the format. */
  format: string;
  /** Receives a note for each kind of repair. */
  log?: (message: string) => void;
  /** Where a face is in the file: "line 5". Default: "face 5", from 0. */
  placeOfFace?: (face: number) => string;
  /** Where the first vertex is whose position cannot be used. */
  placeOfVertex?: (vertex: number) => string;
}

/** Faces with one fault. */
interface FaceFault {
  code: FormatErrorCode;
  /** After a number of faces. */
  what: (isOne: boolean) => string;
  count: number;
  first: number;
}

/**
 * Leaves out what no program can draw, with a note each: faces with fewer than three corners, with vertices that do not exist, or with
 * vertices whose position is not finite or beyond the limit; texture coordinates and normals that do not exist or are not finite. Vertices keep their
 * numbers, since point caches count them: those without a position get the first one that has one, which does not change the size of the mesh. Throws if no
 * face is left.
 */
export function repairPolygons(polygons: Polygons, options: RepairOptions): Polygons {
  const { format, log, placeOfFace = (face) => `face ${face}` } = options;
  const isLost = findLostPoints(polygons.positions);
  const { isKept, faults } = judgeFaces(polygons, isLost);
  const notes = faults
    .filter(({ count }) => count > 0)
    .map(({ what, count, first, code }) => {
      const subject = `${count} ${count === 1 ? 'face' : 'faces'} ${what(count === 1)}`;
      return { code, subject, place: count === 1 ? placeOfFace(first) : `the first: ${placeOfFace(first)}` };
    });
  if (isKept && !isKept.includes(1)) {
    const [{ code, subject, place }] = notes;
    const all = isKept.length === 1 ? 'its only face cannot' : `none of its ${isKept.length} faces can`;
    throw new FormatError(format, code, `${all} be used: ${subject} (${place})`);
  }
  for (const { subject, place } of notes)
    log?.(`${subject} and ${subject.startsWith('1 ') ? 'is' : 'are'} left out (${place})`);
  const kept = isKept ? keepFaces(polygons, isKept) : polygons;
  const positions = isLost ? placeLostPoints(kept.positions, isLost, options) : kept.positions;
  const name = (what: string) => (note: string) => log?.(`${what} ${note}`);
  return {
    ...kept,
    positions,
    ...(kept.colors ? { colors: zeroed(kept.colors, name('colours')) } : {}),
    uvs: zeroed(kept.uvs, name('texture coordinates')),
    normals: zeroed(kept.normals, name('normals')),
    cornerUvs: withoutMissing(kept.cornerUvs, kept.uvs.length / 3, name('texture coordinates')),
    cornerNormals: withoutMissing(kept.cornerNormals, kept.normals.length / 3, name('normals')),
  };
}

/** pointCount, 1 where a position cannot be used; undefined if all can. */
function findLostPoints(positions: Float32Array): Uint8Array | undefined {
  let isLost: Uint8Array | undefined;
  for (let c = 0; c < positions.length; c++) {
    if (Math.abs(positions[c]) <= MAX_COORDINATE) continue;
    isLost ??= new Uint8Array(positions.length / 3);
    isLost[Math.floor(c / 3)] = 1;
  }
  return isLost;
}

/** faceCount, 1 for faces that can be used; undefined if all can. */
function judgeFaces(
  { faceStart, cornerPositions, positions }: Polygons,
  isLost: Uint8Array | undefined,
): { isKept?: Uint8Array; faults: FaceFault[] } {
  const pointCount = positions.length / 3;
  const faceCount = faceStart.length - 1;
  const few: FaceFault = {
    ...{ code: 'syntax', count: 0, first: -1 },
    what: (isOne) => `${isOne ? 'has' : 'have'} fewer than three corners`,
  };
  const missing: FaceFault = {
    ...{ code: 'index', count: 0, first: -1 },
    what: (isOne) => `${isOne ? 'names a vertex' : 'name vertices'} that the file does not have`,
  };
  const lost: FaceFault = {
    ...{ code: 'value', count: 0, first: -1 },
    what: (isOne) => `${isOne ? 'has a vertex' : 'have vertices'} whose position is not finite or larger than 1e18`,
  };
  let isKept: Uint8Array | undefined;
  for (let f = 0; f < faceCount; f++) {
    let fault = faceStart[f + 1] - faceStart[f] < 3 ? few : undefined;
    for (let c = faceStart[f]; c < faceStart[f + 1] && !fault; c++) {
      const v = cornerPositions[c];
      if (!(v >= 0 && v < pointCount)) fault = missing;
      else if (isLost?.[v]) fault = lost;
    }
    if (!fault) continue;
    if (fault.count++ === 0) fault.first = f;
    isKept ??= new Uint8Array(faceCount).fill(1);
    isKept[f] = 0;
  }
  return { ...(isKept ? { isKept } : {}), faults: [few, missing, lost] };
}

/** The polygons with some of their faces. Materials keep their numbers as long as they have a face. */
function keepFaces(polygons: Polygons, isKept: Uint8Array): Polygons {
  const { faceStart, faceMaterials, materials } = polygons;
  const faces = [...isKept.keys()].filter((f) => isKept[f]);
  const starts = new Uint32Array(faces.length + 1);
  const corners: number[] = [];
  const used = new Map<number, number>();
  const own = Int32Array.from(faces, (f, n) => {
    for (let c = faceStart[f]; c < faceStart[f + 1]; c++) corners.push(c);
    starts[n + 1] = corners.length;
    const material = used.get(faceMaterials[f]) ?? used.size;
    used.set(faceMaterials[f], material);
    return material;
  });
  const pick = (values: Int32Array): Int32Array => Int32Array.from(corners, (c) => values[c]);
  const { cornerColors } = polygons;
  return {
    ...polygons,
    faceStart: starts,
    faceMaterials: own,
    materials: [...used.keys()].map((material) => materials[material]),
    cornerPositions: pick(polygons.cornerPositions),
    cornerUvs: pick(polygons.cornerUvs),
    cornerNormals: pick(polygons.cornerNormals),
    ...(cornerColors ? { cornerColors: pick(cornerColors) } : {}),
  };
}

function placeLostPoints(positions: Float32Array, isLost: Uint8Array, options: RepairOptions): Float32Array {
  const { log, placeOfVertex = (vertex) => `vertex ${vertex}` } = options;
  const good = 3 * isLost.indexOf(0);
  const placed = positions.slice();
  let count = 0;
  for (let v = 0; v < isLost.length; v++) {
    if (!isLost[v]) continue;
    count++;
    for (let c = 0; c < 3; c++) placed[3 * v + c] = positions[good + c];
  }
  const what = count === 1 ? '1 vertex has a position that is' : `${count} vertices have positions that are`;
  const place = `${count === 1 ? '' : 'the first: '}${placeOfVertex(isLost.indexOf(1))}`;
  log?.(`${what} not finite or larger than 1e18 (${place}); no face uses ${count === 1 ? 'it' : 'them'}`);
  return placed;
}

/** The values with zeros in place of what is not finite. */
function zeroed(values: Float32Array, note: (text: string) => void): Float32Array {
  const count = values.reduce((sum, x) => (Number.isFinite(x) ? sum : sum + 1), 0);
  if (count === 0) return values;
  note(`have ${count} ${count === 1 ? 'number that is' : 'numbers that are'} not finite, read as zero`);
  return values.map((x) => (Number.isFinite(x) ? x : 0));
}

/** Indices with -1 in place of those that name nothing. */
function withoutMissing(corners: Int32Array, count: number, note: (text: string) => void): Int32Array {
  const missing = corners.reduce((sum, n) => (n < count ? sum : sum + 1), 0);
  if (missing === 0) return corners;
  note(`of ${missing} ${missing === 1 ? 'corner' : 'corners'} are not in the file and are left out`);
  return corners.map((n) => (n < count ? n : -1));
}
