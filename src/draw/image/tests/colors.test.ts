// SPDX-License-Identifier: MIT
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Skeleton } from '../../../core/model/skin/skeleton.ts';
import { makeSkin } from '../../../core/model/skin/skin.ts';
import { boneLines } from '../../scene/bone-lines.ts';
import { formatNumber, heatColors, listTicks } from '../../scene/heat-colors.ts';
import { listScaleLabels } from '../../scene/heat-scale.ts';
import { labelColors, weightColors } from '../../scene/weight-colors.ts';
import { type Rgb, rgbFromHex } from '../color.ts';
import { COLOR_MAPS, NOT_A_NUMBER_COLOR, sampleColorMap } from '../color-maps.ts';
import { PALETTE, paletteColor } from '../palette.ts';

/** Björn Ottosson's OKLab: distances in it follow what eyes tell apart. */
function oklab(color: Rgb): number[] {
  const [r, g, b] = color.map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}

describe('colours', () => {
  it('keep any two of the forty palette colours apart', () => {
    expect(PALETTE.length).toBe(40);
    for (let a = 0; a < 40; a++) {
      for (let b = 0; b < a; b++) {
        const [p, q] = [oklab(PALETTE[a]), oklab(PALETTE[b])];
        expect(Math.hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]), `${a} and ${b}`).toBeGreaterThan(0.1);
      }
    }
    expect(paletteColor(40)).not.toEqual(paletteColor(0));
    expect(paletteColor(-1)).toEqual([0.6, 0.6, 0.6]);
  });

  it('fall steadily in lightness along ember and rise along marine', () => {
    for (const [name, sign] of [
      ['ember', -1],
      ['marine', 1],
    ] as const) {
      const light = Array.from({ length: 101 }, (_, n) => oklab(sampleColorMap(name, n / 100))[0]);
      for (let n = 1; n < light.length; n++) expect(sign * (light[n] - light[n - 1])).toBeGreaterThan(0);
    }
  });

  it('are read from hexadecimal digits', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 0xffffff }), (n) => {
        const hex = `#${n.toString(16).padStart(6, '0')}`;
        const [r, g, b] = rgbFromHex(hex).map((c) => Math.round(c * 255));
        expect(65536 * r + 256 * g + b).toBe(n);
      }),
    );
    expect(() => rgbFromHex('red')).toThrow('six hexadecimal digits');
  });
});

describe('heatColors', () => {
  it('give the ends of the map to zero and to the largest value', () => {
    const { colors, scale } = heatColors([0, 1, 4, 2]);
    expect(scale.max).toBe(4);
    const last = COLOR_MAPS.ember[COLOR_MAPS.ember.length - 1];
    expect([...colors.subarray(0, 3)]).toEqual(COLOR_MAPS.ember[0].map(Math.fround));
    expect([...colors.subarray(6, 9)]).toEqual(last.map(Math.fround));
  });

  it('hold still when values are all zero, too large or not numbers', () => {
    expect(heatColors([0, 0]).scale.max).toBe(1);
    const { colors, scale } = heatColors([Number.NaN, Infinity, 3], { max: 2 });
    expect(scale.max).toBe(2);
    expect([...colors.subarray(0, 3)]).toEqual(NOT_A_NUMBER_COLOR.map(Math.fround));
    expect(colors.subarray(3, 6)).toEqual(colors.subarray(6, 9));
    expect(() => heatColors([1], { max: 0 })).toThrow('max must be above min (0), got 0');
  });

  it('name the ends of the scale, with the unit', () => {
    const { scale } = heatColors([0, 0.37], { unit: 'mm' });
    const labels = listScaleLabels(scale);
    expect(labels[0]).toEqual({ ratio: 1, text: '0.37 mm' });
    expect(labels[labels.length - 1]).toEqual({ ratio: 0, text: '0' });
    expect(labels.length).toBeGreaterThan(3);
  });
});

