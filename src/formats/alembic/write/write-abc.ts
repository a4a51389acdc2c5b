// SPDX-License-Identifier: MIT
import { carryNormalsInto } from '../../../core/mesh/geometry/carry-normals.ts';
import { type Clip, checkClip, frameCountOf, frameOf } from '../../../core/model/clip/clip.ts';
import { InputError } from '../../../core/model/errors.ts';
import { checkMesh, type Mesh, type MeshPart } from '../../../core/model/mesh/mesh.ts';
import { ABC_TYPES, type AbcObjectSpec, type AbcPropertySpec, writeAbcArchive } from './abc-archive-writer.ts';

/** Options of writeAbc. */
export interface WriteAbcOptions {
  /** Writes the normals of every frame if the mesh has normals. Default true. */
  normals?: boolean;
}

/** Parts that are one object of the file: a run of vertices and of triangles. */
interface AbcPiece {
  name: string;
  parts: MeshPart[];
  vertexStart: number;
  vertexCount: number;
}

/**
 * Writes a clip as an Alembic archive (Ogawa): an identity transform and a polygon mesh per part name, the points of every frame, UV sets,
 * colours and normals per vertex, and a face set per material. Times are kept; evenly spaced ones as a uniform sampling. A clip of one
 * frame is a mesh at rest.
 * @example
 * ```ts
 * import { writeFile } from 'node:fs/promises';
 * import { writeAbc } from 'ossify';
 *
 * await writeFile('cloth.abc', writeAbc(clip));
 * ```
 */
export function writeAbc(clip: Clip, options: WriteAbcOptions = {}): Uint8Array<ArrayBuffer> {
  const { mesh } = clip;
  checkMesh(mesh);
  checkClip(clip);
  if (mesh.triangles.length === 0) throw new InputError('writeAbc', 'the mesh has no triangles');
  if (frameCountOf(clip) === 0) throw new InputError('writeAbc', 'the clip has no frames');
  const frames = Array.from(clip.times, (_, k) => frameOf(clip, k));
  const normals = (options.normals ?? true) && mesh.normals ? listNormals(mesh, frames) : undefined;
  const names = new Set<string>();
  const objects = listPieces(mesh).map((piece): AbcObjectSpec => {
    const name = uniqueName(piece.name, names);
    return {
      name,
      metadata: objectMetadata('AbcGeom_Xform_v3', '.xform'),
      properties: [{ name: '.xform', metadata: 'schema=AbcGeom_Xform_v3', properties: [INHERITS] }],
      children: [makePolyMesh(`${name}Shape`, piece, mesh, frames, normals)],
    };
  });
  return writeAbcArchive(objects, clip.times, '_ai_Application=Ossify');
}

const INHERITS: AbcPropertySpec = {
  name: '.inherits',
  metadata: '',
  type: ABC_TYPES.boolean,
  samples: [Uint8Array.of(1)],
};

const BASE = ';schemaBaseType=AbcGeom_GeomBase_v1';

function objectMetadata(schema: string, property: string, base = ''): string {
  return `schema=${schema}${base};schemaObjTitle=${schema}:${property}`;
}

/** Normals of each frame; at rest those of the mesh, without rounding. */
function listNormals(mesh: Mesh, frames: Float32Array[]): Float32Array[] {
  return frames.map((positions) => {
    if (mesh.normals && positions.every((x, c) => x === mesh.positions[c])) return mesh.normals;
    const normals = new Float32Array(positions.length);
    carryNormalsInto(mesh, positions, normals);
    return normals;
  });
}

/** Neighbouring parts of one name are one object. A part without triangles goes with a neighbour, so that its vertices are kept. */
function listPieces(mesh: Mesh): AbcPiece[] {
  const pieces: AbcPiece[] = [];
  let hasTriangles = true;
  for (const part of mesh.parts) {
    const last = pieces.at(-1);
    if (last && (!hasTriangles || part.triangleCount === 0 || last.name === part.name)) {
      if (!hasTriangles) last.name = part.name;
      last.parts.push(part);
      last.vertexCount += part.vertexCount;
    } else {
      const { name, vertexStart, vertexCount } = part;
      pieces.push({ name, parts: [part], vertexStart, vertexCount });
      hasTriangles = false;
    }
    hasTriangles ||= part.triangleCount > 0;
  }
  return pieces;
}

/** A name that is valid in Alembic and not taken. */
function uniqueName(name: string, taken: Set<string>): string {
  const base = name.replaceAll('/', '_') || 'mesh';
  let unique = base;
  for (let n = 1; taken.has(unique); n++) unique = `${base}_${n}`;
  taken.add(unique);
  return unique;
}

