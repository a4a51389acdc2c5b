// SPDX-License-Identifier: MIT

import { type Document, Format, type GLTF, type WebIO } from '@gltf-transform/core';
import { EXTMeshoptCompression } from '@gltf-transform/extensions';
import { IDENTITY } from '../math/mat4.ts';
import type { Asset, GltfSource, SkinnedModel } from '../model/asset.ts';
import { checkDirectDeltaMush, type DirectDeltaMush } from '../model/direct-delta-mush.ts';
import { dropUndefined } from '../model/drop-undefined.ts';
import { InputError, UsageError } from '../model/errors.ts';
import { checkHelperBones, type HelperController } from '../model/helper-bones.ts';
import type { Mesh } from '../model/mesh.ts';
import type { Skin } from '../model/skin.ts';
import { checkSkinCorrection, type SkinCorrection } from '../model/skin-correction.ts';
import { checkLinearTwoLayer, checkTwoLayer, type LinearTwoLayer, type TwoLayer } from '../model/two-layer.ts';
import { addGltfClips } from './add-gltf-clips.ts';
import { addGltfDdm } from './add-gltf-direct-delta-mush.ts';
import { addGltfConverted, addGltfHelperBones, type ConvertedRig } from './add-gltf-helper-bones.ts';
import { addGltfLinearTwoLayer } from './add-gltf-linear-two-layer.ts';
import { addGltfMorphs, checkSkinnedMorphs, type SkinnedMorphs } from './add-gltf-morphs.ts';
import { addGltfSkin, checkSkinnedModel } from './add-gltf-skin.ts';
import { addGltfCorrection, addGltfCorrectionMorphs } from './add-gltf-skin-correction.ts';
import { addGltfTwoLayer, listTwoLayerBones } from './add-gltf-two-layer.ts';
import { buildGltfDocument } from './build-gltf-document.ts';
import { MESHOPT } from './check-gltf-data.ts';
import { removeGltfArrays, widenGltfArrays } from './gltf-arrays-extension.ts';
import { listGltfPieces } from './list-gltf-pieces.ts';
import { makeGltfIo, openGltfSource } from './make-gltf-io.ts';
import { mendGltfWeights } from './mend-gltf-weights.ts';
import { packGlb } from './pack-glb.ts';
import { type GltfShape, placeGltfShapes, type ShownPrimitive } from './place-gltf-shapes.ts';
import { quantizeGltf } from './quantize-gltf.ts';
import { readGltfNodes } from './read-gltf-nodes.ts';
import { type BoundPrimitive, rebindGltfSkins } from './rebind-gltf-skins.ts';
import { splitGltfPalettes } from './split-gltf-palettes.ts';

/** What is written besides the asset's own nodes, materials and attributes. */
export type GlbContent =
  /** What moves the asset already. Its clips become morph targets with animated weights. */
  | { kind: 'clip' }
  | SkinContent
  /**
   * Direct Delta Mush for the bones of the asset, as OSSIFY_direct_delta_mush. `skin` is the plain skin beside it; by default the
   * asset's own.
   */
  | { kind: 'delta-mush'; model: DirectDeltaMush; skin?: Skin }
  /** Direct Delta Mush in two layers, as OSSIFY_two_layer_skin. `skin` is the plain skin beside it; by default the asset's own. */
  | { kind: 'two-layer'; model: TwoLayer; skin?: Skin }
  | WeightsContent
  /** Helper bones with their controllers, as OSSIFY_helper_bones, on the nodes and animations of an asset read from a glTF. */
  | ({ kind: 'converted' } & ConvertedRig);

/** Bones, weights and motions that replace whatever moves the asset. The mesh has the asset's vertices. */
export type SkinContent = {
  kind: 'skin';
  model: SkinnedModel;
  /** Maximum distance, in file units, that leaving out keys may move a vertex in any frame. Default 0: all keys of all tracks that move. */
  keys?: number;
  /** What moves the helper bones among the model's bones, as OSSIFY_helper_bones. */
  controllers?: HelperController[];
} & (
  | {
      /** Corrective shapes, a track per motion: as OSSIFY_skin_correction, or as morph targets, which every player shows. */
      correction?: { model: SkinCorrection; as?: 'extension' | 'morphs' };
      morphs?: undefined;
    }
  | {
      correction?: undefined;
      /** Morph targets under the skin, with weights for its motions. */
      morphs?: SkinnedMorphs;
    }
);

/** Other weights for the bones of an asset read from a glTF. */
export interface WeightsContent {
  kind: 'weights';
  skin: Skin;
  /** The same in two layers, as OSSIFY_two_layer_skin beside the plain skin. */
  layers?: LinearTwoLayer;
  /** Remove joints that no vertex follows from the skins; their nodes stay. */
  pruneJoints?: boolean;
  /** Split primitives so that none follows more joints than this. */
  maxBones?: number;
}

