// SPDX-License-Identifier: MIT
import type { GLTF } from '@gltf-transform/core';
import type { Asset } from '../model/asset.ts';
import { FormatError } from '../model/errors.ts';
import { checkDecodedBytes, checkGltf } from './check-gltf.ts';
import { TYPE_SIZE } from './check-gltf-data.ts';
import { fail } from './gltf-fields.ts';
import { type GltfPiece, listGltfPieces } from './list-gltf-pieces.ts';
import { loadGltfResources, type ResolveUri } from './load-gltf-resources.ts';
import { makeGltfAccessors } from './make-gltf-accessors.ts';
import { parseGlb } from './parse-glb.ts';
import { readGltfAnimations } from './read-gltf-animations.ts';
import { listDdmJoints, listGltfDdm, readGltfDdm } from './read-gltf-direct-delta-mush.ts';
import { readGltfGeometry } from './read-gltf-geometry.ts';
import { nameHelperJointsInto, readGltfHelperBones } from './read-gltf-helper-bones.ts';
import { listGltfLinearTwoLayer, readGltfLinearTwoLayer } from './read-gltf-linear-two-layer.ts';
import { readGltfMorphs } from './read-gltf-morphs.ts';
import { readGltfNodes } from './read-gltf-nodes.ts';
import { readGltfRig } from './read-gltf-rig.ts';
import { readGltfCorrection } from './read-gltf-skin-correction.ts';
import { listGltfTwoLayer, readGltfTwoLayer } from './read-gltf-two-layer.ts';
import { renameMeshoptInto, tidyGltfInto } from './tidy-gltf.ts';

export interface ReadGltfOptions {
  /** Name of the asset; by default 'gltf'. */
  name?: string;
  /** Reads buffers and images beside the file, by a relative path that is already known to stay in its folder. */
  resolve?: ResolveUri;
  /** Hears what was mended or left out, one sentence each. */
  log?: (message: string) => void;
}

/**
 * Reads a GLB or a .gltf text. The mesh is all that the default scene draws, joined, at rest in model space, without morph
 * weights; docs/gltf.md says where that is. Throws FormatError, and nothing else, on a bad file.
 */
export async function readGltf(bytes: Uint8Array, options: ReadGltfOptions = {}): Promise<Asset> {
  const { name = 'gltf', resolve, log } = options;
  try {
    return await read(bytes, name, resolve, log);
  } catch (error) {
    if (error instanceof FormatError) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new FormatError('gltf', 'syntax', `the glTF could not be read: ${why.split('\n')[0].replace(/\.$/, '')}`);
  }
}

async function read(
  bytes: Uint8Array,
  name: string,
  resolve?: ResolveUri,
  log?: (message: string) => void,
): Promise<Asset> {
  const { json: raw, binary } = parseGlb(bytes, log);
  renameMeshoptInto(raw);
  const { json, decodedBytes } = checkGltf(raw);
  // Only what lies beside the file adds to it: data URIs are in its text already.
  let byteLength = bytes.length;
  const counted: ResolveUri | undefined =
    resolve &&
    (async (path) => {
      const resource = await resolve(path);
      byteLength += resource.length;
      return resource;
    });
  const resources = await loadGltfResources(json, binary, counted);
  checkDecodedBytes(decodedBytes, byteLength);
  tidyGltfInto(json, log);

  const nodes = readGltfNodes(json);
  const pieces = listGltfPieces(json, nodes, log);
  if (pieces.length === 0) fail('empty', 'the file draws no triangles');
  checkDecodedBytes(countPieceBytes(json, pieces), byteLength);
  const accessors = await makeGltfAccessors(json, resources);
  const mushed = listGltfDdm(json, pieces, log);
  const layered = listGltfTwoLayer(json, pieces, log);
  const linear = listGltfLinearTwoLayer(json, pieces);
  const named = listDdmJoints(pieces, [...mushed, ...layered, ...linear], accessors);
  nameHelperJointsInto(json, named);
  const { restMatrices, rig, boneOf } = readGltfRig(json, nodes, pieces, accessors, log, named);
  const mesh = readGltfGeometry(json, pieces, restMatrices, accessors, name);
  if (mesh.triangles.length === 0) fail('empty', 'the file draws no triangles');
  const ddm =
    rig && boneOf && mushed.length > 0
      ? readGltfDdm(json, pieces, mushed, restMatrices, rig, boneOf, accessors, mesh, byteLength)
      : undefined;
  const twoLayer =
    rig && boneOf && layered.length > 0
      ? readGltfTwoLayer(json, pieces, layered, restMatrices, rig, boneOf, accessors, mesh, byteLength)
      : undefined;
  const linearTwoLayer =
    rig && boneOf && linear.length > 0
      ? readGltfLinearTwoLayer(json, pieces, linear, rig, boneOf, accessors, mesh, byteLength)
      : undefined;
  const helpers = rig && readGltfHelperBones(json, nodes, rig, log);
  const correction = rig && readGltfCorrection(json, pieces, restMatrices, accessors, mesh, byteLength, log);
  return {
    name,
    mesh,
    nodes: nodes.tree,
    rig,
    ...(ddm ? { ddm } : {}),
    ...(twoLayer ? { twoLayer } : {}),
    ...(linearTwoLayer ? { linearTwoLayer } : {}),
    ...(helpers && helpers.length > 0 ? { helpers } : {}),
    ...(correction ? { correction } : {}),
    morphs: readGltfMorphs(json, nodes, pieces, restMatrices, accessors),
    animations: readGltfAnimations(json, nodes, accessors),
    clips: [],
    metresPerUnit: 1,
    up: 'y',
    source: { json: json as unknown as Record<string, unknown>, resources },
    byteLength,
  };
}

/** What the joined mesh takes: a small file can draw one mesh by very many nodes. */
function countPieceBytes(json: GLTF.IGLTF, pieces: GltfPiece[]): number {
  let bytes = 0;
  for (const piece of pieces) {
    const { attributes, indices, targets } = json.meshes![piece.mesh].primitives[piece.primitive];
    for (const list of [attributes, ...(targets ?? [])])
      for (const index of Object.values(list)) bytes += piece.vertexCount * TYPE_SIZE[json.accessors![index].type] * 4;
    bytes += (indices === undefined ? piece.vertexCount : json.accessors![indices].count) * 4;
  }
  return bytes;
}
