// SPDX-License-Identifier: MIT

/** Joins arrays of one type; a single one is returned without a copy. */
export function joinArrays<T extends Uint32Array | Float32Array | Float64Array>(parts: readonly T[]): T {
  if (parts.length === 1) return parts[0];
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const out = new (parts[0].constructor as new (length: number) => T)(length);
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}
