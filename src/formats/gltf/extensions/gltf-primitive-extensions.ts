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
import { CORRECTION_EXTENSION, CORRECTION_FIELDS } from '../../../deformers/corrections/index.ts';
import { DDM_EXTENSION, DDM_FIELDS } from '../../../deformers/direct-delta-mush/index.ts';
import { BLEND_EXTENSION, BLEND_FIELDS } from '../../../deformers/dual-quaternion/index.ts';
import type { PrimitiveExtension } from '../../../deformers/layout/index.ts';
import { LIGHT_EXTENSION, LIGHT_FIELDS } from '../../../deformers/light/index.ts';
import { SHAPE_EXTENSION, SHAPE_FIELDS } from '../../../deformers/shape-drivers/index.ts';
import { TWO_LAYER_EXTENSION, TWO_LAYER_FIELDS } from '../../../deformers/two-layer/index.ts';
import { addAccessor, disposeUnused } from '../document/add-accessor.ts';
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

  listNames(): string[] {
    return this.listRefMapKeys('accessors');
  }

  getAccessor(name: string): Accessor | null {
    return this.getRefMap('accessors', name);
  }

  /** The input of its decoder. */
  toSource(): Pick<PrimitiveExtension, 'json' | 'arrays'> {
    const facts = this.getFacts();
    const names = this.listNames();
    const arrays = Object.fromEntries(names.map((name) => [name, storedArrayOf(this.getAccessor(name)!)]));
    if (names.length === 0) return { json: facts, arrays };
    const fields = Object.fromEntries(names.map((name, n) => [name, n]));
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
      const defs = context.jsonDoc.json.meshes![context.meshIndexMap.get(mesh)!].primitives;
      mesh.listPrimitives().forEach((primitive: Primitive, p) => {
        const property = primitive.getExtension<GltfArrays>(this.extensionName);
        if (!property) return;
        const json: Record<string, unknown> = { ...(property.getFacts() as object) };
        for (const name of property.listNames())
          json[name] = context.accessorIndexMap.get(property.getAccessor(name)!)!;
        defs[p].extensions = { ...defs[p].extensions, [this.extensionName]: json };
      });
    }
    return this;
  }
}

type ArraysExtensionClass = typeof Extension & (new (document: Document) => GltfArraysExtension);

/** Makes a glTF-Transform extension with the given name and accessor fields. */
function makeArraysExtension(
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

export const GltfDdmExtension = makeArraysExtension(DDM_EXTENSION, 'DirectDeltaMush', DDM_FIELDS);
export const GltfTwoLayerExtension = makeArraysExtension(TWO_LAYER_EXTENSION, 'TwoLayerSkin', TWO_LAYER_FIELDS);
export const GltfBlendExtension = makeArraysExtension(BLEND_EXTENSION, 'SkinBlend', BLEND_FIELDS);
export const GltfCorrectionExtension = makeArraysExtension(CORRECTION_EXTENSION, 'SkinCorrection', CORRECTION_FIELDS);
export const GltfLightExtension = makeArraysExtension(LIGHT_EXTENSION, 'SkinLight', LIGHT_FIELDS);
export const GltfShapeExtension = makeArraysExtension(SHAPE_EXTENSION, 'ShapeDrivers', SHAPE_FIELDS);

/** Numbers per element of packed fields; all others are single numbers. */
const FIELD_SIZE: Record<string, number> = { centers: 3, columns: 4, squares: 2 };

/**
 * Adds accessors for packed arrays, in the given order. Short numbers are normalized, except indices.
 * @param names the field of the extension by name of the packed array, if they differ
 */
export function addPackedArrays(
  document: Document,
  packed: object,
  order: readonly string[],
  names: Readonly<Record<string, string>> = {},
): [field: string, accessor: Accessor][] {
  return order.flatMap((name): [string, Accessor][] => {
    const values = (packed as Record<string, TypedArray | undefined>)[name];
    if (!values) return [];
    const normalized = values instanceof Int16Array || (name === 'weights' && values instanceof Uint16Array);
    // `squares` are stored as pairs: two short numbers fill the four bytes to which compressed elements are aligned
    return [[names[name] ?? name, addAccessor(document, FIELD_SIZE[name] ?? 1, values, normalized)]];
  });
}

/** Removes these extensions from a document, with everything that only they refer to. */
export function removeGltfArrays(document: Document): void {
  for (const extension of document.getRoot().listExtensionsUsed()) {
    if (!(extension instanceof GltfArraysExtension)) continue;
    const properties = extension.listProperties() as GltfArrays[];
    const accessors = properties.flatMap((one) => one.listNames().map((name) => one.getAccessor(name)!));
    extension.dispose();
    disposeUnused(document, new Set(accessors));
  }
}
