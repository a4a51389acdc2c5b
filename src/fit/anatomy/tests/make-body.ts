// SPDX-License-Identifier: MIT
// Skeletons without a skin, for tests: joints by name, parent and place.
import type { NodeTree } from '../../../core/model/skin/node-tree.ts';

export type JointRow = readonly [name: string, parent: string, x: number, y: number, z: number];

/** A tree of nodes from places in model space. Rows ending in `*` have a side: the place is the left one, and a right one is added. */
export function makeNodes(rows: readonly JointRow[], turn = 0): NodeTree {
  const [sin, cos] = [Math.sin(turn), Math.cos(turn)];
  const all = rows.flatMap(([name, parent, x, y, z]) => {
    if (!name.endsWith('*')) return [{ name, parent, at: [x, y, z] }];
    const sided = (side: string, sign: number) => ({
      name: name.replace('*', side),
      parent: parent.replace('*', side),
      at: [sign * x, y, z],
    });
    return [sided('L', 1), sided('R', -1)];
  });
  const names = all.map(({ name }) => name);
  const places = all.map(({ at: [x, y, z] }) => [cos * x + sin * z, y, cos * z - sin * x]);
  const parents = Int32Array.from(all, ({ parent }) => names.indexOf(parent));
  return {
    names,
    parents,
    translations: Float64Array.from(
      places.flatMap((at, j) => at.map((x, c) => x - (parents[j] < 0 ? 0 : places[parents[j]][c]))),
    ),
    rotations: Float64Array.from(names.flatMap(() => [0, 0, 0, 1])),
    scales: new Float64Array(3 * names.length).fill(1),
  };
}

/** A human in a T-pose that faces +z, with names of no meaning. */
export const HUMAN: readonly JointRow[] = [
  ...([
    ['p', '', 0, 1, 0],
    ['q', 'p', 0, 1.15, 0],
    ['r', 'q', 0, 1.3, 0],
    ['n', 'r', 0, 1.5, 0],
    ['h', 'n', 0, 1.6, 0],
    ['t', 'h', 0, 1.85, 0.05],
  ] as const),
  ...([
    ['a*', 'r', 0.05, 1.45, 0],
    ['b*', 'a*', 0.18, 1.45, 0],
    ['c*', 'b*', 0.45, 1.45, -0.01],
    ['d*', 'c*', 0.7, 1.45, 0],
    ['e1*', 'd*', 0.73, 1.44, 0.03],
    ['e2*', 'e1*', 0.76, 1.43, 0.06],
    ['f1*', 'd*', 0.79, 1.45, 0.02],
    ['f2*', 'f1*', 0.87, 1.45, 0.02],
    ['g1*', 'd*', 0.79, 1.45, 0],
    ['g2*', 'g1*', 0.88, 1.45, 0],
  ] as const),
  ...([
    ['k*', 'p', 0.1, 0.95, 0],
    ['l*', 'k*', 0.1, 0.5, 0.01],
    ['m*', 'l*', 0.1, 0.08, 0],
    ['o*', 'm*', 0.1, 0.02, 0.12],
    ['u*', 'o*', 0.1, 0, 0.2],
  ] as const),
];

/** A horse that faces +z. */
export const HORSE: readonly JointRow[] = [
  ['p', '', 0, 1.2, -0.6],
  ['q', 'p', 0, 1.25, -0.1],
  ['r', 'q', 0, 1.25, 0.4],
  ['n1', 'r', 0, 1.35, 0.6],
  ['n2', 'n1', 0, 1.6, 0.8],
  ['h', 'n2', 0, 1.8, 0.9],
  ['t', 'h', 0, 1.6, 1.3],
  ['w1', 'p', 0, 1.15, -0.8],
  ['w2', 'w1', 0, 0.9, -0.9],
  ['w3', 'w2', 0, 0.7, -0.92],
  ['f1*', 'r', 0.15, 1.1, 0.45],
  ['f2*', 'f1*', 0.15, 0.7, 0.4],
  ['f3*', 'f2*', 0.15, 0.3, 0.42],
  ['f4*', 'f3*', 0.15, 0, 0.45],
  ['k1*', 'p', 0.15, 1.1, -0.6],
  ['k2*', 'k1*', 0.15, 0.65, -0.5],
  ['k3*', 'k2*', 0.15, 0.3, -0.7],
  ['k4*', 'k3*', 0.15, 0, -0.65],
];
