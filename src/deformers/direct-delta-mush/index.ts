// SPDX-License-Identifier: MIT
export { makeDdmCentered } from './ddm-centered.ts';
export {
  checkRigidBones,
  cofactorsInto,
  type DoubleDeformer,
  type FloatArray,
  isDoubleDeformer,
  listUsedBones,
  rotationFromQuaternionInto,
  turnNormalInto,
} from './ddm-deformer.ts';
export { makeDdmPatches } from './ddm-patches.ts';
export {
  createBlendRuntime,
  createDdmRuntime,
  DDM_RUNTIME_DEFAULTS,
  type DdmRuntime,
  type DdmRuntimeOptions,
  openRuntimeCompute,
  type PosedShapes,
} from './ddm-runtime.ts';
export { decodeDirectDeltaMush } from './decode-direct-delta-mush.ts';
export { checkRows, decodeMultiWeights } from './decode-multi-weights.ts';
export { DROP_DEFAULTS, type DropOptions, dropMultiWeights } from './drop-multi-weights.ts';
export { makeDdm } from './make-ddm.ts';
export { makePointWeights } from './make-point-weights.ts';
export {
  DDM_EXTENSION,
  DDM_EXTENSION_VERSIONS,
  DDM_FIELDS,
  DDM_LAYOUT,
  ddmExtensionVersionOf,
  type PackedDdm,
  packDdm,
} from './pack-direct-delta-mush.ts';
export { measureSize, packMultiWeights } from './pack-multi-weights.ts';
export { findMove, placeMultiWeights } from './place-multi-weights.ts';
