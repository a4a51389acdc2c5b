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

/** The displacements of a skin: where it should be is given in turns, since the nearest place of a surface changes with a displacement. */
export class DisplacementFit {
  readonly #played: Float32Array;
  readonly #directions: Float32Array;
  /** By vertex and frame: the length of its displacement, its part across the surface, and the distance that is left. */
  readonly #lengths: Float64Array;
  readonly #cosines: Float64Array;
  readonly #left: Float64Array;

  /**
   * @param played frameCount x vertexCount x 3: the skin without displacements
   * @param directions frameCount x vertexCount x 3: movement by a displacement of length one
   */
  constructor(played: Float32Array, directions: Float32Array) {
    this.#played = played;
    this.#directions = directions;
    this.#lengths = new Float64Array(played.length / 3);
    this.#cosines = new Float64Array(played.length / 3).fill(1);
    this.#left = new Float64Array(played.length / 3);
  }

  /** frameCount x vertexCount x 3: the skin with displacements that are not rounded */
  get positions(): Float32Array {
    const positions = this.#played.slice();
    for (let n = 0; n < positions.length; n++) positions[n] += this.#lengths[Math.floor(n / 3)] * this.#directions[n];
    return positions;
  }

  /**
   * Changes displacements so that `from` comes closest to `to`.
   * @param from frameCount x vertexCount x 3: positions of this fit
   * @param to the nearest places of the surface
   */
  aim(from: Float32Array, to: Float32Array): void {
    const directions = this.#directions;
    for (let n = 0; n < this.#lengths.length; n++) {
      const o = 3 * n;
      const distance = Math.hypot(to[o] - from[o], to[o + 1] - from[o + 1], to[o + 2] - from[o + 2]);
      this.#left[n] = 0;
      if (!(distance > 0)) continue;
      let [cosine, square] = [0, 0];
      for (let r = o; r < o + 3; r++) {
        cosine += (directions[r] * (to[r] - from[r])) / distance;
        square += directions[r] ** 2;
      }
      const along = Math.max(0, square - cosine * cosine);
      const weight = cosine * cosine + ALONG * along;
      const change = weight > 0 ? (distance * cosine) / weight : 0;
      this.#lengths[n] += change;
      this.#cosines[n] = cosine;
      this.#left[n] = distance - change * cosine;
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
      sum += (this.#left[n] + rest * this.#cosines[n]) ** 2;
    }
    return { values, rms: Math.sqrt(sum / Math.max(1, values.length)) };
  }
}
