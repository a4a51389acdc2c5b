// SPDX-License-Identifier: MIT

/** Points in motion that are read in blocks: frames of a clip in memory, or of a file that is larger than the memory. */
export interface PointSource {
  name: string;
  pointCount: number;
  /** frameCount, seconds */
  times: Float64Array;
  /** pointCount x 3, file units */
  rest: Float32Array;
  /**
   * Calls visit for every frame, in order, with the positions of points first … first + count − 1: count x 3, file units. The array is valid during the call only.
   */
  readBlock(first: number, count: number, visit: (frame: Float32Array, k: number) => void): Promise<void>;
  /** Positions of some points in some frames: frames x points x 3, file units. */
  pick(points: Uint32Array, frames: Uint32Array): Promise<Float32Array>;
}
