// SPDX-License-Identifier: MIT
export { holdRigid } from './bind/hold-rigid.ts';
export { spreadValues } from './bind/refine-surface.ts';
export type { SmoothedRows } from './bind/smooth-binding.ts';
export { splitEdges } from './bind/split-edges.ts';
export { checkAssetPoses } from './check-asset-poses.ts';
export {
  BIND_RULES,
  checkDdmOptions,
  DDM_DEFAULTS,
  type DdmBlendOptions,
  type DdmOptions,
  isByReach,
  type VertexMap,
} from './ddm-options.ts';
export { type DdmPrecompute, makeDdmPrecompute } from './make-ddm-precompute.ts';
export { type MeasuredMush, measureMush } from './measure-mush.ts';
export { precomputeDdm } from './precompute-ddm.ts';
