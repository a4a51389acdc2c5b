// SPDX-License-Identifier: MIT
// Direct Delta Mush while a slider moves: the smoothed products are kept, and blended again for new values of kappa, alpha and variant.

import { createDdmRuntime, type DdmRuntime } from '../../../../src/entry/deform.ts';
import {
  type Asset,
  type Compute,
  type DdmPrecompute,
  holdRigid,
  makeCompute,
  makeDdmPrecompute,
  measureHeight,
} from '../../../../src/entry/index.ts';
import type { TuneOptions, TuneReply } from '../../messages/protocol.ts';

/** Iterations of a preview. */
const DRAFT_ITERATIONS = 4;

export class Tuner {
  readonly #asset: Asset;
  #compute: Compute | undefined;
  #precompute: DdmPrecompute | undefined;
  #key = '';
  #options: TuneOptions | undefined;
  /** Bones of the last preview. Equal bones are passed as the same array, so that cached results are used. */
  #bones: Float64Array = new Float64Array(0);
  #runtime: DdmRuntime | undefined;

  constructor(asset: Asset) {
    this.#asset = asset;
  }

  /** The shape of a pose with these options. */
  async tune(options: TuneOptions, bones: Float64Array, isDraft = false): Promise<TuneReply> {
    const start = performance.now();
    this.#compute ??= await makeCompute({ threads: 0 });
    // While a slider moves: fewer steps of more strength, which smooth about as much.
    const iterations = isDraft ? Math.min(DRAFT_ITERATIONS, options.iterations) : options.iterations;
    const gain = options.iterations / iterations;
    const used = { ...options, lambda: gain * options.lambda, kappa: gain * options.kappa };
    const { lambda } = used;
    const key = `${lambda} ${iterations}`;
    const isFull = key !== this.#key || !this.#precompute;
    if (isFull) {
      const { mesh, rig } = this.#asset;
      this.#precompute = await makeDdmPrecompute(mesh, rig!.skeleton, rig!.skin, {
        height: measureHeight(mesh.positions, this.#asset.up),
        lambda: holdRigid(rig!, lambda),
        iterations,
        compute: this.#compute,
      });
      this.#key = key;
    }
    this.#options = used;
    this.#runtime?.dispose();
    this.#runtime = undefined;
    if (!isSame(bones, this.#bones)) this.#bones = bones;
    const positions = await this.#precompute!.preview(this.#bones, blendOf(used));
    return { positions, milliseconds: performance.now() - start, isFull, isDraft: gain > 1 };
  }

  /** The shape of another pose with the last options. The model is computed once. */
  async pose(bones: Float64Array): Promise<Float32Array> {
    if (!this.#options || !this.#precompute) throw new Error('nothing is being tuned');
    if (!this.#runtime) {
      const model = await this.#precompute.model(blendOf(this.#options));
      this.#runtime = await createDdmRuntime(model, { compute: this.#compute, normals: false });
    }
    const { positions } = await this.#runtime.deform({ bones });
    return positions.slice(0, this.#asset.mesh.positions.length);
  }

  dispose(): void {
    this.#runtime?.dispose();
    this.#compute?.dispose();
  }
}

function blendOf({ lambda, kappa, alpha, variant }: TuneOptions) {
  return { kappa: Math.min(kappa, lambda), alpha, variant };
}

function isSame(a: Float64Array, b: Float64Array): boolean {
  return a.length === b.length && a.every((x, c) => x === b[c]);
}
