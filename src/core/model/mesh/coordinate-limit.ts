// SPDX-License-Identifier: MIT

/**
 * Largest size of a coordinate that readers accept, file units. Products of two coordinates must stay finite in 32-bit floats, which end at 3.4e38:
 * areas, squared distances and displacements are made of them everywhere.
 */
export const MAX_COORDINATE = 1e18;

/** What is wrong with a coordinate that is not accepted: "a position that is …". */
export function coordinateFault(value: number): string {
  return Number.isFinite(value) ? 'larger than 1e18' : 'not finite';
}
