// SPDX-License-Identifier: MIT
// Names of bones with side and order. A skeleton consists of chains, which end where they branch. If the shape is symmetric, the
// chains of a left and a right limb have the same number and the suffixes .L and .R (L is the positive side of the axis: a glTF character that faces +z has its left there), and
// chains in the middle are named "mid". For example, `limb2_1.L` is the first bone of the second limb on the left, and `limb2_1.R` its mirror image. Without symmetry
// all chains are named "chain". The first bone is `root`.
import type { SymmetryPlane } from '../symmetry/find-symmetry.ts';

/** Relative to the size: maximum distance of a middle chain from the plane, and maximum distance between a chain and the mirror image of its counterpart. Chosen by hand. */
const MIDDLE = 0.03;
const PAIR = 0.1;

interface Chain {
  bones: number[];
  /** Mean position of its bones. */
  center: [number, number, number];
  side: '' | '.L' | '.R';
}

/**
 * Unique names of all bones.
 * @param parents boneCount, parents before children, chains contiguous
 * @param places boneCount x 3: the center of each bone's vertices, file units
 */
export function nameBones(
  parents: Int32Array,
  places: Float64Array,
  plane: SymmetryPlane | undefined,
  size: number,
): string[] {
  const chains = listChains(parents, places, plane, size);
  const names: string[] = Array.from(parents, () => '');
  const rootCount = parents.reduce((sum, p) => sum + Number(p < 0), 0);
  let [pairs, middles, others, roots] = [0, 0, 0, 0];
  const isNamed = new Set<Chain>();
  for (const chain of chains) {
    if (isNamed.has(chain)) continue;
    isNamed.add(chain);
    if (parents[chain.bones[0]] < 0) {
      const root = rootCount > 1 ? `root${++roots}` : 'root';
      put(names, chain, (n) => (n === 0 ? root : `${root}_${n}`), '');
      continue;
    }
    if (!plane) {
      const number = ++others;
      put(names, chain, (n) => `chain${number}_${n + 1}`, '');
      continue;
    }
    if (chain.side === '') {
      const number = ++middles;
      put(names, chain, (n) => `mid${number}_${n + 1}`, '');
      continue;
    }
    const number = ++pairs;
    put(names, chain, (n) => `limb${number}_${n + 1}`, chain.side);
    const mirror = findMirror(chain, chains, isNamed, plane, size);
    if (!mirror) continue;
    isNamed.add(mirror);
    put(names, mirror, (n) => `limb${number}_${n + 1}`, mirror.side);
  }
  return names;
}

function put(names: string[], { bones }: Chain, nameAt: (n: number) => string, side: string): void {
  bones.forEach((bone, n) => {
    names[bone] = nameAt(n) + side;
  });
}

function listChains(
  parents: Int32Array,
  places: Float64Array,
  plane: SymmetryPlane | undefined,
  size: number,
): Chain[] {
  const children = Array.from(parents, () => 0);
  for (const p of parents) if (p >= 0) children[p]++;
  const chainOf: Chain[] = [];
  const chains: Chain[] = [];
  parents.forEach((p, j) => {
    if (p >= 0 && children[p] === 1) {
      chainOf[p].bones.push(j);
      chainOf[j] = chainOf[p];
    } else {
      const chain: Chain = { bones: [j], center: [0, 0, 0], side: '' };
      chains.push(chain);
      chainOf[j] = chain;
    }
  });
  for (const chain of chains) {
    for (const j of chain.bones) for (let r = 0; r < 3; r++) chain.center[r] += places[3 * j + r] / chain.bones.length;
    if (!plane) continue;
    const off = chain.center[plane.axis] - plane.at;
    if (Math.abs(off) > MIDDLE * size) chain.side = off > 0 ? '.L' : '.R';
  }
  return chains;
}

/** The chain on the other side whose center is nearest to the mirror image of this chain's center. */
function findMirror(
  chain: Chain,
  chains: readonly Chain[],
  isNamed: ReadonlySet<Chain>,
  { axis, at }: SymmetryPlane,
  size: number,
): Chain | undefined {
  const image = [...chain.center];
  image[axis] = 2 * at - image[axis];
  let best: Chain | undefined;
  let closest = PAIR * size;
  for (const other of chains) {
    if (isNamed.has(other) || other.side === '' || other.side === chain.side) continue;
    const [x, y, z] = other.center.map((value, r) => value - image[r]);
    const away = Math.hypot(x, y, z);
    if (away < closest) {
      closest = away;
      best = other;
    }
  }
  return best;
}
