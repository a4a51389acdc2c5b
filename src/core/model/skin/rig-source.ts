// SPDX-License-Identifier: MIT
import type { Deformer } from '../deformed/deformer.ts';
import type { Mesh } from '../mesh/mesh.ts';
import type { Skeleton } from './skeleton.ts';
import type { Skin } from './skin.ts';

/** A skeleton-driven deformer as a black box: the input of rig conversion. */
export interface RigSource {
  /** Name of the rig. */
  name: string;
  /** The rest shape. */
  mesh: Mesh;
  /** The primary joints, which poses move. */
  skeleton: Skeleton;
  /** The identity pose gives the rest shape. */
  deformer: Deformer;
  /** Weights of the source as plain linear blend skinning, if known. */
  skin?: Skin;
}
