// SPDX-License-Identifier: MIT
import type { AnimatedProperty } from './clip/animated-property.ts';
import type { Animation } from './clip/animation.ts';
import type { Clip } from './clip/clip.ts';
import type { MeshSequence } from './clip/mesh-frame.ts';
import type { Motion } from './clip/motion.ts';
import type { LinearBlendSkin } from './deformed/deformed-model.ts';
import type { DirectDeltaMush } from './deformed/direct-delta-mush.ts';
import type { HelperController } from './deformed/helper-bones.ts';
import type { Morphs } from './deformed/morphs.ts';
import type { DrivenShapes } from './deformed/shape-drivers.ts';
import type { SkinBlend } from './deformed/skin-blend.ts';
import type { SkinCorrection } from './deformed/skin-correction.ts';
import type { SkinLight } from './deformed/skin-light.ts';
import type { LinearTwoLayer, TwoLayer } from './deformed/two-layer.ts';
import type { Mesh } from './mesh/mesh.ts';
import type { JointLimits } from './skin/joint-limits.ts';
import type { NodeTree } from './skin/node-tree.ts';
import type { Skeleton } from './skin/skeleton.ts';
import type { Skin } from './skin/skin.ts';

/** The axis that points up in a file. */
export type UpAxis = 'x' | 'y' | 'z';

/** The skin of an asset: every vertex follows bones, and every bone follows a node. */
export interface AssetRig {
  /** The bones. */
  skeleton: Skeleton;
  /** Weights of the mesh's vertices. */
  skin: Skin;
  /** boneCount: the node each bone follows; its rest-to-posed matrix is world(node) x inverse(bindMatrix) */
  nodeOfBone: Int32Array;
  /** boneCount, 0 or 1: whether the bone is a joint of a skin in the file. The others move parts that are attached rigidly to a node. */
  isJoint: Uint8Array;
}

/** The glTF that an asset was read from. It is kept so that content that Ossify does not model (materials, cameras) is written again. */
export interface GltfSource {
  /** The JSON of the file. */
  json: Record<string, unknown>;
  /** Buffers and images by URI; '@glb.bin' is the binary chunk of a GLB. */
  resources: Record<string, Uint8Array<ArrayBuffer>>;
}

/**
 * The content of a file as plain data. A point cache or an OBJ sequence has clips. A glTF has nodes, and optionally a rig, morph targets and
 * animations; bakeClip turns those into a clip.
 */
export interface Asset {
  /** Name of the file without its extension, unless the caller chose another. */
  name: string;
  /** All drawn parts joined in model space: the shape that the bones are bound to. */
  mesh: Mesh;
  /** The scene graph; empty for formats without one. */
  nodes: NodeTree;
  /** The skeleton and its skin. */
  rig?: AssetRig;
  /** The Direct Delta Mush model of the rig, if the file has one. Its mesh and skeleton are the asset's. */
  ddm?: DirectDeltaMush;
  /** The compressed Direct Delta Mush model of the rig. If the file has both, ddm is the exact one. */
  twoLayer?: TwoLayer;
  /** The rig's skin in two layers; it replaces the plain one. */
  linearTwoLayer?: LinearTwoLayer;
  /** Controllers of the rig's helper bones. Their animation keys, if any, were baked from them. */
  helpers?: HelperController[];
  /** Blending of the rig's skin other than linear, or weights of normals. */
  blend?: SkinBlend;
  /** Displacements of the rest shape before the plain skin, one track per animation. */
  correction?: SkinCorrection;
  /** Light on the vertices, one track per animation. */
  light?: SkinLight;
  /** Drivers of the rig's bones by the weights of shapes. Animation keys of these bones were baked from them. */
  driven?: DrivenShapes;
  /** Codecs that the file is compressed with: 'draco', 'meshopt', 'ossify'. Absent if it is not. */
  codecs?: readonly string[];
  /** Morph targets. */
  morphs?: Morphs;
  /** Animations of nodes, bones and morph weights. */
  animations: Animation[];
  /** Other numbers that the animations change. */
  properties?: AnimatedProperty[];
  /** Frames of positions, if the file has them. Their mesh is this asset's. */
  clips: Clip[];
  /** Frames whose topology differs, of a flip-book or of files that were read with the option topology. */
  sequence?: MeshSequence;
  /** Metres per file unit, if the format defines it (glTF: 1). */
  metresPerUnit?: number;
  /** The axis that points up. */
  up: UpAxis;
  /** The glTF that it was read from. */
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
  /** One per animation. */
  motions: Motion[];
  /** By bone, written to the joints' extras. The list is shorter if the last bones have no limits. */
  jointLimits?: JointLimits[];
}
