// SPDX-License-Identifier: MIT

import { makeSmoother, makeSmoothLaplacian, type Smoother } from '../../deformers/delta-mush/index.ts';
import type { BoundSurface } from './bind/bind-surface.ts';
import { spreadValues } from './bind/refine-surface.ts';
import { DDM_DEFAULTS, type DdmOptions, minEdgesOf, type VertexMap, valueAt } from './ddm-options.ts';
import { strengthOfReach } from './strength-of-reach.ts';

/** What smoothers are made of. */
interface SmootherSettings {
  iterations: number;
  /** The strength of rotations, over edges of the mesh. */
  lambda: VertexMap;
  /** The reach, file units; 0 without one. */
  length: number;
  options: DdmOptions;
}

/** Makes smoothers of a surface for strengths over edges of its mesh. */
export class SurfaceSmoothers {
  readonly iterations: number;
  readonly lambda: VertexMap;
  readonly #options: DdmOptions;
  readonly #surface: BoundSurface;
  readonly #laplacian: ReturnType<typeof makeSmoothLaplacian>;
  /** Lambda over edges of the refined surface, where there is one. */
  readonly #refined: Float64Array | undefined;
  /** The minimum of lambda, over edges of the mesh. */
  readonly #least: number;

  constructor(surface: BoundSurface, { iterations, lambda, length, options }: SmootherSettings) {
    const { points, triangles, bridges, ends } = surface;
    this.iterations = iterations;
    this.lambda = lambda;
    this.#options = options;
    this.#surface = surface;
    this.#laplacian = makeSmoothLaplacian(points, triangles, bridges);
    this.#refined = ends.length > 0 ? strengthOfReach(points, triangles, length, iterations) : undefined;
    this.#least = minEdgesOf(options) ** 2 / iterations;
  }

  /**
   * A smoother of a strength over edges of the mesh.
   * @param like a smoother with the same pattern
   */
  make(strength: VertexMap, like?: Smoother): Smoother {
    const { lambda, iterations } = this;
    const least = this.#least;
    const refined = this.#refined;
    const own = refined && this.#onSurface(refined, (p) => this.#limited(strength, p));
    const minimum = refined && this.#onSurface(refined, () => least);
    return makeSmoother(this.#laplacian, {
      iterations,
      method: this.#options.method ?? DDM_DEFAULTS.method,
      like,
      lambda: this.#surface.factors.map((f, p) => {
        const wanted = f * (own ? own[p] : this.#limited(strength, p));
        return wanted > 0 && strength === lambda ? Math.max(wanted, minimum ? minimum[p] : least) : wanted;
      }),
    });
  }

  /** Translations are not smoothed more than rotations: a point that lambda fixes is fixed for both. */
  #limited(strength: VertexMap, p: number): number {
    const { vertexOfPoint } = this.#surface.weld;
    return Math.min(valueAt(strength, vertexOfPoint[p]), valueAt(this.lambda, vertexOfPoint[p]));
  }

  /** A strength over edges of the mesh, over those of the refined surface: strengths relative to lambda are the same. */
  #onSurface(refinedLambda: Float64Array, strengthOf: (p: number) => number): Float64Array {
    const { weld, ends } = this.#surface;
    const ratios = Float64Array.from(weld.vertexOfPoint, (i, p) =>
      valueAt(this.lambda, i) > 0 ? strengthOf(p) / valueAt(this.lambda, i) : 0,
    );
    return spreadValues(ratios, ends).map((ratio, p) => ratio * refinedLambda[p]);
  }
}
