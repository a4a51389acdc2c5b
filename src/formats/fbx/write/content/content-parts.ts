// SPDX-License-Identifier: MIT
import type { Asset } from '../../../../core/model/asset.ts';
import type { Track } from '../../../../core/model/clip/animation.ts';
import type { Mesh, MeshPart } from '../../../../core/model/mesh/mesh.ts';
import type { NodeTree } from '../../../../core/model/skin/node-tree.ts';
import { sliceSkin } from '../../../../core/model/skin/skin.ts';
import type { SurfaceMaterial } from '../../../../core/model/surface-look.ts';
import { listSurfaces, type Scene, type SceneShape, type SceneSkin, type SceneTarget } from '../../../gltf/index.ts';

/** A node while the tree grows. */
export interface ContentNode {
  name: string;
  parent: number;
  translation?: ArrayLike<number>;
  rotation?: ArrayLike<number>;
  scale?: ArrayLike<number>;
}

/** A blend shape of the whole mesh. */
export interface ContentTarget {
  name: string;
  /** First vertex that it moves. */
  vertexStart: number;
  /** count x 3 displacements of that vertex and those after it */
  positions: Float32Array;
}

/** A shape, and which of the targets of the whole mesh it has. */
export interface ContentShape {
  shape: SceneShape;
  targets: number[];
}

/** What the shapes of a model are made of. */
export interface ContentMesh {
  mesh: Mesh;
  targets: readonly ContentTarget[];
  /** Index of a material by its name; -1 for none. */
  materialOf(name: string): number;
  skin?: SceneSkin;
}

/** A material known by name only. */
const PLAIN_MATERIAL: Omit<SurfaceMaterial, 'name'> = {
  color: [0.6, 0.6, 0.6, 1],
  metallic: 0,
  roughness: 0.8,
  emissive: [0, 0, 0],
  alpha: 'opaque',
  cutoff: 0.5,
  isDoubleSided: false,
  isUnlit: false,
  normalScale: 1,
  occlusionStrength: 1,
};

/** The tree of some nodes, parents first. */
export function makeContentNodes(nodes: readonly ContentNode[]): NodeTree {
  const join = (size: number, listOf: (node: ContentNode) => ArrayLike<number>): Float64Array => {
    const out = new Float64Array(size * nodes.length);
    nodes.forEach((node, n) => {
      out.set(listOf(node), size * n);
    });
    return out;
  };
  return {
    names: nodes.map(({ name }) => name),
    parents: Int32Array.from(nodes, ({ parent }) => parent),
    translations: join(3, ({ translation = [0, 0, 0] }) => translation),
    rotations: join(4, ({ rotation = [0, 0, 0, 1] }) => rotation),
    scales: join(3, ({ scale = [1, 1, 1] }) => scale),
  };
}

/** The materials that the parts of a mesh name: those of the source where it has them. */
export function readContentLook(asset: Asset, mesh: Mesh): { look: Scene['look']; materialOf(name: string): number } {
  const stored = listSurfaces({ source: asset.source, mesh });
  const names = [...new Set(mesh.parts.map(({ material }) => material))].filter((name) => name !== '');
  const materials = names.map(
    (name): SurfaceMaterial =>
      stored?.materials.find((material) => material.name === name) ?? { ...PLAIN_MATERIAL, name },
  );
  return { look: { materials, images: stored?.images ?? [] }, materialOf: (name) => names.indexOf(name) };
}

/** Makes a shape of each run of parts that came from one object of the source, and a node for each. */
export function makeContentShapes(content: ContentMesh, nodes: ContentNode[]): ContentShape[] {
  const { mesh, targets } = content;
  const groups = groupParts(mesh);
  const still = new Set(targets.keys());
  const shapes = groups.map(({ name, parts }) => {
    const node = nodes.push({ name, parent: -1 }) - 1;
    const made = makeShape(content, name, parts, node);
    for (const t of made.targets) still.delete(t);
    return made;
  });
  // what moves nothing is kept by the first
  const [first] = shapes;
  for (const t of still) {
    const positions = new Float32Array(first.shape.mesh.positions.length);
    first.targets.push(t);
    first.shape.targets = [...first.shape.targets, { name: targets[t].name, positions, weight: 0 }];
  }
  return shapes;
}

