// SPDX-License-Identifier: MIT
import { type Document, Format, type GLTF, type WebIO } from '@gltf-transform/core';
import { EXTMeshoptCompression } from '@gltf-transform/extensions';
import { type Shading, shadeMesh } from '../mesh/shade-mesh.ts';
import type { Asset, SkinnedModel } from '../model/asset.ts';
import { checkDirectDeltaMush, type DirectDeltaMush } from '../model/direct-delta-mush.ts';
import { dropUndefined } from '../model/drop-undefined.ts';
import type { Elimination } from '../model/elimination.ts';
import { InputError, UsageError } from '../model/errors.ts';
import { type ConvertedRig, checkHelperBones, type HelperController } from '../model/helper-bones.ts';
import type { MeshAttribute } from '../model/mesh.ts';
import type { LevelsContent } from '../model/mesh-level.ts';
import type { SkinnedMorphs } from '../model/morphs.ts';
import { checkShapeDrivers, type DrivenShapes } from '../model/shape-drivers.ts';
import type { Skin } from '../model/skin.ts';
import { checkSkinCorrection, type SkinCorrection } from '../model/skin-correction.ts';
import type { SkinLight } from '../model/skin-light.ts';
import { checkLinearTwoLayer, checkTwoLayer, type LinearTwoLayer, type TwoLayer } from '../model/two-layer.ts';
import { checkSkinnedMorphs } from './add-gltf-morphs.ts';
import { checkSkinnedModel } from './add-gltf-skin.ts';
import { bindGltfPieces } from './bind-gltf-pieces.ts';
import { buildGltfDocument } from './build-gltf-document.ts';
import { MESHOPT } from './check-gltf-data.ts';
import { removeGltfArrays } from './gltf-primitive-extensions.ts';
import { listGltfPieces } from './list-gltf-pieces.ts';
import { makeGltfIo, openGltfForWriting } from './open-gltf-document.ts';
import { packGlb } from './pack-glb.ts';
import { padGltfForMeshopt } from './pad-gltf-for-meshopt.ts';
import { type OpenedGltf, putGltfContent } from './put-gltf-content.ts';
import { quantizeGltf } from './quantize-gltf.ts';
import { readGltfNodes } from './read-gltf-nodes.ts';

/** The content to write in addition to the asset's nodes, materials and attributes. */
export type GlbContent =
  /** The asset with its own rig and animations. Its clips become morph targets with animated weights. */
  | { kind: 'clip' }
  /** The asset, read from a glTF, with other positions, normals and tangents of its mesh. Nodes, weights, extensions and animations are kept. */
  | { kind: 'shape' }
  /** Levels of detail of the asset, read from a glTF. */
  | LevelsContent
  /** The asset, read from a glTF, with light on its vertices, as OSSIFY_skin_light. All else is kept. */
  | { kind: 'light'; model: SkinLight }
  /** The mesh at rest in model space with further attributes, without bones and animations. Materials, textures and UVs are kept. */
  | { kind: 'static'; attributes: MeshAttribute[] }
  | SkinContent
  /**
   * Direct Delta Mush for the bones of the asset, as OSSIFY_direct_delta_mush. `skin` is the plain skin for other viewers; by default that of
   * the asset.
   */
  | { kind: 'delta-mush'; model: DirectDeltaMush; skin?: Skin }
  /** Direct Delta Mush in two layers, as OSSIFY_two_layer_skin. `skin` is the plain skin for other viewers; by default that of the asset. */
  | { kind: 'two-layer'; model: TwoLayer; skin?: Skin }
  | WeightsContent
  /** The asset, read from a glTF, without joints, morph targets and triangles that have no visible effect. All else is kept. */
  | { kind: 'eliminated'; parts: Elimination }
  /** Helper bones with their controllers, as OSSIFY_helper_bones, on the nodes and animations of an asset read from a glTF. */
  | ({ kind: 'converted' } & ConvertedRig);

