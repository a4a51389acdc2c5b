// SPDX-License-Identifier: MIT
import { FormatError } from '../../../core/model/errors.ts';

/** Memory that any file may take. */
const BASE = 64e6;
/** Memory per byte of the file. */
const PER_BYTE = 200;

/** Estimated bytes of what composition makes, as measured with large stages. */
export const USD_COSTS = {
  /** A composed prim. */
  prim: 1000,
  /** An opinion about a prim, a property or an arc. */
  opinion: 200,
  /** A mesh with its node and its parts, besides what it holds. */
  mesh: 24_000,
  /** A corner of a face, with its place in all tables. */
  corner: 64,
  /** A point of a mesh, as a vertex with all its attributes. */
  point: 120,
  /** A point of a blend shape. */
  shapePoint: 40,
  /** A point of a frame of a cache. */
  framePoint: 30,
  /** A mesh in a frame of a cache, besides its points. */
  frameShape: 64,
  /** A node that moves in a frame of a cache. */
  frameNode: 600,
  /** A weight of a point. */
  weight: 24,
  /** A key of a node or joint. */
  key: 120,
};

/**
 * The memory that a stage may take, in proportion to the bytes of its files. It is taken before anything is allocated: references repeat, and samples are
 * filled, far beyond the size of a file.
 */
export class UsdBudget {
  readonly #most: number;
  #limit = BASE;
  #used = 0;
  #fileBytes = 0;

  /** @param most bytes that the caller allows */
  constructor(most = Number.POSITIVE_INFINITY) {
    this.#most = most;
  }

  /** Bytes of all files. */
  get fileBytes(): number {
    return this.#fileBytes;
  }

  /** Adds the bytes of a file of the stage. */
  addFile(byteLength: number): void {
    this.#fileBytes += byteLength;
    this.#limit = Math.min(this.#most, BASE + PER_BYTE * this.#fileBytes);
  }

  /** Takes memory; throws if the stage would need more than its files account for. */
  take(bytes: number, what: string): void {
    this.#used += bytes;
    if (this.#used <= this.#limit) return;
    const [needed, allowed] = [this.#used, this.#limit].map((count) => Math.ceil(count / 1e6));
    throw new FormatError(
      'usd',
      'limit',
      `${what} would take ${needed} MB of memory, and files of ${this.#fileBytes} bytes may take ${allowed} MB; flatten the stage if it is meant to be so large`,
    );
  }
}
