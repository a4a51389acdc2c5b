// SPDX-License-Identifier: MIT
import type { GLTF } from '@gltf-transform/core';
import type { DracoMesh, DracoModule } from 'draco3dgltf/draco_decoder_gltf_nodejs.js';
import type { GltfSource } from '../../../core/model/asset.ts';
import { FormatError } from '../../../core/model/errors.ts';
import { fail, indexField, integerField, type JsonObject, objectField } from '../../../deformers/layout/index.ts';
import { COMPONENT_BYTES, TYPE_SIZE } from '../check/check-gltf-data.ts';
import { jsonAccessor, jsonBuffer } from '../document/gltf-json.ts';
import { GLB_BINARY } from '../document/load-gltf-resources.ts';
import { checkDracoHeader, MAX_SPLIT } from './draco-header.ts';
import { loadDracoDecoder } from './load-draco-decoder.ts';

export const DRACO = 'KHR_draco_mesh_compression';

/** Name of the buffer of decoded data. One that starts with two underscores is not written back as a URI by glTF-Transform. */
const DECODED = '__draco.bin';

const TRIANGLES = 4;

/** Decoded values of accessors, by index. */
type Decoded = Map<number, Uint8Array>;

/**
 * Decodes meshes that are compressed with KHR_draco_mesh_compression into plain accessors, so that everything after sees a glTF without
 * compression. The sizes of the stream are compared with those of the accessors, whose sum is already limited, before it is
 * decoded. Changed in place: the JSON is checked, and the decoded data is a buffer of its own.
 */
export async function unpackGltfDracoInto(json: GLTF.IGLTF, resources: GltfSource['resources']): Promise<void> {
  const primitives = (json.meshes ?? []).flatMap((mesh) => mesh.primitives);
  const packed = primitives.flatMap((primitive) => {
    const { extensions } = primitive;
    return extensions?.[DRACO] === undefined ? [] : [{ primitive, extensions }];
  });
  for (const list of [json.extensionsUsed, json.extensionsRequired])
    if (list?.includes(DRACO)) list.splice(list.indexOf(DRACO), 1);
  if (packed.length === 0) return;
  const decoded: Decoded = new Map();
  const decoder = await loadDracoDecoder();
  for (const { primitive, extensions } of packed) {
    try {
      unpackPrimitive(decoder, { json, resources }, primitive, extensions[DRACO], decoded);
    } catch (error) {
      if (error instanceof FormatError) throw error;
      // errors of WebAssembly do not describe the fault of the file
      fail('syntax', 'a Draco-compressed mesh does not decompress; the file is damaged');
    }
    delete extensions[DRACO];
    primitive.mode = TRIANGLES;
  }
  addBuffer(json, resources, decoded);
}

function unpackPrimitive(
  decoder: DracoModule,
  { json, resources }: { json: GLTF.IGLTF; resources: GltfSource['resources'] },
  primitive: GLTF.IMeshPrimitive,
  stored: unknown,
  decoded: Decoded,
): void {
  const accessors = json.accessors ?? [];
  const extension = objectField(stored, DRACO);
  const ids = objectField(extension.attributes, `${DRACO}.attributes`);
  const bytes = readView(json, resources, extension);
  const { indices } = primitive;
  const places = Object.entries(ids).map(([semantic, id]) => {
    const accessor = primitive.attributes[semantic];
    if (accessor === undefined) fail('index', `${DRACO} has ${semantic.slice(0, 40)}, which the primitive has not`);
    return { accessor, id: integerField(id, `${DRACO}.attributes`) };
  });
  if (indices === undefined || places.length === 0)
    fail('syntax', `a primitive with ${DRACO} needs indices and attributes`);
  const pointCount = accessors[places[0].accessor].count;
  const cornerCount = accessors[indices].count;
  checkDracoHeader(bytes, pointCount, cornerCount / 3);
  const mesh = decodeMesh(decoder, bytes);
  try {
    const own = new Set(places.map(({ accessor }) => accessor));
    const isSame = [...own].every((accessor) => accessors[accessor].count === mesh.num_points());
    if (
      mesh.num_faces() * 3 !== cornerCount ||
      !(isSame || (mesh.num_points() <= MAX_SPLIT * pointCount && isAlone(json, primitive, own)))
    )
      fail(
        'mismatch',
        `a Draco-compressed mesh has ${mesh.num_points()} points and ${mesh.num_faces()} triangles, which its accessors do not`,
      );
    // some exporters store the counts from before compression, which splits vertices where the surface is not manifold
    for (const accessor of own) accessors[accessor].count = mesh.num_points();
    decoded.set(indices, readIndices(decoder, mesh, accessors[indices]));
    for (const { accessor, id } of places) decoded.set(accessor, readAttribute(decoder, mesh, id, accessors[accessor]));
  } finally {
    decoder.destroy(mesh);
  }
}

