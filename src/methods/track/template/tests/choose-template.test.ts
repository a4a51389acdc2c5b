// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeScanSurface, type ScanSurface } from '../../register/make-scan-surface.ts';
import { chooseTemplate } from '../choose-template.ts';

const units = { scale: 1, center: [0, 0, 0] };
const COLUMNS = 40;

/** A strip, 1 long and 0.1 wide, bent to an arc of an angle; the area is the same for all angles. */
function makeStrip(angle: number, holes = 0): ScanSurface {
  const positions: number[] = [];
  const triangles: number[] = [];
  for (let c = 0; c <= COLUMNS; c++) {
    const t = (c / COLUMNS - 0.5) * angle;
    const [x, y] = angle === 0 ? [c / COLUMNS, 0] : [Math.sin(t) / angle, (1 - Math.cos(t)) / angle];
    positions.push(x, y, 0, x, y, 0.1);
    if (c === COLUMNS || (c % 4 === 2 && c / 4 < holes)) continue;
    const i = 2 * c;
    triangles.push(i, i + 2, i + 1, i + 1, i + 2, i + 3);
  }
  return makeScanSurface(
    { positions: Float32Array.from(positions), triangles: Uint32Array.from(triangles) },
    { ...units },
  );
}

describe('chooseTemplate', () => {
  it('chooses the pose between the others, wherever it is in time', () => {
    expect(chooseTemplate([1.5, 3, 2.6, 0, 0.3].map((angle) => makeStrip(angle)))).toBe(0);
  });

  it('chooses the middle of frames that are the same', () => {
    expect(chooseTemplate([1, 1, 1, 1, 1].map((angle) => makeStrip(angle)))).toBe(2);
  });

  it('does not choose a frame of which a half is missing, however far the poses are apart', () => {
    const half = makeStrip(1.5);
    half.areas.fill(0, half.areas.length / 2);
    expect(chooseTemplate([makeStrip(0.5), half, makeStrip(2.5)])).not.toBe(1);
    expect(chooseTemplate([makeStrip(0), makeStrip(1.5), makeStrip(3)])).toBe(1);
  });

  it('avoids a frame whose parts are fused, but not a body that has a handle', () => {
    /** A torus, or the same tube cut open, of 300 x 6 points. */
    const makeTube = (isClosed: boolean): ScanSurface => {
      const [rings, around] = [300, 6];
      const positions: number[] = [];
      const triangles: number[] = [];
      for (let r = 0; r < rings; r++)
        for (let c = 0; c < around; c++) {
          const [s, t] = [(2 * Math.PI * r) / rings, (2 * Math.PI * c) / around];
          const radius = 1 + 0.2 * Math.cos(t);
          positions.push(radius * Math.cos(s), radius * Math.sin(s), 0.2 * Math.sin(t));
          if (!isClosed && r === rings - 1) continue;
          const [i, j, next] = [r * around + c, r * around + ((c + 1) % around), ((r + 1) % rings) * around];
          triangles.push(i, next + c, j, j, next + c, next + ((c + 1) % around));
        }
      return makeScanSurface(
        { positions: Float32Array.from(positions), triangles: Uint32Array.from(triangles) },
        { ...units },
      );
    };
    expect(chooseTemplate([makeTube(false), makeTube(true), makeTube(true)])).toBe(0);
    expect(chooseTemplate([makeTube(true), makeTube(true), makeTube(true)])).toBe(1);
  });

  it('does not take holes that share a vertex, or are one edge apart, for handles', () => {
    /** A closed ball without some triangles. */
    const makeBall = (without: readonly number[]): ScanSurface => {
      const size = 32;
      const positions: number[] = [];
      const triangles: number[] = [];
      for (let r = 0; r <= size; r++)
        for (let c = 0; c < 2 * size; c++) {
          const [s, t] = [(Math.PI * r) / size, (Math.PI * c) / size];
          const ring = r === 0 || r === size ? 0 : Math.sin(s);
          positions.push(ring * Math.cos(t) + 0, ring * Math.sin(t) + 0, Math.cos(s));
          const [i, j] = [r * 2 * size + c, r * 2 * size + ((c + 1) % (2 * size))];
          if (r < size) triangles.push(i, i + 2 * size, j, j, i + 2 * size, j + 2 * size);
        }
      const kept = triangles.filter((_, n) => !without.includes(Math.floor(n / 3)));
      return makeScanSurface(
        { positions: Float32Array.from(positions), triangles: Uint32Array.from(kept) },
        { scale: 2, center: [0, 0, 0] },
      );
    };
    // triangles 2 k and 2 k + 1 of a ring are a square: 2000 and 2003 share a vertex
    const [pinched, whole] = [makeBall([2000, 2003]), makeBall([])];
    expect(chooseTemplate([whole, pinched, whole])).toBe(1);
    expect(chooseTemplate([whole, makeBall([2000, 2005]), whole])).toBe(1);
  });

  it('avoids a frame with holes', () => {
    expect(chooseTemplate([makeStrip(1), makeStrip(1, 5), makeStrip(1)])).not.toBe(1);
  });
});
