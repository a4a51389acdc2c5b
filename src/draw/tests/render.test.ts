// SPDX-License-Identifier: MIT
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { THEMES } from '../image/color.ts';
import type { Image } from '../image/image.ts';
import { renderView, type Scene } from '../render.ts';
import { fitCamera } from '../scene/camera.ts';
import { heatColors } from '../scene/heat-colors.ts';

/** A sphere of rings x segments quads around the origin. */
function makeSphere(rings: number, segments: number, radius = 1): { positions: Float32Array; triangles: Uint32Array } {
  const positions: number[] = [];
  const triangles: number[] = [];
  for (let r = 0; r <= rings; r++) {
    for (let s = 0; s < segments; s++) {
      const a = (Math.PI * r) / rings;
      const b = (2 * Math.PI * s) / segments;
      positions.push(radius * Math.sin(a) * Math.sin(b), radius * Math.cos(a), radius * Math.sin(a) * Math.cos(b));
    }
  }
  for (let r = 0; r < rings; r++) {
    for (let s = 0; s < segments; s++) {
      const [p, q] = [r * segments + s, r * segments + ((s + 1) % segments)];
      triangles.push(p, p + segments, q, q, p + segments, q + segments);
    }
  }
  return { positions: Float32Array.from(positions), triangles: Uint32Array.from(triangles) };
}

const pixelAt = (image: Image, x: number, y: number) => [
  ...image.pixels.subarray((y * image.width + x) * 4, (y * image.width + x) * 4 + 4),
];
const backgroundBytes = [...THEMES.light.background.map((c) => Math.round(255 * c)), 255];
const isBackground = (image: Image, x: number, y: number) =>
  pixelAt(image, x, y).every((c, n) => c === backgroundBytes[n]);

const PLAIN = { ground: false, occlusion: false } as const;
const RIGHT_TRIANGLE: Scene = { positions: [0, 0, 0, 1, 0, 0, 0, 1, 0], triangles: [0, 1, 2] };

