// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { linkParts } from '../link-parts.ts';

describe('linkParts', () => {
  it('finds the nearest points of two parts', () => {
    const points = [0, 0, 0, 1, 0, 0, 5, 0, 0, 3, 0, 0];
    expect(linkParts(points, Uint32Array.of(0, 0, 1, 1))).toEqual([{ a: 1, b: 3, distance: 2 }]);
  });

  it('links a part to its nearest parts only, and one part to none', () => {
    const points = Array.from({ length: 30 }, (_, n) => [n, 0, 0]).flat();
    const contacts = linkParts(
      points,
      Uint32Array.from({ length: 30 }, (_, n) => n),
    );
    expect(contacts.length).toBeLessThan(30 * 8);
    expect(contacts.some(({ a, b }) => a === 0 && b === 1)).toBe(true);
    expect(contacts.some(({ a, b }) => Math.abs(a - b) > 12)).toBe(false);
    expect(linkParts(points, new Uint32Array(30))).toEqual([]);
  });
});
