// SPDX-License-Identifier: MIT
import type { Document } from '@gltf-transform/core';
import type { Asset, GltfSource } from '../../core/model/asset.ts';
import { DEFAULT_FPS, makeTimes } from '../../core/model/clip/clip.ts';
import { makeMeshFrame } from '../../core/model/clip/mesh-frame.ts';
import { FormatError } from '../../core/model/errors.ts';
import { checkDecodedBytes, fail, makeDecodeBudget, objectField } from '../../deformers/layout/index.ts';
import { COMPACT_EXTENSION, expandCompactSkin } from '../compact-skin/index.ts';
import { checkGltf } from './check/check-gltf.ts';
import { checkGltfDrawn } from './check/check-gltf-drawn.ts';
import { checkGltfMotion } from './check/check-gltf-motion.ts';
import { checkGltfSparse } from './check/check-gltf-sparse.ts';
import { expandInstancesInto } from './check/expand-instances.ts';
import { resolveNodePointersInto } from './check/resolve-node-pointers.ts';
import { renameMeshoptInto, tidyGltfInto } from './check/tidy-gltf.ts';
import { unpackGltfDracoInto } from './codecs/unpack-gltf-draco.ts';
import { jsonOf, makeSource } from './document/gltf-json.ts';
import { countBufferBytes, loadGltfResources } from './document/load-gltf-resources.ts';
import { openGltfForReading } from './document/open-gltf-document.ts';
import { bindGltfPieces } from './document/pieces/bind-gltf-pieces.ts';
import { listGltfPieces } from './document/pieces/list-gltf-pieces.ts';
import { splitGlb } from './document/split-glb.ts';
import { readGltfDdm } from './extensions/gltf-direct-delta-mush.ts';
import { readGltfHelperBones } from './extensions/gltf-helper-bones.ts';
import { readGltfShapeDrivers } from './extensions/gltf-shape-drivers.ts';
import { readGltfSkinBlend } from './extensions/gltf-skin-blend.ts';
import { readGltfCorrection } from './extensions/gltf-skin-correction.ts';
import { readGltfLight } from './extensions/gltf-skin-light.ts';
import { readGltfTwoLayer } from './extensions/gltf-two-layer.ts';
import { readFlipBook } from './flip-book/read-flip-book.ts';
import { listVisibilityChannels, type VisibilityChannel } from './read/list-visibility-tracks.ts';
import { readGltfAnimations } from './read/read-gltf-animations.ts';
import { readGltfGeometry } from './read/read-gltf-geometry.ts';
import { readGltfMorphs } from './read/read-gltf-morphs.ts';
import { readGltfNodes } from './read/read-gltf-nodes.ts';
import type { ReadGltfOptions, ResolveUri } from './read/read-gltf-options.ts';
import { listGltfPointers, type PointerChannel, readGltfProperties } from './read/read-gltf-properties.ts';
import { readGltfWeights } from './read/read-gltf-weights.ts';
import { dropBareNodes } from './repair/drop-bare-nodes.ts';
import { GltfRepairs } from './repair/gltf-repairs.ts';
import { repairGltfSource } from './repair/repair-gltf-source.ts';
import { listScene } from './scene/list-scene.ts';
import type { Scene } from './scene/scene.ts';

/**
 * Reads a GLB or a .gltf text. The mesh is everything that the default scene draws, joined, at rest in model space, without morph weights;
 * docs/formats/gltf.md describes that space. Throws only FormatErrors if the file is invalid.
 */
export async function readGltf(bytes: Uint8Array, options: ReadGltfOptions = {}): Promise<Asset> {
  try {
    const repairs = new GltfRepairs();
    const { source, byteLength, animated, codecs } = await checkSource(bytes, options, repairs);
    const asset = await readGltfSource(source, byteLength, options, animated, repairs);
    return codecs.length > 0 ? { ...asset, codecs } : asset;
  } catch (error) {
    throw asFormatError(error);
  }
}

function asFormatError(error: unknown): FormatError {
  if (error instanceof FormatError) return error;
  const why = error instanceof Error ? error.message : String(error);
  const fault = `the glTF could not be read: ${why.split('\n')[0].replace(/\.$/, '')}`;
  return new FormatError('gltf', 'syntax', fault, undefined, '', { cause: error });
}

/**
 * Reads what a GLB or a .gltf text holds as a scene, whether it draws anything or not: files with animations alone have no mesh. Throws only FormatErrors if the file is
 * invalid.
 */
export async function readGltfScene(bytes: Uint8Array, options: ReadGltfOptions = {}): Promise<Scene> {
  try {
    const repairs = new GltfRepairs();
    const { source } = await checkSource(bytes, options, repairs);
    const repaired = repairGltfSource(await openGltfForReading(source), source, repairs);
    repairs.report(options.log);
    return await listScene(repaired ?? source);
  } catch (error) {
    throw asFormatError(error);
  }
}

/** Channels of KHR_animation_pointer, which glTF-Transform does not read. */
interface AnimatedProperties {
  visibility: readonly VisibilityChannel[];
  pointers: readonly PointerChannel[];
}

/**
 * Reads a glTF that is in memory and was checked, or made by this project. A flip-book becomes a clip, or frames if their topology differs.
 * @param animated channels that the source does not have any more
 * @param repairs repairs that were made before
 */