describe('renderView', () => {
  it('covers the pixels of a triangle, and no others', () => {
    // Corners at the bottom left, bottom right and top left of an 80-pixel square with a border of 10.
    const size = { width: 100, height: 100 };
    const camera = fitCamera(RIGHT_TRIANGLE.positions, { ...size, view: [0, 0, 1], distance: Infinity, margin: 10 });
    const image = renderView(RIGHT_TRIANGLE, { ...PLAIN, ...size, camera, supersample: 1 });
    const wrong: string[] = [];
    for (let y = 0; y < 100; y++) {
      for (let x = 0; x < 100; x++) {
        const [px, py] = [x + 0.5 - 10, 90 - (y + 0.5)];
        const margin = Math.min(px, py, (80 - px - py) / Math.SQRT2);
        if (Math.abs(margin) < 0.01) continue;
        if (isBackground(image, x, y) !== margin < 0) wrong.push(`${x}, ${y}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  it('blends the pixels at an edge when supersampling', () => {
    const size = { width: 30, height: 30, camera: undefined };
    const image = renderView(RIGHT_TRIANGLE, { ...PLAIN, ...size, view: [0.1, 0.2, 1], supersample: 3 });
    const reds = new Set<number>();
    for (let n = 0; n < image.pixels.length; n += 4) reds.add(image.pixels[n]);
    expect(reds.size).toBeGreaterThan(3);
  });

  it('hides what is farther, whichever comes first', () => {
    const near = [-1, -1, 0.5, 1, -1, 0.5, 0, 1, 0.5];
    const far = [-1, -1, -0.5, 1, -1, -0.5, 0, 1, -0.5];
    const red = [1, 0, 0, 1, 0, 0, 1, 0, 0];
    const blue = [0, 0, 1, 0, 0, 1, 0, 0, 1];
    for (const isNearFirst of [true, false]) {
      const scene = {
        positions: isNearFirst ? [...near, ...far] : [...far, ...near],
        colors: isNearFirst ? [...red, ...blue] : [...blue, ...red],
        triangles: [0, 1, 2, 3, 4, 5],
      };
      for (const distance of [6, Infinity]) {
        const size = { width: 64, height: 64 };
        const camera = fitCamera(scene.positions, { ...size, view: [0, 0, 1], distance });
        const [r, , b] = pixelAt(renderView(scene, { ...PLAIN, ...size, camera }), 32, 40);
        expect(r).toBeGreaterThan(2 * b);
      }
    }
  });

  it('gives the smaller index to triangles at the same depth', () => {
    const corners = [-1, -1, 0, 1, -1, 0, 0, 1, 0];
    const scene = {
      positions: [...corners, ...corners],
      colors: [0, 1, 0, 0, 1, 0, 0, 1, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0],
      triangles: [0, 1, 2, 3, 4, 5],
    };
    const [r, g] = pixelAt(renderView(scene, { ...PLAIN, width: 64, height: 64, view: 'front' }), 32, 40);
    expect(g).toBeGreaterThan(2 * r);
  });

  it('draws both sides of a sheet alike', () => {
    const quad = [-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0];
    const size = { width: 40, height: 40, view: [0.2, 0.1, 1] as const };
    const front = renderView({ positions: quad, triangles: [0, 1, 2, 0, 2, 3] }, { ...PLAIN, ...size });
    const back = renderView({ positions: quad, triangles: [0, 2, 1, 0, 3, 2] }, { ...PLAIN, ...size });
    expect(Buffer.compare(back.pixels, front.pixels)).toBe(0);
  });

  it('is the same byte for byte when drawn again', () => {
    const scene = makeSphere(12, 18);
    expect(Buffer.compare(renderView(scene).pixels, renderView(scene).pixels)).toBe(0);
  });

  it('does not depend on where the shape is, nor on its size', () => {
    const sphere = makeSphere(8, 12);
    const moved = sphere.positions.map((c, n) => 64 * c + [128, -256, 512][n % 3]);
    const size = { width: 120, height: 100 };
    const first = renderView(sphere, size).pixels;
    const second = renderView({ ...sphere, positions: moved }, size).pixels;
    let off = 0;
    for (let n = 0; n < first.length; n++) if (Math.abs(first[n] - second[n]) > 2) off++;
    expect(off / first.length).toBeLessThan(0.002);
  });

  it('lights a sphere from the upper left, and darkens hollows', () => {
    const sphere = makeSphere(24, 36);
    const size = { width: 120, height: 120, view: 'front' as const, ground: false };
    const image = renderView(sphere, size);
    expect(pixelAt(image, 45, 40)[0]).toBeGreaterThan(pixelAt(image, 78, 85)[0] + 30);
    // Two spheres that touch: the gap between them gets less light from all around.
    const two = {
      positions: [...sphere.positions, ...sphere.positions.map((c, n) => c + (n % 3 === 0 ? 1.9 : 0))],
      triangles: [...sphere.triangles, ...sphere.triangles.map((i) => i + sphere.positions.length / 3)],
    };
    const sum = (im: Image) => im.pixels.reduce((s, c) => s + c, 0);
    const open = renderView(two, { ...size, occlusion: false });
    expect(sum(renderView(two, size))).toBeLessThan(sum(open));
  });

  it('draws a shadow on the ground below, only when looking down on it', () => {
    const sphere = makeSphere(12, 18);
    const size = { width: 100, height: 100, occlusion: false };
    const dark = (view: readonly [number, number, number]) => {
      const [a, b] = [true, false].map((ground) => renderView(sphere, { ...size, view, ground }).pixels);
      return a.reduce((count, c, n) => count + (c < b[n] ? 1 : 0), 0);
    };
    expect(dark([0, 0.4, 1])).toBeGreaterThan(500);
    expect(dark([0, -0.4, 1])).toBe(0);
  });

  it('colours a heat map by the scale within large triangles too', () => {
    const heat = heatColors([0, 1, 0], { max: 1, map: 'spectrum' });
    const size = { width: 100, height: 100, view: [0, 0, 1] as const };
    const { positions, triangles } = RIGHT_TRIANGLE;
    const image = renderView({ positions, triangles, heat }, { ...PLAIN, ...size });
    // Green stands for the middle of the scale; a mix of the blue and red ends never shows it.
    const isGreen = ([r, g, b]: Uint8Array) => g > r + 30 && g > b + 30;
    let greens = 0;
    for (let n = 0; n < image.pixels.length; n += 4) if (isGreen(image.pixels.subarray(n, n + 3))) greens++;
    expect(greens).toBeGreaterThan(100);
    const broken = renderView(
      { positions, triangles, heat: { ...heat, values: [0, Number.NaN, 0] } },
      { ...PLAIN, ...size },
    );
    const [r, g, b] = pixelAt(broken, 30, 70);
    expect(Math.max(r, g, b) - Math.min(r, g, b)).toBeLessThan(30);
  });

  it('keeps the background transparent when asked', () => {
    const image = renderView(makeSphere(8, 12), { ...PLAIN, width: 50, height: 50, transparent: true });
    expect(pixelAt(image, 0, 0)[3]).toBe(0);
    expect(pixelAt(image, 25, 25)[3]).toBe(255);
    const glass = renderView(makeSphere(8, 12), { ...PLAIN, width: 50, height: 50, transparent: true, opacity: 0.5 });
    expect(Math.abs(pixelAt(glass, 25, 25)[3] - 128)).toBeLessThanOrEqual(1);
  });

  it('draws lines and points on top of the mesh, hidden or not', () => {
    const scene: Scene = {
      ...makeSphere(8, 12),
      lines: [{ from: [-0.5, 0, -0.5], to: [0.5, 0, -0.5], color: [1, 0, 0], width: 3 }],
      points: [{ position: [0, 0.5, 0], color: [0, 0, 1], radius: 4 }],
    };
    const size = { width: 100, height: 100 };
    const camera = fitCamera(scene.positions, { ...size, view: [0, 0, 1], distance: Infinity });
    const image = renderView(scene, { ...PLAIN, ...size, camera });
    expect(pixelAt(image, 50, 50)).toEqual([255, 0, 0, 255]);
    expect(pixelAt(image, 50, Math.floor(50 - 0.5 * camera.scale))).toEqual([0, 0, 255, 255]);
  });

  it('draws edges of triangles when asked', () => {
    const sphere = makeSphere(8, 12);
    const size = { ...PLAIN, width: 100, height: 100 };
    const sum = (image: Image) => image.pixels.reduce((s, c) => s + c, 0);
    expect(sum(renderView(sphere, { ...size, wireframe: true }))).toBeLessThan(sum(renderView(sphere, size)));
  });

  it('survives empty, single-point, broken and wild input', () => {
    const size = { width: 32, height: 32 };
    const scenes: Scene[] = [
      { positions: [], triangles: [] },
      { positions: [1, 2, 3], triangles: [] },
      { positions: [1, 2, 3], triangles: [0, 0, 0] },
      { positions: [0, 0, 0, 1, 0, 0, 0, 1, 0], triangles: [0, 1, 7] },
      { positions: [0, 0, Number.NaN, 1, 0, 0, 0, Infinity, 0], triangles: [0, 1, 2] },
      { ...RIGHT_TRIANGLE, colors: [Number.NaN, Infinity, -Infinity, 5, -5, 0, 0, 0, 0] },
      { ...RIGHT_TRIANGLE, normals: new Float32Array(9).fill(Number.NaN) },
      { ...RIGHT_TRIANGLE, lines: [{ from: [Number.NaN, 0, 0], to: [1e30, 0, 0], color: [1, 0, 0] }] },
      { positions: [0, 0, 0, 1e30, 0, 0, 0, 1e30, 0], triangles: [0, 1, 2] },
      { positions: [0, 0, 0, 1e-30, 0, 0, 0, 1e-30, 0], triangles: [0, 1, 2] },
    ];
    for (const scene of scenes) expect(renderView(scene, size).pixels.length).toBe(32 * 32 * 4);
    const wild = fc.array(fc.oneof(fc.double(), fc.integer({ min: -2, max: 2 })), { minLength: 9, maxLength: 18 });
    fc.assert(
      fc.property(wild, wild, (positions, colors) => {
        const triangles = [0, 1, 2, 1, 2, 3, 3, 4, 5];
        const image = renderView({ positions: Float32Array.from(positions), colors, triangles }, size);
        expect(image.pixels.length).toBe(32 * 32 * 4);
      }),
      { numRuns: 60 },
    );
  });

  it('says what is wrong with an option', () => {
    expect(() => renderView(RIGHT_TRIANGLE, { width: 0 })).toThrow('width and height must be whole numbers');
    expect(() => renderView(RIGHT_TRIANGLE, { width: 1e9 })).toThrow('from 1 to 16384');
    expect(() => renderView(RIGHT_TRIANGLE, { supersample: 9 })).toThrow('supersample must be 1, 2, 3 or 4');
    expect(() => renderView(RIGHT_TRIANGLE, { view: [0, 0, 0] })).toThrow('view direction must not be zero');
  });
});

describe('fitCamera', () => {
  it('puts all points inside the picture, touching its margin', () => {
    const triple = fc.tuple(
      fc.double({ min: -9, max: 9, noNaN: true }),
      fc.integer({ min: -9, max: 9 }),
      fc.integer({ min: -9, max: 9 }),
    );
    const up = fc.constantFrom('x' as const, 'y' as const, 'z' as const);
    const view = fc.constantFrom('front' as const, 'side' as const, 'top' as const, 'three-quarter' as const);
    fc.assert(
      fc.property(fc.array(triple, { minLength: 2, maxLength: 8 }), up, view, (points, upAxis, viewName) => {
        const camera = fitCamera(points.flat(), { width: 200, height: 100, margin: 10, up: upAxis, view: viewName });
        let slack = Infinity;
        let spread = 0;
        for (const [x, y, z] of points) {
          const [dx, dy, dz] = [x - camera.center[0], y - camera.center[1], z - camera.center[2]];
          const along = (v: readonly number[]) => dx * v[0] + dy * v[1] + dz * v[2];
          const f = camera.distance / (camera.distance - along(camera.toward));
          const px = camera.offsetX + camera.scale * f * along(camera.right);
          const py = camera.offsetY - camera.scale * f * along(camera.up);
          slack = Math.min(slack, px - 10, 190 - px, py - 10, 90 - py);
          spread = Math.max(spread, Math.abs(px - 100), Math.abs(py - 50));
        }
        expect(slack).toBeGreaterThan(-1e-6);
        // Points that all fall on one spot of the picture cannot reach its margin.
        if (spread > 1e-3) expect(slack).toBeLessThan(1e-6);
      }),
    );
  });

  it('shows the up axis upwards in level views', () => {
    for (const [up, axis] of [
      ['x', 0],
      ['y', 1],
      ['z', 2],
    ] as const) {
      for (const view of ['front', 'side', 'back', 'left', 'three-quarter'] as const) {
        const camera = fitCamera([-1, -1, -1, 1, 1, 1], { width: 10, height: 10, up, view });
        expect(camera.up[axis]).toBeGreaterThan(0.8);
        expect(Math.abs(camera.right[axis])).toBeLessThan(1e-12);
      }
    }
  });
});
