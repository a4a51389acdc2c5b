// SPDX-License-Identifier: MIT
import type { Random } from '../../src/core/math/random.ts';
import { pick, type Seed } from '../fuzz-format.ts';
import { mutateBytes, splice } from './mutate-bytes.ts';

const TOKENS = [
  ...[
    'nan',
    'inf',
    '1e999',
    '-1e999',
    '1e-400',
    '3.5e38',
    '-0',
    '0',
    '1',
    '-1',
    '2',
    '-2',
    '99999999999999999999',
    '0x10',
  ],
  ...['1.', '.5', '.', 'e5', '1e', '+1', '--1', '1/', '1//', '1/1', '1//1', '1/2/3', '1/2/3/4', '-1/-1/-1', '/', '//'],
  ...[
    'v',
    'vt',
    'vn',
    'f',
    'o',
    'g',
    's',
    'l',
    'p',
    'usemtl',
    'mtllib',
    '#',
    '\\',
    '\\\n',
    '\u0000',
    '\u001b[2J',
    'é',
    '4294967297',
  ],
];

/** A damaged OBJ: other tokens, removed, repeated and exchanged lines, or any bytes. */
export function mutateObj(random: Random, seeds: readonly Seed[]): Uint8Array<ArrayBuffer> {
  const seed = pick(random, seeds);
  const kind = random.below(12);
  if (kind === 0) return splice(random, seed.bytes, pick(random, seeds).bytes);
  if (kind === 1) return mutateBytes(random, seed.bytes);
  const lines = new TextDecoder().decode(seed.bytes).split('\n');
  const changes = 1 + random.below(4);
  for (let n = 0; n < changes; n++) mutateLinesInto(random, lines);
  const bytes = new TextEncoder().encode(lines.join(random.below(8) === 0 ? '\r\n' : '\n'));
  return kind === 2 ? mutateBytes(random, bytes) : bytes;
}

function mutateLinesInto(random: Random, lines: string[]): void {
  const at = random.below(lines.length || 1);
  const line = lines[at] ?? '';
  switch (random.below(8)) {
    case 0:
      lines.splice(at, 1);
      return;
    case 1:
      lines.splice(at, 0, line);
      return;
    case 2: {
      const other = random.below(lines.length || 1);
      [lines[at], lines[other]] = [lines[other] ?? '', line];
      return;
    }
    case 3:
      lines[at] = `${line} ${pick(random, TOKENS)}`;
      return;
    case 4:
      if (random.below(16) === 0) lines[at] = `${line}${' 1'.repeat(2000)}`;
      else lines[at] = line.replace(/ /g, () => pick(random, [' ', '  ', '\t', '']));
      return;
    default: {
      const tokens = line.split(' ');
      tokens[random.below(tokens.length)] = pick(random, TOKENS);
      lines[at] = tokens.join(' ');
    }
  }
}