export interface WriteGlbOptions {
  /** Store joints, weights, normals and UVs in fewer bytes; positions keep their bits. Default false. */
  quantize?: boolean;
  /** Compress with EXT_meshopt_compression, lossless beyond quantize; readers need a decoder. Default false. */
  meshopt?: boolean;
  /** Receives a sentence about everything that could not be kept. */
  log?: (message: string) => void;
}

export const WRITE_GLB_DEFAULTS = { quantize: false, meshopt: false } as const;

/**
 * Writes a GLB. An asset read from a glTF keeps its nodes, materials and attributes; one from another format is written as a mesh, and
 * what is to be written must then carry its bones: a skin, or content for an asset that makeAsset made of one.
 */
export async function writeGlb(
  asset: Asset,
  content: GlbContent = { kind: 'clip' },
  options: WriteGlbOptions = {},
): Promise<Uint8Array<ArrayBuffer>> {
  const { log } = options;
  const { quantize, meshopt } = { ...WRITE_GLB_DEFAULTS, ...dropUndefined(options) };
  checkContent(content);
  const used = (asset.source?.json as { extensionsUsed?: string[] } | undefined)?.extensionsUsed ?? [];
  const io = await makeGltfIo(meshopt || used.includes(MESHOPT), log);
  const { document, shown } = asset.source
    ? await openShown(io, asset, asset.source)
    : buildShown(content.kind === 'skin' ? content.model.mesh : asset.mesh, log);
  if (content.kind !== 'clip' || asset.clips.length > 0) removeGltfArrays(document);
  await putContent(document, shown, asset, content, quantize);
  if (quantize) quantizeGltf(document);
  if (meshopt) {
    widenGltfArrays(document);
    document.createExtension(EXTMeshoptCompression).setRequired(true);
  }
  document.getRoot().getAsset().generator = 'Ossify';
  const { json, resources } = await io.writeJSON(document, { format: Format.GLB });
  restoreTransforms(document, json);
  return packGlb(json, Object.values(resources)[0]);
}

/** Throws unless the parts of the content fit together. */
function checkContent(content: GlbContent): void {
  switch (content.kind) {
    case 'skin': {
      const { model, keys = 0, correction, morphs, controllers } = content;
      if (!(keys >= 0 && Number.isFinite(keys)))
        throw new UsageError('writeGlb', `keys must be a length in file units of at least 0, got ${keys}`);
      checkSkinnedModel(model);
      if (correction) checkCorrection(correction.model, model);
      if (morphs) checkSkinnedMorphs(morphs, model.motions, model.mesh.positions.length / 3);
      if (controllers) checkHelperBones({ ...model, kind: 'helper-bones', controllers });
      break;
    }
    case 'delta-mush':
      checkDirectDeltaMush(content.model);
      break;
    case 'two-layer':
      checkTwoLayer(content.model);
      break;
    case 'converted':
      checkHelperBones(content.model);
      break;
    case 'weights':
      if (content.layers) checkLinearTwoLayer(content.layers);
  }
}

async function openShown(io: WebIO, asset: Asset, source: GltfSource): Promise<Shown> {
  const document = await openGltfSource(io, source).catch((error: unknown) => {
    // The reader checks what it uses; an extension may still hold what glTF-Transform cannot take.
    const why = error instanceof Error ? error.message.split('\n')[0] : String(error);
    throw new InputError('writeGlb', `the glTF that "${asset.name}" was read from cannot be written again: ${why}`);
  });
  return { document, shown: listShown(document, source.json as unknown as GLTF.IGLTF) };
}

interface Shown {
  document: Document;
  /** The primitives that the parts of the mesh came from, in order. */
  shown: ShownPrimitive[];
}

function buildShown(mesh: Mesh, log?: (message: string) => void): Shown {
  const { document, primitives } = buildGltfDocument(mesh, log);
  const node = document.getRoot().listNodes()[0];
  return { document, shown: primitives.map(({ part, primitive }) => ({ ...part, primitive, node })) };
}

