// SPDX-License-Identifier: MIT
import type { Random } from '../../src/core/math/random.ts';
import { pick } from '../fuzz-format.ts';

const COUNTS = [0, 1, 2, 6, 300, 1000, 65_536, 1_200_000, 2 ** 31, 2 ** 53];
const TYPES = ['SCALAR', 'VEC3', 'VEC4', 'MAT4'];
const PATHS = ['translation', 'rotation', 'scale', 'weights'];

/** One of this many scenes has very many nodes, primitives and targets; the others have few, so that many scenes are read in a second. */
const LARGE_SHARE = 32;
const LARGE = { nodes: [1, 2, 5, 50, 500, 2000], primitives: [1, 1, 2, 40], targets: 20 };
const SMALL = { nodes: [1, 2, 3, 5, 8, 12], primitives: [1, 1, 2, 3], targets: 3 };

/** A hostile scene: very many nodes in any graph, meshes and skins drawn again and again, and accessors without bytes of any count. */
export function generateGltf(random: Random): Uint8Array<ArrayBuffer> {
  const size = random.below(LARGE_SHARE) === 0 ? LARGE : SMALL;
  const nodeCount = pick(random, size.nodes);
  const node = (): number => random.below(nodeCount);
  const data = Float32Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 2);
  const uri = `data:application/octet-stream;base64,${Buffer.from(data.buffer).toString('base64')}`;
  const isWild = random.below(3) === 0;
  const accessors: object[] = [
    { bufferView: 0, componentType: 5126, type: 'VEC3', count: 3 },
    { bufferView: 1, componentType: 5126, type: 'SCALAR', count: 3 },
  ];
  for (let n = random.below(5); n > 0; n--) accessors.push(makeAccessor(random, isWild));
  const accessor = (): number => (isWild && random.below(3) === 0 ? random.below(accessors.length) : 0);
  const makeMesh = (): object => {
    const targetCount = random.below(4) ? 0 : 1 + random.below(size.targets);
    const primitives = Array.from({ length: pick(random, size.primitives) }, () => ({
      attributes: { POSITION: accessor(), ...(random.below(3) ? {} : { NORMAL: accessor() }) },
      ...(isWild && random.below(8) === 0 ? { indices: accessor() } : {}),
      ...(targetCount ? { targets: Array.from({ length: targetCount }, () => ({ POSITION: accessor() })) } : {}),
    }));
    return { primitives };
  };
  const channels = Array.from({ length: 1 + random.below(4) }, () => ({
    sampler: 0,
    target: { node: node(), path: pick(random, PATHS) },
  }));
  const json = {
    asset: { version: '2.0' },
    scene: 0,
    scenes: [{ nodes: pick(random, [[0], [0, 1], Array.from({ length: nodeCount }, (_, n) => n)]) }],
    nodes: makeNodes(random, nodeCount),
    meshes: [makeMesh(), makeMesh()],
    skins: [{ joints: [...new Set(Array.from({ length: 1 + random.below(4) }, node))] }],
    animations: [{ samplers: [{ input: isWild ? accessor() : 1, output: accessor() }], channels }],
    accessors,
    bufferViews: [
      { buffer: 0, byteLength: 36 },
      { buffer: 0, byteOffset: 36, byteLength: 12 },
    ],
    buffers: [{ uri, byteLength: 48 }],
  };
  return new TextEncoder().encode(JSON.stringify(json));
}

/** A tree, a chain, a list, or children anywhere. */
function makeNodes(random: Random, count: number): object[] {
  const kind = random.below(4);
  const draws = 1 + random.below(3);
  return Array.from({ length: count }, (_, n) => {
    const all =
      kind === 0
        ? [2 * n + 1, 2 * n + 2]
        : kind === 1
          ? [n + 1]
          : kind === 2
            ? []
            : random.below(8) === 0
              ? [random.below(count)]
              : [];
    const children = all.filter((child) => child < count);
    return {
      ...(children.length > 0 ? { children } : {}),
      ...(n === 0 || random.below(4) < draws ? { mesh: random.below(2) } : {}),
      ...(random.below(20) === 0 ? { skin: 0 } : {}),
      ...(random.below(20) === 0 ? { scale: [pick(random, [0, 1, -1, 1e30]), 1, 1] } : {}),
    };
  });
}

/** An accessor without a buffer view, perhaps with sparse values. */
function makeAccessor(random: Random, isWild: boolean): object {
  if (!isWild) return { componentType: 5126, type: 'VEC3', count: 3 };
  const count = pick(random, COUNTS);
  const sparse = {
    count: pick(random, [0, 1, 2, count]),
    indices: { bufferView: 1, componentType: pick(random, [5121, 5123, 5125]) },
    values: { bufferView: 0 },
  };
  const own = { componentType: pick(random, [5126, 5126, 5121, 5125]), type: pick(random, TYPES), count };
  return random.below(3) === 0 ? { ...own, sparse } : own;
}
