// SPDX-License-Identifier: MIT
// Extensions of primitives that refer to accessors, for glTF-Transform, so that these are written, compressed and copied along.
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

interface IGltfArrays extends IProperty {
  facts: Record<string, unknown>;
  accessors: RefMap<Accessor>;
}

/** The extension of one primitive: accessors by name, and all else as the JSON has it. */
export abstract class GltfArrays extends ExtensionProperty<IGltfArrays> {
  declare extensionName: string;
  declare propertyType: string;
  declare parentTypes: [PropertyType.PRIMITIVE];

  protected override init(): void {
    this.parentTypes = [PropertyType.PRIMITIVE];
  }

  protected override getDefaults(): Nullable<IGltfArrays> {
    return Object.assign(super.getDefaults() as IProperty, { facts: {}, accessors: new RefMap<Accessor>() });
  }

  getFacts(): Record<string, unknown> {
    return this.get('facts');
  }

  setFacts(facts: Record<string, unknown>): this {
    return this.set('facts', facts);
  }

  setAccessor(name: string, accessor: Accessor | null): this {
    return this.setRefMap('accessors', name, accessor, { usage: 'OTHER' });
  }

  listNames(): string[] {
    return this.listRefMapKeys('accessors');
  }

  getAccessor(name: string): Accessor | null {
    return this.getRefMap('accessors', name);
  }
}

export abstract class GltfArraysExtension extends Extension {
  /** Fields of the extension that are indices of accessors. */
  abstract readonly accessorNames: readonly string[];

  abstract createArrays(): GltfArrays;

  override read(context: ReaderContext): this {
    (context.jsonDoc.json.meshes ?? []).forEach((mesh, m) => {
      mesh.primitives.forEach((def, p) => {
        const json = def.extensions?.[this.extensionName] as Record<string, unknown> | undefined;
        if (!json) return;
        const property = this.createArrays();
        const facts: Record<string, unknown> = {};
        for (const [name, value] of Object.entries(json)) {
          if (this.accessorNames.includes(name)) property.setAccessor(name, context.accessors[value as number] ?? null);
          else facts[name] = value;
        }
        context.meshes[m].listPrimitives()[p].setExtension(this.extensionName, property.setFacts(facts));
      });
    });
    return this;
  }

  override write(context: WriterContext): this {
    for (const mesh of this.document.getRoot().listMeshes()) {
      const defs = context.jsonDoc.json.meshes![context.meshIndexMap.get(mesh)!].primitives;
      mesh.listPrimitives().forEach((primitive: Primitive, p) => {
        const property = primitive.getExtension<GltfArrays>(this.extensionName);
        if (!property) return;
        const json: Record<string, unknown> = { ...property.getFacts() };
        for (const name of property.listNames())
          json[name] = context.accessorIndexMap.get(property.getAccessor(name)!)!;
        defs[p].extensions = { ...defs[p].extensions, [this.extensionName]: json };
      });
    }
    return this;
  }
}

/** Takes these extensions out of a document, with all that only they refer to. */
export function removeGltfArrays(document: Document): void {
  const root = document.getRoot();
  for (const extension of root.listExtensionsUsed()) {
    if (!(extension instanceof GltfArraysExtension)) continue;
    const properties = extension.listProperties() as GltfArrays[];
    const accessors = properties.flatMap((one) => one.listNames().map((name) => one.getAccessor(name)!));
    extension.dispose();
    for (const accessor of new Set(accessors))
      if (accessor.listParents().every((parent) => parent === root)) accessor.dispose();
  }
}

/**
 * Stores small numbers in four bytes, as compressed elements must have them: glTF-Transform pads others, and does not say so in their view. Short parts of
 * one become floats.
 */
export function widenGltfArrays(document: Document): void {
  for (const extension of document.getRoot().listExtensionsUsed()) {
    if (!(extension instanceof GltfArraysExtension)) continue;
    for (const property of extension.listProperties() as GltfArrays[]) {
      for (const name of property.listNames()) {
        const accessor = property.getAccessor(name)!;
        const array = accessor.getArray();
        // three shorts are six bytes, and one is two
        const isOdd = array instanceof Int16Array && accessor.getElementSize() % 2 === 1;
        if (!(array instanceof Uint8Array || array instanceof Uint16Array || isOdd)) continue;
        const one = isOdd ? 32767 : array instanceof Uint8Array ? 255 : 65535;
        if (accessor.getNormalized()) accessor.setArray(Float32Array.from(array, (x) => x / one)).setNormalized(false);
        else accessor.setArray(Uint32Array.from(array));
      }
    }
  }
}
