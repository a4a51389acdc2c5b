// SPDX-License-Identifier: MIT
// Clay under a studio's light, fixed to the camera: a warm key from the upper left, a cool fill from the right, sky and ground all around.

import type { Rgb } from '../image/color.ts';
import { sampleColorMapInto } from '../image/color-maps.ts';
import type { SceneLooks } from '../texture/texture.ts';
import type { Camera } from './camera.ts';
import type { HeatScale } from './heat-colors.ts';
import { makeLookReader } from './look-colors.ts';

export interface ShaderInput {
  camera: Camera;
  /** vertexCount x 3: sample x, sample y, nearness */
  points: Float64Array;
  /** triangleCount x 3 */
  triangles: ArrayLike<number>;
  /** vertexCount x 3, 0 to 1, as shown */
  colors?: ArrayLike<number>;
  /** One value per vertex, mapped to a colour at every sample; in place of colors. */
  heat?: { values: ArrayLike<number>; scale: HeatScale };
  /** Materials, in place of color. */
  looks?: SceneLooks;
  /** Colour without colors. */
  color: Rgb;
  /** vertexCount x 3, or else: */
  normals?: ArrayLike<number>;
  /** triangleCount x 9 */
  cornerNormals?: Float32Array;
  /** Draws colours as they are, without light. */
  isUnlit?: boolean;
  /** Width of triangle edges in samples, 0 for none. */
  wireWidth: number;
}

export interface Shader {
  /** Whether one sample may stand for its neighbours on the same triangle: not so where edges are drawn. */
  isSmooth: boolean;
  /** Unit normal of triangle f seen at sample (x, y), turned towards the viewer. */
  normalInto(f: number, x: number, y: number, out: Float64Array): void;
  /** Light of triangle f at sample (x, y), red green blue, 1 for white; ambient is the share of light from all around. */
  shadeInto(f: number, x: number, y: number, ambient: number, out: Float64Array): void;
}

// Directions in right, up, toward.
const KEY = [-0.42, 0.62, 0.66] as const;
const FILL = [0.86, 0.12, 0.5] as const;
const KEY_COLOR = [0.86, 0.83, 0.78] as const;
const FILL_COLOR = [0.1, 0.12, 0.15] as const;
const SKY = [0.25, 0.265, 0.29] as const;
const GROUND = [0.13, 0.115, 0.105] as const;
/** Light wraps this far around the edge of shade, as through skin or clay. */
const WRAP = 0.2;
const GLOSS = 0.06;
const EDGE_LIGHT = 0.12;
const WIRE_STRENGTH = 0.55;

/** Makes the functions that light a rasterized mesh. */
export function makeShader(input: ShaderInput): Shader {
  return new Light(input);
}

/** It runs for every sample of a picture, with scratch fields. */
class Light implements Shader {
  readonly isSmooth: boolean;
  readonly #input: ShaderInput;
  readonly #camera: Camera;
  readonly #isParallel: boolean;
  readonly #key: readonly number[];
  readonly #fill: readonly number[];
  /** Half-way between the key light and the viewer. */
  readonly #half: readonly number[];
  /** Shares of the three corners at the last sample located, and how far each edge is in samples. */
  readonly #share = new Float64Array(3);
  readonly #edge = new Float64Array(3);
  readonly #normal = new Float64Array(3);
  /** The surface's own colour, as shown. */
  readonly #base = new Float64Array(3);
  readonly #readLook?: ReturnType<typeof makeLookReader>;
  #isBack = false;

  constructor(input: ShaderInput) {
    const { camera, looks, points, triangles } = input;
    const { toward } = camera;
    this.isSmooth = input.wireWidth === 0;
    this.#input = input;
    this.#camera = camera;
    this.#isParallel = camera.distance === Infinity;
    this.#readLook = looks && makeLookReader({ looks, points, triangles });
    this.#key = turn(KEY, camera);
    this.#fill = turn(FILL, camera);
    this.#half = unit([this.#key[0] + toward[0], this.#key[1] + toward[1], this.#key[2] + toward[2]]);
  }

  normalInto(f: number, x: number, y: number, out: Float64Array): void {
    this.#locate(f, x, y);
    this.#readNormal(f);
    out[0] = this.#normal[0];
    out[1] = this.#normal[1];
    out[2] = this.#normal[2];
  }

  shadeInto(f: number, x: number, y: number, ambient: number, out: Float64Array): void {
    this.#locate(f, x, y);
    this.#readNormal(f);
    this.#readBase(f);
    this.#lightInto(ambient, out);
    this.#drawEdges(out);
  }

