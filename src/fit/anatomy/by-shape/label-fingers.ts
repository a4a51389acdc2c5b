// SPDX-License-Identifier: MIT
// Fingers by shape: the thumb is the chain that begins nearest to the wrist, relative to its length, and points most away from the others; the others follow in the order of their distance from it.
import { type BodyPart, FINGERS } from '../anatomy.ts';
import type { BodyTree } from './body-tree.ts';
import { chainOfLimb } from './limb-chain.ts';

/** By number of chains, which fingers they are. One chain is all fingers of a mitten. */
const NAMED: Readonly<Record<number, readonly (typeof FINGERS)[number][]>> = {
  1: ['middle'],
  2: ['thumb', 'index'],
  3: ['thumb', 'index', 'middle'],
  4: ['thumb', 'index', 'middle', 'ring'],
  5: FINGERS,
};

export function labelFingers(
  tree: BodyTree,
  hand: number,
  put: (bone: number, part: BodyPart, order: number) => void,
): void {
  const chains = tree.children[hand].map((bone) => chainOfLimb(tree, bone));
  const names = NAMED[chains.length];
  if (!names) return;
  const sorted = chains.length > 1 ? sortFingers(tree, hand, chains) : chains;
  sorted.forEach((chain, n) => {
    chain.forEach((bone, order) => {
      put(bone, names[n], order);
    });
  });
}

function sortFingers({ joints, shape }: BodyTree, hand: number, chains: readonly number[][]): number[][] {
  const at = (points: ArrayLike<number>, bone: number): number[] => [0, 1, 2].map((c) => points[3 * bone + c]);
  const wrist = at(joints, hand);
  const bases = chains.map(([bone]) => minus(at(joints, bone), wrist));
  const ends = chains.map((chain) => minus(at(shape.centers, chain[chain.length - 1]), wrist));
  const mean = ends.reduce((sum, end) => sum.map((x, c) => x + end[c] / ends.length), [0, 0, 0]);
  // the thumb begins near the wrist, and points across the hand
  const along = mean.map((x) => x / (length(mean) || 1));
  const begins = bases.map((base) => dot(base, along));
  const score = chains.map((_, n) => {
    const way = minus(ends[n], bases[n]);
    return begins[n] / (Math.max(...begins) || 1) + dot(way, along) / (length(way) || 1);
  });
  const thumb = score.indexOf(Math.min(...score));
  const away = bases.map((base) => length(minus(base, bases[thumb])));
  return chains
    .map((chain, n) => ({ chain, away: n === thumb ? -1 : away[n] }))
    .sort((a, b) => a.away - b.away)
    .map(({ chain }) => chain);
}

const minus = (a: readonly number[], b: readonly number[]): number[] => a.map((x, c) => x - b[c]);
const dot = (a: readonly number[], b: readonly number[]): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const length = (a: readonly number[]): number => Math.sqrt(dot(a, a));
