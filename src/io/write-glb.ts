// SPDX-License-Identifier: MIT

import { type Document, Format, type GLTF } from '@gltf-transform/core';
import { EXTMeshoptCompression } from '@gltf-transform/extensions';
import { IDENTITY } from '../math/mat4.ts';
import type { Asset, SkinnedModel } from '../model/asset.ts';
import { checkDirectDeltaMush, type DirectDeltaMush } from '../model/direct-delta-mush.ts';
import { InputError } from '../model/errors.ts';
import { checkHelperBones } from '../model/helper-bones.ts';
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
import { placeGltfShapes, type ShownPrimitive } from './place-gltf-shapes.ts';
import { quantizeGltf } from './quantize-gltf.ts';
import { readGltfNodes } from './read-gltf-nodes.ts';
import { rebindGltfSkins } from './rebind-gltf-skins.ts';
import { splitGltfPalettes } from './split-gltf-palettes.ts';

export interface WriteGlbOptions {
  /** Bones, weights and motions that replace what moves the asset. Its mesh has the asset's vertices. */
  skinned?: SkinnedModel;
  /**
   * Direct Delta Mush for the bones of skinned, or of the asset read from a glTF, written as OSSIFY_direct_delta_mush. In the second case the plain skin
   * beside it becomes the one given, and all else stays.
   */
  ddm?: { model: DirectDeltaMush; skin?: Skin };
  /** A two-layer model for the bones of the asset read from a glTF, written as OSSIFY_two_layer_skin; the plain skin beside it becomes the one given. */
  twoLayer?: { model: TwoLayer; skin?: Skin };
  /** Other weights for the bones of the asset read from a glTF; all else stays. */
  skin?: Skin;
  /** The same in two layers, written as OSSIFY_two_layer_skin beside skin. */
  linearTwoLayer?: LinearTwoLayer;
  /** With skin: leave joints out of skins that no vertex follows any more; their nodes stay. */
  pruneJoints?: boolean;
  /** With skin: split pieces so that none follows more joints. */
  maxBones?: number;
  /**
   * Helper bones with their controllers, written as OSSIFY_helper_bones: those of skinned, whose bones are the model's, or of the asset read from a glTF, which
   * gets the model's weights, nodes for the helpers and keys for them in its animations.
   */
  converted?: ConvertedRig;
  /**
   * Corrections of skinned, a track per motion: as the extension OSSIFY_skin_correction, or as morph targets with animated weights, which every player
   * shows.
   */
  correction?: { model: SkinCorrection; as?: 'extension' | 'morphs' };
  /** Morph targets under the skin of skinned, with weights for its motions. */
  morphs?: SkinnedMorphs;
  /**
   * How far, in file units, skinned may be from its motions in their frames for the sake of fewer keys. Default 0: a key for every frame of
   * every track that moves.
   */
  keys?: number;
  /** Store joints, weights, normals and UVs in fewer bytes; positions keep their bits. Default false. */
  quantize?: boolean;
  /** Compress with EXT_meshopt_compression, lossless beyond quantize; readers need a decoder. Default false. */
  meshopt?: boolean;
  /** Hears what could not be kept, one sentence each. */
  log?: (message: string) => void;
}

export const WRITE_GLB_DEFAULTS = { keys: 0, quantize: false, meshopt: false } as const;

/**
 * Writes a GLB. An asset read from a glTF comes back whole (weights mended where they did not sum to one); one from another format is
 * written as a mesh. Clips of either become morph targets with animated weights. With skinned, bones move it instead.
 */
