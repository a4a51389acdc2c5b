// SPDX-License-Identifier: MIT
import { type Accessor, type Document, type Primitive, PropertyType } from '@gltf-transform/core';
import { FLOAT_STEPS, mendInfluences, sumsToOne } from '../../../deformers/linear-blend/index.ts';
import { arrayOf, attributeOf } from '../document/gltf-graph.ts';
import { type InfluenceSet, listInfluenceSets } from '../document/list-influence-sets.ts';

/**
 * Makes the weights of every primitive sum to one as stored: in steps of their own type, or as 16-bit numbers. Primitives that already do
 * are not changed. Vertices without any weight follow the first joint. Changed in place.
 */
export function mendGltfWeights(document: Document, sixteenBits = false): void {
  const done = new Set<Accessor>();
  for (const mesh of document.getRoot().listMeshes()) {
    for (const primitive of mesh.listPrimitives()) {
      const sets = listInfluenceSets(primitive);
      if (sets.length === 0 || sets.some(({ weights }) => done.has(weights))) continue;
      for (const { weights } of sets) done.add(weights);
      const types = new Set(sets.map(({ weights }) => weights.getComponentType()));
      const stepsOf: Record<number, number> = { 5126: FLOAT_STEPS, 5121: 255, 5123: 65535 };
      const stepCount = types.size === 1 ? stepsOf[[...types][0]] : undefined;
      const convert = sixteenBits && stepCount === FLOAT_STEPS;
      if (stepCount === undefined) continue;
      if (!convert && sumsToOne(sets.map(arraysOf), stepCount)) continue;
      const own = sets.map((_, s) => ({
        joints: separate(primitive, `JOINTS_${s}`),
        weights: separate(primitive, `WEIGHTS_${s}`),
      }));
      const mended = mendInfluences(own.map(arraysOf), convert ? 65535 : stepCount);
      own.forEach(({ weights }, s) => {
        weights.setArray(mended[s]).setNormalized(convert || stepCount !== FLOAT_STEPS);
      });
    }
  }
}

function arraysOf({ joints, weights }: InfluenceSet) {
  return { joints: arrayOf(joints), weights: arrayOf(weights) };
}

/** The accessor of an attribute, which can be changed: a copy if it is also used for anything else. */
function separate(primitive: Primitive, semantic: string): Accessor {
  const accessor = attributeOf(primitive, semantic);
  const isShared = accessor
    .getGraph()
    .listParentEdges(accessor)
    .some(
      (edge) =>
        edge.getParent().propertyType !== PropertyType.ROOT &&
        (edge.getAttributes() as { key?: string }).key !== semantic,
    );
  if (!isShared) return accessor;
  const copy = accessor.clone().setArray(arrayOf(accessor).slice());
  primitive.setAttribute(semantic, copy);
  return copy;
}
