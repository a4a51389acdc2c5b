// SPDX-License-Identifier: MIT
// For tests: a KTX2 image (UASTC of Basis Universal) of blocks of 4 x 4 pixels with one colour each.

/** Code of the mode of a block with one colour, in five bits. */
const SOLID = 0x17;
const UASTC_MODEL = 166;
const SRGB_TRANSFER = 2;
const BT709 = 1;

/** @param colors red, green and blue of each block, 0 to 255, from left to right */
export function makeKtx2(colors: readonly (readonly [number, number, number])[]): Buffer {
  const blocks = Buffer.concat(
    colors.map(([r, g, b]) => {
      // 32 bits of colour after the code of the mode
      const bits = BigInt(SOLID) | (BigInt(r) << 5n) | (BigInt(g) << 13n) | (BigInt(b) << 21n) | (255n << 29n);
      const block = Buffer.alloc(16);
      block.writeBigUInt64LE(bits);
      return block;
    }),
  );
  const descriptor = Buffer.alloc(44);
  const words = [
    ...[44, 0, 2 | (40 << 16)],
    ...[UASTC_MODEL | (BT709 << 8) | (SRGB_TRANSFER << 16), 3 | (3 << 8), 16, 0],
    ...[127 << 16, 0, 0, 0xffffffff],
  ];
  for (const [n, word] of words.entries()) descriptor.writeUInt32LE(word, 4 * n);
  const header = Buffer.alloc(104);
  header.write('\xabKTX 20\xbb\r\n\x1a\n', 'latin1');
  const levelOffset = 160;
  const fields = [0, 1, 4 * colors.length, 4, 0, 0, 1, 1, 0, 104, descriptor.length, 0, 0];
  for (const [n, field] of fields.entries()) header.writeUInt32LE(field, 12 + 4 * n);
  header.writeBigUInt64LE(BigInt(levelOffset), 80);
  header.writeBigUInt64LE(BigInt(blocks.length), 88);
  header.writeBigUInt64LE(BigInt(blocks.length), 96);
  const gap = Buffer.alloc(levelOffset - header.length - descriptor.length);
  return Buffer.concat([header, descriptor, gap, blocks]);
}
