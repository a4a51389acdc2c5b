// SPDX-License-Identifier: MIT

import { compose, IDENTITY, invertAffine, isCloseMatrix, multiply, transformDirection } from '../../core/math/mat4.ts';
import { conjugateQuaternion, multiplyQuaternions } from '../../core/math/quaternion.ts';
import type { Asset } from '../../core/model/asset.ts';
import type { Track } from '../../core/model/clip/animation.ts';
import { InputError } from '../../core/model/errors.ts';
import type { NodeTree } from '../../core/model/skin/node-tree.ts';
import type { PosedAsset } from './pose-asset.ts';

/** Rest rotations of two nodes are the same if no number of them differs by more: files store them in single precision. */
const SAME_TURN = 1e-5;

/**
 * The drawn poses of an asset, played by another reading of its file, by a result of it or by a file of the same character: nodes are matched by their names, and joints turn about
 * the same axes in space where their own axes differ. Throws an InputError that names the first joint that is missing.
 * @param file what errors name
 */
export function carryPoses({ asset, drawn }: PosedAsset, other: Asset, file: string): Asset {
  if (!drawn) return other;
  const nodeOf = matchNodes(asset.nodes, other.nodes);
  const tracks = drawn.tracks.flatMap((track) => {
    const node = nodeOf(track.node);
    if (node >= 0) return carryTrack(track, asset.nodes, other, node);
    if (track.path === 'weights') return [];
    throw new InputError(file, `has no joint "${asset.nodes.names[track.node]}", which the poses turn`);
  });
  const before = other.animations.slice(0, asset.animations.length - 1);
  return { ...other, animations: [...before, { ...drawn, tracks }] };
}

/** Finds nodes of one tree in another: at the same place if all names are equal up to there, else the only node of that name. */
function matchNodes(from: NodeTree, to: NodeTree): (node: number) => number {
  const isSame = from.names.every((name, n) => to.names[n] === name);
  return (node) => {
    if (isSame) return node;
    const name = from.names[node];
    const first = to.names.indexOf(name);
    return first === to.names.lastIndexOf(name) ? first : -1;
  };
}

/** A track for a node of another asset; none for weights of other morph targets. */
function carryTrack(track: Track, from: NodeTree, { nodes, morphs }: Asset, node: number): Track[] {
  if (track.path === 'weights') {
    const own = morphs?.targets.filter((target) => target.node === node) ?? [];
    const count = own.reduce((sum, { weight }) => Math.max(sum, weight + 1), 0);
    return count > 0 && count === track.values.length / track.times.length ? [{ ...track, node }] : [];
  }
  const values =
    track.path === 'rotation' ? carryRotations(track, from, nodes, node) : carryTranslations(track, from, nodes, node);
  return [{ ...track, node, values }];
}

/** q = rest R becomes q' = rest' C R C⁻¹, where C leads from the axes of the one node to those of the other. */
function carryRotations({ values, node: own }: Track, from: NodeTree, to: NodeTree, node: number): Float32Array {
  const [rest, other] = [restOf(from, own), restOf(to, node)];
  const between = axesBetween(from, own, to, node);
  if (isSame(rest, other) && isSame(between, [0, 0, 0, 1])) return values;
  const [back, inverse] = [makeTurn(), makeTurn()];
  conjugateQuaternion(rest, back);
  conjugateQuaternion(between, inverse);
  const turn = makeTurn();
  const out = new Float32Array(values.length);
  for (let o = 0; o < values.length; o += 4) {
    multiplyQuaternions(back, values, turn, 0, o);
    multiplyQuaternions(between, turn, turn);
    multiplyQuaternions(turn, inverse, turn);
    multiplyQuaternions(other, turn, out, 0, 0, o);
  }
  return out;
}

/** Displacements from the rest place stay what they are in space: parents may have other axes and scales. */
function carryTranslations({ values, node: own }: Track, from: NodeTree, to: NodeTree, node: number): Float32Array {
  const [a, b] = [worldOf(from, from.parents[own]), worldOf(to, to.parents[node])];
  const between = Float64Array.from(IDENTITY);
  if (!isCloseMatrix(a, b, SAME_TURN) && invertAffine(b, between)) multiply(between, a, between);
  const moved = [0, 0, 0];
  const out = new Float32Array(values.length);
  for (let o = 0; o < values.length; o += 3) {
    for (let c = 0; c < 3; c++) moved[c] = values[o + c] - from.translations[3 * own + c];
    transformDirection(between, moved, out, 0, 0, o);
    for (let c = 0; c < 3; c++) out[o + c] += to.translations[3 * node + c];
  }
  return out;
}

/** World matrix of a node at rest; none above the roots. */
function worldOf(nodes: NodeTree, node: number): Float64Array {
  const world = Float64Array.from(IDENTITY);
  const local = new Float64Array(16);
  for (let n = node; n >= 0; n = nodes.parents[n]) {
    compose(nodes.translations, nodes.rotations, nodes.scales, local, 3 * n, 4 * n, 3 * n);
    multiply(local, world, world);
  }
  return world;
}

const makeTurn = (): Float64Array => Float64Array.of(0, 0, 0, 1);
const restOf = ({ rotations }: NodeTree, node: number): Float64Array => rotations.slice(4 * node, 4 * node + 4);

/** The rotation from the axes of a node to those of a node of another tree, both at rest. */
function axesBetween(from: NodeTree, own: number, to: NodeTree, node: number): Float64Array {
  const [a, b] = [worldTurnOf(from, own), worldTurnOf(to, node)];
  conjugateQuaternion(b, b);
  multiplyQuaternions(b, a, b);
  return b;
}

/** Rotation of a node in space at rest. */
function worldTurnOf(nodes: NodeTree, node: number): Float64Array {
  const turn = makeTurn();
  for (let n = node; n >= 0; n = nodes.parents[n]) multiplyQuaternions(nodes.rotations, turn, turn, 4 * n);
  return turn;
}

/** Whether two rotations are the same; q and -q are. */
function isSame(a: ArrayLike<number>, b: ArrayLike<number>): boolean {
  const sign = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] < 0 ? -1 : 1;
  return [0, 1, 2, 3].every((c) => Math.abs(a[c] - sign * b[c]) <= SAME_TURN);
}
