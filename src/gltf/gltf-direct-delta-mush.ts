// SPDX-License-Identifier: MIT
// OSSIFY_direct_delta_mush for glTF-Transform: what a primitive's extension refers to.
import { DDM_EXTENSION } from '../extension/direct-delta-mush.ts';
import { GltfArrays, GltfArraysExtension } from './gltf-arrays-extension.ts';

class GltfDdm extends GltfArrays {
  static override EXTENSION_NAME = DDM_EXTENSION;

  protected override init(): void {
    super.init();
    this.extensionName = DDM_EXTENSION;
    this.propertyType = 'DirectDeltaMush';
  }
}

export class GltfDdmExtension extends GltfArraysExtension {
  static override readonly EXTENSION_NAME = DDM_EXTENSION;
  override readonly extensionName = DDM_EXTENSION;
  override readonly accessorNames = ['starts', 'counts', 'centers', 'scales', 'joints', 'columns', 'squares'];

  override createArrays(): GltfArrays {
    return new GltfDdm(this.document.getGraph());
  }
}
