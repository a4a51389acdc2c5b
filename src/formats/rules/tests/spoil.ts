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
  const opened: { values: Uint8Array; rows: Uint8Array[] }[] = [];
  // vertices are interleaved: numbers are taken out of their rows, and put back
  const open = (accessor: number): ArrayBuffer => {
    const rows = listRows(json, own, accessor);
    const values = new Uint8Array(rows.reduce((sum, row) => sum + row.length, 0));
    rows.forEach((row, n) => {
      values.set(row, n * row.length);
    });
    opened.push({ values, rows });
    return values.buffer;
  };
  change({
    json,
    floats: (accessor) => new Float32Array(open(accessor)),
    integers(accessor) {
      const is8Bit = json.accessors?.[accessor].componentType === 5121;
      return is8Bit ? new Uint8Array(open(accessor)) : new Uint16Array(open(accessor));
    },
  });
  for (const { values, rows } of opened)
    rows.forEach((row, n) => {
      row.set(values.subarray(n * row.length, (n + 1) * row.length));
    });
  return packGlb(json, own);
}

/** The bytes of each element of an accessor. */
function listRows(
  { accessors = [], bufferViews = [] }: GLTF.IGLTF,
  binary: Uint8Array,
  accessor: number,
): Uint8Array[] {
  const { bufferView = 0, byteOffset = 0, count, type, componentType } = accessors[accessor] ?? fail();
  const { byteOffset: start = 0, byteStride } = bufferViews[bufferView] ?? fail();
  const numbers = { SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4, MAT2: 4, MAT3: 9, MAT4: 16 }[type];
  const size = numbers * (componentType === 5121 ? 1 : componentType === 5123 ? 2 : 4);
  const stride = byteStride ?? size;
  return Array.from({ length: count }, (_, n) => {
    const o = start + byteOffset + n * stride;
    return binary.subarray(o, o + size);
  });
}

function fail(): never {
  throw new Error('the good file has no such accessor');
}

/** The mesh of the body, in the JSON. */
export function bodyOf({ json }: OpenGlb): GLTF.IMeshPrimitive {
  return json.meshes?.find(({ name }) => name === 'body')?.primitives[0] ?? fail();
}
