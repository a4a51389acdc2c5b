// SPDX-License-Identifier: MIT

/** The end of names such as frame_001, dancer_fr0005 and f12, or of a name of digits alone. */
const FRAME_NAME = /^(|.*frame|(?:.*[^a-z])?(?:frm|fr|f))[ _.-]*(\d+)$/i;

/** The order of nodes that are named as frames (frame_001, frame_002 …), all with one prefix and different numbers; undefined if they are not. */
export function listNumberedFrames(names: readonly string[]): number[] | undefined {
  const found = names.map((name) => FRAME_NAME.exec(name)).filter((match) => match !== null);
  if (found.length < names.length || found.some(([, prefix]) => prefix !== found[0][1])) return undefined;
  const numbers = found.map(([, , digits]) => Number(digits));
  if (new Set(numbers).size < numbers.length) return undefined;
  return numbers.map((_, n) => n).sort((a, b) => numbers[a] - numbers[b]);
}
