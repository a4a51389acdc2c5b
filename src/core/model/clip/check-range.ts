// SPDX-License-Identifier: MIT
import { InputError } from '../errors.ts';
import { MAX_COORDINATE } from '../mesh/coordinate-limit.ts';
import type { Clip } from './clip.ts';

/** Largest coordinate of a clip that gets bones, file units: the translations along a chain of joints add up, and no file may hold more than MAX_COORDINATE. */
export const MAX_SOLVED = MAX_COORDINATE / 100;

/** Throws an InputError about a clip whose bones could exceed the range of files. */
export function checkRange({ mesh, positions }: Pick<Clip, 'mesh' | 'positions'>): void {
  checkPositionRange(mesh.positions);
  checkPositionRange(positions);
}

/** The same for positions of a clip: those of its rest pose, or of some frames. */
export function checkPositionRange(positions: Float32Array): void {
  checkSize(sizeOf(positions), 'clip');
}

/** The same for a largest coordinate. */
export function checkSize(size: number, subject: string): void {
  if (size <= MAX_SOLVED) return;
  throw new InputError(
    subject,
    `has a coordinate of ${size.toPrecision(2)}; bones are solved up to ${MAX_SOLVED.toExponential(0)}. Scale the positions down (--scale 1e-6)`,
  );
}

function sizeOf(positions: Float32Array): number {
  let size = 0;
  for (const value of positions) size = Math.max(size, Math.abs(value));
  return size;
}
