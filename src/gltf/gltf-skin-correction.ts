// SPDX-License-Identifier: MIT
// OSSIFY_skin_correction for glTF-Transform: what a primitive's extension refers to.
import { CORRECTION_EXTENSION } from '../extension/skin-correction.ts';
import { GltfArrays, GltfArraysExtension } from './gltf-arrays-extension.ts';

class GltfSkinCorrection extends GltfArrays {
  static override EXTENSION_NAME = CORRECTION_EXTENSION;

  protected override init(): void {
    super.init();
    this.extensionName = CORRECTION_EXTENSION;
    this.propertyType = 'SkinCorrection';
  }
}

export class GltfSkinCorrectionExtension extends GltfArraysExtension {
  static override readonly EXTENSION_NAME = CORRECTION_EXTENSION;
  override readonly extensionName = CORRECTION_EXTENSION;
  override readonly accessorNames = [
    'basis',
    'scales',
    'times',
    'values',
    'normalBasis',
    'normalScales',
    'normalValues',
  ];

  override createArrays(): GltfArrays {
    return new GltfSkinCorrection(this.document.getGraph());
  }
}