async function putContent(
  document: Document,
  shown: ShownPrimitive[],
  asset: Asset,
  content: GlbContent,
  quantize: boolean,
): Promise<void> {
  switch (content.kind) {
    case 'clip':
      if (asset.clips.length > 0) addGltfClips(document, placeGltfShapes(document, shown, asset.mesh), asset.clips);
      else if (asset.source) mendGltfWeights(document);
      break;
    case 'skin':
      putSkin(document, shown, content, quantize);
      break;
    case 'converted':
      await addGltfConverted(document, shown, asset, content);
      break;
    case 'delta-mush': {
      const bound = await bind(document, shown, asset, content.skin, content.model.multiWeights);
      addGltfDdm(document, bound, content.model, quantize);
      break;
    }
    case 'two-layer': {
      const { named, bonesOfSkin } = listTwoLayerBones(shown, content.model);
      const bound = await bind(document, shown, asset, content.skin, named);
      addGltfTwoLayer(document, bound, content.model, bonesOfSkin, quantize);
      break;
    }
    case 'weights': {
      const { skin, layers, pruneJoints, maxBones } = content;
      const listed = layers && listTwoLayerBones(shown, layers);
      const bound = await bind(document, shown, asset, skin, listed?.named ?? skin, pruneJoints);
      if (layers) addGltfLinearTwoLayer(document, bound, layers, listed!.bonesOfSkin, quantize);
      if (maxBones !== undefined) splitGltfPalettes(document, maxBones);
    }
  }
}

function putSkin(document: Document, shown: ShownPrimitive[], content: SkinContent, quantize: boolean): GltfShape[] {
  const { model, keys = 0, correction, morphs, controllers } = content;
  const shapes = placeGltfShapes(document, shown, model.mesh);
  addGltfSkin(document, shapes, model, keys);
  const joints = shapes[0]?.node.getSkin()?.listJoints() ?? [];
  if (controllers)
    addGltfHelperBones(document, { ...model, kind: 'helper-bones', controllers }, (bone) => joints[bone]);
  if (morphs) addGltfMorphs(document, shapes, morphs, model.motions);
  if (correction?.as === 'morphs') addGltfCorrectionMorphs(document, shapes, correction.model);
  else if (correction) addGltfCorrection(document, shapes, correction.model, quantize);
  return shapes;
}

/** Gives the primitives plain weights for the bones of the asset; on a mesh without nodes of its own, bones and motions as well. */
async function bind(
  document: Document,
  shown: ShownPrimitive[],
  asset: Asset,
  given: Skin | undefined,
  named: Parameters<typeof rebindGltfSkins>[4],
  pruneJoints?: boolean,
): Promise<BoundPrimitive[]> {
  const skin = given ?? asset.rig?.skin;
  if (!skin || !asset.rig) throw new InputError('writeGlb', `"${asset.name}" has no bones to write this for`);
  if (asset.source) return rebindGltfSkins(document, shown, asset, skin, named, undefined, pruneJoints);
  const motions = asset.animations.flatMap(({ motion }) => motion ?? []);
  const model: SkinnedModel = { kind: 'skin', mesh: asset.mesh, skeleton: asset.rig.skeleton, skin, motions };
  checkSkinnedModel(model);
  const shapes = putSkin(document, shown, { kind: 'skin', model }, false);
  const restMatrix = Float64Array.from(IDENTITY);
  return shapes.flatMap(({ node, pieces }) => pieces.map((piece) => ({ ...piece, node, restMatrix, jointOf })));
}

function checkCorrection(correction: SkinCorrection, { mesh, motions }: SkinnedModel): void {
  checkSkinCorrection(correction, mesh.positions.length / 3);
  if (correction.tracks.length !== motions.length)
    throw new InputError(
      'writeGlb',
      `the correction has ${correction.tracks.length} tracks for ${motions.length} motions`,
    );
}

/** Bones that addGltfSkin writes are its joints, in order. */
const jointOf = (bone: number): number => bone;

/** glTF-Transform leaves out transforms within 1e-5 of none, which is much for a model of a millimetre. */
function restoreTransforms(document: Document, json: GLTF.IGLTF): void {
  document
    .getRoot()
    .listNodes()
    .forEach((node, n) => {
      const def = json.nodes![n];
      if (node.getTranslation().some((x) => x !== 0)) def.translation = node.getTranslation();
      if (node.getRotation().some((x, c) => x !== (c === 3 ? 1 : 0))) def.rotation = node.getRotation();
      if (node.getScale().some((x) => x !== 1)) def.scale = node.getScale();
    });
}

/** The primitives that the parts of the mesh came from, in order. */
function listShown(document: Document, json: GLTF.IGLTF): ShownPrimitive[] {
  const nodes = document.getRoot().listNodes();
  const meshes = document.getRoot().listMeshes();
  return listGltfPieces(json, readGltfNodes(json)).map(({ node, mesh, primitive, vertexStart, vertexCount }) => ({
    primitive: meshes[mesh].listPrimitives()[primitive],
    node: nodes[node],
    vertexStart,
    vertexCount,
  }));
}
