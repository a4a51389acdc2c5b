// SPDX-License-Identifier: MIT
import type { GLTF } from '@gltf-transform/core';

const TRIANGLES = 4;

/** Whether the vertices of a primitive may change their order: it is a list of triangles, nothing but its own attributes has a number per vertex, and no other primitive shares these or its triangles. */
export function canReorder(
  json: GLTF.IGLTF,
  { mode = TRIANGLES, indices, targets, extensions, attributes }: GLTF.IMeshPrimitive,
): boolean {
  const known = Object.keys(extensions ?? {}).every((name) => name === 'KHR_materials_variants');
  const users = (json.meshes ?? []).flatMap(({ primitives }) => primitives);
  const own = Object.values(attributes);
  const isUser = (other: GLTF.IMeshPrimitive): boolean =>
    other.indices === indices || Object.values(other.attributes).some((index) => own.includes(index));
  const isAlone = users.filter(isUser).length === 1;
  return (
    mode === TRIANGLES &&
    indices !== undefined &&
    !targets?.length &&
    known &&
    isAlone &&
    attributes.POSITION !== undefined
  );
}
