// SPDX-License-Identifier: MIT
// OSSIFY_direct_delta_mush for glTF-Transform: what a primitive's extension refers to, so that it is written, compressed and copied along.
import {
  type Accessor,
  type Document,
  Extension,
  ExtensionProperty,
  type IProperty,
  type Nullable,
  type Primitive,
  PropertyType,
  type ReaderContext,
  RefMap,
  type WriterContext,
} from '@gltf-transform/core';
import { DDM_EXTENSION } from '../extension/direct-delta-mush.ts';

/** Fields of the extension that are indices of accessors. */
export const DDM_ACCESSORS = ['starts', 'counts', 'centers', 'scales', 'joints', 'columns', 'squares'] as const;
export type DdmAccessorName = (typeof DDM_ACCESSORS)[number];

const isAccessorName = (name: string): name is DdmAccessorName => DDM_ACCESSORS.some((known) => known === name);

interface IGltfDdm extends IProperty {
  facts: Record<string, unknown>;
  accessors: RefMap<Accessor>;
}

/** The extension of one primitive: accessors by name, and all else as the JSON has it. */
export class GltfDdm extends ExtensionProperty<IGltfDdm> {
  static override EXTENSION_NAME = DDM_EXTENSION;
  declare extensionName: typeof DDM_EXTENSION;
  declare propertyType: 'DirectDeltaMush';
  declare parentTypes: [PropertyType.PRIMITIVE];

  protected override init(): void {
    this.extensionName = DDM_EXTENSION;
    this.propertyType = 'DirectDeltaMush';
    this.parentTypes = [PropertyType.PRIMITIVE];
  }

  protected override getDefaults(): Nullable<IGltfDdm> {
    return Object.assign(super.getDefaults() as IProperty, { facts: {}, accessors: new RefMap<Accessor>() });
  }

  getFacts(): Record<string, unknown> {
    return this.get('facts');
  }

  setFacts(facts: Record<string, unknown>): this {
    return this.set('facts', facts);
  }

  setAccessor(name: DdmAccessorName, accessor: Accessor | null): this {
    return this.setRefMap('accessors', name, accessor, { usage: 'OTHER' });
  }

  listNames(): string[] {
    return this.listRefMapKeys('accessors');
  }

  getAccessor(name: string): Accessor | null {
    return this.getRefMap('accessors', name);
  }
}

export class GltfDdmExtension extends Extension {
  static override readonly EXTENSION_NAME = DDM_EXTENSION;
  override readonly extensionName = DDM_EXTENSION;

  createDdm(): GltfDdm {
    return new GltfDdm(this.document.getGraph());
  }

  override read(context: ReaderContext): this {
    (context.jsonDoc.json.meshes ?? []).forEach((mesh, m) => {
      mesh.primitives.forEach((def, p) => {
        const json = def.extensions?.[DDM_EXTENSION] as Record<string, unknown> | undefined;
        if (!json) return;
        const property = this.createDdm();
        const facts: Record<string, unknown> = {};
        for (const [name, value] of Object.entries(json)) {
          if (isAccessorName(name)) property.setAccessor(name, context.accessors[value as number] ?? null);
          else facts[name] = value;
        }
        context.meshes[m].listPrimitives()[p].setExtension(DDM_EXTENSION, property.setFacts(facts));
      });
    });
    return this;
  }

  override write(context: WriterContext): this {
    for (const mesh of this.document.getRoot().listMeshes()) {
      const defs = context.jsonDoc.json.meshes![context.meshIndexMap.get(mesh)!].primitives;
      mesh.listPrimitives().forEach((primitive: Primitive, p) => {
        const property = primitive.getExtension<GltfDdm>(DDM_EXTENSION);
        if (!property) return;
        const json: Record<string, unknown> = { ...property.getFacts() };
        for (const name of property.listNames())
          json[name] = context.accessorIndexMap.get(property.getAccessor(name)!)!;
        defs[p].extensions = { ...defs[p].extensions, [DDM_EXTENSION]: json };
      });
    }
    return this;
  }
}

/** Takes the extension out of a document, with all that only it refers to. */
export function removeGltfDdm(document: Document): void {
  const root = document.getRoot();
  for (const extension of root.listExtensionsUsed()) {
    if (!(extension instanceof GltfDdmExtension)) continue;
    const properties = extension.listProperties() as GltfDdm[];
    const accessors = properties.flatMap((one) => one.listNames().map((name) => one.getAccessor(name)!));
    extension.dispose();
    for (const accessor of new Set(accessors))
      if (accessor.listParents().every((parent) => parent === root)) accessor.dispose();
  }
}

/** Stores small integers in four bytes, as compressed elements must have them: glTF-Transform pads others, and does not say so in their view. */
export function widenGltfDdm(document: Document): void {
  for (const mesh of document.getRoot().listMeshes()) {
    for (const primitive of mesh.listPrimitives()) {
      const property = primitive.getExtension<GltfDdm>(DDM_EXTENSION);
      for (const name of property?.listNames() ?? []) {
        const accessor = property!.getAccessor(name)!;
        const array = accessor.getArray();
        if (array instanceof Uint8Array || array instanceof Uint16Array) accessor.setArray(Uint32Array.from(array));
      }
    }
  }
}
