// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeRandom } from '../../../../core/math/random.ts';
import { FormatError } from '../../../../core/model/errors.ts';
import { decodeCompactSkin, encodeCompactSkin } from '../code-compact-skin.ts';
import { stepOf, stepPowerOf } from '../code-motion.ts';
import type { CompactPrimitive, CompactSkin } from '../compact-skin.ts';

/** A grid of n x n points, bent, on three bones. Texture coordinates have a seam along the middle column. */
function makePrimitive(n: number): CompactPrimitive {
  const seam = Math.floor(n / 2);
  const pointOfVertex = Array.from({ length: n * n + n }, (_, v) => (v < n * n ? v : (v - n * n) * n + seam));
  const triangles: number[] = [];
  for (let y = 0; y + 1 < n; y++)
    for (let x = 0; x + 1 < n; x++) {
      // triangles on the right of the seam use the second vertex there
      const at = (i: number, j: number) => (i === seam && x >= seam ? n * n + j : j * n + i);
      triangles.push(at(x, y), at(x + 1, y), at(x, y + 1), at(x + 1, y), at(x + 1, y + 1), at(x, y + 1));
    }
  const positions = Int32Array.from({ length: 3 * n * n }, (_, c) => {
    const i = Math.floor(c / 3);
    return [20 * (i % n), 20 * Math.floor(i / n), Math.round(40 * Math.sin(i % n))][c % 3];
  });
  const bones = new Uint16Array(2 * n * n);
  const counts = new Uint16Array(2 * n * n);
  for (let i = 0; i < n * n; i++) {
    const first = Math.min(17, Math.max(9, 9 + (i % n)));
    bones.set([i % n > seam ? 2 : 0, 1], 2 * i);
    counts.set([first, 17 - first], 2 * i);
  }
  const values = Int32Array.from({ length: 2 * pointOfVertex.length }, (_, c) => (c % 2 === 0 ? c : 7 * c) % 1000);
  const normals = Int32Array.from({ length: 2 * pointOfVertex.length }, (_, c) => (c % 5) - 2);
  const float = { componentType: 5126, normalized: false };
  return {
    vertexCount: pointOfVertex.length,
    pointCount: n * n,
    triangles: Uint32Array.from(triangles),
    pointOfVertex: Uint32Array.from(pointOfVertex),
    positions,
    weights: { boneCount: 3, steps: 17, width: 2, bones, counts },
    attributes: [
      { semantic: 'NORMAL', kind: 'normal', size: 3, ...float, step: 63, origin: [], values: normals },
      { semantic: 'TEXCOORD_0', kind: 'grid', size: 2, ...float, step: 1 / 4096, origin: [0, -1], values },
    ],
  };
}

const IDLE = { rotation: [0, 0, 0, 1], scale: [1, 1, 1] };

function makeCompactSkin(n = 9, keyCount = 20): CompactSkin {
  const turn = (k: number, rate: number) => [0, 0, Math.sin(rate * k), Math.cos(rate * k)];
  const tracks = [1, 2].map((node) => ({
    node,
    translation: Float32Array.from({ length: 3 * keyCount }, (_, c) => Math.sin(c / 7 + node)),
    rotation: Float32Array.from({ length: keyCount }, (_, k) => k).length
      ? Float32Array.from(Array.from({ length: keyCount }, (_, k) => turn(k, 0.05 * node)).flat())
      : new Float32Array(0),
    steps: { translation: stepPowerOf(0.01), rotation: stepPowerOf(0.01), numbers: 0 },
  }));
  return {
    positionStep: 0.01,
    primitives: [makePrimitive(n)],
    nodeStep: 0.001,
    nodes: [
      { name: 'root', parent: 0, translation: [1, 2, 3], ...IDLE },
      { name: 'bone 1', parent: 1, translation: [0.5, 0, 0], ...IDLE },
      { name: 'bone 2', parent: 1, translation: [0, 0, 0], rotation: [0, 1, 0, 0], scale: [2, 1, 1] },
    ],
    skins: [{ name: 'skin', joints: [1, 2, 3], skeleton: 1 }],
    animationNames: ['walk'],
    motions: [
      { animation: 0, isStepped: false, times: Float32Array.from({ length: keyCount }, (_, k) => k / 24), tracks },
    ],
  };
}

