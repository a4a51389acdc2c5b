// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeMesh } from '../../core/model/mesh/mesh.ts';
import { makeContactSheet } from '../contact-sheet.ts';
import { THEMES } from '../image/color.ts';
import { makeImage } from '../image/image.ts';
import { capHeight, drawText, fitText, measureText } from '../image/text.ts';
import { renderComparison } from '../render-comparison.ts';
import { renderFrames, spreadFrames } from '../render-frames.ts';
import { renderViews } from '../render-views.ts';
import { heatColors } from '../scene/heat-colors.ts';
import { drawDisc, drawLine, drawRing, fillConvex } from '../scene/shapes.ts';

// A tetrahedron.
const positions = Float32Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1);
const triangles = Uint32Array.of(0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3);

/** Sum of what is darker than white, in whole pixels. */
function inkOf(image: { pixels: Uint8Array }): number {
  let sum = 0;
  for (let n = 0; n < image.pixels.length; n += 4) sum += 1 - (image.pixels[n] / 255) ** 2;
  return sum;
}

describe('makeContactSheet', () => {
  it('puts cells in rows without overlap', () => {
    const red = { image: makeImage(20, 10, [1, 0, 0]) };
    const sheet = makeContactSheet([red, red, red], { columns: 2, gap: 5 });
    expect([sheet.width, sheet.height]).toEqual([2 * 20 + 3 * 5, 2 * 10 + 3 * 5]);
    let count = 0;
    for (let n = 0; n < sheet.pixels.length; n += 4) if (sheet.pixels[n] === 255 && sheet.pixels[n + 1] === 0) count++;
    expect(count).toBe(3 * 200);
  });

  it('makes room for title, captions and a scale', () => {
    const cell = { image: makeImage(100, 100), caption: 'a caption far too long for its picture' };
    const { scale } = heatColors([0, 2.5], { unit: 'mm', label: 'error' });
    const plain = makeContactSheet([{ image: cell.image }]);
    const full = makeContactSheet([cell], { title: 'Title', subtitle: 'subtitle', scale, theme: 'dark' });
    expect(full.width).toBeGreaterThan(plain.width + 40);
    expect(full.height).toBeGreaterThan(plain.height + 40);
    expect(full.pixels[0]).toBe(Math.round(255 * THEMES.dark.background[0]));
  });

  it('asks for at least one picture', () => {
    expect(() => makeContactSheet([])).toThrow('at least one picture');
    expect(() => makeContactSheet([{ image: makeImage(1, 1) }], { columns: 0 })).toThrow('columns must be');
  });
});

describe('pictures in rows', () => {
  it('show several views at one scale', () => {
    const image = renderViews({ positions, triangles }, { width: 60, height: 50, gap: 4 });
    expect(image.width).toBe(3 * 60 + 4 * 4);
  });

  it('show frames spread from the first to the last', () => {
    expect(spreadFrames(48, 4)).toEqual([0, 16, 31, 47]);
    expect(spreadFrames(2, 8)).toEqual([0, 1]);
    expect(spreadFrames(1, 8)).toEqual([0]);
    const clip = {
      kind: 'clip' as const,
      name: 'c',
      mesh: makeMesh(positions, triangles),
      positions: Float32Array.of(...positions, ...positions.map((c) => c + 1)),
      times: Float64Array.of(0, 0.5),
    };
    const image = renderFrames(clip, { width: 60, height: 50, gap: 4 });
    expect(image.width).toBe(2 * 60 + 3 * 4);
    expect(() => renderFrames(clip, { frames: [2] })).toThrow("frame 2 is not one of the clip's 2");
  });

  it('compare a result with its reference, in colour only where they differ', () => {
    const result = positions.map((c, n) => (n >= 9 ? c + 0.2 : c));
    const options = { width: 80, height: 80, unit: 'mm' };
    const image = renderComparison({ reference: positions, result, triangles }, options);
    const same = renderComparison({ reference: positions, result: positions, triangles }, options);
    // Dark red stands for a large error.
    const countRed = ({ pixels }: { pixels: Uint8Array }, width: number, stop: number) => {
      let count = 0;
      for (let n = 0; n < pixels.length; n += 4) {
        if ((n / 4) % width < stop && pixels[n] > pixels[n + 1] + 60) count++;
      }
      return count;
    };
    const picturesEnd = 3 * (80 + 12);
    expect(countRed(image, image.width, picturesEnd)).toBeGreaterThan(50);
    expect(countRed(same, same.width, picturesEnd)).toBe(0);
    expect(() => renderComparison({ reference: positions, result: positions.subarray(3), triangles })).toThrow(
      '4 vertices cannot be compared with 3',
    );
  });
});

