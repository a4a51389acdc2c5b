// SPDX-License-Identifier: MIT
import type { Skin } from '../skin/skin.ts';

/** How the bones of a skin are blended. */
export const BLEND_KINDS = ['linear', 'dual-quaternion'] as const;
/** How the bones of a skin are blended. */
export type BlendKind = (typeof BLEND_KINDS)[number];

/** What a plain skin cannot express: another way to blend its bones, and weights of their own for normals. A plain skin stands beside it. */
export interface SkinBlend {
  /** How bones move positions, and normals without weights of their own. */
  blend: BlendKind;
  /** Weights for this blend. Absent: those of the plain skin. */
  skin?: Skin;
  /** Weights for normals, which are transformed as by linear blending. Absent: normals follow positions. */
  normalSkin?: Skin;
}
