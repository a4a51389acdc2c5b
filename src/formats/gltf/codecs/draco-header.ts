// SPDX-License-Identifier: MIT
// The start of a Draco stream (https://google.github.io/draco/spec/, sections 5 and 6): magic, version, type, method, flags, and the sizes of
// the connectivity. Decoders allocate memory for these sizes.
import { fail } from '../../../deformers/layout/index.ts';

const MAGIC = 'DRACO';
const TRIANGULAR_MESH = 1;
const SEQUENTIAL = 0;
const EDGEBREAKER = 1;
/** Flag of a stream with metadata between the header and the connectivity. */
const METADATA = 0x8000;

/** Vertices of a surface that is cut where it is not manifold, relative to the points of its accessors. */
export const MAX_SPLIT = 2;

/** Throws unless a stream claims the sizes of its accessors. A stream with metadata is refused: glTF exporters write none. */
export function checkDracoHeader(bytes: Uint8Array, pointCount: number, faceCount: number): void {
  if (bytes.length < 12 || String.fromCharCode(...bytes.subarray(0, 5)) !== MAGIC)
    fail('magic', 'a Draco-compressed mesh does not begin with "DRACO"');
  const version = bytes[5] * 256 + bytes[6];
  if (version !== 0x0202)
    fail('unsupported', `a mesh is compressed with Draco bitstream ${bytes[5]}.${bytes[6]}; glTF defines 2.2`);
  const [type, method] = [bytes[7], bytes[8]];
  if (type !== TRIANGULAR_MESH) fail('unsupported', 'Draco-compressed data is no triangle mesh');
  if (method !== SEQUENTIAL && method !== EDGEBREAKER)
    fail('unsupported', `a mesh is compressed with the Draco method ${method}, which is unknown`);
  if ((bytes[9] | (bytes[10] << 8)) & METADATA) fail('unsupported', 'a Draco-compressed mesh has metadata');
  const reader = { bytes, at: 11 + (method === EDGEBREAKER ? 1 : 0) };
  const [first, second] = [readVarint(reader), readVarint(reader)];
  const [faces, points] = method === EDGEBREAKER ? [second, first] : [first, second];
  // the edgebreaker method counts vertices before seams split them, and after the surface is cut where it is not manifold
  const fits =
    faces === faceCount && (method === EDGEBREAKER ? points <= MAX_SPLIT * pointCount : points === pointCount);
  if (!fits)
    fail(
      'mismatch',
      `a Draco-compressed mesh claims ${points} points and ${faces} triangles; its accessors have ${pointCount} and ${faceCount}`,
    );
}

/** An unsigned number in groups of seven bits, lowest first. */
function readVarint(reader: { bytes: Uint8Array; at: number }): number {
  let value = 0;
  for (let shift = 0; shift < 35; shift += 7) {
    const byte = reader.bytes[reader.at++];
    if (byte === undefined) break;
    value += (byte & 127) * 2 ** shift;
    if (byte < 128) return value;
  }
  return fail('truncated', 'a Draco-compressed mesh ends in its header');
}
