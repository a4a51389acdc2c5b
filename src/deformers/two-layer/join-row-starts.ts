// SPDX-License-Identifier: MIT

/** Joins the row starts of parts that follow one another. */
export function joinRowStarts(parts: readonly Uint32Array[]): Uint32Array {
  if (parts.length === 1) return parts[0];
  const out = new Uint32Array(parts.reduce((sum, part) => sum + part.length - 1, 1));
  let rows = 0;
  let entries = 0;
  for (const part of parts) {
    for (let i = 1; i < part.length; i++) out[++rows] = entries + part[i];
    entries += part[part.length - 1];
  }
  return out;
}
