// SPDX-License-Identifier: MIT
import { loadDracoDecoder } from '../src/gltf/load-draco-decoder.ts';

export interface DecodedDraco {
  /** triangleCount x 3 */
  triangles: Uint32Array;
  vertexCount: number;
  /** By name: vertexCount x size. */
  floats: Record<string, Float32Array>;
}

/**
 * Decodes a Draco stream.
 * @param ids by name: the identifiers of attributes; integers are converted to floats
 */
export async function decodeDraco(
  bytes: Uint8Array,
  ids: Readonly<Record<string, number>> = {},
): Promise<DecodedDraco> {
  const module = await loadDracoDecoder();
  const decoder = new module.Decoder();
  const buffer = new module.DecoderBuffer();
  const mesh = new module.Mesh();
  buffer.Init(bytes, bytes.length);
  if (!decoder.DecodeBufferToMesh(buffer, mesh).ok()) throw new Error('decodeDraco: the stream cannot be decoded');
  const copy = (byteLength: number, fill: (at: number) => boolean): ArrayBuffer => {
    const at = module._malloc(byteLength);
    fill(at);
    const { buffer: copied } = module.HEAPU8.slice(at, at + byteLength);
    module._free(at);
    return copied as ArrayBuffer;
  };
  const indexBytes = 12 * mesh.num_faces();
  const triangles = new Uint32Array(copy(indexBytes, (at) => decoder.GetTrianglesUInt32Array(mesh, indexBytes, at)));
  const floats = Object.entries(ids).map(([name, id]) => {
    const attribute = decoder.GetAttributeByUniqueId(mesh, id);
    const byteLength = 4 * mesh.num_points() * attribute.num_components();
    const type = module.DT_FLOAT32;
    return [
      name,
      new Float32Array(
        copy(byteLength, (at) => decoder.GetAttributeDataArrayForAllPoints(mesh, attribute, type, byteLength, at)),
      ),
    ];
  });
  return { triangles, vertexCount: mesh.num_points(), floats: Object.fromEntries(floats) };
}
