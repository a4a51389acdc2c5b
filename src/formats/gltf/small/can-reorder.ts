// SPDX-License-Identifier: MIT
import type { GLTF } from '@gltf-transform/core';

const TRIANGLES = 4;

/** Whether the vertices of a primitive may change their order: it is a list of triangles, and nothing but its own attributes has a number per vertex. */
export function canReorder(
  json: GLTF.IGLTF,
  { mode = TRIANGLES, indices, targets, extensions, attributes }: GLTF.IMeshPrimitive,
): boolean {
  const known = Object.keys(extensions ?? {}).every((name) => name === 'KHR_materials_variants');
  const users = (json.meshes ?? []).flatMap(({ primitives }) => primitives);
  const own = Object.values(attributes);
  const isAlone =
    users.filter((other) => Object.values(other.attributes).some((index) => own.includes(index))).length === 1;
  return (
    mode === TRIANGLES &&
    indices !== undefined &&
    !targets?.length &&
    known &&
    isAlone &&
    attributes.POSITION !== undefined
  );
}
