// SPDX-License-Identifier: MIT
import type { GLTF } from '@gltf-transform/core';

/** Significant digits of transforms of nodes: more than a 32-bit float needs to place a bone within a millionth of its distance. */
const DIGITS = 6;

/** Digits of translations that an animation replaces. */
const REST_DIGITS = 4;
/** Names that the bones of a decomposition get; a reader gives nodes without a name a similar one. */
const GENERATED = /^bone_\d+$/;

/** A document without values that are the default, without generated names of bones, and with numbers of few digits. */
export function shortenGltf(json: GLTF.IGLTF): GLTF.IGLTF {
  const moved = new Set(
    (json.animations ?? []).flatMap(({ channels }) =>
      channels.flatMap(({ target: { node, path } }) => (path === 'translation' && node !== undefined ? [node] : [])),
    ),
  );
  for (const accessor of json.accessors ?? []) {
    if (accessor.normalized === false) delete accessor.normalized;
    if (accessor.byteOffset === 0) delete accessor.byteOffset;
    for (const key of ['min', 'max'] as const) accessor[key] = accessor[key]?.map((x) => shortestFloat(x));
  }
  for (const view of json.bufferViews ?? []) if (view.byteOffset === 0) delete view.byteOffset;
  for (const { samplers } of json.animations ?? [])
    for (const sampler of samplers) if (sampler.interpolation === 'LINEAR') delete sampler.interpolation;
  json.nodes?.forEach((node, n) => {
    if (node.name !== undefined && GENERATED.test(node.name)) delete node.name;
    for (const key of ['translation', 'rotation', 'scale'] as const) {
      const values = node[key];
      const digits = key === 'translation' && moved.has(n) ? REST_DIGITS : DIGITS;
      if (values) node[key] = values.map((x) => Number(x.toPrecision(digits))) as never;
    }
  });
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
