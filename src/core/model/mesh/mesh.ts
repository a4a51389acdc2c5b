// SPDX-License-Identifier: MIT
import { InputError } from '../errors.ts';

/** Consecutive triangles and vertices that came from one drawn piece of a file (an OBJ group, a glTF primitive). */
export interface MeshPart {
  /** Name of the group or node. */
  name: string;
  /** First vertex; parts follow one another without gaps. */
  vertexStart: number;
  /** Number of vertices. */
  vertexCount: number;
  /** First triangle. */
  triangleStart: number;
  /** Number of triangles. */
  triangleCount: number;
  /** Name of the material, '' for none. */
  material: string;
}

/** A vertex attribute that is kept unchanged: UVs, colours, painted maps. */
export interface MeshAttribute {
  /** glTF semantic: TEXCOORD_0, COLOR_0, _SMOOTHNESS … */
  name: string;
  /** Numbers per vertex. */
  size: number;
  /** vertexCount x size */
  values: Float32Array;
}

/** A triangle mesh at rest, in model space, file units. */
export interface Mesh {
  /** Name in the file. */
  name: string;
  /** vertexCount x 3, file units */
  positions: Float32Array;
  /** triangleCount x 3 vertex indices */
  triangles: Uint32Array;
  /** vertexCount x 3, unit length; absent if the file lacks them for any part */
  normals?: Float32Array;
  /** Other vertex attributes. */
  attributes: MeshAttribute[];
  /** At least one. Together they cover all vertices and all triangles, in order. */
  parts: MeshPart[];
}

/**
 * Makes a mesh of one part from positions and triangles. The arrays are shared, not copied.
 * @param positions vertexCount x 3, file units
 * @param triangles triangleCount x 3 vertex indices
 * @example
 * ```ts
 * import { type Clip, checkClip, makeMesh, makeTimes } from 'ossify';
 *
 * const rest = makeMesh(positions, triangles);
 * const cloth: Clip = { kind: 'clip', name: 'cloth', mesh: rest, positions: frames, times: makeTimes(120, 30) };
 * checkClip(cloth);
 * ```
 */
export function makeMesh(positions: Float32Array, triangles: Uint32Array, name = 'mesh'): Mesh {
  const part: MeshPart = {
    name,
    vertexStart: 0,
    vertexCount: positions.length / 3,
    triangleStart: 0,
    triangleCount: triangles.length / 3,
    material: '',
  };
  return { name, positions, triangles, attributes: [], parts: [part] };
}

/** Number of vertices of a mesh. */
export function vertexCountOf(mesh: Mesh): number {
  return mesh.positions.length / 3;
}

/** Throws an InputError if the sizes do not match, an index is out of range or a position is not finite. */
export function checkMesh(mesh: Mesh): void {
  const vertexCount = mesh.positions.length / 3;
  if (!Number.isInteger(vertexCount)) throw new InputError('mesh', 'positions must hold three numbers per vertex');
  if (mesh.triangles.length % 3 !== 0) throw new InputError('mesh', 'triangles must hold three indices each');
  for (let c = 0; c < mesh.triangles.length; c++) {
    if (mesh.triangles[c] >= vertexCount) {
      throw new InputError('mesh', `triangle ${Math.floor(c / 3)} names vertex ${mesh.triangles[c]} of ${vertexCount}`);
    }
  }
  for (let c = 0; c < mesh.positions.length; c++) {
    if (!Number.isFinite(mesh.positions[c]))
      throw new InputError('mesh', `vertex ${Math.floor(c / 3)} has a position that is not finite`);
  }
  if (mesh.normals && mesh.normals.length !== mesh.positions.length)
    throw new InputError('mesh', 'one normal per vertex expected');
  for (const a of mesh.attributes) {
    if (a.values.length !== vertexCount * a.size)
      throw new InputError('mesh', `attribute ${a.name} does not cover all vertices`);
  }
}
