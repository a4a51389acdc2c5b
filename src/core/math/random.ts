// SPDX-License-Identifier: MIT

/** A seeded generator; the only source of randomness in this project. */
export interface Random {
  /** Uniform in [0, 1). */
  next(): number;
  /** Uniform integer in [0, count). */
  below(count: number): number;
  /** Standard normal. */
  normal(): number;
}

/** Makes a generator (32-bit mixing after Tommy Ettinger's mulberry32): small state, the same numbers on every machine. */
export function makeRandom(seed = 0): Random {
  let state = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  return {
    next,
    below: (count) => Math.floor(next() * count),
    // Sum of twelve uniforms (Irwin-Hall): no logarithm or cosine, whose last bit differs between engines.
    normal: () => {
      let sum = -6;
      for (let n = 0; n < 12; n++) sum += next();
      return sum;
    },
  };
}
