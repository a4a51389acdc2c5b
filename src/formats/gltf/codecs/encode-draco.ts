// SPDX-License-Identifier: MIT
// Draco stores the triangles of a mesh as a walk over its surface (edgebreaker) and predicts the numbers of a vertex from its neighbours. The
// decoded vertices are in the order of the walk. The order is needed to compare the decoded mesh with the source, so the mesh is encoded
// once more with an attribute of vertex numbers, which are read back. Vertices with the same numbers in all attributes are one vertex for Draco,
// and get the same number here, so that both encodings have the same walk.
import type { DracoEncoderModule } from 'draco3dgltf/draco_encoder_gltf_nodejs.js';
import { InputError } from '../../../core/model/errors.ts';
import { decodeDraco } from './decode-draco.ts';
import { loadDracoEncoder } from './load-draco-encoder.ts';

/** Numbers of one attribute. Floats are rounded to `bits`; integers are kept. */
export interface DracoAttribute {
  /** glTF name, such as POSITION. */
  semantic: string;
  /** vertexCount x size */
  values: Float32Array | Int8Array | Uint8Array | Int16Array | Uint16Array | Uint32Array;
  size: number;
  bits?: number;
  /** Grid of floats: lowest corner and length of the sides. Default: that of the values. */
  origin?: number[];
  range?: number;
}

export interface DracoMeshBytes {
  bytes: Uint8Array;
  /** By semantic: the identifier of the attribute in the stream. */
  ids: Record<string, number>;
  /** By decoded vertex: the vertex of the source. */
  order: Uint32Array;
  /** Number of decoded corners; triangles without area in the grid of vertices are dropped. */
  cornerCount: number;
}

/** Encodes triangles and attributes. The smallest stream is preferred over speed. */
export async function encodeDraco(triangles: Uint32Array, given: readonly DracoAttribute[]): Promise<DracoMeshBytes> {
  const module = await loadDracoEncoder();
  const vertexCount = given[0].values.length / given[0].size;
  const numbers = numberVertices(given, vertexCount);
  // Draco walks a mesh of positions alone in another way than one with numbers
  const attributes =
    given.length > 1 ? given : [...given, { semantic: '_NONE', values: new Uint8Array(vertexCount), size: 1 }];
  const numbered = encode(module, triangles, [...attributes, { semantic: '_VERTEX', values: numbers, size: 1 }]);
  const { bytes, ids } = encode(module, triangles, attributes);
  const [source, decoded] = [await decodeDraco(numbered.bytes, numbered.ids._VERTEX), await decodeDraco(bytes)];
  // both streams have the same triangles in the same order, but may split vertices differently where the surface is not manifold
  const order = new Uint32Array(decoded.vertexCount);
  for (let c = 0; c < decoded.triangles.length; c++) order[decoded.triangles[c]] = source.numbers[source.triangles[c]];
  const { _NONE: _none, ...stored } = ids;
  return { bytes, ids: stored, order, cornerCount: decoded.triangles.length };
}

function encode(
  module: DracoEncoderModule,
  triangles: Uint32Array,
  attributes: readonly DracoAttribute[],
): { bytes: Uint8Array; ids: Record<string, number> } {
  const builder = new module.MeshBuilder();
  const mesh = new module.Mesh();
  const out = new module.DracoInt8Array();
  builder.AddFacesToMesh(mesh, triangles.length / 3, triangles);
  const ids: Record<string, number> = {};
  for (const { semantic, values, size } of attributes) {
    const type = typeOf(module, semantic);
    const count = values.length / size;
    if (values instanceof Float32Array) ids[semantic] = builder.AddFloatAttribute(mesh, type, count, size, values);
    else if (values instanceof Uint8Array) ids[semantic] = builder.AddUInt8Attribute(mesh, type, count, size, values);
    else if (values instanceof Int8Array) ids[semantic] = builder.AddInt8Attribute(mesh, type, count, size, values);
    else if (values instanceof Uint16Array) ids[semantic] = builder.AddUInt16Attribute(mesh, type, count, size, values);
    else if (values instanceof Int16Array) ids[semantic] = builder.AddInt16Attribute(mesh, type, count, size, values);
    else ids[semantic] = builder.AddUInt32Attribute(mesh, type, count, size, values);
  }
  const encoder = new module.ExpertEncoder(mesh);
  encoder.SetEncodingMethod(module.MESH_EDGEBREAKER_ENCODING);
  encoder.SetSpeedOptions(0, 0);
  for (const { semantic, bits, origin, range, size } of attributes) {
    if (bits === undefined) continue;
    if (origin && range) encoder.SetAttributeExplicitQuantization(ids[semantic], bits, size, origin, range);
    else encoder.SetAttributeQuantization(ids[semantic], bits);
  }
  const length = encoder.EncodeToDracoBuffer(true, out);
  const bytes = new Uint8Array(length);
  for (let n = 0; n < length; n++) bytes[n] = out.GetValue(n);
  for (const object of [encoder, out, mesh, builder]) module.destroy(object);
  if (length <= 0) throw new InputError('writeGlb', 'Draco cannot encode a mesh of this file');
  return { bytes, ids };
}

function typeOf(module: DracoEncoderModule, semantic: string): number {
  if (semantic === 'POSITION') return module.POSITION;
  if (semantic === 'NORMAL') return module.NORMAL;
  if (semantic.startsWith('TEXCOORD_')) return module.TEX_COORD;
  if (semantic.startsWith('COLOR_')) return module.COLOR;
  return module.GENERIC;
}

/** By vertex: the first vertex with the same numbers. */
function numberVertices(attributes: readonly DracoAttribute[], vertexCount: number): Uint32Array {
  const views = attributes.map(({ values, size }) => ({
    bytes: new Uint8Array(values.buffer, values.byteOffset, values.byteLength),
    width: size * values.BYTES_PER_ELEMENT,
  }));
  const isSame = (a: number, b: number): boolean =>
    views.every(({ bytes, width }) => {
      for (let n = 0; n < width; n++) if (bytes[a * width + n] !== bytes[b * width + n]) return false;
      return true;
    });
  const numbers = new Uint32Array(vertexCount);
  const buckets = new Map<number, number[]>();
  for (let i = 0; i < vertexCount; i++) {
    let hash = 0x811c9dc5;
    for (const { bytes, width } of views)
      for (let n = i * width; n < (i + 1) * width; n++) hash = Math.imul(hash ^ bytes[n], 0x01000193);
    const bucket = buckets.get(hash);
    const first = bucket?.find((other) => isSame(other, i));
    numbers[i] = first ?? i;
    if (!bucket) buckets.set(hash, [i]);
    else if (first === undefined) bucket.push(i);
  }
  return numbers;
}
