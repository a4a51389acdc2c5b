// SPDX-License-Identifier: MIT
// Units of light: glTF has candela for points, and UsdLux nits over the surface of a sphere.

/**
 * Intensity of a normalized sphere per candela: its surface is 4 pi r² and its disk, as one sees it, pi r², so that a luminance of intensity / (4 pi r²) gives a
 * quarter of the intensity in each direction.
 */
export function lightAreaFactor(): number {
  return 4;
}

/** Candela of a sphere by its intensity and radius. */
export function candelaOfSphere(intensity: number, radius: number, isNormalized: boolean): number {
  return isNormalized ? intensity / lightAreaFactor() : intensity * Math.PI * radius * radius;
}
