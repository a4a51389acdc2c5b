// SPDX-License-Identifier: MIT
import { sampleTextureInto } from '../texture/sample-texture.ts';
import type { SceneLook, SceneLooks } from '../texture/texture.ts';

export interface LookInput {
  looks: SceneLooks;
  /** vertexCount x 3: sample x, sample y, nearness */
  points: Float64Array;
  /** triangleCount x 3 */
  triangles: ArrayLike<number>;
}

/**
 * Makes the function that reads the colour of a material at a place of a triangle, as shown; false if the triangle has no material.
 * @returns called with the triangle and the shares of its corners
 */
export function makeLookReader(input: LookInput): (f: number, share: Float64Array, out: Float64Array) => boolean {
  const { triangles } = input;
  const { looks, lookOfTriangle } = input.looks;
  // the transfer curve of the drawing is a square
  const factors = looks.map(({ color }) => color.map((x) => Math.sqrt(Math.min(1, Math.max(0, x)))));
  const sample = new Float64Array(4);
  let lastTriangle = -1;
  let lastLevel = 0;
  return (f, share, out) => {
    const index = lookOfTriangle[f] ?? -1;
    if (index < 0) return false;
    const { texture } = looks[index];
    const factor = factors[index];
    sample.fill(1);
    if (texture) {
      if (f !== lastTriangle) {
        lastTriangle = f;
        lastLevel = levelOf(input, texture, f);
      }
      let u = 0;
      let v = 0;
      for (let n = 0; n < 3; n++) {
        const i = triangles[3 * f + n];
        u += share[n] * texture.uvs[2 * i];
        v += share[n] * texture.uvs[2 * i + 1];
      }
      sampleTextureInto(texture.levels[lastLevel], texture.map, u, v, sample);
    }
    for (let c = 0; c < 3; c++) out[c] = sample[c] * factor[c];
    return true;
  };
}

/** The level at which a pixel of the texture is about a sample of the picture. */
function levelOf({ points, triangles }: LookInput, texture: NonNullable<SceneLook['texture']>, f: number): number {
  const { levels, map, uvs } = texture;
  const [a, b, c] = [triangles[3 * f], triangles[3 * f + 1], triangles[3 * f + 2]];
  const area = (values: ArrayLike<number>, size: number): number =>
    Math.abs(
      (values[size * b] - values[size * a]) * (values[size * c + 1] - values[size * a + 1]) -
        (values[size * b + 1] - values[size * a + 1]) * (values[size * c] - values[size * a]),
    );
  const [{ width, height }] = levels;
  const pixels = area(uvs, 2) * width * height * Math.abs(map.scale[0] * map.scale[1]);
  const level = Math.round(0.5 * Math.log2(pixels / area(points, 3)));
  return level > 0 ? Math.min(levels.length - 1, level) : 0;
}