/** Whether nothing else needs as many elements as some accessors: all attributes of the primitive are decoded, and no other one uses them. */
function isAlone(json: GLTF.IGLTF, primitive: GLTF.IMeshPrimitive, own: ReadonlySet<number>): boolean {
  if (primitive.targets?.length || !Object.values(primitive.attributes).every((accessor) => own.has(accessor)))
    return false;
  return (json.meshes ?? []).every((mesh) =>
    mesh.primitives.every(
      (other) =>
        other === primitive ||
        [other, ...(other.targets ?? []).map((attributes) => ({ attributes }))].every(({ attributes }) =>
          Object.values(attributes).every((accessor) => !own.has(accessor)),
        ),
    ),
  );
}

function readView(json: GLTF.IGLTF, resources: GltfSource['resources'], extension: JsonObject): Uint8Array {
  const views = json.bufferViews ?? [];
  const view = views[indexField(extension.bufferView, views.length, `${DRACO}.bufferView`, 'buffer view')];
  const start = view.byteOffset ?? 0;
  return resources[jsonBuffer(json, view.buffer).uri ?? GLB_BINARY].subarray(start, start + view.byteLength);
}

function decodeMesh(module: DracoModule, bytes: Uint8Array): DracoMesh {
  const decoder = new module.Decoder();
  const buffer = new module.DecoderBuffer();
  const mesh = new module.Mesh();
  try {
    buffer.Init(bytes, bytes.length);
    if (decoder.DecodeBufferToMesh(buffer, mesh).ok()) return mesh;
  } finally {
    module.destroy(buffer);
    module.destroy(decoder);
  }
  module.destroy(mesh);
  return fail('syntax', 'a Draco-compressed mesh does not decompress; the file is damaged');
}

/** Fills memory of the module and copies it. */
function copyOut(module: DracoModule, byteLength: number, fill: (at: number) => boolean): Uint8Array {
  const at = module._malloc(byteLength);
  try {
    if (!fill(at)) fail('syntax', 'data of a Draco-compressed mesh cannot be read; the file is damaged');
    return module.HEAPU8.slice(at, at + byteLength);
  } finally {
    module._free(at);
  }
}

function readIndices(module: DracoModule, mesh: DracoMesh, accessor: GLTF.IAccessor): Uint8Array {
  const decoder = new module.Decoder();
  const byteLength = 12 * mesh.num_faces();
  const bytes = copyOut(module, byteLength, (at) => decoder.GetTrianglesUInt32Array(mesh, byteLength, at));
  module.destroy(decoder);
  accessor.componentType = 5125;
  return bytes;
}

function readAttribute(module: DracoModule, mesh: DracoMesh, id: number, accessor: GLTF.IAccessor): Uint8Array {
  const types: Record<number, number> = {
    5120: module.DT_INT8,
    5121: module.DT_UINT8,
    5122: module.DT_INT16,
    5123: module.DT_UINT16,
    5125: module.DT_UINT32,
    5126: module.DT_FLOAT32,
  };
  const decoder = new module.Decoder();
  try {
    const attribute = decoder.GetAttributeByUniqueId(mesh, id);
    const size = TYPE_SIZE[accessor.type];
    if (attribute.ptr === 0 || attribute.num_components() !== size)
      fail('mismatch', `a Draco-compressed mesh has no attribute ${id} of ${size} numbers`);
    const { componentType } = accessor;
    const byteLength = mesh.num_points() * size * COMPONENT_BYTES[componentType];
    return copyOut(module, byteLength, (at) =>
      decoder.GetAttributeDataArrayForAllPoints(mesh, attribute, types[componentType], byteLength, at),
    );
  } finally {
    module.destroy(decoder);
  }
}

/** Adds decoded data as a buffer, with a view per accessor. */
function addBuffer(json: GLTF.IGLTF, resources: GltfSource['resources'], decoded: Decoded): void {
  const lengths = [...decoded.values()].map(({ length }) => Math.ceil(length / 4) * 4);
  const data = new Uint8Array(lengths.reduce((sum, length) => sum + length, 0));
  json.buffers ??= [];
  json.bufferViews ??= [];
  const buffer = json.buffers.push({ uri: DECODED, byteLength: data.length }) - 1;
  const views = json.bufferViews;
  let byteOffset = 0;
  [...decoded].forEach(([index, bytes], n) => {
    data.set(bytes, byteOffset);
    const view = views.push({ buffer, byteOffset, byteLength: bytes.length }) - 1;
    const accessor = jsonAccessor(json, index);
    accessor.bufferView = view;
    delete accessor.byteOffset;
    byteOffset += lengths[n];
  });
  resources[DECODED] = data;
}
