// SPDX-License-Identifier: MIT
import type { GLTF } from '@gltf-transform/core';

/** Significant digits of transforms of nodes: more than a 32-bit float needs to place a bone within a millionth of its distance. */
const DIGITS = 6;

/** A document without values that are the default, and with numbers of few digits. */
export function shortenGltf(json: GLTF.IGLTF): GLTF.IGLTF {
  for (const accessor of json.accessors ?? []) {
    if (accessor.normalized === false) delete accessor.normalized;
    if (accessor.byteOffset === 0) delete accessor.byteOffset;
    for (const key of ['min', 'max'] as const) accessor[key] = accessor[key]?.map((x) => shortestFloat(x));
  }
  for (const view of json.bufferViews ?? []) if (view.byteOffset === 0) delete view.byteOffset;
  for (const { samplers } of json.animations ?? [])
    for (const sampler of samplers) if (sampler.interpolation === 'LINEAR') delete sampler.interpolation;
  for (const node of json.nodes ?? [])
    for (const key of ['translation', 'rotation', 'scale'] as const) {
      const values = node[key];
      if (values) node[key] = values.map((x) => Number(x.toPrecision(DIGITS))) as never;
    }
  for (const primitive of (json.meshes ?? []).flatMap(({ primitives }) => primitives))
    if (primitive.mode === 4) delete primitive.mode;
  return json;
}

/** The shortest decimal that is the same 32-bit float. */
function shortestFloat(x: number): number {
  for (let digits = 6; digits < 10; digits++) {
    const short = Number(x.toPrecision(digits));
    if (Math.fround(short) === Math.fround(x)) return short;
  }
  return x;
}
