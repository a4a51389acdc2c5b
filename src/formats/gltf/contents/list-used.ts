// SPDX-License-Identifier: MIT
import type { GLTF } from '@gltf-transform/core';

/** What the scene of a glTF uses. */
export interface Used {
  nodes: GLTF.INode[];
  /** By node that draws. */
  meshes: { mesh: GLTF.IMesh; node: GLTF.INode }[];
  primitives: GLTF.IMeshPrimitive[];
  materials: GLTF.IMaterial[];
  images: GLTF.IImage[];
  skins: GLTF.ISkin[];
}

/** Lists what the default scene reaches. Other scenes, and materials that nothing is drawn with, are not played either. */
export function listUsed(json: GLTF.IGLTF): Used {
  const { nodes: all = [], meshes = [], materials = [], skins = [], scenes = [] } = json;
  const reached = reachNodes(all, scenes[json.scene ?? 0]?.nodes ?? [...all.keys()]);
  const nodes = pick(all, reached);
  const drawn = nodes.flatMap((node) => pick(meshes, [node.mesh]).map((mesh) => ({ mesh, node })));
  const primitives = drawn.flatMap(({ mesh }) => mesh.primitives);
  const used = pick(materials, new Set(primitives.map(({ material }) => material)));
  return {
    nodes,
    meshes: drawn,
    primitives,
    materials: used,
    images: listImages(json, used),
    skins: pick(skins, new Set(nodes.map(({ skin }) => skin))),
  };
}

/** Items at some indices; those that do not exist are left out. */
function pick<T>(list: readonly T[], indices: Iterable<number | undefined>): T[] {
  return [...indices].flatMap((index) => (index !== undefined && list[index] !== undefined ? [list[index]] : []));
}

function reachNodes(nodes: readonly GLTF.INode[], roots: readonly number[]): Set<number> {
  const reached = new Set<number>();
  const waiting = [...roots].reverse();
  for (let index = waiting.pop(); index !== undefined; index = waiting.pop()) {
    if (reached.has(index)) continue;
    reached.add(index);
    for (const child of [...(nodes[index]?.children ?? [])].reverse()) waiting.push(child);
  }
  return reached;
}

/** Images of the textures of materials, wherever in the material a texture is. */
function listImages({ textures = [], images = [] }: GLTF.IGLTF, materials: readonly GLTF.IMaterial[]): GLTF.IImage[] {
  const used = new Set<number>();
  const visit = (value: unknown, key: string): void => {
    if (typeof value !== 'object' || value === null) return;
    const { index } = value as { index?: unknown };
    if (/texture$/i.test(key) && typeof index === 'number') used.add(index);
    for (const [name, inner] of Object.entries(value)) if (name !== 'extras') visit(inner, name);
  };
  for (const material of materials) visit(material, '');
  const sources = pick(textures, used).flatMap(({ source, extensions = {} }) => {
    const others = Object.values(extensions).map((extension) => (extension as { source?: unknown }).source);
    return [source, ...others].filter((index) => typeof index === 'number');
  });
  return pick(images, new Set(sources));
}
