// SPDX-License-Identifier: MIT
// The WebAssembly module: one export per kernel, kernel(args, chunk). args points at one f64 per argument: a number, or the
// byte address of an array. Kernels never allocate; all memory is laid out by memory-pool.ts.
export { linearBlend } from './linear-blend.as';
export { rotations } from './rotations.as';
