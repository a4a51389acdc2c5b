// SPDX-License-Identifier: MIT
// Where the parts of a document are, once it is written: indices of the file that was read, and those of the file that was made of it.
import type { Document, GLTF, Material, Mesh, Node, PrimitiveTarget, Texture } from '@gltf-transform/core';
import type { NewPlaces } from '../../vrm/index.ts';

/** The parts of a document in the order of its JSON. */
interface Parts {
  nodes: Node[];
  meshes: Mesh[];
  materials: Material[];
  images: Texture[];
}

/** Morph targets of a mesh, and their names, where it has any. */
interface Targets {
  list: PrimitiveTarget[];
  names: readonly unknown[];
}

function partsOf(document: Document): Parts {
  const root = document.getRoot();
  return {
    nodes: root.listNodes(),
    meshes: root.listMeshes(),
    materials: root.listMaterials(),
    images: root.listTextures(),
  };
}

function targetsOf(mesh: Mesh | null | undefined): Targets {
  const { targetNames } = (mesh?.getExtras() ?? {}) as { targetNames?: unknown };
  return {
    list: mesh?.listPrimitives()[0]?.listTargets() ?? [],
    names: Array.isArray(targetNames) ? targetNames : [],
  };
}

/** Remembers the parts of a document that was just opened. */
export class GltfTracker {
  readonly #old: Parts;
  readonly #nodeNames: readonly string[];
  readonly #targets: readonly Targets[];
  /** By mesh: a node that draws it. */
  readonly #drawnBy: readonly (Node | undefined)[];

  constructor(document: Document) {
    this.#old = partsOf(document);
    const { nodes, meshes } = this.#old;
    this.#nodeNames = nodes.map((node) => node.getName());
    this.#targets = meshes.map(targetsOf);
    this.#drawnBy = meshes.map((mesh) => nodes.find((node) => node.getMesh() === mesh));
    this.meshOfNode = nodes.map((node) => {
      const mesh = node.getMesh();
      return mesh ? meshes.indexOf(mesh) : -1;
    });
  }

  /** By node: the mesh that it drew, or -1. */
  readonly meshOfNode: readonly number[];

  /**
   * Finds the parts in the document as it was written. A node that was made anew counts as the old one of its name, if no other has it, and a mesh as the one that
   * its node draws now.
   * @param json what was written; textures that it needs are added
   */
  locate(document: Document, before: GLTF.IGLTF, json: GLTF.IGLTF): NewPlaces {
    const old = this.#old;
    const made = partsOf(document);
    const byName = uniqueNames(made.nodes.map((node) => node.getName()));
    const oldByName = uniqueNames(this.#nodeNames);
    const nodes = placesOf(old.nodes, made.nodes).map((place, n) => {
      const name = this.#nodeNames[n];
      return place >= 0 || oldByName.get(name) !== n ? place : (byName.get(name) ?? -1);
    });
    const nodeOf = new Map(old.nodes.map((node, n) => [node, nodes[n]]));
    const meshes = placesOf(old.meshes, made.meshes).map((place, m) => {
      const node = this.#drawnBy[m];
      const drawn = node && made.nodes[nodeOf.get(node) ?? -1]?.getMesh();
      return place >= 0 || !drawn ? place : made.meshes.indexOf(drawn);
    });
    const materials = placesOf(old.materials, made.materials);
    const images = placesOf(old.images, made.images);
    const at = (places: readonly number[]) => (index: number) => (places[index] >= 0 ? places[index] : undefined);
    const targetOfMesh = (mesh: number, target: number): number | undefined =>
      findTarget(this.#targets[mesh], target, targetsOf(made.meshes[meshes[mesh]]));
    return {
      node: at(nodes),
      mesh: at(meshes),
      material: at(materials),
      image: at(images),
      texture: (index) => findTexture(before, json, index, at(images)),
      targetOfMesh,
      targetOfNode: (node, target) =>
        findTarget(this.#targets[this.meshOfNode[node]], target, targetsOf(made.nodes[nodes[node]]?.getMesh())),
      oldMaterials: made.materials.map((material) => old.materials.indexOf(material)),
    };
  }
}

/** By old part: its new index, or -1. */
function placesOf<T>(old: readonly T[], made: readonly T[]): number[] {
  const places = new Map(made.map((part, n) => [part, n]));
  return old.map((part) => places.get(part) ?? -1);
}

/** Names that only one has, with its index. */
function uniqueNames(names: readonly string[]): Map<string, number> {
  const found = new Map<string, number>();
  const twice = new Set<string>();
  names.forEach((name, n) => {
    if (name === '' || found.has(name)) twice.add(name);
    found.set(name, n);
  });
  for (const name of twice) found.delete(name);
  return found;
}

function findTarget(old: Targets | undefined, index: number, made: Targets): number | undefined {
  const target = old?.list[index];
  if (!old || !target) return undefined;
  const same = made.list.indexOf(target);
  if (same >= 0) return same;
  const name = old.names[index];
  const named = typeof name === 'string' ? made.names.indexOf(name) : -1;
  if (named >= 0) return named;
  return made.names.length === 0 && made.list.length === old.list.length ? index : undefined;
}

/** The texture of the new file with the image and the sampler of an old one. It is added if no material uses it. */
function findTexture(
  before: GLTF.IGLTF,
  json: GLTF.IGLTF,
  index: number,
  image: (index: number) => number | undefined,
): number | undefined {
  const old = before.textures?.[index];
  if (!old) return undefined;
  const texture: GLTF.ITexture = {};
  if (old.source !== undefined) {
    texture.source = image(old.source);
    if (texture.source === undefined) return undefined;
  }
  for (const [name, extension] of Object.entries(old.extensions ?? {})) {
    const { source } = (extension ?? {}) as { source?: number };
    const place = source === undefined ? undefined : image(source);
    if (place !== undefined) texture.extensions = { ...texture.extensions, [name]: { source: place } };
  }
  if (texture.source === undefined && !texture.extensions) return undefined;
  const sampler = old.sampler === undefined ? undefined : before.samplers?.[old.sampler];
  const { wrapS, wrapT, magFilter, minFilter } = sampler ?? {};
  const wanted = JSON.stringify([
    texture.source,
    texture.extensions,
    wrapS ?? 10497,
    wrapT ?? 10497,
    magFilter,
    minFilter,
  ]);
  const list = json.textures ?? [];
  json.textures = list;
  const known = list.findIndex(({ source, extensions, sampler: own }) => {
    const {
      wrapS = 10497,
      wrapT = 10497,
      magFilter,
      minFilter,
    } = (own === undefined ? undefined : json.samplers?.[own]) ?? {};
    return JSON.stringify([source, extensions, wrapS, wrapT, magFilter, minFilter]) === wanted;
  });
  if (known >= 0) return known;
  if (sampler) {
    json.samplers = [...(json.samplers ?? []), sampler];
    texture.sampler = json.samplers.length - 1;
  }
  return list.push(texture) - 1;
}
