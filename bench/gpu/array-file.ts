// SPDX-License-Identifier: MIT
// Named typed arrays behind a JSON header, so that a machine with nothing but Node can read the input of a benchmark.

type Numbers = Float32Array | Float64Array | Uint32Array;
const TYPES = { Float32Array, Float64Array, Uint32Array };
const ALIGNMENT = 8;

interface Header {
  facts: unknown;
  arrays: { name: string; type: keyof typeof TYPES; length: number }[];
}

const align = (bytes: number): number => Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;

/** Packs arrays and some facts in JSON. */
export function writeArrays(facts: unknown, arrays: Readonly<Record<string, Numbers>>): Uint8Array {
  const list = Object.entries(arrays);
  const header = {
    facts,
    arrays: list.map(([name, array]) => ({ name, type: array.constructor.name, length: array.length })),
  };
  const json = new TextEncoder().encode(JSON.stringify(header));
  const start = align(4 + json.length);
  const bytes = new Uint8Array(list.reduce((sum, [, array]) => sum + align(array.byteLength), start));
  new DataView(bytes.buffer).setUint32(0, json.length, true);
  bytes.set(json, 4);
  let offset = start;
  for (const [, array] of list) {
    bytes.set(new Uint8Array(array.buffer, array.byteOffset, array.byteLength), offset);
    offset += align(array.byteLength);
  }
  return bytes;
}

/** Unpacks what writeArrays packed. */
export function readArrays<F, A extends Record<string, Numbers>>(bytes: Uint8Array): { facts: F; arrays: A } {
  const buffer = bytes.slice().buffer;
  const length = new DataView(buffer).getUint32(0, true);
  const { facts, arrays } = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length))) as Header;
  let offset = align(4 + length);
  const taken = arrays.map(({ name, type, length: count }) => {
    const array = new TYPES[type](buffer, offset, count);
    offset += align(array.byteLength);
    return [name, array];
  });
  return { facts: facts as F, arrays: Object.fromEntries(taken) as A };
}
