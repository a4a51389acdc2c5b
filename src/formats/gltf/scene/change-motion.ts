// SPDX-License-Identifier: MIT
import type { GLTF } from '@gltf-transform/core';
import { IDENTITY, multiply } from '../../../core/math/mat4.ts';
import type { Asset, GltfSource } from '../../../core/model/asset.ts';
import type { Animation } from '../../../core/model/clip/animation.ts';
import { InputError } from '../../../core/model/errors.ts';
import type { Remark } from '../../../core/model/remark.ts';
import { jsonOf } from '../document/gltf-json.ts';
import { openGltfForReading } from '../document/open-gltf-document.ts';
import { floatsOf } from '../document/read-accessor.ts';
import { readGltfNodes } from '../read/read-gltf-nodes.ts';
import { readGltfSource } from '../read-gltf.ts';
import { SourcePatch } from '../repair/source-patch.ts';
import { listTreeOrder } from './list-tree-order.ts';

/** What moves in a glTF, after a change. */
export interface MotionChange {
  /** All animations, on the nodes of the asset. One of the asset's own is kept as the file has it. */
  animations: readonly Animation[];
  /** A new node at the origin, above nodes without a parent. Animations name it by the number of nodes. */
  root?: { name: string; above: readonly number[] };
}

/**
 * The asset with other animations. Everything else that its glTF holds stays as it is, with the same numbers. A new root is a joint of the skins whose joints are below it.
 * @param byteLength bytes of all files that were read
 */
export async function changeMotion(
  asset: Asset,
  { animations, root }: MotionChange,
  { byteLength = asset.byteLength, log }: { byteLength?: number; log?: Remark } = {},
): Promise<Asset> {
  const { source, properties, codecs, name } = asset;
  if (!source) throw new InputError(name, 'has no nodes that animations can move');
  const patch = new SourcePatch(source);
  const places = listTreeOrder(source);
  const inputs = new Map<Float32Array, number>();
  const stored = jsonOf(source).animations ?? [];
  if (root) await addRoot(patch, source, root, places);
  const placeOf = (node: number): number => (node === places.length ? places.length : places[node]);
  patch.setAnimations(
    animations.map((animation) => {
      const own = asset.animations.indexOf(animation);
      return (own >= 0 ? stored[own] : undefined) ?? makeAnimation(animation, patch, inputs, placeOf);
    }),
  );
  const read = await readGltfSource(patch.finish() ?? source, byteLength, { name, log });
  return { ...read, ...(properties ? { properties } : {}), ...(codecs ? { codecs } : {}) };
}

function makeAnimation(
  { name, tracks }: Animation,
  patch: SourcePatch,
  inputs: Map<Float32Array, number>,
  placeOf: (node: number) => number,
): GLTF.IAnimation {
  const samplers: GLTF.IAnimationSampler[] = [];
  const channels = tracks.map(({ node, path, interpolation, times, values }): GLTF.IAnimationChannel => {
    const input = inputs.get(times) ?? patch.add('SCALAR', times);
    inputs.set(times, input);
    const output = patch.add(path === 'rotation' ? 'VEC4' : path === 'weights' ? 'SCALAR' : 'VEC3', values);
    const sampler = samplers.push({ input, output, interpolation }) - 1;
    return { sampler, target: { node: placeOf(node), path } };
  });
  return { name, samplers, channels };
}

/** Puts a node above others, and adds it to their skins. */
async function addRoot(
  patch: SourcePatch,
  source: GltfSource,
  { name, above }: NonNullable<MotionChange['root']>,
  places: readonly number[],
): Promise<void> {
  const { nodes = [], scenes = [], skins = [] } = jsonOf(source);
  const children = above.map((node) => places[node]);
  const moved = new Set(children);
  const index = nodes.length;
  patch.setNodes(
    [...nodes, { name, children }],
    scenes.map((scene) => {
      const drawn = scene.nodes ?? [];
      const kept = drawn.filter((n) => !moved.has(n));
      return { ...scene, nodes: kept.length < drawn.length ? [...kept, index] : kept };
    }),
  );
  const document = await openGltfForReading(source);
  const tree = readGltfNodes(document);
  const topOf = (node: number): number => {
    let n = node;
    while (tree.tree.parents[n] >= 0) n = tree.tree.parents[n];
    return n;
  };
  const listed = document.getRoot().listSkins();
  patch.setSkins(
    skins.map((skin, s) => {
      const joints = listed[s].listJoints().map((node) => tree.treeOf(node));
      const first = joints.findIndex((joint) => above.includes(topOf(joint)));
      if (first < 0) return skin;
      const stored = listed[s].getInverseBindMatrices();
      const binds = new Float32Array(16 * (joints.length + 1));
      for (let j = 0; j < joints.length; j++) binds.set(IDENTITY, 16 * j);
      if (stored) binds.set(floatsOf(stored).subarray(0, 16 * joints.length));
      // the root keeps its place relative to the first joint: world(root) is the identity
      const own = new Float64Array(16);
      multiply(tree.worlds, binds, own, 16 * joints[first], 16 * first);
      binds.set(own, 16 * joints.length);
      const { skeleton: _, ...rest } = skin;
      return { ...rest, joints: [...skin.joints, index], inverseBindMatrices: patch.add('MAT4', binds) };
    }),
  );
}
