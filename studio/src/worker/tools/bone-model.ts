// SPDX-License-Identifier: MIT
// A version with another number of bones: its shape in any pose, and its file.
import { makeLinearBlend } from '../../../../src/entry/deform.ts';
import { type Asset, type Deformer, type GlbContent, type Skin, writeGlb } from '../../../../src/entry/index.ts';

export class BoneModel {
  readonly count: number;
  readonly #asset: Asset;
  readonly #content: GlbContent;
  readonly #deformer: Deformer;

  /**
   * @param bones their number, their weights, and the number of bones of a pose if poses have more
   * @param content what its file contains
   */
  constructor(
    asset: Asset,
    { count, skin, poseCount = count }: { count: number; skin: Skin; poseCount?: number },
    content: GlbContent,
  ) {
    this.count = count;
    this.#asset = asset;
    this.#content = content;
    this.#deformer = makeLinearBlend(asset.mesh, skin, poseCount);
  }

  pose(bones: Float64Array): Float32Array {
    const positions = new Float32Array(this.#asset.mesh.positions.length);
    this.#deformer.deformInto({ bones }, positions);
    return positions;
  }

  /** The model as GLB. */
  write(): Promise<Uint8Array> {
    return writeGlb(this.#asset, this.#content);
  }
}
