// SPDX-License-Identifier: MIT
// Rigid bones fitted to small patches of points: seeds for clusters, and proposals for relocated bones. A patch is the set of nearest points by the sum of rest
// and trajectory distance, so it needs no connectivity, and separates parts that touch at rest but move apart.
import type { Trajectories } from '../kernels/trajectories.ts';
import { nearestRotationInto } from '../math/rotation.ts';

/** Maximum number of frames for the distance between trajectories, evenly spaced. */
const DISTANCE_FRAMES = 12;

/** Lists and fits patches of one set of trajectories; scratch memory is reused by every call. */
export class RigidPatches {
  readonly #trajectories: Trajectories;
  readonly #frames: number[];
  /** vertexCount: squared distances to the present vertex */
  readonly #distances: Float64Array;

  constructor(trajectories: Trajectories) {
    this.#trajectories = trajectories;
    const { frameCount, vertexCount } = trajectories;
    const count = Math.min(DISTANCE_FRAMES, frameCount);
    this.#frames = Array.from({ length: count }, (_, n) => Math.floor((n * frameCount) / count));
    this.#distances = new Float64Array(vertexCount);
  }

  /** The size points nearest to a vertex, itself included; ties by index. */
  listNearest(vertex: number, size: number): Uint32Array {
    const { vertexCount, frameCount } = this.#trajectories;
    const rest = this.#trajectories.rest.view();
    const posed = this.#trajectories.posed.view();
    const rows = 3 * frameCount;
    const share = 1 / this.#frames.length;
    for (let i = 0; i < vertexCount; i++) {
      let d = 0;
      for (let r = 0; r < 3; r++) d += (rest[3 * i + r] - rest[3 * vertex + r]) ** 2;
      let m = 0;
      for (const k of this.#frames) {
        const a = i * rows + 3 * k;
        const b = vertex * rows + 3 * k;
        const dx = posed[a] - posed[b];
        const dy = posed[a + 1] - posed[b + 1];
        const dz = posed[a + 2] - posed[b + 2];
        m += dx * dx + dy * dy + dz * dz;
      }
      this.#distances[i] = d + share * m;
    }
    const wanted = Math.min(size, vertexCount);
    // a threshold from a sorted copy of the distances, then one pass: cheaper than sorting indices
    const threshold = this.#distances.toSorted()[wanted - 1];
    const near: number[] = [];
    for (let i = 0; i < vertexCount && near.length < wanted; i++) if (this.#distances[i] < threshold) near.push(i);
    for (let i = 0; i < vertexCount && near.length < wanted; i++) if (this.#distances[i] === threshold) near.push(i);
    return Uint32Array.from(near);
  }

  /**
   * The rigid motion closest to a patch: for every frame R nearest to Σ(v − v̄)(u − ū)ᵀ, t = v̄ − R ū.
   * @param out rows x 4 x stride: filled at the given column
   */
  fitInto(patch: Uint32Array, out: Float64Array, column: number, stride: number): void {
    const rest = this.#trajectories.rest.view();
    const posed = this.#trajectories.posed.view();
    const rows = 3 * this.#trajectories.frameCount;
    const center = [0, 0, 0];
    for (const i of patch) for (let r = 0; r < 3; r++) center[r] += rest[3 * i + r] / patch.length;
    const m = new Float64Array(9);
    const mean = [0, 0, 0];
    for (let row = 0; row < rows; row += 3) {
      m.fill(0);
      mean.fill(0);
      for (const i of patch) {
        for (let r = 0; r < 3; r++) {
          const v = posed[i * rows + row + r];
          mean[r] += v / patch.length;
          for (let c = 0; c < 3; c++) m[3 * c + r] += v * (rest[3 * i + c] - center[c]);
        }
      }
      nearestRotationInto(m, m);
      for (let r = 0; r < 3; r++) {
        let t = mean[r];
        for (let c = 0; c < 3; c++) {
          out[((row + r) * 4 + c) * stride + column] = m[3 * c + r];
          t -= m[3 * c + r] * center[c];
        }
        out[((row + r) * 4 + 3) * stride + column] = t;
      }
    }
  }
}

/** Copies one bone from rows x 4 x stride (bone index last) into rows x 4 boneCount (its four numbers together). */
export function placeBone(
  from: Float64Array,
  column: number,
  stride: number,
  bones: Float64Array,
  bone: number,
  boneCount: number,
): void {
  const rows = bones.length / (4 * boneCount);
  for (let row = 0; row < rows; row++) {
    for (let c = 0; c < 4; c++) bones[row * 4 * boneCount + 4 * bone + c] = from[(row * 4 + c) * stride + column];
  }
}

/** An index drawn with probability proportional to its value. */
export function drawByValue(values: Float64Array, uniform: number): number {
  let total = 0;
  for (const v of values) total += v;
  let left = uniform * total;
  for (let i = 0; i < values.length; i++) {
    left -= values[i];
    if (left < 0 && values[i] > 0) return i;
  }
  return Math.min(values.length - 1, Math.floor(uniform * values.length));
}
