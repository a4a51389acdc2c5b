// SPDX-License-Identifier: MIT
// Typed arrays that double when full, for readers that do not know the counts in advance.

abstract class GrowingArray<T extends Float32Array | Int32Array> {
  abstract data: T;
  length = 0;

  push(value: number): void {
    if (this.length === this.data.length) {
      const larger = new (this.data.constructor as new (length: number) => T)(2 * this.length);
      larger.set(this.data);
      this.data = larger;
    }
    this.data[this.length++] = value;
  }

  /** A copy of exactly the right length. */
  toArray(): T {
    return this.data.slice(0, this.length) as T;
  }
}

export class GrowingFloats extends GrowingArray<Float32Array<ArrayBuffer>> {
  data = new Float32Array(1024);
}

export class GrowingIndices extends GrowingArray<Int32Array<ArrayBuffer>> {
  data = new Int32Array(1024);
}
