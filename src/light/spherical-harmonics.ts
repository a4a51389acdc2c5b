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
  const values = [0.282095, 0.488603 * y, 0.488603 * z, 0.488603 * x];
  values.push(
    1.092548 * x * y,
    1.092548 * y * z,
    0.315392 * (3 * z * z - 1),
    1.092548 * x * z,
    0.546274 * (x * x - y * y),
  );
  out.set(values, outOffset);
}
