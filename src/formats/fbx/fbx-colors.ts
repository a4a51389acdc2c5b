// SPDX-License-Identifier: MIT
// Colours of FBX are those of a screen (sRGB), as three.js and the exporters of most programs take them; colours of scenes are linear light.

/** A component of a colour in linear light, as a screen stores it. */
export function screenFromLight(x: number): number {
  return x <= 0.0031308 ? 12.92 * x : 1.055 * x ** (1 / 2.4) - 0.055;
}

/** A component of a colour of a screen, in linear light. */
export function lightFromScreen(x: number): number {
  return x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4;
}
