// SPDX-License-Identifier: MIT
import type { Document, Primitive } from '@gltf-transform/core';
import type { SkinBlend } from '../../../core/model/deformed/skin-blend.ts';
import { BLEND_EXTENSION, BLEND_EXTENSION_VERSION, packSkinBlend } from '../../../deformers/dual-quaternion/index.ts';
import { addAccessor } from '../document/add-accessor.ts';
import { GltfBlendExtension } from './gltf-primitive-extensions.ts';

/** Vertices of a primitive, and the joints of their bones. */
export interface BlendedPrimitive {
  primitive: Primitive;
  vertexStart: number;
  vertexCount: number;
  jointOf: (bone: number) => number;
}

/** Adds a blend to primitives as OSSIFY_skin_blend. Changed in place. */
export function addGltfSkinBlend(document: Document, bound: readonly BlendedPrimitive[], blend: SkinBlend): void {
  const extension = document.createExtension(GltfBlendExtension);
  for (const { primitive, vertexStart, vertexCount, jointOf } of bound) {
    const facts: Record<string, unknown> = { version: BLEND_EXTENSION_VERSION, blend: blend.blend };
    const property = extension.createArrays();
    for (const [skin, joints, weights, influences] of [
      [blend.skin, 'joints', 'weights', 'influences'],
      [blend.normalSkin, 'normalJoints', 'normalWeights', 'normalInfluences'],
    ] as const) {
      if (!skin) continue;
      const packed = packSkinBlend(skin, vertexStart, vertexCount, jointOf);
      facts[influences] = packed.influences;
      property.setAccessor(joints, addAccessor(document, 1, packed.joints));
      property.setAccessor(weights, addAccessor(document, 1, packed.weights, true));
    }
    primitive.setExtension(BLEND_EXTENSION, property.setFacts(facts));
  }
}
