// SPDX-License-Identifier: MIT
// PLY, the Stanford polygon format: a text header that lists elements and their properties, then their values as text or as binary numbers
// of either byte order. Read are vertices (x y z, nx ny nz, red green blue, u v or s t), faces (a list of vertex indices, perhaps a list of
// UVs for their corners) and triangle strips; other elements and properties are passed over.

import { FormatError } from '../../core/model/errors.ts';
import type { Polygons } from '../polygons/index.ts';
import { GrowingFloats, GrowingIndices } from './growing-array.ts';
import {
  isPlyList,
  type PlyElement,
  type PlyHeader,
  type PlyList,
  type PlyProperty,
  readPlyHeader,
} from './ply-header.ts';
import { makePlyCursor, type PlyCursor } from './ply-values.ts';
import { repairPolygons } from './repair-polygons.ts';

/** Reads a PLY file. Faces that cannot be drawn are left out, with a note; other faults are a FormatError. */
export function scanPly(bytes: Uint8Array, options: { log?: (message: string) => void } = {}): Polygons {
  const header = readPlyHeader(bytes);
  const cursor = makePlyCursor(bytes, header);
  let vertices: Vertices | undefined;
  const faces = new FaceList();
  for (const element of header.elements) {
    // Elements without properties take no bytes, whatever their number.
    if (element.properties.length === 0) continue;
    checkCount(bytes, header, element, cursor);
    if (element.name === 'vertex' && !vertices) vertices = readVertices(element, cursor);
    else if (element.name === 'face') readFaces(element, cursor, faces);
    else if (element.name === 'tristrips') readStrips(element, cursor, faces);
    else skipElement(element, cursor);
  }
  if (!vertices || vertices.positions.length === 0) throw new FormatError('ply', 'empty', 'the file has no vertices');
  if (faces.faceStart.length === 0)
    throw new FormatError('ply', 'empty', 'the file has no faces: it is a cloud of points');
  return repairPolygons(makePolygons(vertices, faces), { format: 'ply', log: options.log });
}

interface Vertices {
  positions: Float32Array;
  normals?: Float32Array;
  colors?: Float32Array;
  /** vertexCount x 3: u, v, 0 */
  uvs?: Float32Array;
}

class FaceList {
  readonly faceStart = new GrowingIndices();
  readonly cornerPositions = new GrowingIndices();
  /** Three numbers per corner, if faces have UVs. */
  readonly cornerUvs = new GrowingFloats();
}

/** A value takes at least two bytes of text, or those of its type: a count beyond that is not believed. */
function checkCount(bytes: Uint8Array, header: PlyHeader, element: PlyElement, cursor: PlyCursor): void {
  const sizeOf = ({ size, countSize }: PlyProperty) => (header.encoding === 'ascii' ? 2 : (countSize ?? size));
  const least = element.properties.reduce((sum, property) => sum + sizeOf(property), 0);
  const left = bytes.length - cursor.at();
  // The last value of a text needs no blank after it.
  if (element.count * least <= left + 1) return;
  throw new FormatError(
    'ply',
    'truncated',
    `its header announces ${element.count} of the element "${element.name}", but only ${left} bytes are left`,
    cursor.at(),
  );
}

const VERTEX_PROPERTIES: readonly [target: 'positions' | 'normals' | 'colors' | 'uvs', names: RegExp[]][] = [
  ['positions', [/^x$/, /^y$/, /^z$/]],
  ['normals', [/^nx$/, /^ny$/, /^nz$/]],
  ['colors', [/^(diffuse_)?(red|r)$/, /^(diffuse_)?(green|g)$/, /^(diffuse_)?(blue|b)$/]],
  ['uvs', [/^(u|s|texture_u|texture_s)$/, /^(v|t|texture_v|texture_t)$/]],
];

