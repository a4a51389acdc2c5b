// SPDX-License-Identifier: MIT
import { InputError } from './errors.ts';

/** A run of triangles and vertices that came from one drawn piece of a file (an OBJ group, a glTF primitive). */
export interface MeshPart {
  name: string;
  /** First vertex and number of vertices; parts follow one another without gaps. */
  vertexStart: number;
  vertexCount: number;
  /** First triangle and number of triangles. */
  triangleStart: number;
  triangleCount: number;
  /** Name of the material, '' for none. */
  material: string;
}

/** A vertex attribute that rides along untouched: UVs, colours, painted maps. */
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
  name: string;
  /** vertexCount x 3, file units */
  positions: Float32Array;
  /** triangleCount x 3 vertex indices */
  triangles: Uint32Array;
  /** vertexCount x 3, unit length; absent where the file has none for some part */
  normals?: Float32Array;
  attributes: MeshAttribute[];
  /** At least one; together they cover all vertices and all triangles in order. */
  parts: MeshPart[];
}

/** Makes a mesh of one part from positions and triangles. The arrays are kept, not copied. */
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

export function vertexCountOf(mesh: Mesh): number {
  return mesh.positions.length / 3;
}

/** Throws when sizes disagree, an index is out of range or a position is not finite. */
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