/** The same with displacements: waves that move over the grid. */
function makeDisplacedSkin(n = 9, keyCount = 20): CompactSkin {
  const skin = makeCompactSkin(n, keyCount);
  const values = Int32Array.from({ length: keyCount * n * n }, (_, c) =>
    Math.round(2 * Math.sin((c % (n * n)) / n / 3 + Math.floor(c / (n * n)))),
  );
  const displacements = { step: 0.02, animation: 0, times: skin.motions[0].times, values };
  return { ...skin, primitives: [{ ...skin.primitives[0], displacements }] };
}

const JSON_NODES = [{ parent: -1, translation: [0, 0, 0], rotation: [0, 0, 0, 1] }];

describe('the stream of a compact skin', () => {
  it('restores triangles, points, weights and attributes of every vertex', () => {
    const skin = makeCompactSkin();
    const { bytes, orders } = encodeCompactSkin(skin, JSON_NODES);
    const [given] = skin.primitives;
    const [read] = decodeCompactSkin(bytes, JSON_NODES).primitives;
    const [order] = orders;
    expect(read.vertexCount).toBe(order.length);
    expect(new Set(order).size).toBe(new Set(given.triangles).size);
    const cornersOf = (triangles: Uint32Array, of: (v: number) => number) => {
      const rows: string[] = [];
      for (let t = 0; t < triangles.length; t += 3) {
        const [a, b, c] = [...triangles.subarray(t, t + 3)].map(of);
        const least = Math.min(a, b, c);
        rows.push((a === least ? [a, b, c] : b === least ? [b, c, a] : [c, a, b]).join());
      }
      return rows.sort();
    };
    expect(cornersOf(read.triangles, (v) => order[v])).toEqual(cornersOf(given.triangles, (v) => v));
    const rowOf = ({ weights }: CompactPrimitive, p: number) =>
      [0, 1]
        .map((e) => [weights!.bones[2 * p + e], weights!.counts[2 * p + e]])
        .filter(([, count]) => count > 0)
        .sort();
    order.forEach((source, v) => {
      const [a, b] = [read.pointOfVertex[v], given.pointOfVertex[source]];
      expect([...read.positions.subarray(3 * a, 3 * a + 3)]).toEqual([...given.positions.subarray(3 * b, 3 * b + 3)]);
      expect(rowOf(read, a)).toEqual(rowOf(given, b));
      given.attributes.forEach(({ values }, n) => {
        expect([...read.attributes[n].values.subarray(2 * v, 2 * v + 2)]).toEqual([
          ...values.subarray(2 * source, 2 * source + 2),
        ]);
      });
    });
  });

  it('restores nodes, skins and key times, and motion within half a step', () => {
    const skin = makeCompactSkin();
    const read = decodeCompactSkin(encodeCompactSkin(skin, JSON_NODES).bytes, JSON_NODES);
    expect(read.nodes.map(({ name, parent }) => [name, parent])).toEqual(
      skin.nodes.map(({ name, parent }) => [name, parent]),
    );
    read.nodes.forEach(({ translation, rotation, scale }, n) => {
      translation.forEach((x, r) => {
        expect(x).toBeCloseTo(skin.nodes[n].translation[r], 3);
      });
      expect([rotation, scale]).toEqual([skin.nodes[n].rotation, skin.nodes[n].scale]);
    });
    expect(read.skins).toEqual(skin.skins);
    expect(read.animationNames).toEqual(['walk']);
    const [motion] = read.motions;
    expect(motion.times).toEqual(skin.motions[0].times);
    for (const { node, translation, rotation, steps } of skin.motions[0].tracks) {
      const own = motion.tracks.find((track) => track.node === node)!;
      // numbers are rounded towards their prediction by a tenth of a step
      translation!.forEach((x, c) => {
        expect(Math.abs(own.translation![c] - x)).toBeLessThan(0.61 * stepOf(steps.translation));
      });
      rotation!.forEach((x, c) => {
        expect(Math.abs(own.rotation![c] - x)).toBeLessThan(stepOf(steps.rotation));
      });
    }
  });

  it('stores holes, edges of three triangles, several components and unused points', () => {
    const triangles = Uint32Array.of(0, 1, 2, 1, 0, 3, 0, 1, 4, 5, 6, 7, 7, 6, 8, 5, 7, 8, 6, 5, 8, 2, 5, 7);
    const primitive: CompactPrimitive = {
      ...{ vertexCount: 11, pointCount: 11, triangles, attributes: [] },
      pointOfVertex: Uint32Array.from({ length: 11 }, (_, v) => v),
      positions: Int32Array.from({ length: 33 }, (_, c) => (37 * c) % 101),
    };
    const skin = { ...makeCompactSkin(), primitives: [primitive] };
    const { bytes, orders } = encodeCompactSkin(skin, JSON_NODES);
    const [read] = decodeCompactSkin(bytes, JSON_NODES).primitives;
    expect([...orders[0]].sort((a, b) => a - b)).toEqual([...orders[0].keys()]);
    const setsOf = (list: Uint32Array, of: (v: number) => number) =>
      Array.from({ length: list.length / 3 }, (_, t) =>
        [0, 1, 2]
          .map((c) => of(list[3 * t + c]))
          .sort()
          .join(),
      ).sort();
    expect(setsOf(read.triangles, (v) => orders[0][v])).toEqual(setsOf(triangles, (v) => v));
    orders[0].forEach((source, v) => {
      expect(read.positions[3 * read.pointOfVertex[v]]).toBe(primitive.positions[3 * source]);
    });
  });

  it('is small: connectivity of a regular mesh takes less than a bit per vertex', () => {
    const n = 60;
    const { weights: _weights, ...plain } = makePrimitive(n);
    const flat = { ...plain, attributes: [], positions: new Int32Array(3 * n * n), pointOfVertex: plain.pointOfVertex };
    const triangles = flat.triangles.map((v) => plain.pointOfVertex[v]);
    const skin = {
      ...makeCompactSkin(),
      primitives: [{ ...flat, triangles, vertexCount: n * n, pointOfVertex: plain.pointOfVertex.slice(0, n * n) }],
      motions: [],
      animationNames: [],
    };
    expect((8 * encodeCompactSkin(skin, JSON_NODES).bytes.length) / (n * n)).toBeLessThan(1);
  });

  it('keeps the bytes of version 1', () => {
    const { bytes } = encodeCompactSkin(makeCompactSkin(3, 3), JSON_NODES);
    expect(Buffer.from(bytes).toString('base64')).toMatchInlineSnapshot(
      `"AT+Eet9HrhR7P1BiTdLxqfy/80u1wfdMk9lwQxxUdEKQjC6Lv3C041LSK2wq3ifk2KhFPL5ScAyp1RNPnRCz1gKAr4AAAAAAKvAncrGkNmNo+15gF73CAAAAAAAAAAZGUtpWSf+eq9/6YG3/oOd/6qBkL5AdssCSR8SKqZXO76Ez3/gpRwzdDBM+m/5pDLSPy/LDu3jWYJQ1kJ7fCdyb6iWBLJ9xSW8TWOaIMnNU1fgRrb7ZQkalg2/MAiukfvAAAAAAAAAAB/4dyABAJXpwQCV6cDf8Wtixy8+1rRxbZIznlBCQBlJudqqqqqqk3xxLPCRNzAJ//9z+8EZCHOFkedltbGChulg22UOSvUpzV3hwLV1A"`,
    );
  });

  it('restores displacements of every point and frame, and keeps the bytes of version 2', () => {
    const skin = makeDisplacedSkin(3, 3);
    const { bytes, orders } = encodeCompactSkin(skin, JSON_NODES);
    const [given] = skin.primitives;
    const [read] = decodeCompactSkin(bytes, JSON_NODES).primitives;
    const { step, animation, times, values } = read.displacements!;
    expect([step, animation, [...times]]).toEqual([0.02, 0, [...given.displacements!.times]]);
    orders[0].forEach((source, v) => {
      for (let k = 0; k < times.length; k++)
        expect(values[k * read.pointCount + read.pointOfVertex[v]]).toBe(
          given.displacements!.values[k * given.pointCount + given.pointOfVertex[source]],
        );
    });
    expect(bytes[0]).toBe(2);
    expect(Buffer.from(bytes).toString('base64')).toMatchInlineSnapshot(
      `"Aj+Eet9HrhR7P1BiTdLxqfy/80u1wfdMk9lwQxxUdEKQjC6Lv3C041LSK2wq3ifk2KhFPL5ScAyp1RNPnRCz1gKAr4AAAAAAKvAncrGkNmNo+15gF73CAAAAAAAAAAZGUtpWSf+eq9/6YG3/oOd/6qBkL5AdssCSR8SKqZXO76Ez3/gpRwzdDBM+m/5pDLSPy/LDu3jWjQv3MzMzMzOk8wnAAVzX+gcAAAADkjWQ5TiUsibQ7yp/FHzOsPNscd4A/WcCmBA6AnLI1gaP1CfmBXBcyX9opi+4HO4sADdNPhEAAAAAAAAAAMultr4GYi715mIu9eYoVyxPXeRg32wzpA+Eck9EAPXobSBVVVVUeuZcxx2Fo3bmYnrL15oh+4WGcW+mKZN15roVt9HO0FLiH9pm21h3"`,
    );
  });

  it('stores displacements that vary slowly in less than a bit each', () => {
    const [n, keyCount] = [40, 8];
    const withDisplacements = encodeCompactSkin(makeDisplacedSkin(n, keyCount), JSON_NODES).bytes.length;
    const without = encodeCompactSkin(makeCompactSkin(n, keyCount), JSON_NODES).bytes.length;
    expect((8 * (withDisplacements - without)) / (n * n * keyCount)).toBeLessThan(1);
  });

  it('refuses displacements of an animation that it does not have', () => {
    const skin = makeDisplacedSkin(3, 3);
    skin.primitives[0].displacements!.animation = 1;
    const { bytes } = encodeCompactSkin(skin, JSON_NODES);
    expect(() => decodeCompactSkin(bytes, JSON_NODES)).toThrow(/displacements without an animation/);
  });

  it.each([
    ['without', makeCompactSkin],
    ['with', makeDisplacedSkin],
  ])(
    'gives a FormatError for streams %s displacements that are cut, damaged or made up, and never more memory than its limit',
    (_, make) => {
      const { bytes } = encodeCompactSkin(make(), JSON_NODES);
      const { below } = makeRandom(7);
      let refused = 0;
      const attempt = (damaged: Uint8Array) => {
        try {
          decodeCompactSkin(damaged, JSON_NODES);
        } catch (error) {
          if (!(error instanceof FormatError)) throw error;
          refused++;
        }
      };
      for (let n = 0; n < 60; n++) attempt(bytes.slice(0, below(bytes.length)));
      expect(refused).toBe(60);
      for (let n = 0; n < 300; n++) {
        const damaged = bytes.slice();
        for (let m = 1 + below(3); m > 0; m--) damaged[1 + below(bytes.length - 1)] = below(256);
        attempt(damaged);
      }
      expect(refused).toBeGreaterThan(300);
      for (let n = 0; n < 100; n++)
        attempt(Uint8Array.from({ length: 1 + below(200) }, (_, c) => (c === 0 ? bytes[0] : below(256))));
      expect(refused).toBeGreaterThan(390);
    },
  );

  it('refuses another version', () => {
    expect(() => decodeCompactSkin(Uint8Array.of(9, 0, 0), JSON_NODES)).toThrow(/version 9/);
  });
});
