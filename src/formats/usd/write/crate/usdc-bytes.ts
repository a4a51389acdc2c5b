// SPDX-License-Identifier: MIT

/** The bytes of a file while it grows, in pieces. */
export class UsdcBytes {
  readonly #pieces: Uint8Array[] = [];
  #length: number;

  /** @param start bytes that are written at the end, before all others */
  constructor(start: number) {
    this.#length = start;
  }

  get length(): number {
    return this.#length;
  }

  add(bytes: Uint8Array): void {
    this.#pieces.push(bytes);
    this.#length += bytes.length;
  }

  /** Fills up to a multiple of eight bytes, and returns the position. */
  align(): number {
    const fill = (8 - (this.#length % 8)) % 8;
    if (fill > 0) this.add(new Uint8Array(fill));
    return this.#length;
  }

  addUint32(...values: readonly number[]): void {
    const bytes = new Uint8Array(4 * values.length);
    const view = new DataView(bytes.buffer);
    values.forEach((value, n) => {
      view.setUint32(4 * n, value, true);
    });
    this.add(bytes);
  }

  /** Adds 64-bit integers below 2^53. */
  addUint64(...values: readonly number[]): void {
    const bytes = new Uint8Array(8 * values.length);
    const view = new DataView(bytes.buffer);
    values.forEach((value, n) => {
      view.setBigUint64(8 * n, BigInt(value), true);
    });
    this.add(bytes);
  }

  addReferences(values: readonly bigint[]): void {
    const bytes = new Uint8Array(8 * values.length);
    const view = new DataView(bytes.buffer);
    values.forEach((value, n) => {
      view.setBigUint64(8 * n, value, true);
    });
    this.add(bytes);
  }

  /** Adds a block after its size. */
  addBlock(bytes: Uint8Array): void {
    this.addUint64(bytes.length);
    this.add(bytes);
  }

  /** All bytes after a head, which has as many bytes as were left out at the start. */
  join(head: Uint8Array): Uint8Array<ArrayBuffer> {
    const out = new Uint8Array(this.#length);
    out.set(head);
    let at = head.length;
    for (const piece of this.#pieces) {
      out.set(piece, at);
      at += piece.length;
    }
    return out;
  }
}
