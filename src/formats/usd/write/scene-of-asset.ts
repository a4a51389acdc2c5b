// SPDX-License-Identifier: MIT
// An asset without its glTF as a scene: a shape per group of morph targets, or one for all, in model space.
import { IDENTITY, invertAffine } from '../../../core/math/mat4.ts';
import type { Asset } from '../../../core/model/asset.ts';
import type { Mesh } from '../../../core/model/mesh/mesh.ts';
import type { NodeTree } from '../../../core/model/skin/node-tree.ts';
import { sliceSkin } from '../../../core/model/skin/skin.ts';
import type { SurfaceMaterial } from '../../../core/model/surface-look.ts';
import type { Scene, SceneShape, SceneSkin, SceneTarget } from '../../gltf/index.ts';

/** A run of vertices whose morph targets follow one node, -1 for none. */
interface Run {
  vertexStart: number;
  vertexEnd: number;
  node: number;
}

const PLAIN: Omit<SurfaceMaterial, 'name'> = {
  ...{ color: [0.8, 0.8, 0.8, 1], metallic: 0, roughness: 0.8, emissive: [0, 0, 0], alpha: 'opaque', cutoff: 0.5 },
  ...{ isDoubleSided: true, isUnlit: false, normalScale: 1, occlusionStrength: 1 },
};

/** Makes a scene of an asset. Its materials have names only. */
export function sceneOfAsset(asset: Asset): Scene {
  const { nodes, mesh, animations } = asset;
  const names = [...new Set(mesh.parts.map(({ material }) => material).filter((name) => name !== ''))];
  const runs = listRuns(asset);
  const nodeCount = nodes.names.length;
  const shapes = runs.map((run, r) => makeShape(asset, run, nodeCount + r, names));
  // the weights of a shape are those of the node that draws it now
  const drawnBy = new Map(runs.flatMap(({ node }, r) => (node < 0 ? [] : [[node, nodeCount + r] as const])));
  return {
    nodes: addNodes(
      nodes,
      shapes.map(({ mesh: { name } }) => name),
    ),
    shapes,
    animations: animations.map(({ motion: _, ...animation }) => ({
      ...animation,
      tracks: animation.tracks.flatMap((track) => {
        if (track.path !== 'weights') return [track];
        const node = drawnBy.get(track.node);
        return node === undefined ? [] : [{ ...track, node }];
      }),
    })),
    look: { materials: names.map((name) => ({ ...PLAIN, name })), images: [] },
  };
}

/** Runs of parts, in order. */
function listRuns({ mesh, morphs }: Asset): Run[] {
  const runs: Run[] = [];
  for (const { vertexStart, vertexCount } of mesh.parts) {
    const target = morphs?.targets.find(
      (one) => one.vertexStart <= vertexStart && one.vertexStart + one.vertexCount >= vertexStart + vertexCount,
    );
    const node = target?.node ?? -1;
    const last = runs.at(-1);
    if (last && last.node === node) last.vertexEnd = vertexStart + vertexCount;
    else runs.push({ vertexStart, vertexEnd: vertexStart + vertexCount, node });
  }
  return runs;
}

function makeShape(asset: Asset, run: Run, node: number, materials: readonly string[]): SceneShape {
  const { rig } = asset;
  const mesh = cutMesh(asset.mesh, run);
  const shape: SceneShape = {
    ...{ node, mesh, targets: listTargets(asset, run) },
    materialOfPart: mesh.parts.map(({ material }) => materials.indexOf(material)),
  };
  if (!rig) return shape;
  const { bindMatrices } = rig.skeleton;
  const inverseBinds = new Float64Array(bindMatrices.length);
  for (let o = 0; o < inverseBinds.length; o += 16)
    if (!invertAffine(bindMatrices, inverseBinds, o, o)) inverseBinds.set(IDENTITY, o);
  const weights = sliceSkin(rig.skin, run.vertexStart, run.vertexEnd - run.vertexStart);
  const skin: SceneSkin = { joints: [...rig.nodeOfBone], inverseBinds, weights };
  return { ...shape, skin };
}

function cutMesh(mesh: Mesh, { vertexStart, vertexEnd }: Run): Mesh {
  const parts = mesh.parts.filter(
    (part) => part.vertexStart >= vertexStart && part.vertexStart < Math.max(vertexEnd, vertexStart + 1),
  );
  const first = parts[0]?.triangleStart ?? 0;
  const last = parts.reduce((end, part) => Math.max(end, part.triangleStart + part.triangleCount), first);
  const cut = (values: Float32Array, size: number): Float32Array =>
    values.subarray(size * vertexStart, size * vertexEnd);
  return {
    name: parts.length === 1 ? parts[0].name || mesh.name : mesh.name,
    positions: cut(mesh.positions, 3),
    triangles: mesh.triangles.subarray(3 * first, 3 * last).map((vertex) => vertex - vertexStart),
    ...(mesh.normals ? { normals: cut(mesh.normals, 3) } : {}),
    attributes: mesh.attributes.map(({ name, size, values }) => ({ name, size, values: cut(values, size) })),
    parts: parts.map((part) => ({
      ...part,
      vertexStart: part.vertexStart - vertexStart,
      triangleStart: part.triangleStart - first,
    })),
  };
}

/** Morph targets by weight; a target of several parts is listed once per part. */
function listTargets({ morphs }: Asset, { vertexStart, vertexEnd, node }: Run): SceneTarget[] {
  const own = (morphs?.targets ?? []).filter(
    (target) => target.node === node && target.vertexStart >= vertexStart && target.vertexStart < vertexEnd,
  );
  const rest = morphs?.restWeights.find((one) => one.node === node)?.weights;
  const count = own.reduce((most, { weight }) => Math.max(most, weight + 1), 0);
  return Array.from({ length: count }, (_, weight) => {
    const pieces = own.filter((target) => target.weight === weight);
    const join = (valuesOf: (target: (typeof pieces)[number]) => Float32Array | undefined): Float32Array => {
      const out = new Float32Array(3 * (vertexEnd - vertexStart));
      for (const piece of pieces) {
        const values = valuesOf(piece);
        if (values) out.set(values, 3 * (piece.vertexStart - vertexStart));
      }
      return out;
    };
    return {
      ...{ name: pieces[0]?.name || `shape_${weight}`, weight: rest?.[weight] ?? 0 },
      positions: join(({ positions }) => positions),
      ...(pieces.some(({ normals }) => normals) ? { normals: join(({ normals }) => normals) } : {}),
    };
  });
}

/** Roots after the nodes that are there. */
function addNodes(nodes: NodeTree, names: readonly string[]): NodeTree {
  const ones = (values: Float64Array, more: readonly number[]): Float64Array =>
    Float64Array.from([...values, ...names.flatMap(() => more)]);
  return {
    names: [...nodes.names, ...names],
    parents: Int32Array.from([...nodes.parents, ...names.map(() => -1)]),
    translations: ones(nodes.translations, [0, 0, 0]),
    rotations: ones(nodes.rotations, [0, 0, 0, 1]),
    scales: ones(nodes.scales, [1, 1, 1]),
  };
}