/** Parts that follow one another and are named alike, up to a number at the end, are one object. */
function groupParts(mesh: Mesh): { name: string; parts: MeshPart[] }[] {
  const groups: { name: string; parts: MeshPart[] }[] = [];
  for (const part of mesh.parts) {
    const name = part.name.replace(/ \d+$/, '') || mesh.name || 'mesh';
    const last = groups[groups.length - 1];
    if (last?.name === name) last.parts.push(part);
    else groups.push({ name, parts: [part] });
  }
  return groups;
}

function makeShape(content: ContentMesh, name: string, parts: readonly MeshPart[], node: number): ContentShape {
  const { mesh, materialOf, skin } = content;
  const last = parts[parts.length - 1];
  const [{ vertexStart, triangleStart }] = parts;
  const vertexCount = last.vertexStart + last.vertexCount - vertexStart;
  const triangleEnd = last.triangleStart + last.triangleCount;
  const rows = (values: Float32Array, size: number): Float32Array =>
    values.slice(size * vertexStart, size * (vertexStart + vertexCount));
  const own: Mesh = {
    name,
    positions: rows(mesh.positions, 3),
    triangles: mesh.triangles.slice(3 * triangleStart, 3 * triangleEnd).map((i) => i - vertexStart),
    ...(mesh.normals ? { normals: rows(mesh.normals, 3) } : {}),
    attributes: mesh.attributes.map((one) => ({ ...one, values: rows(one.values, one.size) })),
    parts: parts.map((part) => ({
      ...part,
      vertexStart: part.vertexStart - vertexStart,
      triangleStart: part.triangleStart - triangleStart,
    })),
  };
  const targets: number[] = [];
  const listed = content.targets.flatMap((target, t): SceneTarget[] => {
    const positions = cut(target, vertexStart, vertexCount);
    if (!positions) return [];
    targets.push(t);
    return [{ name: target.name, positions, weight: 0 }];
  });
  return {
    shape: {
      node,
      mesh: own,
      materialOfPart: parts.map(({ material }) => materialOf(material)),
      ...(skin ? { skin: { ...skin, weights: sliceSkin(skin.weights, vertexStart, vertexCount) } } : {}),
      targets: listed,
    },
    targets,
  };
}

/** The displacements of a run of vertices; undefined where the target moves none of them. */
function cut(target: ContentTarget, vertexStart: number, vertexCount: number): Float32Array | undefined {
  const from = Math.max(vertexStart, target.vertexStart);
  const to = Math.min(vertexStart + vertexCount, target.vertexStart + target.positions.length / 3);
  if (to <= from) return undefined;
  const moved = target.positions.subarray(3 * (from - target.vertexStart), 3 * (to - target.vertexStart));
  if (moved.every((x) => x === 0)) return undefined;
  const out = new Float32Array(3 * vertexCount);
  out.set(moved, 3 * (from - vertexStart));
  return out;
}

/**
 * Tracks of the weights of shapes.
 * @param weights frameCount x count, of all targets
 */
export function listWeightTracks(
  shapes: readonly ContentShape[],
  times: Float32Array,
  weights: Float32Array,
  count: number,
): Track[] {
  return shapes.flatMap(({ shape, targets }): Track[] => {
    if (targets.length === 0) return [];
    const values = new Float32Array(times.length * targets.length);
    for (let k = 0; k < times.length; k++)
      targets.forEach((t, at) => {
        values[k * targets.length + at] = weights[k * count + t];
      });
    return [{ node: shape.node, path: 'weights', interpolation: 'LINEAR', times, values }];
  });
}