/** Bones, weights and motions that replace the rig and animations of the asset. The mesh has the asset's vertices. */
export type SkinContent = {
  /** Discriminator. */
  kind: 'skin';
  /** What to write. */
  model: SkinnedModel;
  /** Maximum vertex error of key reduction in any frame, file units. Default 0: all keys of all tracks that move. */
  keys?: number;
  /** Controllers of the model's helper bones, as OSSIFY_helper_bones. */
  controllers?: HelperController[];
  /** Drivers of the model's bones by the weights of shapes, as OSSIFY_shape_drivers. */
  driven?: DrivenShapes;
} & (
  | {
      /** Corrective shapes, one track per motion: as OSSIFY_skin_correction, or as morph targets, which every player supports. */
      correction?: { model: SkinCorrection; as?: 'extension' | 'morphs' };
      morphs?: undefined;
    }
  | {
      correction?: undefined;
      /** Morph targets under the skin, with weights for its motions. */
      morphs?: SkinnedMorphs;
    }
);

/** New weights for the bones of an asset that was read from a glTF. */
export interface WeightsContent {
  /** Discriminator. */
  kind: 'weights';
  /** The new weights. */
  skin: Skin;
  /** The same skin in two layers, as OSSIFY_two_layer_skin in addition to the plain skin. */
  layers?: LinearTwoLayer;
  /** Remove joints without weights from the skins; their nodes are kept. */
  pruneJoints?: boolean;
  /** Maximum number of joints per primitive; primitives with more are split. */
  maxBones?: number;
}

/** Options of writeGlb. */
export interface WriteGlbOptions {
  /** Store joints, weights, normals and UVs in fewer bytes; positions stay exact. Default false. */
  quantize?: boolean;
  /**
   * Compress with EXT_meshopt_compression, without loss beyond that of quantize; readers need a decoder. Default false. An asset that was read from
   * a compressed file is always compressed.
   */
  meshopt?: boolean;
  /**
   * Normals of meshes that are written anew: smooth ones if the mesh has none, none (viewers then shade flat), or unchanged. Clips that are
   * written as morph targets get no smooth normals, since those would not follow the motion; primitives of a glTF that are kept stay unchanged.
   * Default 'keep'.
   */
  shading?: Shading;
  /** Receives a warning for everything that could not be kept. */
  log?: (message: string) => void;
}

/** Defaults of WriteGlbOptions. */
export const WRITE_GLB_DEFAULTS = { quantize: false, meshopt: false, shading: 'keep' } as const;

/**
 * Writes a GLB. An asset that was read from a glTF keeps its nodes, materials and attributes. An asset of another format is written as a mesh; its
 * content must then include the bones: a skin, or content for an asset that makeAsset made from a skinned model.
 * @example
 * ```ts
 * import { writeFile } from 'node:fs/promises';
 * import { decompose, writeGlb } from 'ossify';
 *
 * const { model } = await decompose(asset.clips[0], { bones: 20 });
 * await writeFile('cloth.glb', await writeGlb(asset, { kind: 'skin', model, keys: 0.0005 }, { quantize: true }));
 * ```
 */
export async function writeGlb(
  given: Asset,
  unshaded: GlbContent = { kind: 'clip' },
  options: WriteGlbOptions = {},
): Promise<Uint8Array<ArrayBuffer>> {
  const { json, binary } = await makeGltf(given, unshaded, options);
  return packGlb(json, binary);
}

/**
 * The JSON and the binary chunk of a GLB.
 * @param options isPlain: without compression, even if the asset was read from a compressed file
 */
export async function makeGltf(
  given: Asset,
  unshaded: GlbContent,
  options: WriteGlbOptions & { isPlain?: boolean },
): Promise<{ json: GLTF.IGLTF; binary: Uint8Array }> {
  const { log } = options;
  const { quantize, meshopt, shading } = { ...WRITE_GLB_DEFAULTS, ...dropUndefined(options) };
  checkContent(unshaded);
  const { asset, content } = shade(given, unshaded, shading);
  const used = (asset.source?.json as { extensionsUsed?: string[] } | undefined)?.extensionsUsed ?? [];
  const io = await makeGltfIo(meshopt || used.includes(MESHOPT), log);
  const opened = asset.source ? await openSource(io, asset, content) : buildSource(asset, content, log);
  const { document } = opened;
  const isKept =
    content.kind === 'shape' ||
    content.kind === 'levels' ||
    content.kind === 'light' ||
    content.kind === 'eliminated' ||
    (content.kind === 'clip' && asset.clips.length === 0);
  if (!isKept) removeGltfArrays(document);
  putGltfContent(opened, asset, content, quantize);
  if (quantize) quantizeGltf(document);
  if (options.isPlain)
    document
      .getRoot()
      .listExtensionsUsed()
      .find(({ extensionName }) => extensionName === MESHOPT)
      ?.dispose();
  else if (meshopt) document.createExtension(EXTMeshoptCompression).setRequired(true);
  padGltfForMeshopt(document);
  document.getRoot().getAsset().generator = 'Ossify';
  const { json, resources } = await io.writeJSON(document, { format: Format.GLB });
  restoreTransforms(document, json);
  return { json, binary: Object.values(resources)[0] ?? new Uint8Array(0) };
}

