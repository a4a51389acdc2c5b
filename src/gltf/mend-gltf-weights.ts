// SPDX-License-Identifier: MIT
import type { Accessor, Document, Primitive } from '@gltf-transform/core';
import { mendInfluences, sumsToOne } from '../extension/mend-influences.ts';
import { FLOAT_STEPS } from '../extension/pack-influences.ts';

/**
 * Makes the weights of every primitive sum to one as stored: in steps of their own type, or as 16-bit numbers. Primitives that already do
 * are not changed. Vertices without any weight follow the first joint. Changed in place.
 */
export function mendGltfWeights(document: Document, sixteenBits = false): void {
  const done = new Set<Accessor>();
  for (const mesh of document.getRoot().listMeshes()) {
    for (const primitive of mesh.listPrimitives()) {
      const sets = listSets(primitive);
      if (sets.length === 0 || sets.some(({ weights }) => done.has(weights))) continue;
      for (const { weights } of sets) done.add(weights);
      const types = new Set(sets.map(({ weights }) => weights.getComponentType()));
      const stepsOf: Record<number, number> = { 5126: FLOAT_STEPS, 5121: 255, 5123: 65535 };
      const stepCount = types.size === 1 ? stepsOf[[...types][0]] : undefined;
      const convert = sixteenBits && stepCount === FLOAT_STEPS;
      if (stepCount === undefined) continue;
      const arrays = sets.map(({ joints, weights }) => ({ joints: joints.getArray()!, weights: weights.getArray()! }));
      if (!convert && sumsToOne(arrays, stepCount)) continue;
      const mended = mendInfluences(arrays, convert ? 65535 : stepCount);
      sets.forEach(({ weights }, s) => {
        weights.setArray(mended[s]).setNormalized(convert || stepCount !== FLOAT_STEPS);
      });
    }
  }
}

interface InfluenceSet {
  joints: Accessor;
  weights: Accessor;
}

function listSets(primitive: Primitive): InfluenceSet[] {
  const sets: InfluenceSet[] = [];
  for (;;) {
    const joints = primitive.getAttribute(`JOINTS_${sets.length}`);
    const weights = primitive.getAttribute(`WEIGHTS_${sets.length}`);
    if (!joints?.getArray() || !weights?.getArray()) return sets;
    sets.push({ joints, weights });
  }
}
