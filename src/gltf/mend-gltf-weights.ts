// SPDX-License-Identifier: MIT
import type { Accessor, Document, Primitive } from '@gltf-transform/core';
import { FLOAT_STEPS, roundToSteps } from './pack-gltf-weights.ts';

/** Tolerance per influence of the Khronos validator on the sum of 32-bit weights. */
const FLOAT_SLACK = 2e-7;

/**
 * Makes the stored weights of every primitive sum to one: in steps of their own type, or as 16-bit numbers. Other primitives are not
 * changed. Vertices without any weight follow the first joint. Changed in place.
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
      if (stepCount !== undefined && (convert || !isWhole(sets, stepCount))) mend(sets, convert ? 65535 : stepCount);
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

function isWhole(sets: InfluenceSet[], stepCount: number): boolean {
  const count = sets[0].weights.getCount();
  for (let i = 0; i < count; i++) {
    let sum = 0;
    let used = 0;
    for (const { weights } of sets) {
      const array = weights.getArray()!;
      for (let c = i * 4; c < i * 4 + 4; c++) {
        sum += array[c];
        if (array[c] > 0) used++;
      }
    }
    const exact = stepCount === FLOAT_STEPS ? Math.abs(sum - 1) <= FLOAT_SLACK * used : sum === stepCount;
    if (!exact || used === 0) return false;
  }
  return true;
}

function mend(sets: InfluenceSet[], stepCount: number): void {
  const count = sets[0].weights.getCount();
  const row = new Float64Array(sets.length * 4);
  const outputs = sets.map(() =>
    stepCount === FLOAT_STEPS
      ? new Float32Array(count * 4)
      : stepCount === 255
        ? new Uint8Array(count * 4)
        : new Uint16Array(count * 4),
  );
  for (let i = 0; i < count; i++) {
    sets.forEach(({ weights }, s) => {
      const array = weights.getArray()!;
      for (let c = 0; c < 4; c++) row[s * 4 + c] = array[i * 4 + c];
    });
    if (!roundToSteps(row, stepCount)) {
      row[0] = stepCount;
      sets[0].joints.getArray()![i * 4] = 0;
    }
    outputs.forEach((output, s) => {
      for (let c = 0; c < 4; c++) {
        output[i * 4 + c] = stepCount === FLOAT_STEPS ? row[s * 4 + c] / FLOAT_STEPS : row[s * 4 + c];
        // A weight that was rounded to zero gets joint 0.
        if (row[s * 4 + c] === 0) sets[s].joints.getArray()![i * 4 + c] = 0;
      }
    });
  }
  sets.forEach(({ weights }, s) => {
    weights.setArray(outputs[s]).setNormalized(stepCount !== FLOAT_STEPS);
  });
}
