// SPDX-License-Identifier: MIT
export {
  type DecodedVirtualBones,
  decodeVirtualBones,
  decodeVirtualSkin,
  readTwoLayerKind,
} from './decode-two-layer.ts';
export { joinRowStarts } from './join-row-starts.ts';
export { joinTwoLayers, type PartLayers, placeLayer } from './join-two-layers.ts';
export { makeLinearTwoLayer } from './linear-two-layer.ts';
export { createLinearTwoLayerRuntime } from './linear-two-layer-runtime.ts';
export { makeTwoLayer, virtualTransformsInto } from './make-two-layer.ts';
export {
  LAYER_FIELDS,
  LAYER_LAYOUT,
  LINEAR_FIELDS,
  LINEAR_LAYOUT,
  LINEAR_TWO_LAYER_KIND,
  packLinearLayer,
  packVirtualLayer,
  packVirtualSkin,
  SKIN_LAYOUT,
  TWO_LAYER_EXTENSION,
  TWO_LAYER_EXTENSION_VERSION,
  TWO_LAYER_FIELDS,
  TWO_LAYER_KIND,
} from './pack-two-layer.ts';
export { makeTwoLayerCentered, type TwoLayerCentered, type TwoLayerCenteredOptions } from './two-layer-centered.ts';
export { createTwoLayerRuntime } from './two-layer-runtime.ts';
