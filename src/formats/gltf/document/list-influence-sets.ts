// SPDX-License-Identifier: MIT
import type { Accessor, Primitive } from '@gltf-transform/core';

/** The joints and the weights of a set of influences. */
export interface InfluenceSet {
  joints: Accessor;
  weights: Accessor;
}

/** The sets of a primitive, up to the first that is not complete. */
export function listInfluenceSets(primitive: Primitive): InfluenceSet[] {
  const sets: InfluenceSet[] = [];
  for (;;) {
    const joints = primitive.getAttribute(`JOINTS_${sets.length}`);
    const weights = primitive.getAttribute(`WEIGHTS_${sets.length}`);
    if (!joints?.getArray() || !weights?.getArray()) return sets;
    sets.push({ joints, weights });
  }
}
