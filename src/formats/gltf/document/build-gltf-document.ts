// SPDX-License-Identifier: MIT

import { Document, type Material, type Primitive, type TypedArray } from '@gltf-transform/core';
import { InputError } from '../../../core/model/errors.ts';
import type { Mesh, MeshPart } from '../../../core/model/mesh/mesh.ts';
import { addAccessor } from './add-accessor.ts';

/** Roughness of a material of which only the name is known. Not tuned. */
const ROUGHNESS = 0.8;

export interface BuiltDocument {
  document: Document;
  /** The written parts, in order, each with its primitive; parts without triangles are omitted. */
  primitives: { part: MeshPart; primitive: Primitive }[];
}

/** Makes a document of one node and one mesh with a primitive per part, for a mesh that was not read from a glTF. */
export function buildGltfDocument(mesh: Mesh, log?: (message: string) => void): BuiltDocument {
  const document = new Document();
  document.createBuffer();
  const materials = new Map<string, Material>();
  const gltfMesh = document.createMesh(mesh.name);
  const primitives: BuiltDocument['primitives'] = [];
  for (const part of mesh.parts) {
    if (part.triangleCount === 0 || part.vertexCount === 0) {
      log?.(`the part "${part.name}" has no triangles and was left out`);
      continue;
    }
    const primitive = document
      .createPrimitive()
      .setMaterial(materialOf(document, materials, part.material || part.name || mesh.name || 'surface'));
    const put = (name: string, size: number, values: TypedArray): void => {
      primitive.setAttribute(name, addAccessor(document, size, values));
    };
    put('POSITION', 3, sliceOf(mesh.positions, part, 3));
    if (mesh.normals) put('NORMAL', 3, unitVectors(sliceOf(mesh.normals, part, 3)));
    for (const { name, size, values } of mesh.attributes) {
      const semantic = semanticOf(name, size);
      if (!semantic) continue;
      const slice = sliceOf(values, part, size);
      if (semantic.startsWith('COLOR_'))
        for (let c = 0; c < slice.length; c++) slice[c] = Math.min(1, Math.max(0, slice[c]));
      put(semantic, size, slice);
    }
    const corners = mesh.triangles.subarray(part.triangleStart * 3, (part.triangleStart + part.triangleCount) * 3);
    // The largest number of an index type is reserved.
    const indices = part.vertexCount < 65536 ? new Uint16Array(corners.length) : new Uint32Array(corners.length);
    for (let c = 0; c < corners.length; c++) indices[c] = corners[c] - part.vertexStart;
    primitive.setIndices(addAccessor(document, 1, indices));
    gltfMesh.addPrimitive(primitive);
    primitives.push({ part, primitive });
  }
  if (primitives.length === 0) throw new InputError('writeGlb', 'the mesh has no triangles to write');
  const node = document.createNode(mesh.name).setMesh(gltfMesh);
  const scene = document.createScene().addChild(node);
  document.getRoot().setDefaultScene(scene);
  return { document, primitives };
}

/** A copy of the rows of a part. */
export function sliceOf(
  values: Float32Array,
  part: { vertexStart: number; vertexCount: number },
  size: number,
): Float32Array<ArrayBuffer> {
  return Float32Array.from(values.subarray(part.vertexStart * size, (part.vertexStart + part.vertexCount) * size));
}

/** Normalizes vectors in place, as glTF requires for normals. A zero vector becomes the z axis. */
export function unitVectors(values: Float32Array<ArrayBuffer>, stride = 3): Float32Array<ArrayBuffer> {
  for (let o = 0; o + 2 < values.length; o += stride) {
    const length = Math.hypot(values[o], values[o + 1], values[o + 2]);
    if (!(length > 0) || !Number.isFinite(length)) values.set([0, 0, 1], o);
    else for (let c = 0; c < 3; c++) values[o + c] /= length;
  }
  return values;
}

function materialOf(document: Document, materials: Map<string, Material>, name: string): Material {
  let material = materials.get(name);
  if (!material) {
    material = document.createMaterial(name).setMetallicFactor(0).setRoughnessFactor(ROUGHNESS).setDoubleSided(true);
    materials.set(name, material);
  }
  return material;
}

/** The name of an attribute of that size in glTF; names of custom attributes start with an underscore. */
function semanticOf(name: string, size: number): string | undefined {
  if (!(size >= 1 && size <= 4)) return undefined;
  if (/^TEXCOORD_\d+$/.test(name) && size === 2) return name;
  if (/^COLOR_\d+$/.test(name) && size >= 3) return name;
  if (name === 'TANGENT' && size === 4) return name;
  return name.startsWith('_') ? name : `_${name.toUpperCase().replace(/[^A-Z0-9]+/g, '_')}`;
}