export async function readGltfSource(
  stored: GltfSource,
  byteLength: number,
  options: ReadGltfOptions,
  { visibility, pointers }: AnimatedProperties = { visibility: [], pointers: [] },
  repairs: GltfRepairs = new GltfRepairs(),
): Promise<Asset> {
  const opened = await openGltfForReading(stored);
  const repaired = repairGltfSource(opened, stored, repairs);
  repairs.report(options.log);
  const source = repaired ?? stored;
  const document = repaired ? await openGltfForReading(repaired) : opened;
  const properties = readGltfProperties(document, jsonOf(source), pointers, options.log);
  const nodes = readGltfNodes(document);
  const pieces = listGltfPieces(document, nodes);
  const book = readFlipBook(document, source, nodes, pieces, visibility);
  if (!book) {
    if (visibility.length > 0) options.log?.(`${visibility.length} animation channels of visibility were left out`);
    const asset = readDocument(document, source, byteLength, options);
    return properties.length > 0 ? { ...asset, properties } : asset;
  }
  const { positions, times = makeTimes(book.meshes.length, options.fps ?? DEFAULT_FPS) } = book;
  const count = `a flip-book: ${book.meshes.length} nodes, one after the other,`;
  if (!positions) {
    options.log?.(`${count} are frames with different topology`);
    const asset = readDocument(document, source, byteLength, options);
    const frames = book.meshes.map((mesh, k) => makeMeshFrame(mesh, book.names[k]));
    return { ...asset, sequence: { frames, times } };
  }
  options.log?.(`${count} are read as the frames of one clip`);
  const asset = readDocument(await openGltfForReading(book.still), book.still, byteLength, options);
  return { ...asset, clips: [{ kind: 'clip', name: asset.name, mesh: asset.mesh, positions, times }] };
}

const CODECS = [
  ['KHR_draco_mesh_compression', 'draco'],
  ['EXT_meshopt_compression', 'meshopt'],
  ['KHR_meshopt_compression', 'meshopt'],
  [COMPACT_EXTENSION, 'ossify'],
] as const;

/** Checks everything in the document before glTF-Transform reads it. */
async function checkSource(
  bytes: Uint8Array,
  { resolve, log }: ReadGltfOptions,
  repairs: GltfRepairs,
): Promise<{ source: GltfSource; byteLength: number; animated: AnimatedProperties; codecs: string[] }> {
  const split = splitGlb(bytes, log);
  const stored = objectField(split.json, 'the glTF');
  const used = Array.isArray(stored.extensionsUsed) ? stored.extensionsUsed : [];
  const codecs = CODECS.flatMap(([extension, codec]) => (used.includes(extension) ? [codec] : []));
  const { json: raw, binary } = expandCompactSkin({ json: stored, binary: split.binary });
  renameMeshoptInto(raw);
  resolveNodePointersInto(raw);
  const { json, decodedBytes, missingImages } = checkGltf(raw, repairs);
  dropBareNodes(json, repairs);
  // Only files beside this one add to its size: data URIs are part of its text.
  let byteLength = bytes.length;
  const counted: ResolveUri | undefined =
    resolve &&
    (async (path) => {
      const resource = await resolve(path);
      byteLength += resource.length;
      return resource;
    });
  const resources = await loadGltfResources(json, binary, counted, { repairs, missingImages });
  // what a compact skin makes is limited by its own stream
  const storedBytes = byteLength + (binary?.length ?? 0) - (split.binary?.length ?? 0);
  checkDecodedBytes(decodedBytes, storedBytes);
  await expandInstancesInto(json, resources, storedBytes, log);
  checkGltfDrawn(json, storedBytes);
  await unpackGltfDracoInto(json, resources);
  checkGltfSparse(json, resources);
  const animated = { visibility: listVisibilityChannels(json), pointers: listGltfPointers(json) };
  tidyGltfInto(json, log);
  return { source: makeSource(json, resources), byteLength, animated, codecs };
}

function readDocument(
  document: Document,
  source: GltfSource,
  byteLength: number,
  { name = 'gltf', log }: ReadGltfOptions,
): Asset {
  const nodes = readGltfNodes(document);
  const pieces = listGltfPieces(document, nodes, log);
  if (pieces.length === 0) fail('empty', 'the file draws no triangles');
  const { restMatrices, bones } = bindGltfPieces(document, nodes, pieces);
  const mesh = readGltfGeometry(document, pieces, restMatrices, name);
  if (mesh.triangles.length === 0) fail('empty', 'the file draws no triangles');
  const morphs = readGltfMorphs(nodes, pieces, restMatrices, log);
  const animations = readGltfAnimations(document, nodes);
  const asset: Asset = {
    name,
    mesh,
    nodes: nodes.tree,
    morphs,
    animations,
    clips: [],
    metresPerUnit: 1,
    up: 'y',
    source,
    byteLength,
  };
  if (!bones) {
    checkGltfMotion(asset);
    return asset;
  }
  const { jointBones, ...skeleton } = bones;
  const rig = { ...skeleton, skin: readGltfWeights(pieces, jointBones, log) };
  const budget = makeDecodeBudget(countBufferBytes(source));
  const rigged = { document, pieces, restMatrices, rig, jointBones, mesh, budget, log };
  const ddm = readGltfDdm(rigged);
  const helpers = readGltfHelperBones(document, nodes, rig, budget, log);
  const blend = readGltfSkinBlend(rigged);
  const correction = readGltfCorrection(rigged);
  const light = readGltfLight(rigged);
  const driven = readGltfShapeDrivers(rigged);
  const moved: Asset = {
    ...asset,
    rig,
    ...(ddm ? { ddm } : {}),
    ...readGltfTwoLayer(rigged),
    ...(helpers.length > 0 ? { helpers } : {}),
    ...(blend ? { blend } : {}),
    ...(correction ? { correction } : {}),
    ...(light ? { light } : {}),
    ...(driven ? { driven } : {}),
  };
  checkGltfMotion(moved);
  return moved;
}
