// SPDX-License-Identifier: MIT
// Whether decompose solves a large clip in blocks: for the memory that it needs (check-job-memory.ts), and for reading a cache in ranges (decompose-streamed.ts). The solver decides by canSolveInBlocks too.

import { parseLength } from '../../core/options/length.ts';
import { type BlockChoice, canSolveInBlocks } from '../../methods/decompose/index.ts';

/** The options of decompose that decide it. */
export interface DecomposeChoice extends Omit<BlockChoice, 'deviation'> {
  method?: string;
  bones?: number | boolean;
  maxError?: string;
  rms?: string;
  kg?: number;
  corrections?: number | 'auto';
  skeleton?: string;
  weights?: string;
  noise?: string;
}

/** Noise that is to be estimated counts as none: it is known only after reading. The method auto may choose FSD, which needs the whole clip. */
export function isDecomposedInBlocks({ noise = 'auto', ...o }: DecomposeChoice): boolean {
  const isBySearch =
    o.bones === undefined &&
    ((o.maxError !== undefined && o.corrections !== 'auto') || o.rms !== undefined || o.kg !== undefined);
  const isGiven = o.skeleton !== undefined || o.weights !== undefined;
  const deviation = noise === 'auto' ? 0 : parseLength(noise).value;
  return (o.method ?? 'ssdr') === 'ssdr' && !isBySearch && !isGiven && canSolveInBlocks({ ...o, deviation });
}