/** The asset and its content with the normals to write. */
function shade(asset: Asset, content: GlbContent, shading: Shading): { asset: Asset; content: GlbContent } {
  if (content.kind === 'clip' && asset.clips.length > 0 && shading === 'smooth') return { asset, content };
  const shaded = { ...asset, mesh: shadeMesh(asset.mesh, shading) };
  if (content.kind !== 'skin') return { asset: shaded, content };
  const { model } = content;
  const mesh = model.mesh === asset.mesh ? shaded.mesh : shadeMesh(model.mesh, shading);
  return { asset: shaded, content: { ...content, model: { ...model, mesh } } };
}

/** Throws unless the parts of the content match. */
function checkContent(content: GlbContent): void {
  switch (content.kind) {
    case 'skin': {
      const { model, keys = 0, correction, morphs, controllers, driven } = content;
      if (!(keys >= 0 && Number.isFinite(keys)))
        throw new UsageError('writeGlb', `keys must be a length in file units of at least 0, got ${keys}`);
      checkSkinnedModel(model);
      if (correction) checkCorrection(correction.model, model);
      if (morphs) checkSkinnedMorphs(morphs, model.motions, model.mesh.positions.length / 3);
      if (driven) checkShapeDrivers(driven.drivers, model.skeleton.names.length);
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

/** Opens the glTF that an asset was read from. If weights change, its binding is read before anything is removed. */
async function openSource(io: WebIO, asset: Asset, { kind }: GlbContent): Promise<OpenedGltf> {
  const document = await openGltfForWriting(io, asset.source!).catch((error: unknown) => {
    // The reader checks what it uses, but an extension may have data that glTF-Transform cannot read.
    const why = error instanceof Error ? error.message.split('\n')[0] : String(error);
    throw new InputError('writeGlb', `the glTF that "${asset.name}" was read from cannot be written again: ${why}`);
  });
  const nodes = readGltfNodes(document);
  const pieces = listGltfPieces(document, nodes);
  if (kind === 'clip' || kind === 'skin' || kind === 'static') return { document, shown: pieces };
  const { restMatrices } = bindGltfPieces(document, nodes, pieces);
  return { document, shown: pieces, bound: { nodes: nodes.list, pieces, restMatrices } };
}

/** Makes a document from a mesh that was not read from a glTF. */
function buildSource(asset: Asset, content: GlbContent, log?: (message: string) => void): OpenedGltf {
  const mesh = content.kind === 'skin' ? content.model.mesh : asset.mesh;
  const { document, primitives } = buildGltfDocument(mesh, log);
  const node = document.getRoot().listNodes()[0];
  return { document, shown: primitives.map(({ part, primitive }) => ({ ...part, primitive, node })) };
}

function checkCorrection(correction: SkinCorrection, { mesh, motions }: SkinnedModel): void {
  checkSkinCorrection(correction, mesh.positions.length / 3);
  if (correction.tracks.length !== motions.length)
    throw new InputError(
      'writeGlb',
      `the correction has ${correction.tracks.length} tracks for ${motions.length} motions`,
    );
}

/** Writes transforms that glTF-Transform omits: those within 1e-5 of the identity, which matters for a model of a millimetre. */
function restoreTransforms(document: Document, json: GLTF.IGLTF): void {
  for (const [n, node] of document.getRoot().listNodes().entries()) {
    const def = json.nodes![n];
    if (node.getTranslation().some((x) => x !== 0)) def.translation = node.getTranslation();
    if (node.getRotation().some((x, c) => x !== (c === 3 ? 1 : 0))) def.rotation = node.getRotation();
    if (node.getScale().some((x) => x !== 1)) def.scale = node.getScale();
  }
}
