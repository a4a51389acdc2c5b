// SPDX-License-Identifier: MIT
import type { Accessor, Document } from '@gltf-transform/core';
import { disposeUnused } from '../../document/add-accessor.ts';
import { arrayOf } from '../../document/gltf-graph.ts';

/** Sets joints without weight to joint 0, as glTF asks for. Changed in place. */
export function clearIdleJoints(document: Document): void {
  const cleared = new Map<Accessor, Map<Accessor, Accessor>>();
  for (const mesh of document.getRoot().listMeshes())
    for (const primitive of mesh.listPrimitives())
      for (let set = 0; ; set++) {
        const joints = primitive.getAttribute(`JOINTS_${set}`);
        const weights = primitive.getAttribute(`WEIGHTS_${set}`);
        if (!joints?.getArray() || !weights?.getArray()) break;
        const known = cleared.get(joints) ?? new Map<Accessor, Accessor>();
        cleared.set(joints, known);
        const own = known.get(weights) ?? clear(joints, weights);
        known.set(weights, own);
        if (own !== joints) primitive.setAttribute(`JOINTS_${set}`, own);
      }
  disposeUnused(document, cleared.keys());
}

/** A copy of the joints of which those without weight are 0; the joints themselves if all of these are. */
function clear(joints: Accessor, weights: Accessor): Accessor {
  const values = arrayOf(joints);
  const amounts = arrayOf(weights);
  let own: typeof values | undefined;
  for (let c = 0; c < values.length; c++) {
    if (values[c] === 0 || amounts[c] !== 0) continue;
    own ??= values.slice();
    own[c] = 0;
  }
  return own ? joints.clone().setArray(own) : joints;
}
