// SPDX-License-Identifier: MIT
export { makeCorrected } from './corrected.ts';
export { decodeSkinCorrection } from './decode-skin-correction.ts';
export {
  CORRECTION_EXTENSION,
  CORRECTION_EXTENSION_VERSION,
  CORRECTION_FIELDS,
  type PackedComponents,
  packCoefficients,
  packComponents,
} from './pack-skin-correction.ts';
export { sampleCorrectionInto } from './sample-correction.ts';
