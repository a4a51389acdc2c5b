// SPDX-License-Identifier: MIT
// MSFT_lod for glTF-Transform: a node refers to nodes that may be drawn instead of it, in falling detail. Nodes are references, so that they get the
// indices of the new file when it is written. https://github.com/KhronosGroup/glTF/tree/main/extensions/2.0/Vendor/MSFT_lod
import {
  Extension,
  ExtensionProperty,
  type IProperty,
  type Node,
  type Nullable,
  PropertyType,
  type ReaderContext,
  RefList,
  type WriterContext,
} from '@gltf-transform/core';
import { indexIn } from '../document/gltf-graph.ts';
import { jsonNode } from '../document/gltf-json.ts';

export const LOD_EXTENSION = 'MSFT_lod';

interface IGltfLevels extends IProperty {
  levels: RefList<Node>;
}

/** The levels of one node. */
export class GltfLevels extends ExtensionProperty<IGltfLevels> {
  static override EXTENSION_NAME = LOD_EXTENSION;
  declare extensionName: typeof LOD_EXTENSION;
  declare propertyType: 'LevelsOfDetail';
  declare parentTypes: [PropertyType.NODE];

  protected override init(): void {
    this.extensionName = LOD_EXTENSION;
    this.propertyType = 'LevelsOfDetail';
    this.parentTypes = [PropertyType.NODE];
  }

  protected override getDefaults(): Nullable<IGltfLevels> {
    return Object.assign(super.getDefaults() as IProperty, { levels: new RefList<Node>() });
  }

  addLevel(node: Node): this {
    return this.addRef('levels', node);
  }

  listLevels(): Node[] {
    return this.listRefs('levels');
  }
}

export class GltfLodExtension extends Extension {
  static override readonly EXTENSION_NAME = LOD_EXTENSION;
  override readonly extensionName = LOD_EXTENSION;

  createLevels(): GltfLevels {
    return new GltfLevels(this.document.getGraph());
  }

  override read(context: ReaderContext): this {
    (context.jsonDoc.json.nodes ?? []).forEach((def, n) => {
      const json = def.extensions?.[LOD_EXTENSION] as { ids?: unknown } | null | undefined;
      if (!Array.isArray(json?.ids)) return;
      const levels = this.createLevels();
      for (const id of json.ids) if (typeof id === 'number' && context.nodes[id]) levels.addLevel(context.nodes[id]);
      context.nodes[n].setExtension(LOD_EXTENSION, levels);
    });
    return this;
  }

  override write(context: WriterContext): this {
    for (const node of this.document.getRoot().listNodes()) {
      const levels = node.getExtension<GltfLevels>(LOD_EXTENSION);
      if (!levels) continue;
      const def = jsonNode(context.jsonDoc.json, indexIn(context.nodeIndexMap, node));
      const ids = levels.listLevels().map((level) => indexIn(context.nodeIndexMap, level));
      def.extensions = { ...def.extensions, [LOD_EXTENSION]: { ids } };
    }
    return this;
  }
}
