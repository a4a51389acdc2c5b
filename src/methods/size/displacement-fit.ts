// SPDX-License-Identifier: MIT
// Displacements along normals that bring a skin back to a surface. A skin of few bones may slide along a surface without a visible error; what it leaves is the distance across, one number per
// vertex and frame instead of three.

/** Rounding towards zero: a step that removes little of an error costs more bits than it saves. */
const DEAD_ZONE = 0.12;
/** Weight of squared movement along the surface, relative to that across it: limits displacements whose direction is nearly along the surface, as in folds. */
const ALONG = 0.05;

export interface RoundedDisplacements {
  /** frameCount x vertexCount, in steps */
  values: Int32Array;
  /** Root mean square distance from the surface that is left, file units. */
  rms: number;
}

/**
 * The displacements of a skin. The nearest place of a surface changes with a displacement, so they are found in turns: `positions` are tried, and `aim` compares them with the surface. Each vertex keeps
 * the best of what was tried: in folds, where two sides of a surface are near, some would go back and forth.
 */
export class DisplacementFit {
  readonly #played: Float32Array;
  readonly #directions: Float32Array;
  /** By vertex and frame: the length that is tried next. */
  readonly #tried: Float64Array;
  /** By vertex and frame: the best length, the distance that it leaves, and the cosine of its direction to the normal of the surface. */
  readonly #lengths: Float64Array;
  readonly #left: Float64Array;
  readonly #cosines: Float64Array;

  /**
   * @param played frameCount x vertexCount x 3: the skin without displacements
   * @param directions frameCount x vertexCount x 3: movement by a displacement of length one
   */
  constructor(played: Float32Array, directions: Float32Array) {
    this.#played = played;
    this.#directions = directions;
    this.#tried = new Float64Array(played.length / 3);
    this.#lengths = new Float64Array(played.length / 3);
    this.#left = new Float64Array(played.length / 3).fill(Number.POSITIVE_INFINITY);
    this.#cosines = new Float64Array(played.length / 3);
  }

  /** frameCount x vertexCount x 3: the skin with the displacements that are tried next, not rounded */
  get positions(): Float32Array {
    const positions = this.#played.slice();
    for (let n = 0; n < positions.length; n++) positions[n] += this.#tried[Math.floor(n / 3)] * this.#directions[n];
    return positions;
  }

  /**
   * Compares positions with a surface, and chooses what to try next.
   * @param from frameCount x vertexCount x 3: positions of this fit
   * @param to their nearest places on the surface
   */
  aim(from: Float32Array, to: Float32Array): void {
    const directions = this.#directions;
    for (let n = 0; n < this.#tried.length; n++) {
      const o = 3 * n;
      const distance = Math.hypot(to[o] - from[o], to[o + 1] - from[o + 1], to[o + 2] - from[o + 2]);
      if (!(distance < this.#left[n])) {
        this.#tried[n] = (this.#lengths[n] + this.#tried[n]) / 2;
        continue;
      }
      let [cosine, square] = [0, 0];
      for (let r = o; r < o + 3; r++) {
        cosine += (directions[r] * (to[r] - from[r])) / (distance || 1);
        square += directions[r] ** 2;
      }
      this.#lengths[n] = this.#tried[n];
      this.#left[n] = distance;
      // what is left later has any direction
      if (this.#cosines[n] === 0) this.#cosines[n] = cosine;
      const weight = cosine * cosine + ALONG * Math.max(0, square - cosine * cosine);
      if (weight > 0) this.#tried[n] += (distance * cosine) / weight;
    }
  }

  /** Rounds displacements to multiples of a step, file units; Infinity: there are none. */
  round(step: number): RoundedDisplacements {
    const values = new Int32Array(this.#lengths.length);
    let sum = 0;
    for (let n = 0; n < values.length; n++) {
      const length = this.#lengths[n];
      const steps = Math.max(0, Math.floor(Math.abs(length / step) + 0.5 - DEAD_ZONE));
      values[n] = length < 0 ? -steps : steps;
      const rest = length - (steps === 0 ? 0 : values[n] * step);
      sum += this.#left[n] ** 2 + (rest * this.#cosines[n]) ** 2;
    }
    return { values, rms: Math.sqrt(sum / Math.max(1, values.length)) };
  }
}
