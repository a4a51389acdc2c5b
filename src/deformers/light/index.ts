// SPDX-License-Identifier: MIT
export { decodeSkinLight } from './decode-skin-light.ts';
export { type LightIntoOptions, lightInto } from './light-into.ts';
export { lightTermsInto } from './light-terms-into.ts';
export {
  LIGHT_ELEMENT,
  LIGHT_EXTENSION,
  LIGHT_EXTENSION_VERSION,
  LIGHT_FIELDS,
  packLightBasis,
  packUnshadowedLight,
} from './pack-skin-light.ts';
export { sampleLightInto } from './sample-light.ts';
export { unshadowedTransferInto } from './unshadowed-transfer-into.ts';
