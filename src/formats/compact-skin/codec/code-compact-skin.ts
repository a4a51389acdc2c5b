// SPDX-License-Identifier: MIT
// The stream of OSSIFY_compact_skin: a version byte (2 if there are displacements, which version 1 did not have), and all of a CompactSkin by the range coder, with a mark at the end.
import { FormatError, InputError } from '../../../core/model/errors.ts';
import { FieldCoder, isWithinLimit } from '../entropy/field-coder.ts';
import { RangeDecoder, RangeEncoder } from '../entropy/range-coder.ts';
import { type AnimatedNode, codeAnimations } from './code-animations.ts';
import { codeNodes, codeSkins } from './code-nodes.ts';
import { DISPLACED_VERSION, decodePrimitive, encodePrimitive } from './code-primitive.ts';
import type { CompactPrimitive, CompactSkin } from './compact-skin.ts';

/** Version of streams without displacements: readers of version 1 read them. */
const PLAIN_VERSION = 1;
const MAX_PRIMITIVES = 65535;
/** The last bits of a stream: a damaged one rarely ends with them. */
const MARK = 0xa55a;
const MARK_BITS = 16;

export interface EncodedSkin {
  bytes: Uint8Array<ArrayBuffer>;
  /** By primitive: by vertex of the stream, the vertex that was given. */
  orders: Uint32Array[];
  /** Bytes by what they hold. */
  parts: { meshes: number; motion: number; nodes: number };
}

/**
 * Encodes a skin.
 * @param jsonNodes nodes in the JSON, which are before those of the skin
 */
export function encodeCompactSkin(skin: CompactSkin, jsonNodes: readonly AnimatedNode[]): EncodedSkin {
  const encoder = new RangeEncoder();
  const fields = new FieldCoder(encoder, 0);
  fields.double(skin.positionStep);
  fields.double(skin.nodeStep);
  fields.count(skin.primitives.length);
  const version = skin.primitives.some(({ displacements }) => displacements) ? DISPLACED_VERSION : PLAIN_VERSION;
  const orders = skin.primitives.map((primitive) => encodePrimitive(fields, primitive, version));
  const meshes = encoder.byteLength;
  const nodes = codeNodes(fields, jsonNodes.length, skin.nodeStep, skin.nodes);
  codeSkins(fields, jsonNodes.length + nodes.length, skin.skins);
  const before = encoder.byteLength;
  codeAnimations(fields, [...jsonNodes, ...nodes], skin);
  encoder.codeRaw(MARK, MARK_BITS);
  const stream = encoder.finish();
  if (!isWithinLimit(fields.decodedBytes, stream.length))
    throw new InputError(
      '--codec ossify',
      'the file compresses so well that readers would refuse it; use --codec draco',
    );
  const bytes = new Uint8Array(1 + stream.length);
  bytes[0] = version;
  bytes.set(stream, 1);
  return { bytes, orders, parts: { meshes, nodes: before - meshes, motion: bytes.length - before } };
}

/** Decodes a skin. Throws FormatErrors only. */
export function decodeCompactSkin(bytes: Uint8Array, jsonNodes: readonly AnimatedNode[]): CompactSkin {
  const [version] = bytes;
  if (version !== PLAIN_VERSION && version !== DISPLACED_VERSION)
    throw new FormatError(
      'gltf',
      'version',
      `OSSIFY_compact_skin has a stream of version ${version}, which is not known`,
    );
  const decoder = new RangeDecoder(bytes.subarray(1));
  const fields = new FieldCoder(decoder, bytes.length);
  const positionStep = fields.double(0);
  const nodeStep = fields.double(0);
  const primitiveCount = fields.count(0, MAX_PRIMITIVES);
  const primitives: CompactPrimitive[] = [];
  for (let n = 0; n < primitiveCount; n++) primitives.push(decodePrimitive(fields, version));
  const nodes = codeNodes(fields, jsonNodes.length, nodeStep);
  const skins = codeSkins(fields, jsonNodes.length + nodes.length);
  const { animationNames, motions } = codeAnimations(fields, [...jsonNodes, ...nodes]);
  if (primitives.some(({ displacements }) => displacements && displacements.animation >= animationNames.length))
    throw new FormatError('gltf', 'index', 'the stream of OSSIFY_compact_skin has displacements without an animation');
  if (decoder.codeRaw(0, MARK_BITS) !== MARK)
    throw new FormatError('gltf', 'syntax', 'the stream of OSSIFY_compact_skin is damaged');
  return { positionStep, primitives, nodeStep, nodes, skins, animationNames, motions };
}
