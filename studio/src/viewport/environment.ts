// SPDX-License-Identifier: MIT
import {
  DataTexture,
  EquirectangularReflectionMapping,
  FloatType,
  LinearFilter,
  RGBAFormat,
  type Texture,
} from 'three';

const WIDTH = 64;
const HEIGHT = 32;

/** Lamps of the studio: direction (azimuth and elevation, radians), angular size, and light. */
const LAMPS = [
  { azimuth: 0.9, elevation: 0.9, size: 0.45, light: [9, 8.4, 7.6] },
  { azimuth: -2.2, elevation: 0.5, size: 0.4, light: [3.2, 3.9, 5] },
  { azimuth: 2.6, elevation: 0.15, size: 0.3, light: [1.8, 1.8, 1.9] },
];

/** The light around the model: a soft sky, a dark floor and three lamps, made in code. */
export function makeEnvironment(): Texture {
  const data = new Float32Array(4 * WIDTH * HEIGHT);
  for (let y = 0; y < HEIGHT; y++) {
    const elevation = ((y + 0.5) / HEIGHT - 0.5) * Math.PI;
    for (let x = 0; x < WIDTH; x++) {
      const azimuth = ((x + 0.5) / WIDTH - 0.5) * 2 * Math.PI;
      const sky = Math.max(0, Math.sin(elevation)) ** 0.6;
      const floor = Math.max(0, -Math.sin(elevation)) ** 0.6;
      const color = [
        0.26 + 0.4 * sky - 0.16 * floor,
        0.28 + 0.44 * sky - 0.19 * floor,
        0.31 + 0.52 * sky - 0.23 * floor,
      ];
      for (const lamp of LAMPS) {
        const cosine =
          Math.sin(elevation) * Math.sin(lamp.elevation) +
          Math.cos(elevation) * Math.cos(lamp.elevation) * Math.cos(azimuth - lamp.azimuth);
        const distance = Math.acos(Math.min(1, Math.max(-1, cosine))) / lamp.size;
        const strength = Math.exp(-(distance ** 4));
        for (let c = 0; c < 3; c++) color[c] += strength * lamp.light[c];
      }
      data.set([...color, 1], 4 * (y * WIDTH + x));
    }
  }
  const image = new DataTexture(data, WIDTH, HEIGHT, RGBAFormat, FloatType);
  image.mapping = EquirectangularReflectionMapping;
  image.minFilter = image.magFilter = LinearFilter;
  image.needsUpdate = true;
  // the renderer blurs it for rough surfaces, again after the graphics card was lost
  return image;
}
