// SPDX-License-Identifier: MIT
// Writes Ogawa files: the layout is in ogawa-file.ts. Blocks are written before the groups that hold them.

const HEADER_LENGTH = 16;

/** A block that was written. Position 0 is an empty group or empty data. */
export interface OgawaRef {
  position: number;
  isData: boolean;
}

export const EMPTY_BLOCK: OgawaRef = { position: 0, isData: true };

export class OgawaWriter {
  readonly #chunks: Uint8Array[] = [];
  #length = HEADER_LENGTH;

  /** Adds a data block of the parts joined. Parts are kept, not copied, until the file is made. */
  addData(...parts: Uint8Array[]): OgawaRef {
    const size = parts.reduce((sum, part) => sum + part.length, 0);
    if (size === 0) return EMPTY_BLOCK;
    const position = this.#length;
    this.#push(packUint64s([size]));
    for (const part of parts) this.#push(part);
    return { position, isData: true };
  }

  addGroup(children: readonly OgawaRef[]): OgawaRef {
    if (children.length === 0) return { position: 0, isData: false };
    const position = this.#length;
    const table = packUint64s([children.length, ...children.map((child) => child.position)]);
    for (const [n, child] of children.entries()) if (child.isData) table[8 * n + 15] |= 0x80;
    this.#push(table);
    return { position, isData: false };
  }

  /** The bytes of the file. */
  finish(root: OgawaRef): Uint8Array<ArrayBuffer> {
    const bytes = new Uint8Array(this.#length);
    bytes.set([...'Ogawa'].map((letter) => letter.charCodeAt(0)));
    bytes.set([0xff, 0, 1], 5);
    bytes.set(packUint64s([root.position]), 8);
    let at = HEADER_LENGTH;
    for (const chunk of this.#chunks) {
      bytes.set(chunk, at);
      at += chunk.length;
    }
    return bytes;
  }

  #push(chunk: Uint8Array): void {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
  }
}

function packUint64s(values: readonly number[]): Uint8Array {
  const bytes = new Uint8Array(8 * values.length);
  const view = new DataView(bytes.buffer);
  for (const [n, value] of values.entries()) {
    view.setUint32(8 * n, value % 2 ** 32, true);
    view.setUint32(8 * n + 4, Math.floor(value / 2 ** 32), true);
  }
  return bytes;
}
