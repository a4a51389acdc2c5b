// SPDX-License-Identifier: MIT
import type { Shading } from '../../core/mesh/geometry/shade-mesh.ts';
import type { Asset, SkinnedModel } from '../../core/model/asset.ts';
import type { DirectDeltaMush } from '../../core/model/deformed/direct-delta-mush.ts';
import type { Elimination } from '../../core/model/deformed/elimination.ts';
import type { ConvertedRig, HelperController } from '../../core/model/deformed/helper-bones.ts';
import type { SkinnedMorphs } from '../../core/model/deformed/morphs.ts';
import type { DrivenShapes } from '../../core/model/deformed/shape-drivers.ts';
import type { SkinBlend } from '../../core/model/deformed/skin-blend.ts';
import type { SkinCorrection } from '../../core/model/deformed/skin-correction.ts';
import type { SkinLight } from '../../core/model/deformed/skin-light.ts';
import type { LinearTwoLayer, TwoLayer } from '../../core/model/deformed/two-layer.ts';
import { dropUndefined } from '../../core/model/drop-undefined.ts';
import type { MeshAttribute } from '../../core/model/mesh/mesh.ts';
import type { LevelsContent } from '../../core/model/mesh/mesh-level.ts';
import type { Skin } from '../../core/model/skin/skin.ts';
import { packGlb } from './document/pack-glb.ts';
import { makeGltf } from './write/make-gltf.ts';

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
  /** Blending of the model's bones other than linear, or weights of normals, as OSSIFY_skin_blend. */
  blend?: SkinBlend;
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
  const { json, binary } = await makeGltf(given, unshaded, { ...WRITE_GLB_DEFAULTS, ...dropUndefined(options) });
  return packGlb(json, binary);
}
