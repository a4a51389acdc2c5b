// SPDX-License-Identifier: MIT
// A scene as plain data: what readers of other formats (FBX, USD) hand to readScene, and what their writers get from listScene. It holds all that
// glTF holds of a character: nodes with their names, meshes in parts, materials and images, skins, morph targets, animations, cameras and lights.
import type { Animation } from '../../../core/model/clip/animation.ts';
import type { Mesh } from '../../../core/model/mesh/mesh.ts';
import type { NodeTree } from '../../../core/model/skin/node-tree.ts';
import type { Skin } from '../../../core/model/skin/skin.ts';
import type { Extras, SurfaceLook } from '../../../core/model/surface-look.ts';

/** A mesh that a node draws. A node draws one. */
export interface SceneShape {
  /** Index into the node tree. */
  node: number;
  /**
   * Vertices in the space of the node, or of the bind pose if there is a skin. Each part becomes a primitive. Attributes have names of glTF:
   * TEXCOORD_0 and further sets of UVs (v from the top), COLOR_0 and further sets of colours (linear light), TANGENT.
   */
  mesh: Mesh;
  /** By part: index into the materials of the scene; -1, or no list, for none. */
  materialOfPart?: readonly number[];
  skin?: SceneSkin;
  /** Morph targets in the order of the weights of the node. Empty ones are kept. */
  targets: readonly SceneTarget[];
  /** Custom properties of the mesh. */
  extras?: Extras;
}

/** Bones of a shape: a vertex follows world(joint) x inverseBind, blended by weight. */
export interface SceneSkin {
  /** jointCount: index into the node tree. Joints without weight are kept. */
  joints: readonly number[];
  /** jointCount x 16, column-major */
  inverseBinds: Float64Array;
  /** Weights over joints. */
  weights: Skin;
  name?: string;
}

/** A morph target: displacements that are added by weight, before the skin. */
export interface SceneTarget {
  name: string;
  /** vertexCount x 3 displacements */
  positions: Float32Array;
  /** vertexCount x 3 differences of normals */
  normals?: Float32Array;
  /** Weight at rest. */
  weight: number;
}

/** A camera at a node. It looks along the negative z axis of the node, with y up. */
export type SceneCamera = { node: number; name: string; near: number; far?: number } & (
  | {
      kind: 'perspective';
      /** Vertical field of view, radians. */
      fieldOfView: number;
      /** Width divided by height. */
      aspect?: number;
    }
  | {
      kind: 'orthographic';
      /** Half the width and half the height of the view, metres. */
      width: number;
      height: number;
    }
);

/** A light at a node, as KHR_lights_punctual has it. It shines along the negative z axis of the node. */
export interface SceneLight {
  node: number;
  name: string;
  kind: 'directional' | 'point' | 'spot';
  /** Linear light. */
  color: readonly [number, number, number];
  /** Candela; lux for a directional light. */
  intensity: number;
  /** Distance at which it ends, metres; unlimited without. */
  range?: number;
  /** Of a spot: angles from its axis at which it begins to fall off and ends, radians. */
  cone?: readonly [inner: number, outer: number];
}

/** A scene in metres, y up. */
export interface Scene {
  /** Names are kept as they are. A node of a skinned shape that has no other use becomes a root: a skin ignores its transform. */
  nodes: NodeTree;
  shapes: readonly SceneShape[];
  animations: readonly Animation[];
  /** Materials, and the images of their maps as stored: PNG, JPEG or WebP. */
  look: Pick<SurfaceLook, 'materials' | 'images'>;
  cameras?: readonly SceneCamera[];
  lights?: readonly SceneLight[];
  /** Custom properties by node. */
  extras?: ReadonlyMap<number, Extras>;
}
