// SPDX-License-Identifier: MIT
// Typed arrays that double when full, for readers that learn the counts only at the end.

export class GrowingFloats {
  data = new Float32Array(1024);
  length = 0;

  push(value: number): void {
    if (this.length === this.data.length) {
      const larger = new Float32Array(2 * this.length);
      larger.set(this.data);
      this.data = larger;
    }
    this.data[this.length++] = value;
  }

  /** A copy of exactly the right length. */
  toArray(): Float32Array<ArrayBuffer> {
    return this.data.slice(0, this.length);
  }
}

export class GrowingIndices {
  data = new Int32Array(1024);
  length = 0;

  push(value: number): void {
    if (this.length === this.data.length) {
      const larger = new Int32Array(2 * this.length);
      larger.set(this.data);
      this.data = larger;
    }
    this.data[this.length++] = value;
  }

  /** A copy of exactly the right length. */
  toArray(): Int32Array<ArrayBuffer> {
    return this.data.slice(0, this.length);
  }
}
