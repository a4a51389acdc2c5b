// SPDX-License-Identifier: MIT
// Drivers of shapes within a workgroup: the terms with a weight are listed in workgroup memory, in their order, and every row of a driven matrix is a sum over this list. Eight rows are
// read at a time: each read waits for memory, and a loop that waits for every one of them took 13 µs for a face (H200).

/** Terms that are listed at a time: one per thread of a workgroup. */
export const DRIVE_THREADS = 128;

/**
 * Functions that list the terms of an instance and sum rows of drivers.
 * @param rows name of the array of drivers, vec4f: term x 3 x bone
 */
export function makeDriveRows(rows: string): string {
  return /* wgsl */ `
const DRIVE_THREADS = ${DRIVE_THREADS}u;
const DRIVE_WORDS = ${DRIVE_THREADS / 32}u;
const DRIVE_AT_ONCE = 8u;

// term, value; filled up with terms of value zero
var<workgroup> driveList: array<vec2u, DRIVE_THREADS + DRIVE_AT_ONCE>;
var<workgroup> driveMask: array<atomic<u32>, DRIVE_WORDS>;

// Lists the terms that are not zero; the value of thread index belongs to the term first + index. All threads of the workgroup call it. Returns their number.
fn listTerms(first: u32, value: f32, index: u32) -> u32 {
  if (index < DRIVE_WORDS) { atomicStore(&driveMask[index], 0u); }
  workgroupBarrier();
  if (value != 0.0) { atomicOr(&driveMask[index / 32u], 1u << (index % 32u)); }
  workgroupBarrier();
  var count = 0u;
  var before = 0u;
  for (var word = 0u; word < DRIVE_WORDS; word++) {
    let mask = atomicLoad(&driveMask[word]);
    count += countOneBits(mask);
    if (word < index / 32u) { before += countOneBits(mask); }
    if (word == index / 32u) { before += countOneBits(mask & ((1u << (index % 32u)) - 1u)); }
  }
  if (value != 0.0) { driveList[before] = vec2u(first + index, bitcast<u32>(value)); }
  if (index < DRIVE_AT_ONCE) { driveList[count + index] = vec2u(first, 0u); }
  workgroupBarrier();
  return count;
}

// The sum of one row, of rowCount rows per term, over the listed terms.
fn sumRow(count: u32, row: u32, rowCount: u32) -> vec4f {
  var sum = vec4f();
  for (var n = 0u; n < count; n += DRIVE_AT_ONCE) {
    ${Array.from({ length: 8 }, (_, e) => `let e${e} = driveList[n + ${e}u];`).join('\n    ')}
    ${Array.from({ length: 8 }, (_, e) => `let r${e} = ${rows}[e${e}.x * rowCount + row];`).join('\n    ')}
    ${Array.from({ length: 8 }, (_, e) => `sum += bitcast<f32>(e${e}.y) * r${e};`).join('\n    ')}
  }
  return sum;
}
`;
}
