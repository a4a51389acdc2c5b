// SPDX-License-Identifier: MIT
export { chooseReferences, type ReferenceNode } from './codec/choose-references.ts';
export { encodeCompactSkin } from './codec/code-compact-skin.ts';
export { stepPowerOf } from './codec/code-motion.ts';
export type {
  CompactAttribute,
  CompactDisplacements,
  CompactJoints,
  CompactMotion,
  CompactPrimitive,
  CompactSkin,
  CompactTracks,
} from './codec/compact-skin.ts';
export {
  COMPACT_EXTENSION,
  type CompactMeshJson,
  listRestNodes,
  type RestNode,
} from './container/compact-skin-json.ts';
export { expandCompactSkin } from './container/expand-compact-skin.ts';
export { IntegerModel } from './entropy/integer-model.ts';
export { type BitCoder, BitCounter, RangeDecoder, RangeEncoder } from './entropy/range-coder.ts';
export { octahedralInto } from './mesh/code-attributes.ts';
export { decodeConnectivity, encodeConnectivity } from './mesh/code-connectivity.ts';
export type { SteppedWeights } from './mesh/code-weights.ts';
export { type MeshWalk, makeMeshWalk } from './mesh/mesh-walk.ts';
