// SPDX-License-Identifier: MIT
// Not a kernel: memory-pool.ts calls it for blocks that are used again.

export function clearBytes(start: usize, byteLength: usize): void {
  memory.fill(start, 0, byteLength);
}
