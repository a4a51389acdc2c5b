// SPDX-License-Identifier: MIT
// Small binary USD files: a mesh, with tokens, fields and paths compressed as literals.

export const u32 = (n: number) => [n & 255, (n >> 8) & 255, (n >> 16) & 255, (n >> 24) & 255];
export const u64 = (n: number | bigint) => Array.from(new Uint8Array(BigInt64Array.of(BigInt(n)).buffer));

/** One chunk of LZ4 that holds literals only. */
export function compress(bytes: number[]): number[] {
  const extra: number[] = [];
  for (let left = bytes.length - 15; left >= 0; left -= 255) extra.push(Math.min(left, 255));
  return [0, Math.min(bytes.length, 15) << 4, ...extra, ...bytes];
}

/** Integers as differences of four bytes each. */
export function encodeIntegers(values: number[]): number[] {
  const codes = Array.from({ length: Math.ceil(values.length / 4) }, () => 255);
  const steps = values.flatMap((value, n) => u32((value - (values[n - 1] ?? 0)) | 0));
  return compress([...u32(0), ...codes, ...steps]);
}

/** A binary file with one mesh: a triangle, points as a table of floats. */
export function makeUsdc(points: number[]): Uint8Array {
  const tokens = [
    '',
    'specifier',
    'typeName',
    'Mesh',
    'points',
    'default',
    'faceVertexCounts',
    'faceVertexIndices',
    'M',
    'int[]',
    'point3f[]',
    'timeSamples',
  ];
  const token = (text: string): number => tokens.indexOf(text);
  const file: number[] = [
    ...new TextEncoder().encode('PXR-USDC'),
    0,
    8,
    0,
    0,
    0,
    0,
    0,
    0,
    ...u64(0),
    ...Array(64).fill(0),
  ];
  const put = (bytes: number[]): number => {
    const at = file.length;
    file.push(...bytes);
    return at;
  };
  const rep = (type: number, payload: number, flags: bigint): bigint =>
    (flags << 56n) | (BigInt(type) << 48n) | BigInt(payload);
  const ARRAY = 0x80n;
  const INLINED = 0x40n;
  const COMPRESSED = 0xa0n;
  const floats = Array.from(new Uint8Array(Float32Array.from(points).buffer));
  const counts = put([...u64(1), ...u32(3)]);
  const indices = put([...u64(3), ...u32(0), ...u32(1), ...u32(2)]);
  const positions = put([...u64(points.length / 3), ...floats]);
  // sixteen times the same number of faces, to use the compressed coding
  const many = put([
    ...u64(16),
    ...u64(encodeIntegers(Array(16).fill(7)).length),
    ...encodeIntegers(Array(16).fill(7)),
  ]);
  const fields: [string, bigint][] = [
    ['specifier', rep(42, 0, INLINED)],
    ['typeName', rep(11, token('Mesh'), INLINED)],
    ['typeName', rep(11, token('int[]'), INLINED)],
    ['default', rep(3, counts, ARRAY)],
    ['default', rep(3, indices, ARRAY)],
    ['typeName', rep(11, token('point3f[]'), INLINED)],
    ['default', rep(24, positions, ARRAY)],
    ['default', rep(3, many, COMPRESSED)],
  ];
  const sets = [-1, 0, 1, -1, 2, 3, -1, 2, 4, -1, 5, 6, -1, 2, 7, -1];
  // paths: /, /M, and four properties, depth first; the tokens of properties are negative
  const names = ['faceVertexCounts', 'faceVertexIndices', 'points', 'timeSamples'];
  const sections: [string, number[]][] = [
    ['TOKENS', tokenSection(tokens)],
    ['STRINGS', u64(0)],
    [
      'FIELDS',
      [
        ...u64(fields.length),
        ...sized(encodeIntegers(fields.map(([name]) => token(name)))),
        ...sized(
          compress(
            fields.flatMap(([, value]) =>
              u64(value & 0x7fffffffffffffffn).map((byte, n) => (n === 7 && value >> 63n ? byte | 128 : byte)),
            ),
          ),
        ),
      ],
    ],
    ['FIELDSETS', [...u64(sets.length), ...sized(encodeIntegers(sets))]],
    [
      'PATHS',
      [
        ...u64(6),
        ...u64(6),
        ...sized(encodeIntegers([0, 1, 2, 3, 4, 5])),
        ...sized(encodeIntegers([0, token('M'), ...names.map((name) => -token(name))])),
        ...sized(encodeIntegers([-1, -1, 0, 0, 0, -2])),
      ],
    ],
    [
      'SPECS',
      [
        ...u64(6),
        ...sized(encodeIntegers([0, 1, 2, 3, 4, 5])),
        ...sized(encodeIntegers([0, 1, 4, 7, 10, 13])),
        ...sized(encodeIntegers([7, 6, 1, 1, 1, 1])),
      ],
    ],
  ];
  const table = sections.flatMap(([name, bytes]) => [
    ...new TextEncoder().encode(name.padEnd(16, '\0')),
    ...u64(put(bytes)),
    ...u64(bytes.length),
  ]);
  const toc = put([...u64(sections.length), ...table]);
  u64(toc).forEach((byte, n) => {
    file[16 + n] = byte;
  });
  return Uint8Array.from(file);
}

const sized = (bytes: number[]): number[] => [...u64(bytes.length), ...bytes];

function tokenSection(tokens: string[]): number[] {
  const text = [...new TextEncoder().encode(`${tokens.join('\0')}\0`)];
  return [...u64(tokens.length), ...u64(text.length), ...sized(compress(text))];
}