export async function writeGlb(asset: Asset, options: WriteGlbOptions = {}): Promise<Uint8Array<ArrayBuffer>> {
  const { skinned, ddm, twoLayer, skin: weights, linearTwoLayer, correction, log } = options;
  const quantize = options.quantize ?? WRITE_GLB_DEFAULTS.quantize;
  const meshopt = options.meshopt ?? WRITE_GLB_DEFAULTS.meshopt;
  const keys = options.keys ?? WRITE_GLB_DEFAULTS.keys;
  if (!(keys >= 0 && Number.isFinite(keys)))
    throw new InputError('writeGlb', `keys must be a length in file units of at least 0, got ${keys}`);
  const used = (asset.source?.json as { extensionsUsed?: string[] } | undefined)?.extensionsUsed ?? [];
  const io = await makeGltfIo(meshopt || used.includes(MESHOPT), log);
  if (skinned) checkSkinnedModel(skinned);
  if (ddm) checkDirectDeltaMush(ddm.model);
  if (twoLayer) checkTwoLayer(twoLayer.model);
  if (twoLayer && (skinned || ddm)) throw new InputError('writeGlb', 'twoLayer goes with neither skinned nor ddm');
  if (correction) checkCorrection(correction.model, skinned, ddm !== undefined);
  if (linearTwoLayer) checkLinearTwoLayer(linearTwoLayer);
  if (linearTwoLayer && !weights) throw new InputError('writeGlb', 'linearTwoLayer needs a plain skin beside it');
  if (weights && (skinned || ddm || twoLayer))
    throw new InputError('writeGlb', 'skin goes with none of skinned, ddm and twoLayer');
  const { converted, morphs } = options;
  if (morphs && (!skinned || correction))
    throw new InputError('writeGlb', 'morphs go with skinned, and not with correction');
  if (morphs && skinned) checkSkinnedMorphs(morphs, skinned.motions, skinned.mesh.positions.length / 3);
  if (converted) checkHelperBones(converted.model);
  if (converted && (ddm || twoLayer || correction))
    throw new InputError('writeGlb', 'converted goes with none of ddm, twoLayer and correction');
  let document: Document;
  let shown: ShownPrimitive[];
  if (asset.source) {
    document = await openGltfSource(io, asset.source).catch((error: unknown) => {
      // The reader checks what it uses; an extension may still hold what glTF-Transform cannot take.
      const why = error instanceof Error ? error.message.split('\n')[0] : String(error);
      throw new InputError('writeGlb', `the glTF that "${asset.name}" was read from cannot be written again: ${why}`);
    });
    shown = listShown(document, asset.source.json as unknown as GLTF.IGLTF);
  } else {
    const built = buildGltfDocument(skinned?.mesh ?? asset.mesh, log);
    document = built.document;
    const node = document.getRoot().listNodes()[0];
    shown = built.primitives.map(({ part, primitive }) => ({ ...part, primitive, node }));
  }
  if (skinned || ddm || twoLayer || weights || converted || asset.clips.length > 0) removeGltfArrays(document);
  if (skinned) {
    const shapes = placeGltfShapes(document, shown, skinned.mesh);
    addGltfSkin(document, shapes, skinned, keys);
    const restMatrix = Float64Array.from(IDENTITY);
    const bound = shapes.flatMap(({ pieces }) => pieces.map((piece) => ({ ...piece, restMatrix, jointOf })));
    if (ddm) addGltfDdm(document, bound, ddm.model, quantize);
    const joints = shapes[0]?.node.getSkin()?.listJoints() ?? [];
    if (converted) addGltfHelperBones(document, converted.model, (bone) => joints[bone]);
    if (morphs) addGltfMorphs(document, shapes, morphs, skinned.motions);
    if (correction?.as === 'morphs') addGltfCorrectionMorphs(document, shapes, correction.model);
    else if (correction) addGltfCorrection(document, shapes, correction.model, quantize);
  } else if (converted) await addGltfConverted(document, shown, asset, converted);
  else if (ddm) {
    const skin = ddm.skin ?? asset.rig?.skin;
    if (!skin) throw new InputError('writeGlb', `"${asset.name}" has no skin to write Direct Delta Mush beside`);
    const bound = await rebindGltfSkins(document, shown, asset, skin, ddm.model.multiWeights);
    addGltfDdm(document, bound, ddm.model, quantize);
  } else if (twoLayer) {
    const skin = twoLayer.skin ?? asset.rig?.skin;
    if (!skin) throw new InputError('writeGlb', `"${asset.name}" has no skin to write two layers beside`);
    const layers = listTwoLayerBones(shown, twoLayer.model);
    const bound = await rebindGltfSkins(document, shown, asset, skin, layers.named);
    addGltfTwoLayer(document, bound, twoLayer.model, layers.bonesOfSkin, quantize);
  } else if (weights) {
    const layers = linearTwoLayer && listTwoLayerBones(shown, linearTwoLayer);
    const bound = await rebindGltfSkins(
      document,
      shown,
      asset,
      weights,
      layers?.named ?? weights,
      undefined,
      options.pruneJoints,
    );
    if (linearTwoLayer) addGltfLinearTwoLayer(document, bound, linearTwoLayer, layers!.bonesOfSkin, quantize);
    if (options.maxBones !== undefined) splitGltfPalettes(document, options.maxBones);
  } else if (asset.clips.length > 0) addGltfClips(document, placeGltfShapes(document, shown, asset.mesh), asset.clips);
  else if (asset.source) mendGltfWeights(document);
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

function checkCorrection(correction: SkinCorrection, skinned: SkinnedModel | undefined, hasDdm: boolean): void {
  if (!skinned || hasDdm) throw new InputError('writeGlb', 'correction goes with skinned, and not with ddm');
  checkSkinCorrection(correction, skinned.mesh.positions.length / 3);
  if (correction.tracks.length !== skinned.motions.length)
    throw new InputError(
      'writeGlb',
      `the correction has ${correction.tracks.length} tracks for ${skinned.motions.length} motions`,
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
