// SPDX-License-Identifier: MIT
// Direct Delta Mush while a slider moves: the smoothed products stay, and kappa, alpha and the variant blend them anew.

import { createDdmRuntime, type DdmRuntime } from '../../src/deform.ts';
import {
  type Asset,
  type Compute,
  type DdmPrecompute,
  type DirectDeltaMush,
  makeCompute,
  makeDdmPrecompute,
} from '../../src/index.ts';
import type { TuneReply, TuneWords } from './protocol.ts';

export class Tuner {
  readonly #asset: Asset;
  #compute: Compute | undefined;
  #precompute: DdmPrecompute | undefined;
  #key = '';
  #runtime: DdmRuntime | undefined;
  #model: DirectDeltaMush | undefined;

  constructor(asset: Asset) {
    this.#asset = asset;
  }

  /** New multi-weights for such words, and the shape they give to a pose. */
  async tune(words: TuneWords, bones: Float64Array): Promise<TuneReply> {
    const start = performance.now();
    this.#compute ??= await makeCompute({ threads: 0 });
    const { lambda, iterations, kappa, alpha, variant } = words;
    const key = `${lambda} ${iterations}`;
    const isFull = key !== this.#key || !this.#precompute;
    if (isFull) {
      const { mesh, rig } = this.#asset;
      this.#precompute = await makeDdmPrecompute(mesh, rig!.skeleton, rig!.skin, {
        height: heightOf(this.#asset),
        lambda: holdRigid(this.#asset, lambda),
        iterations,
        compute: this.#compute,
      });
      this.#key = key;
    }
    this.#model = await this.#precompute!.model({ kappa: Math.min(kappa, lambda), alpha, variant });
    this.#runtime?.dispose();
    this.#runtime = await createDdmRuntime(this.#model, { compute: this.#compute, normals: false });
    const positions = await this.pose(bones);
    return { positions, milliseconds: performance.now() - start, isFull };
  }

  /** The shape of a pose by the multi-weights as they stand. */
  async pose(bones: Float64Array): Promise<Float32Array> {
    if (!this.#runtime) throw new Error('nothing is being tuned');
    const { positions } = await this.#runtime.deform({ bones });
    return positions.slice(0, this.#asset.mesh.positions.length);
  }

  dispose(): void {
    this.#runtime?.dispose();
    this.#compute?.dispose();
  }
}

function heightOf({ mesh, up }: Asset): number {
  const axis = { x: 0, y: 1, z: 2 }[up];
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (let c = axis; c < mesh.positions.length; c += 3) {
    low = Math.min(low, mesh.positions[c]);
    high = Math.max(high, mesh.positions[c]);
  }
  return high - low;
}

/** As the verb does it: vertices that follow a node and no joint are not smoothed. */
function holdRigid({ rig, mesh }: Asset, lambda: number): number | Float32Array {
  const { skin, isJoint } = rig!;
  const factors = Float32Array.from({ length: mesh.positions.length / 3 }, (_, i) =>
    isJoint[skin.boneIndices[skin.rowStart[i]]] ? lambda : 0,
  );
  return factors.includes(0) ? factors : lambda;
}