  #locate(f: number, x: number, y: number): void {
    const { points, triangles, wireWidth } = this.#input;
    const share = this.#share;
    const a = triangles[3 * f] * 3;
    const b = triangles[3 * f + 1] * 3;
    const c = triangles[3 * f + 2] * 3;
    const ux = points[b] - points[a];
    const uy = points[b + 1] - points[a + 1];
    const vx = points[c] - points[a];
    const vy = points[c + 1] - points[a + 1];
    const area = ux * vy - uy * vx;
    // Pixel rows run down, so a triangle that turns left in the model turns right here.
    this.#isBack = area > 0;
    const px = x - points[a];
    const py = y - points[a + 1];
    const wb = (px * vy - py * vx) / area;
    const wc = (ux * py - uy * px) / area;
    const wa = 1 - wb - wc;
    if (wireWidth > 0) {
      const edge = this.#edge;
      const size = Math.abs(area);
      const wx = vx - ux;
      const wy = vy - uy;
      edge[0] = (Math.abs(wa) * size) / Math.sqrt(wx * wx + wy * wy);
      edge[1] = (Math.abs(wb) * size) / Math.sqrt(vx * vx + vy * vy);
      edge[2] = (Math.abs(wc) * size) / Math.sqrt(ux * ux + uy * uy);
    }
    // What is linear in the picture is attribute / depth (Camera: f is one over depth), hence the factors.
    const ka = this.#isParallel ? wa : wa * (1 + points[a + 2]);
    const kb = this.#isParallel ? wb : wb * (1 + points[b + 2]);
    const kc = this.#isParallel ? wc : wc * (1 + points[c + 2]);
    const sum = ka + kb + kc;
    share[0] = ka / sum;
    share[1] = kb / sum;
    share[2] = kc / sum;
  }

  #readNormal(f: number): void {
    const { toward } = this.#camera;
    const normal = this.#normal;
    this.#blendNormal(f);
    let scale = 1 / Math.sqrt(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]);
    if (!(scale < Infinity)) {
      // No direction at all: face the viewer.
      normal[0] = toward[0];
      normal[1] = toward[1];
      normal[2] = toward[2];
      return;
    }
    if (this.#isBack) scale = -scale;
    normal[0] *= scale;
    normal[1] *= scale;
    normal[2] *= scale;
    const facing = normal[0] * toward[0] + normal[1] * toward[1] + normal[2] * toward[2];
    if (facing < 0) {
      // A visible surface cannot face away: smooth normals at an outline are bent back to the rim.
      normal[0] -= facing * toward[0];
      normal[1] -= facing * toward[1];
      normal[2] -= facing * toward[2];
      const length = Math.sqrt(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]) || 1;
      normal[0] /= length;
      normal[1] /= length;
      normal[2] /= length;
    }
  }

  /** The sum of the normals of the corners by their shares, not of unit length. */
  #blendNormal(f: number): void {
    const { triangles, cornerNormals, normals } = this.#input;
    const [normal, share] = [this.#normal, this.#share];
    const source = cornerNormals ?? (normals as ArrayLike<number>);
    normal[0] = normal[1] = normal[2] = 0;
    for (let n = 0; n < 3; n++) {
      const o = cornerNormals ? 9 * f + 3 * n : 3 * triangles[3 * f + n];
      normal[0] += share[n] * source[o];
      normal[1] += share[n] * source[o + 1];
      normal[2] += share[n] * source[o + 2];
    }
  }

  #readBase(f: number): void {
    const { triangles, colors, color, heat } = this.#input;
    const [base, share] = [this.#base, this.#share];
    if (heat) {
      const { min, max, map } = heat.scale;
      let value = 0;
      for (let n = 0; n < 3; n++) value += share[n] * heat.values[triangles[3 * f + n]];
      sampleColorMapInto(map, (value - min) / (max - min), base);
      return;
    }
    if (!colors && this.#readLook?.(f, share, base)) return;
    for (let c = 0; c < 3; c++) {
      base[c] = color[c];
      if (!colors) continue;
      base[c] = 0;
      for (let n = 0; n < 3; n++) base[c] += share[n] * clamp(colors[3 * triangles[3 * f + n] + c]);
    }
  }

  #lightInto(ambient: number, out: Float64Array): void {
    const { isUnlit } = this.#input;
    const { toward, ground } = this.#camera;
    const [normal, base] = [this.#normal, this.#base];
    const toKey = Math.max(0, (dot(normal, this.#key) + WRAP) / (1 + WRAP));
    const toFill = Math.max(0, dot(normal, this.#fill));
    const sky = 0.5 + 0.5 * dot(normal, ground);
    const facing = dot(normal, toward);
    const mirror = Math.max(0, dot(normal, this.#half));
    const mirror4 = mirror * mirror * mirror * mirror;
    const mirror16 = mirror4 * mirror4 * mirror4 * mirror4;
    const rim = (1 - facing) * (1 - facing) * (1 - facing) * sky * EDGE_LIGHT;
    // Hollows lose what comes from all around, and part of the key, which is a wide light.
    const open = 0.45 + 0.55 * ambient;
    for (let c = 0; c < 3; c++) {
      const around = GROUND[c] + (SKY[c] - GROUND[c]) * sky;
      const light = around * ambient + (toKey * KEY_COLOR[c] + toFill * FILL_COLOR[c]) * open;
      out[c] = base[c] * base[c] * (isUnlit ? 1 : light);
      if (!isUnlit) out[c] += (mirror16 * GLOSS + rim) * ambient;
    }
  }

  #drawEdges(out: Float64Array): void {
    const { wireWidth } = this.#input;
    if (!(wireWidth > 0)) return;
    const edge = this.#edge;
    const nearest = Math.min(edge[0], edge[1], edge[2]);
    const line = Math.min(1, Math.max(0, wireWidth / 2 + 0.5 - nearest)) * WIRE_STRENGTH;
    for (let c = 0; c < 3; c++) out[c] *= 1 - line;
  }
}

/** A direction in right, up, toward of the camera as a direction in space. */
function turn(v: readonly [number, number, number], { right, up, toward }: Camera): number[] {
  return unit([0, 1, 2].map((c) => v[0] * right[c] + v[1] * up[c] + v[2] * toward[c]));
}

/** Into 0..1; what is not a number is mid grey. */
function clamp(value: number): number {
  if (value >= 0) return Math.min(value, 1);
  return value < 0 ? 0 : 0.5;
}

function dot(a: ArrayLike<number>, b: ArrayLike<number>): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

function unit(v: number[]): number[] {
  const length = Math.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
  return v.map((c) => c / length);
}
