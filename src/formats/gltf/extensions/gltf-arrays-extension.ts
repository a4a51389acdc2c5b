// SPDX-License-Identifier: MIT
// Extensions of primitives that refer to accessors, for glTF-Transform, so that the accessors are read, written, compressed and copied with them.
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
  type TypedArray,
  type WriterContext,
} from '@gltf-transform/core';
import type { PackedField, PrimitiveExtension, StoredValues } from '../../../deformers/layout/index.ts';
import { addAccessor, disposeUnused } from '../document/add-accessor.ts';
import { indexIn } from '../document/gltf-graph.ts';
import { jsonMesh } from '../document/gltf-json.ts';
import { storedArrayOf } from '../document/read-accessor.ts';

interface IGltfArrays extends IProperty {
  facts: Record<string, unknown>;
  accessors: RefMap<Accessor>;
}

/** The extension of one primitive: accessors by field, and the rest of its JSON, unchecked. */
export abstract class GltfArrays extends ExtensionProperty<IGltfArrays> {
  declare extensionName: string;
  declare propertyType: string;
  declare parentTypes: [PropertyType.PRIMITIVE];

  protected override getDefaults(): Nullable<IGltfArrays> {
    return Object.assign(super.getDefaults() as IProperty, { facts: {}, accessors: new RefMap<Accessor>() });
  }

  getFacts(): unknown {
    return this.get('facts');
  }

  setFacts(facts: unknown): this {
    return this.set('facts', facts as Record<string, unknown>);
  }

  setAccessor(name: string, accessor: Accessor | null): this {
    return this.setRefMap('accessors', name, accessor, { usage: 'OTHER' });
  }

  /** The accessors by field, in the order of the file. */
  listFields(): [field: string, accessor: Accessor][] {
    return this.listRefMapKeys('accessors').flatMap((name): [string, Accessor][] => {
      const accessor = this.getAccessor(name);
      return accessor ? [[name, accessor]] : [];
    });
  }

  getAccessor(name: string): Accessor | null {
    return this.getRefMap('accessors', name);
  }

  /** The input of its decoder. */
  toSource(): Pick<PrimitiveExtension, 'json' | 'arrays'> {
    const facts = this.getFacts();
    const stored = this.listFields();
    const arrays = Object.fromEntries(stored.map(([name, accessor]) => [name, storedArrayOf(accessor)]));
    if (stored.length === 0) return { json: facts, arrays };
    const fields = Object.fromEntries(stored.map(([name], n) => [name, n]));
    return { json: { ...(facts as object), ...fields }, arrays };
  }
}

export abstract class GltfArraysExtension extends Extension {
  /** Fields of the extension that are indices of accessors. */
  abstract readonly accessorNames: readonly string[];

  abstract createArrays(): GltfArrays;

  override read(context: ReaderContext): this {
    for (const [m, mesh] of (context.jsonDoc.json.meshes ?? []).entries()) {
      const primitives = context.meshes[m].listPrimitives();
      for (const [p, def] of mesh.primitives.entries()) {
        const json = def.extensions?.[this.extensionName] as Record<string, unknown> | undefined;
        if (json === undefined) continue;
        const property = this.createArrays().setFacts(json);
        if (typeof json === 'object' && json !== null) {
          const facts = { ...json };
          for (const name of this.accessorNames) {
            const index = json[name];
            if (!Number.isInteger(index) || !context.accessors[index as number]) continue;
            property.setAccessor(name, context.accessors[index as number]);
            delete facts[name];
          }
          property.setFacts(facts);
        }
        primitives[p].setExtension(this.extensionName, property);
      }
    }
    return this;
  }

  override write(context: WriterContext): this {
    for (const mesh of this.document.getRoot().listMeshes()) {
      const { primitives: defs } = jsonMesh(context.jsonDoc.json, indexIn(context.meshIndexMap, mesh));
      mesh.listPrimitives().forEach((primitive: Primitive, p) => {
        const property = primitive.getExtension<GltfArrays>(this.extensionName);
        if (!property) return;
        const json: Record<string, unknown> = { ...(property.getFacts() as object) };
        for (const [name, accessor] of property.listFields()) json[name] = indexIn(context.accessorIndexMap, accessor);
        defs[p].extensions = { ...defs[p].extensions, [this.extensionName]: json };
      });
    }
    return this;
  }
}

type ArraysExtensionClass = typeof Extension & (new (document: Document) => GltfArraysExtension);

/** Makes a glTF-Transform extension with the given name and accessor fields. */
export function makeArraysExtension(
  name: string,
  propertyType: string,
  accessorNames: readonly string[],
): ArraysExtensionClass {
  class Arrays extends GltfArrays {
    static override EXTENSION_NAME = name;

    protected override init(): void {
      this.extensionName = name;
      this.propertyType = propertyType;
      this.parentTypes = [PropertyType.PRIMITIVE];
    }
  }
  return class extends GltfArraysExtension {
    static override readonly EXTENSION_NAME = name;
    override readonly extensionName = name;
    override readonly accessorNames = accessorNames;

    override createArrays(): GltfArrays {
      return new Arrays(this.document.getGraph());
    }
  };
}

/** Adds accessors for packed arrays, in the order of their layout. */
export function addPackedArrays<Packed extends Partial<Record<keyof Packed, StoredValues>>>(
  document: Document,
  packed: Packed,
  layout: readonly PackedField<Packed>[],
): [field: string, accessor: Accessor][] {
  return layout.flatMap(({ name, field = name, size, isFraction = false }): [string, Accessor][] => {
    const values: StoredValues | undefined = packed[name];
    if (!values) return [];
    return [
      [field, addAccessor(document, size, values as TypedArray, isFraction && !(values instanceof Float32Array))],
    ];
  });
}

/** Removes these extensions from a document, with everything that only they refer to. */
export function removeGltfArrays(document: Document): void {
  for (const extension of document.getRoot().listExtensionsUsed()) {
    if (!(extension instanceof GltfArraysExtension)) continue;
    const properties = extension.listProperties() as GltfArrays[];
    const accessors = properties.flatMap((one) => one.listFields().map(([, accessor]) => accessor));
    extension.dispose();
    disposeUnused(document, new Set(accessors));
  }
}
