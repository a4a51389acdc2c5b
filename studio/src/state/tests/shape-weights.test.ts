// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { NO_FACTOR, type ShapeDrivers } from '../../../../src/core/model/deformed/shape-drivers.ts';
import { driveBones, listShapes } from '../shape-weights.ts';

// one bone at the origin: "up" moves it by 2 along y
const drivers: ShapeDrivers = {
  shapes: ['still', 'up'],
  form: 'matrix',
  factors: Uint32Array.of(0, NO_FACTOR, 1, NO_FACTOR),
  rowStart: Uint32Array.of(0, 0, 1),
  columns: Uint32Array.of(7),
  values: Float32Array.of(2),
};
const identity = Float64Array.of(1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1);
const rig = { names: ['bone'], binds: identity };

describe('shapes of a version', () => {
  it('are its drivers, or its morph targets without repeated names', () => {
    expect(listShapes({ drivers, morphs: ['up'] })).toEqual(['still', 'up']);
    expect(listShapes({ morphs: ['smile', 'blink', 'smile'] })).toEqual(['smile', 'blink']);
    expect(listShapes({})).toEqual([]);
  });

  it('drive bones by name, and ignore other names', () => {
    const bones = driveBones({ drivers, rig }, new Map([['up', 0.5]]));
    expect(bones?.[13]).toBe(1);
    expect(driveBones({ drivers, rig }, new Map([['frown', 1]]))).toEqual(identity);
    expect(driveBones({ rig }, new Map([['up', 1]]))).toBeUndefined();
  });
});
