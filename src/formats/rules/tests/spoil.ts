// SPDX-License-Identifier: MIT
// Ways to spoil a good file: the scene before it is written, or the JSON and the numbers of a GLB.
import type { GLTF } from '@gltf-transform/core';
import { packGlb, readScene, type Scene, splitGlb, writeGlb } from '../../gltf/index.ts';
import { makeCharacter } from './make-character.ts';

/** A GLB that is open for changes. */
export interface OpenGlb {
  json: GLTF.IGLTF;
  /** The numbers of an accessor of floats, which can be changed. */
  floats(accessor: number): Float32Array;
  /** The numbers of an accessor of 8-bit or 16-bit integers. */
  integers(accessor: number): Uint8Array | Uint16Array;
}

/** Writes a scene as a GLB. */
export async function toGlb(scene: Scene): Promise<Uint8Array> {
  return writeGlb(await readScene(scene, 1e6, { name: 'character' }), { kind: 'clip' });
}

/** The good character, changed before it is written. */
export function spoilScene(change: (scene: Scene) => Scene | undefined): Promise<Uint8Array> {
  const scene = makeCharacter();
  return toGlb(change(scene) ?? scene);
}

/** The good character, changed in its file. */
export async function spoilGlb(change: (glb: OpenGlb) => void): Promise<Uint8Array> {
  return editGlb(await toGlb(makeCharacter()), change);
}

export function editGlb(bytes: Uint8Array, change: (glb: OpenGlb) => void): Uint8Array {
  const { json: parsed, binary = new Uint8Array(0) } = splitGlb(bytes);
  const json = parsed as GLTF.IGLTF;
  const own = binary.slice();
  const find = (accessor: number): { offset: number; count: number; componentType: number } => {
    const { bufferView = 0, byteOffset = 0, count, type, componentType } = json.accessors?.[accessor] ?? fail();
    const { byteOffset: start = 0 } = json.bufferViews?.[bufferView] ?? fail();
    const size = { SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4, MAT2: 4, MAT3: 9, MAT4: 16 }[type];
    return { offset: start + byteOffset, count: count * size, componentType };
  };
  change({
    json,
    floats(accessor) {
      const { offset, count } = find(accessor);
      return new Float32Array(own.buffer, offset, count);
    },
    integers(accessor) {
      const { offset, count, componentType } = find(accessor);
      return componentType === 5121 ? new Uint8Array(own.buffer, offset, count) : new Uint16Array(own.buffer, offset, count);
    },
  });
  return packGlb(json as Parameters<typeof packGlb>[0], own);
}

function fail(): never {
  throw new Error('the good file has no such accessor');
}

/** The mesh of the body, in the JSON. */
export function bodyOf({ json }: OpenGlb): GLTF.IMeshPrimitive {
  return json.meshes?.find(({ name }) => name === 'body')?.primitives[0] ?? fail();
}
