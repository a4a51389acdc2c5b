// SPDX-License-Identifier: MIT
import type { Animation } from './animation.ts';
import type { Clip } from './clip.ts';
import type { LinearBlendSkin } from './deformed-model.ts';
import type { DirectDeltaMush } from './direct-delta-mush.ts';
import type { HelperController } from './helper-bones.ts';
import type { JointLimits } from './joint-limits.ts';
import type { Mesh } from './mesh.ts';
import type { Morphs } from './morphs.ts';
import type { Motion } from './motion.ts';
import type { NodeTree } from './node-tree.ts';
import type { Skeleton } from './skeleton.ts';
import type { Skin } from './skin.ts';
import type { SkinCorrection } from './skin-correction.ts';
import type { LinearTwoLayer, TwoLayer } from './two-layer.ts';

export type UpAxis = 'x' | 'y' | 'z';

/** The skinned side of an asset: every vertex follows bones, and every bone follows a node. */
export interface AssetRig {
  skeleton: Skeleton;
  skin: Skin;
  /** boneCount: the node each bone follows; its rest-to-posed matrix is world(node) x inverse(bindMatrix) */
  nodeOfBone: Int32Array;
  /** Bones that the file itself calls joints of a skin; the others carry parts that hang rigidly on a node. boneCount, 0 or 1 */
  isJoint: Uint8Array;
}

/** The glTF an asset was read from, kept so that writing gives back what this project does not model. */
export interface GltfSource {
  json: Record<string, unknown>;
  /** Buffers and images by URI; '@glb.bin' is the binary chunk of a GLB. */
  resources: Record<string, Uint8Array<ArrayBuffer>>;
}

/**
 * What a file holds, in model terms; plain data. A point cache or an OBJ sequence has clips; a glTF has nodes, perhaps a rig,
 * morphs and animations, and becomes a clip by baking (deform/bake-clip.ts).
 */
export interface Asset {
  name: string;
  /** All drawn parts joined in model space: the shape the bones are bound to. */
  mesh: Mesh;
  nodes: NodeTree;
  rig?: AssetRig;
  /** How the rig deforms where the file says more than a plain skin. Its mesh and skeleton are the asset's. */
  ddm?: DirectDeltaMush;
  /** The same in two layers. Where both are there, ddm is the exact one. */
  twoLayer?: TwoLayer;
  /** The rig's skin in two layers: it takes the place of the plain one. */
  linearTwoLayer?: LinearTwoLayer;
  /** What moves the helper bones among those of the rig, beside the keys that they have. */
  helpers?: HelperController[];
  /** Displacements of the rest shape before the plain skin, one track per animation. */
  correction?: SkinCorrection;
  morphs?: Morphs;
  animations: Animation[];
  /** Frames of positions, where the file says them directly. Their mesh is this asset's. */
  clips: Clip[];
  /** Metres per file unit where the format says it (glTF: 1). */
  metresPerUnit?: number;
  up: UpAxis;
  source?: GltfSource;
  /** Bytes read. */
  byteLength: number;
}

/** An asset that was read, with the name that messages use for it. */
export interface NamedAsset {
  /** A file, rest.obj+motion.pc2, 'frames/*.obj'. */
  input: string;
  asset: Asset;
}

/** A skinned model ready to be written or played: what decompositions return. */
export interface SkinnedModel extends LinearBlendSkin {
  motions: Motion[];
  /** By bone, fewer where the last ones have none: written to the joints' extras. */
  jointLimits?: JointLimits[];
}
