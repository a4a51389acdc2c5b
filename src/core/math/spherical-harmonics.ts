// SPDX-License-Identifier: MIT
// R. Ramamoorthi and P. Hanrahan, "An efficient representation for irradiance environment maps", SIGGRAPH 2001, doi:10.1145/383259.383317, Eq. 3:
// real spherical harmonics of degree 0 to 2, orthonormal on the sphere. They carry 99 % of the energy of diffuse reflection.

/** Number of functions. */
export const HARMONIC_COUNT = 9;

/**
 * Fills the values of the nine functions in a direction: 1, y z x, xy yz (3z²−1) xz (x²−y²), each times its constant.
 * @param out 9 numbers from outOffset on
 */
export function harmonicsInto(x: number, y: number, z: number, out: Float64Array, outOffset = 0): void {
  out[outOffset] = 0.282095;
  out[outOffset + 1] = 0.488603 * y;
  out[outOffset + 2] = 0.488603 * z;
  out[outOffset + 3] = 0.488603 * x;
  out[outOffset + 4] = 1.092548 * x * y;
  out[outOffset + 5] = 1.092548 * y * z;
  out[outOffset + 6] = 0.315392 * (3 * z * z - 1);
  out[outOffset + 7] = 1.092548 * x * z;
  out[outOffset + 8] = 0.546274 * (x * x - y * y);
}
