// SPDX-License-Identifier: MIT
// OSSIFY_two_layer_skin for glTF-Transform: what a primitive's extension refers to.
import { TWO_LAYER_EXTENSION } from '../extension/two-layer.ts';
import { GltfArrays, GltfArraysExtension } from './gltf-arrays-extension.ts';

/** Fields of the first layer, by the name that OSSIFY_direct_delta_mush has for them. */
export const LAYER_FIELDS = {
  starts: 'boneStarts',
  counts: 'boneCounts',
  centers: 'boneCenters',
  scales: 'boneScales',
  joints: 'joints',
  columns: 'columns',
  squares: 'squares',
} as const;

/** Fields of a first layer of plain weights. */
export const LINEAR_FIELDS = {
  starts: 'boneStarts',
  counts: 'boneCounts',
  bones: 'joints',
  weights: 'boneWeights',
} as const;

class GltfTwoLayer extends GltfArrays {
  static override EXTENSION_NAME = TWO_LAYER_EXTENSION;

  protected override init(): void {
    super.init();
    this.extensionName = TWO_LAYER_EXTENSION;
    this.propertyType = 'TwoLayerSkin';
  }
}

export class GltfTwoLayerExtension extends GltfArraysExtension {
  static override readonly EXTENSION_NAME = TWO_LAYER_EXTENSION;
  override readonly extensionName = TWO_LAYER_EXTENSION;
  override readonly accessorNames = [
    ...Object.values(LAYER_FIELDS),
    LINEAR_FIELDS.weights,
    ...['starts', 'counts', 'bones', 'weights'],
  ];

  override createArrays(): GltfArrays {
    return new GltfTwoLayer(this.document.getGraph());
  }
}