function makePolyMesh(
  name: string,
  piece: AbcPiece,
  mesh: Mesh,
  frames: Float32Array[],
  normals: Float32Array[] | undefined,
): AbcObjectSpec {
  const schema = 'AbcGeom_PolyMesh_v1';
  const { vertexStart, vertexCount } = piece;
  const ofPiece = (values: Float32Array, size: number): Float32Array =>
    values.subarray(size * vertexStart, size * (vertexStart + vertexCount));
  const points = frames.map((frame) => ofPiece(frame, 3));
  const { indices, faceSets } = listFaces(piece, mesh);
  const float = { isArray: true, type: ABC_TYPES.float32 };
  const int = { metadata: '', isArray: true, type: ABC_TYPES.int32 };
  const properties: AbcPropertySpec[] = [
    makeBounds(points),
    { ...float, name: 'P', metadata: 'geoScope=vtx;interpretation=point', extent: 3, samples: points.map(bytesOf) },
    { ...int, name: '.faceIndices', samples: [bytesOf(indices)] },
    { ...int, name: '.faceCounts', samples: [bytesOf(new Int32Array(indices.length / 3).fill(3))] },
  ];
  const parameter = (
    own: string,
    interpretation: string,
    extent: number,
    samples: Float32Array[],
  ): AbcPropertySpec => ({
    ...float,
    name: own,
    metadata: `arrayExtent=1;geoScope=vtx;interpretation=${interpretation};isGeomParam=true;podExtent=${extent};podName=float32_t`,
    extent,
    samples: samples.map(bytesOf),
  });
  // the first UV set has a place of its own; programs read the others, and colours, among the further parameters
  const [uv, ...uvSets] = listNumbered(mesh, 'TEXCOORD_').map(({ values }, n) => {
    // glTF measures v from the top of the picture.
    const flipped = ofPiece(values, 2).map((x, c) => (c % 2 === 1 ? 1 - x : x));
    return parameter(n === 0 ? 'uv' : `uv${n}`, 'vector', 2, [flipped]);
  });
  if (uv) properties.push(uv);
  if (normals) {
    const own = normals.map((frame) => ofPiece(frame, 3));
    properties.push(parameter('N', 'normal', 3, own));
  }
  const colors = listNumbered(mesh, 'COLOR_').map(({ size, values }, n) =>
    parameter(n === 0 ? 'Cd' : `Cd${n}`, size === 4 ? 'rgba' : 'rgb', size, [ofPiece(values, size)]),
  );
  const further = [...colors, ...uvSets];
  if (further.length > 0) properties.push({ name: '.arbGeomParams', metadata: '', properties: further });
  return {
    name,
    metadata: objectMetadata(schema, '.geom', BASE),
    properties: [{ name: '.geom', metadata: `schema=${schema}${BASE}`, properties }],
    children: [...faceSets].map(([material, faces]) => makeFaceSet(material, faces, makeBounds(points.slice(0, 1)))),
  };
}

/** The attributes PREFIX_0, PREFIX_1 …, in this order. */
function listNumbered({ attributes }: Mesh, prefix: string): Mesh['attributes'] {
  const numberOf = (name: string): number => Number(name.slice(prefix.length));
  const own = attributes.filter(({ name }) => name.startsWith(prefix));
  return own.sort((a, b) => numberOf(a.name) - numberOf(b.name));
}

/** Corners in Alembic's clockwise order, and the faces of each material. */
function listFaces(piece: AbcPiece, mesh: Mesh): { indices: Int32Array; faceSets: Map<string, number[]> } {
  const indices = new Int32Array(3 * piece.parts.reduce((sum, part) => sum + part.triangleCount, 0));
  const faceSets = new Map<string, number[]>();
  const names = new Set<string>();
  let at = 0;
  for (const { triangleStart, triangleCount, material } of piece.parts) {
    const faces = Array.from({ length: triangleCount }, (_, f) => at / 3 + f);
    if (material !== '' && triangleCount > 0) faceSets.set(uniqueName(material, names), faces);
    for (let c = 3 * triangleStart; c < 3 * (triangleStart + triangleCount); c += 3, at += 3) {
      indices[at] = mesh.triangles[c] - piece.vertexStart;
      indices[at + 1] = mesh.triangles[c + 2] - piece.vertexStart;
      indices[at + 2] = mesh.triangles[c + 1] - piece.vertexStart;
    }
  }
  return { indices, faceSets };
}

/** @param bounds readers of Alembic require them; those of the whole mesh hold the faces too */
function makeFaceSet(name: string, faces: number[], bounds: AbcPropertySpec): AbcObjectSpec {
  const schema = 'AbcGeom_FaceSet_v1';
  const list: AbcPropertySpec = {
    name: '.faces',
    metadata: '',
    isArray: true,
    type: ABC_TYPES.int32,
    samples: [bytesOf(Int32Array.from(faces))],
  };
  return {
    name,
    metadata: objectMetadata(schema, '.faceset', BASE),
    properties: [{ name: '.faceset', metadata: `schema=${schema}${BASE}`, properties: [bounds, list] }],
    children: [],
  };
}

/** The box of the points of each frame: minimum, then maximum. */
function makeBounds(points: readonly Float32Array[]): AbcPropertySpec {
  const samples = points.map((frame) => {
    const box = new Float64Array(6).fill(Number.POSITIVE_INFINITY, 0, 3).fill(Number.NEGATIVE_INFINITY, 3);
    for (let c = 0; c < frame.length; c++) {
      const axis = c % 3;
      if (frame[c] < box[axis]) box[axis] = frame[c];
      if (frame[c] > box[3 + axis]) box[3 + axis] = frame[c];
    }
    return bytesOf(box);
  });
  return { name: '.selfBnds', metadata: 'interpretation=box', type: ABC_TYPES.float64, extent: 6, samples };
}

/** The bytes of numbers, without a copy. Alembic and every platform that runs this are little-endian. */
function bytesOf(numbers: Float32Array | Float64Array | Int32Array): Uint8Array {
  return new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength);
}