function readVertices({ count, properties }: PlyElement, cursor: PlyCursor): Vertices {
  const arrays: Partial<Vertices> = {};
  /** For each property, the array and place of its value, and its factor. */
  const places = properties.map((): { array: Float32Array; place: number; factor: number } | undefined => undefined);
  for (const [target, names] of VERTEX_PROPERTIES) {
    const found = names.map((name) => properties.findIndex((property) => name.test(property.name)));
    if (found.includes(-1)) continue;
    const array = new Float32Array(3 * count);
    arrays[target] = array;
    for (const [place, n] of found.entries()) {
      // Colours of whole numbers go up to 255 or 65535.
      const factor = target === 'colors' ? 1 / (properties[n].maximum ?? 1) : 1;
      places[n] = { array, place, factor };
    }
  }
  if (!arrays.positions) throw new FormatError('ply', 'syntax', 'its vertices have no x, y and z');
  for (let i = 0; i < count; i++) {
    for (let n = 0; n < properties.length; n++) {
      const place = places[n];
      const property = properties[n];
      if (isPlyList(property)) {
        skipList(property, cursor);
        continue;
      }
      const value = cursor.next(property);
      if (!place) continue;
      const at = 3 * i + place.place;
      place.array[at] = value * place.factor;
      if (Number.isFinite(place.array[at])) continue;
      // Scanners write NaN for normals and colours that they could not measure.
      if (place.array !== arrays.positions) place.array[at] = 0;
    }
    cursor.endRow();
  }
  return arrays as Vertices;
}

function readFaces({ count, properties }: PlyElement, cursor: PlyCursor, faces: FaceList): void {
  const indexList = properties.findIndex((property) => isPlyList(property) && /^vertex_ind/.test(property.name));
  const uvList = properties.findIndex((property) => isPlyList(property) && property.name === 'texcoord');
  for (let f = 0; f < count; f++) {
    const first = faces.cornerPositions.length;
    let corners = 0;
    for (const [n, property] of properties.entries()) {
      if (!isPlyList(property)) cursor.next(property);
      else if (n === indexList) {
        corners = cursor.nextCount(property);
        for (let c = 0; c < corners; c++) faces.cornerPositions.push(cursor.next(property));
      } else if (n === uvList) {
        const numbers = cursor.nextCount(property);
        for (let c = 0; c < numbers; c++) {
          const value = cursor.next(property);
          if (n > indexList && c < 2 * corners) {
            faces.cornerUvs.push(Number.isFinite(value) ? value : 0);
            if (c % 2 === 1) faces.cornerUvs.push(0);
          }
        }
      } else skipList(property, cursor);
    }
    cursor.endRow();
    faces.faceStart.push(first);
    faces.cornerUvs.length = Math.min(faces.cornerUvs.length, 3 * faces.cornerPositions.length);
  }
}

/** Strips of triangles, each after the first one turned the other way; -1 begins a new strip. */
function readStrips({ count, properties }: PlyElement, cursor: PlyCursor, faces: FaceList): void {
  for (let n = 0; n < count; n++) {
    for (const property of properties) {
      if (!isPlyList(property)) {
        cursor.next(property);
        continue;
      }
      const length = cursor.nextCount(property);
      const strip: [number, number] = [-1, -1];
      let turn = 0;
      for (let c = 0; c < length; c++) {
        const index = cursor.next(property);
        if (index < 0) strip.fill(-1);
        else if (strip[0] >= 0) {
          faces.faceStart.push(faces.cornerPositions.length);
          for (const corner of turn % 2 === 0 ? [...strip, index] : [strip[1], strip[0], index])
            faces.cornerPositions.push(corner);
          turn++;
        } else turn = 0;
        if (index >= 0) {
          strip[0] = strip[1];
          strip[1] = index;
        }
      }
    }
    cursor.endRow();
  }
}

function skipElement({ count, properties }: PlyElement, cursor: PlyCursor): void {
  for (let n = 0; n < count; n++) {
    for (const property of properties) {
      if (!isPlyList(property)) cursor.next(property);
      else skipList(property, cursor);
    }
    cursor.endRow();
  }
}

function skipList(property: PlyList, cursor: PlyCursor): void {
  const length = cursor.nextCount(property);
  for (let c = 0; c < length; c++) cursor.next(property);
}

function makePolygons({ positions, normals, colors, uvs }: Vertices, faces: FaceList): Polygons {
  const cornerPositions = faces.cornerPositions.toArray();
  const cornerCount = cornerPositions.length;
  faces.faceStart.push(cornerCount);
  const none = new Int32Array(cornerCount).fill(-1);
  const hasCornerUvs = faces.cornerUvs.length === 3 * cornerCount;
  return {
    name: '',
    positions,
    ...(colors ? { colors } : {}),
    uvs: hasCornerUvs ? faces.cornerUvs.toArray() : (uvs ?? new Float32Array()),
    cornerUvs: hasCornerUvs ? none.map((_, c) => c) : uvs ? cornerPositions : none,
    normals: normals ?? new Float32Array(),
    cornerNormals: normals ? cornerPositions : none,
    faceStart: Uint32Array.from(faces.faceStart.toArray()),
    cornerPositions,
    faceMaterials: new Int32Array(faces.faceStart.length - 1),
    materials: [''],
  };
}
