// SPDX-License-Identifier: MIT
import type { Asset } from '../../core/model/asset.ts';
import type { Clip } from '../../core/model/clip/clip.ts';
import type { ScanFrame } from '../../methods/track/index.ts';
import type { Gate } from '../engine/index.ts';

/** A tracked clip that gets a skin. */
export interface SkinProblem {
  /** What is written beside the skin. */
  asset: Asset;
  clip: Clip;
  /** The meshes that the clip follows. */
  meshes: readonly ScanFrame[];
  /** Unit of the file, of lengths without a unit, in units of the asset. */
  unitScale: number;
}

/** A written skin, read back. */
export interface WrittenSkin {
  bytes: Uint8Array;
  gate?: Gate;
  /** The file at the frames; its mesh has the triangles of the file. */
  played: Clip;
  /** For the report: error, steps, and where bytes went. */
  facts?: Record<string, unknown>;
}
