// SPDX-License-Identifier: MIT
import type { GLTF } from '@gltf-transform/core';
import { fail } from '../../../deformers/layout/index.ts';
import type { GltfRepairs } from './gltf-repairs.ts';

/**
 * Nodes without content that are read. One takes three bytes in a file and two kilobytes in memory; files of programs have few of them, since a node is there for what
 * it draws, moves or is called.
 */
const MAX_BARE = 10_000;

/**
 * Removes nodes that have neither a name nor children nor content and that nothing moves, if there are very many. Others get new numbers. Changed in place. Throws if
 * the file has extensions, which may name nodes by their numbers.
 */
export function dropBareNodes(json: GLTF.IGLTF, repairs: GltfRepairs): void {
  const { nodes = [], scenes = [], skins = [], animations = [] } = json;
  if (nodes.length <= MAX_BARE) return;
  const named = new Uint8Array(nodes.length);
  for (const { joints, skeleton } of skins) for (const node of [...joints, skeleton ?? joints[0]]) named[node] = 1;
  for (const { channels } of animations)
    for (const { target } of channels) if (target.node !== undefined) named[target.node] = 1;
  const isBare = (node: GLTF.INode, n: number): boolean => named[n] === 0 && !hasContent(node);
  const count = nodes.reduce((sum, node, n) => sum + (isBare(node, n) ? 1 : 0), 0);
  if (count <= MAX_BARE) return;
  const first = nodes.findIndex(isBare);
  if (json.extensions || nodes.some(({ extensions }) => extensions) || animations.some(hasExtensions))
    fail(
      'limit',
      `the file has ${count} nodes without a name or content, from nodes[${first}] on; at most ${MAX_BARE} are read`,
    );
  repairs.add('node', `nodes[${first}]`, count);
  const placeOf = new Int32Array(nodes.length).fill(-1);
  const kept = nodes.filter((node, n) => !isBare(node, n));
  let place = 0;
  nodes.forEach((node, n) => {
    if (!isBare(node, n)) placeOf[n] = place++;
  });
  const move = (list: readonly number[]): number[] => list.map((n) => placeOf[n]).filter((n) => n >= 0);
  for (const node of kept) if (node.children) node.children = move(node.children);
  for (const scene of scenes) if (scene.nodes) scene.nodes = move(scene.nodes);
  for (const skin of skins) {
    skin.joints = move(skin.joints);
    if (skin.skeleton !== undefined) skin.skeleton = placeOf[skin.skeleton];
  }
  for (const { channels } of animations)
    for (const { target } of channels) if (target.node !== undefined) target.node = placeOf[target.node];
  json.nodes = kept;
}

function hasContent({ name, children, mesh, skin, camera, extensions, extras }: GLTF.INode): boolean {
  const parts = [mesh, skin, camera, extensions, extras];
  return Boolean(name) || (children !== undefined && children.length > 0) || parts.some((part) => part !== undefined);
}

/** Whether channels name what they move by a pointer. */
function hasExtensions({ channels }: GLTF.IAnimation): boolean {
  return channels.some(({ target }) => target.extensions !== undefined);
}