describe('listTicks', () => {
  it('gives a few round numbers within the range', () => {
    const range = fc.tuple(
      fc.double({ min: -1e6, max: 1e6, noNaN: true }),
      fc.double({ min: 1e-3, max: 1e6, noNaN: true }),
    );
    fc.assert(
      fc.property(range, fc.integer({ min: 3, max: 8 }), ([min, span], count) => {
        const ticks = listTicks(min, min + span, count);
        expect(ticks.length).toBeGreaterThanOrEqual(1);
        expect(ticks.length).toBeLessThanOrEqual(count + 2);
        for (const tick of ticks) {
          expect(tick).toBeGreaterThanOrEqual(min - 1e-9 * span - 1e-9 * Math.abs(min));
          expect(tick).toBeLessThanOrEqual(min + span * (1 + 1e-9) + 1e-9 * Math.abs(min));
        }
      }),
    );
    expect(listTicks(0, 1, 4)).toEqual([0, 0.5, 1]);
    expect(listTicks(0, 0.37, 4)).toEqual([0, 0.1, 0.2, 0.3]);
    expect(listTicks(5, 5, 4)).toEqual([5]);
  });
});

describe('formatNumber', () => {
  it('writes numbers as people do', () => {
    const cases: [number, string][] = [
      [0, '0'],
      [0.1 + 0.2, '0.3'],
      [12345, '12345'],
      [-0.00042, '-0.00042'],
      [0.0000123, '1.23e-5'],
      [2e7, '2e7'],
      [999.96, '1000'],
      [Number.NaN, 'NaN'],
    ];
    for (const [value, text] of cases) expect(formatNumber(value)).toBe(text);
  });
});

describe('weightColors', () => {
  it("gives a vertex of one bone that bone's colour, and mixes shared ones", () => {
    const skin = makeSkin([0, 0, 1, 0, 0, 1], [1, 0, 1, 0, 0.5, 0.5], 2);
    const colors = weightColors(skin);
    for (const [i, color] of [PALETTE[0], PALETTE[1]].entries()) {
      for (let c = 0; c < 3; c++) expect(colors[3 * i + c]).toBeCloseTo(color[c], 6);
    }
    for (let c = 0; c < 3; c++) {
      const [low, high] = [Math.min(PALETTE[0][c], PALETTE[1][c]), Math.max(PALETTE[0][c], PALETTE[1][c])];
      expect(colors[6 + c]).toBeGreaterThanOrEqual(low);
      expect(colors[6 + c]).toBeLessThanOrEqual(high);
    }
    const one = weightColors(skin, { bone: 1 });
    expect([...one.subarray(0, 3)]).toEqual(COLOR_MAPS.ember[0].map(Math.fround));
    expect([...labelColors([1])]).toEqual(PALETTE[1].map(Math.fround));
  });
});

describe('boneLines', () => {
  const bind = new Float64Array(48);
  for (let j = 0; j < 3; j++) bind.set([2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0, 0, j, 0, 1], 16 * j);
  const skeleton: Skeleton = { names: ['hip', 'knee', 'foot'], parents: Int32Array.of(-1, 0, 1), bindMatrices: bind };

  it('joins each joint to its parent, in the pose', () => {
    const rest = boneLines(skeleton);
    expect(rest.lines.map((l) => [l.from, l.to])).toEqual([
      [
        [0, 0, 0],
        [0, 1, 0],
      ],
      [
        [0, 1, 0],
        [0, 2, 0],
      ],
    ]);
    expect(rest.points.map((p) => p.reach)).toEqual([1, 1, 1]);
    // A quarter turn about z, and one unit along x.
    const pose = new Float64Array(48);
    for (let j = 0; j < 3; j++) pose.set([0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 1], 16 * j);
    expect(boneLines(skeleton, pose).points.map((p) => [...p.position])).toEqual([
      [1, 0, 0],
      [0, 0, 0],
      [-1, 0, 0],
    ]);
  });

  it('draws axes of one length whatever the scale of the bones, and names when asked', () => {
    const { lines, points } = boneLines(skeleton, undefined, { axes: 0.5, names: true });
    expect(
      lines.filter((l) => l.shape !== 'bone').map((l) => Math.hypot(...l.to.map((c, n) => c - l.from[n]))),
    ).toEqual(new Array(9).fill(0.5));
    expect(points.map((p) => p.label)).toEqual(['hip', 'knee', 'foot']);
    expect(() => boneLines(skeleton, new Float64Array(16))).toThrow('need 48 numbers');
  });
});
