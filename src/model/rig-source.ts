// SPDX-License-Identifier: MIT
import type { Deformer } from './deformer.ts';
import type { Mesh } from './mesh.ts';
import type { Skeleton } from './skeleton.ts';
import type { Skin } from './skin.ts';

/** A skeleton-driven deformer taken as a black box: what rig conversion reads. */
export interface RigSource {
  name: string;
  /** The rest shape. */
  mesh: Mesh;
  /** The primary joints, which poses move. */
  skeleton: Skeleton;
  /** The identity pose gives the rest shape. */
  deformer: Deformer;
  /** The weights a rigger would start from, where known: the source seen as plain linear blend skinning. */
  skin?: Skin;
}
