// SPDX-License-Identifier: MIT
import { InputError } from '../../../core/model/errors.ts';
import { loadDracoDecoder } from './load-draco-decoder.ts';

/** The triangles of a Draco stream that was just encoded, and one number per vertex if an attribute is given. */
export async function decodeDraco(
  bytes: Uint8Array,
  id?: number,
): Promise<{ triangles: Uint32Array; numbers: Uint32Array; vertexCount: number }> {
  const module = await loadDracoDecoder();
  const decoder = new module.Decoder();
  const buffer = new module.DecoderBuffer();
  const mesh = new module.Mesh();
  buffer.Init(bytes, bytes.length);
  if (!decoder.DecodeBufferToMesh(buffer, mesh).ok())
    throw new InputError('writeGlb', 'Draco cannot decode a mesh that it encoded');
  const copy = (length: number, fill: (byteLength: number, at: number) => boolean): Uint32Array => {
    const at = module._malloc(4 * length);
    fill(4 * length, at);
    return new Uint32Array(module.HEAPU8.slice(at, at + 4 * length).buffer);
  };
  const vertexCount = mesh.num_points();
  const triangles = copy(3 * mesh.num_faces(), (length, at) => decoder.GetTrianglesUInt32Array(mesh, length, at));
  const readNumbers = (attributeId: number): Uint32Array => {
    const attribute = decoder.GetAttributeByUniqueId(mesh, attributeId);
    return copy(vertexCount, (length, at) =>
      decoder.GetAttributeDataArrayForAllPoints(mesh, attribute, module.DT_UINT32, length, at),
    );
  };
  const numbers = id === undefined ? new Uint32Array(0) : readNumbers(id);
  return { triangles, numbers, vertexCount };
}