describe('shapes', () => {
  const white = () => makeImage(60, 60, [1, 1, 1]);

  it('cover their area', () => {
    const disc = white();
    drawDisc(disc, 30.3, 29.6, 12, [0, 0, 0]);
    expect(inkOf(disc) / (Math.PI * 144)).toBeCloseTo(1, 1);
    const ring = white();
    drawRing(ring, [30, 30], 15, { width: 3, color: [0, 0, 0] });
    expect(inkOf(ring) / (2 * Math.PI * 15 * 3)).toBeCloseTo(1, 1);
    const line = white();
    drawLine(line, [10, 12], [45, 40], { width: 4, color: [0, 0, 0] });
    expect(inkOf(line) / (Math.hypot(35, 28) * 4 + Math.PI * 4)).toBeCloseTo(1, 1);
    const polygon = white();
    fillConvex(polygon, [10, 10, 50, 10, 30, 50], [0, 0, 0]);
    expect(inkOf(polygon) / 800).toBeCloseTo(1, 1);
  });

  it('ignore what is off the picture or not finite', () => {
    const image = white();
    drawLine(image, [-500, -10], [900, -10], { width: 3, color: [0, 0, 0] });
    drawDisc(image, Number.NaN, 3, 5, [0, 0, 0]);
    fillConvex(image, [5, 5, 5, 5, 5, 5], [0, 0, 0]);
    expect(inkOf(image)).toBe(0);
  });
});

describe('text', () => {
  it('draws every printable character, each unlike the others', () => {
    const seen = new Map<string, string>();
    for (let code = 33; code < 127; code++) {
      const character = String.fromCharCode(code);
      const image = makeImage(40, 40, [1, 1, 1]);
      drawText(image, character, 6, 28, { size: 28 });
      expect(inkOf(image), character).toBeGreaterThan(3);
      const key = image.pixels.join();
      expect(seen.get(key), `${character} looks like another`).toBeUndefined();
      seen.set(key, character);
    }
  });

  it('stays within the width it measures, and is cut to fit', () => {
    const image = makeImage(200, 40, [1, 1, 1]);
    drawText(image, 'Width 0.125 mm', 20, 28, { size: 20 });
    const end = 20 + measureText('Width 0.125 mm', 20);
    for (let y = 0; y < 40; y++) {
      for (let x = 0; x < 200; x++) {
        if (x < 18 || x > end + 1) expect(image.pixels[(y * 200 + x) * 4]).toBe(255);
      }
    }
    const cut = fitText('a very long caption', 60);
    expect(cut.endsWith('…')).toBe(true);
    expect(measureText(cut)).toBeLessThanOrEqual(60);
    expect(fitText('short', 600)).toBe('short');
    expect(capHeight(20)).toBe(14);
  });

  it('drops accents, and boxes what it cannot draw', () => {
    const draw = (text: string) => {
      const image = makeImage(40, 40, [1, 1, 1]);
      drawText(image, text, 6, 28, { size: 20 });
      return image.pixels;
    };
    expect(draw('é')).toEqual(draw('e'));
    expect(draw('漢')).toEqual(draw('字'));
    expect(inkOf({ pixels: draw('漢') })).toBeGreaterThan(10);
  });
});
