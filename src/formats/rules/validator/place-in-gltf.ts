// SPDX-License-Identifier: MIT
import type { Place } from '../finding.ts';

type Json = Readonly<Record<string, unknown>>;

/** Finds the places of pointers into the JSON of a glTF: /accessors/7 is the normals of a mesh. */
export class GltfPlaces {
  readonly #json: Json;
  #owners?: Map<number, Place>;

  constructor(json: Json) {
    this.#json = json;
  }

  /** The place of a pointer, for people; the pointer itself where none is known. */
  find(pointer: string): Place {
    const [list, index, ...rest] = pointer.split('/').slice(1);
    const n = Number(index);
    const name = this.#nameOf(list, n);
    if (list === 'accessors') return this.#listOwners().get(n) ?? { where: pointer };
    if (list === 'nodes') return { node: name };
    if (list === 'skins') return { skin: name };
    if (list === 'materials') return { material: name };
    if (list === 'images') return { image: name };
    if (list === 'animations') return { animation: name };
    if (list !== 'meshes') return { where: pointer };
    const [kind, part, field, ...own] = rest;
    if (kind !== 'primitives') return { mesh: name };
    const where = field === undefined ? undefined : [field, ...own].join('/');
    return { mesh: name, part: Number(part), ...(where === undefined ? {} : { where }) };
  }

  /** The mesh and its part, or the animation, that an accessor belongs to. */
  #listOwners(): Map<number, Place> {
    if (this.#owners) return this.#owners;
    const owners = new Map<number, Place>();
    this.#owners = owners;
    const add = (accessor: unknown, place: Place): void => {
      if (typeof accessor === 'number' && !owners.has(accessor)) owners.set(accessor, place);
    };
    this.#items('meshes').forEach((mesh, m) => {
      listOf(mesh.primitives).forEach((primitive, part) => {
        const place = { mesh: this.#nameOf('meshes', m), part };
        add(primitive.indices, { ...place, where: 'triangles' });
        for (const [semantic, accessor] of Object.entries(objectOf(primitive.attributes)))
          add(accessor, { ...place, where: semantic });
        for (const target of listOf(primitive.targets))
          for (const accessor of Object.values(target)) add(accessor, { ...place, where: 'morph targets' });
      });
    });
    this.#items('skins').forEach((skin, s) => {
      add(skin.inverseBindMatrices, { skin: this.#nameOf('skins', s) });
    });
    this.#items('animations').forEach((animation, a) => {
      for (const { input, output } of listOf(animation.samplers))
        for (const accessor of [input, output]) add(accessor, { animation: this.#nameOf('animations', a) });
    });
    return owners;
  }

  #items(list: string): Json[] {
    return listOf(this.#json[list]);
  }

  #nameOf(list: string, index: number): string {
    const { name } = this.#items(list)[index] ?? {};
    return typeof name === 'string' && name !== '' ? name : String(index);
  }
}

const objectOf = (value: unknown): Json => (typeof value === 'object' && value !== null ? (value as Json) : {});
const listOf = (value: unknown): Json[] => (Array.isArray(value) ? value.map(objectOf) : []);
