// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { strokeInto } from '../rest-brush.ts';

// three vertices in a row, normals up
const row = () => Float32Array.of(0, 0, 0, 0.5, 0, 0, 2, 0, 0);
const up = Float32Array.of(0, 1, 0, 0, 1, 0, 0, 1, 0);
const at = { center: [0, 0, 0] as const, radius: 1 };

describe('a brush on the rest shape', () => {
  it('inflates along normals, less towards its edge, and not beyond', () => {
    const shape = row();
    expect(strokeInto(shape, up, { ...at, kind: 'inflate', amount: 0.1 })).toBe(2);
    expect(shape[1]).toBeCloseTo(0.1, 6);
    expect(shape[4]).toBeGreaterThan(0);
    expect(shape[4]).toBeLessThan(0.1);
    expect(shape[7]).toBe(0);
  });

  it('moves and scales', () => {
    const shape = row();
    strokeInto(shape, up, { ...at, kind: 'move', amount: 0, by: [0, 0, 1] });
    expect(shape[2]).toBe(1);
    const wider = row();
    strokeInto(wider, up, { ...at, kind: 'scale', amount: 1 });
    expect(wider[0]).toBe(0);
    expect(wider[3]).toBeGreaterThan(0.5);
  });
});
