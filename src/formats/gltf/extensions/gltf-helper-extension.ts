// SPDX-License-Identifier: MIT
// OSSIFY_helper_bones for glTF-Transform. Nodes are references, so that they get the indices of the new file when it is written.
import {
  Extension,
  ExtensionProperty,
  type IProperty,
  type Node,
  type Nullable,
  PropertyType,
  type ReaderContext,
  RefMap,
  type WriterContext,
} from '@gltf-transform/core';
import { HELPER_EXTENSION } from '../../../deformers/helper-bones/index.ts';
import { indexIn } from '../document/gltf-graph.ts';
import { jsonNode } from '../document/gltf-json.ts';

/** An input joint of a controller in the JSON, without its nodes. */
export interface HelperInput {
  node?: number;
  parent?: number;
  rest?: number[];
  reach?: number;
}

interface IGltfHelper extends IProperty {
  facts: Record<string, unknown>;
  nodes: RefMap<Node>;
}

/** The controller of one node. */
export class GltfHelper extends ExtensionProperty<IGltfHelper> {
  static override EXTENSION_NAME = HELPER_EXTENSION;
  declare extensionName: typeof HELPER_EXTENSION;
  declare propertyType: 'HelperBone';
  declare parentTypes: [PropertyType.NODE];

  protected override init(): void {
    this.extensionName = HELPER_EXTENSION;
    this.propertyType = 'HelperBone';
    this.parentTypes = [PropertyType.NODE];
  }

  protected override getDefaults(): Nullable<IGltfHelper> {
    return Object.assign(super.getDefaults() as IProperty, { facts: {}, nodes: new RefMap<Node>() });
  }

  /** The JSON of the extension, unchecked, with the indices of the file that it was read from. */
  getFacts(): unknown {
    return this.get('facts');
  }

  setFacts(facts: unknown): this {
    return this.set('facts', facts as Record<string, unknown>);
  }

  /** The node of input n, or the parent that its rotation is relative to. */
  setNode(n: number, role: 'node' | 'parent', node: Node | null): this {
    return this.setRefMap('nodes', `${role} ${n}`, node);
  }

  getNode(n: number, role: 'node' | 'parent'): Node | null {
    return this.getRefMap('nodes', `${role} ${n}`);
  }
}

export class GltfHelperExtension extends Extension {
  static override readonly EXTENSION_NAME = HELPER_EXTENSION;
  override readonly extensionName = HELPER_EXTENSION;

  createHelper(): GltfHelper {
    return new GltfHelper(this.document.getGraph());
  }

  override read(context: ReaderContext): this {
    (context.jsonDoc.json.nodes ?? []).forEach((def, n) => {
      const json = def.extensions?.[HELPER_EXTENSION] as { inputs?: unknown } | null | undefined;
      if (json === undefined) return;
      const property = this.createHelper().setFacts(json);
      const inputs = Array.isArray(json?.inputs) ? (json.inputs as HelperInput[]) : [];
      for (const [place, input] of inputs.entries()) {
        for (const role of ['node', 'parent'] as const)
          if (typeof input?.[role] === 'number') property.setNode(place, role, context.nodes[input[role]] ?? null);
      }
      context.nodes[n].setExtension(HELPER_EXTENSION, property);
    });
    return this;
  }

  override write(context: WriterContext): this {
    for (const node of this.document.getRoot().listNodes()) {
      const property = node.getExtension<GltfHelper>(HELPER_EXTENSION);
      if (!property) continue;
      const facts = property.getFacts() as { inputs?: HelperInput[] };
      // Other versions may have any data there.
      const inputs = (Array.isArray(facts?.inputs) ? facts.inputs : []).map((input, n) => {
        const written = { ...input };
        for (const role of ['node', 'parent'] as const) {
          const named = property.getNode(n, role);
          if (named) written[role] = indexIn(context.nodeIndexMap, named);
          else delete written[role];
        }
        return written;
      });
      const def = jsonNode(context.jsonDoc.json, indexIn(context.nodeIndexMap, node));
      def.extensions = { ...def.extensions, [HELPER_EXTENSION]: { ...facts, inputs } };
    }
    return this;
  }
}
