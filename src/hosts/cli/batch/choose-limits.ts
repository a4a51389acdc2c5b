// SPDX-License-Identifier: MIT
import { availableParallelism, totalmem } from 'node:os';

/** Bytes of a process before it reads anything, with space for small jobs. */
const BYTES_PER_PROCESS = 256e6;

/** Number of processes and threads that fit this machine. */
export function chooseLimits(options: { jobs?: number; threads?: number; maxMemory?: number }): {
  size: number;
  threads: number;
  maxMemory: number;
} {
  const cores = availableParallelism();
  const maxMemory = options.maxMemory ?? totalmem() / 2;
  const size = options.jobs ?? Math.max(1, Math.min(cores, Math.floor(maxMemory / BYTES_PER_PROCESS)));
  return { size, maxMemory, threads: options.threads ?? Math.max(1, Math.floor(cores / size)) };
}
