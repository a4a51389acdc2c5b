// SPDX-License-Identifier: MIT
import type { Weld } from '../../core/mesh/topology/weld.ts';
import { InputError } from '../../core/model/errors.ts';

/** Measures the distances between two shapes, one frame at a time; its arrays are overwritten by the next frame. */
export class DistanceMeter {
  /** vertexCount: squared distances */
  readonly squares: Float64Array;
  /** pointCount: the maximum over the vertices of a point, so that open seams are included */
  readonly ofPoint: Float32Array;
  readonly #ofPoint: Float64Array;
  readonly #pointOfVertex: Uint32Array;

  constructor({ pointCount, pointOfVertex }: Weld) {
    this.#pointOfVertex = pointOfVertex;
    this.squares = new Float64Array(pointOfVertex.length);
    this.ofPoint = new Float32Array(pointCount);
    this.#ofPoint = new Float64Array(pointCount);
  }

  /**
   * Fills squares and ofPoint; returns the sum of squares over points.
   * @param truth, shape vertexCount x 3 positions
   * @param k frame, for errors
   */
  measure(truth: Float32Array, shape: Float32Array, k: number): number {
    const { squares, ofPoint } = this;
    const largest = this.#ofPoint;
    const pointOfVertex = this.#pointOfVertex;
    if (shape.length !== truth.length)
      throw new InputError(
        'measure error',
        `frame ${k} has ${shape.length / 3} vertices, expected ${truth.length / 3}`,
      );
    largest.fill(0);
    for (let i = 0, c = 0; i < squares.length; i++, c += 3) {
      const x = shape[c] - truth[c];
      const y = shape[c + 1] - truth[c + 1];
      const z = shape[c + 2] - truth[c + 2];
      const square = x * x + y * y + z * z;
      if (!(square < Number.POSITIVE_INFINITY)) throw notFinite(k, i);
      squares[i] = square;
      const point = pointOfVertex[i];
      if (square > largest[point]) largest[point] = square;
    }
    let sum = 0;
    for (let p = 0; p < largest.length; p++) {
      sum += largest[p];
      ofPoint[p] = Math.sqrt(largest[p]);
    }
    return sum;
  }
}

/** The error about a frame with a position that is not finite. */
export function notFinite(frame: number, vertex: number): InputError {
  return new InputError('measure error', `frame ${frame}, vertex ${vertex} has a position that is not finite`);
}
