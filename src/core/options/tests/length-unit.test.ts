// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { lengthUnit } from '../length-unit.ts';

describe('lengthUnit', () => {
  it.each([
    [2, 1, 'm', 1],
    [0.02, 1, 'cm', 100],
    [0.0005, 1, 'mm', 1000],
    [5e-6, 1, 'µm', 1e6],
    [2, 0.01, 'cm', 1],
    [0, 1, 'mm', 1000],
  ])('of %d where a unit has %d metres is %s', (size, metres, name, perUnit) => {
    const unit = lengthUnit(size, metres);
    expect(unit.name).toBe(name);
    expect(unit.perUnit).toBeCloseTo(perUnit, 6);
  });

  it('is the file unit where that is not known', () => {
    expect(lengthUnit(3, undefined)).toEqual({ name: 'file units', perUnit: 1 });
  });
});
