// SPDX-License-Identifier: MIT
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FormatError } from '../../../core/model/errors.ts';
import { checkMesh } from '../../../core/model/mesh/mesh.ts';
import { readAsset } from '../../assets/read-asset.ts';
import { scanStl } from '../scan-stl.ts';

/** Two triangles of a square, the second one bent up. */
const TRIANGLES = [0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 0, 0, 1, 1, 0, 0, 1, 0.5];

function makeText(numbers: readonly number[]): Uint8Array {
  const facets = Array.from({ length: numbers.length / 9 }, (_, t) => {
    const vertices = [0, 3, 6].map((c) => `      vertex ${numbers.slice(9 * t + c, 9 * t + c + 3).join(' ')}`);
    return ['  facet normal 0 0 1', '    outer loop', ...vertices, '    endloop', '  endfacet'].join('\n');
  });
  return new TextEncoder().encode(['solid bent square', ...facets, 'endsolid bent square', ''].join('\n'));
}

function makeBinary(numbers: readonly number[], header = 'solid of a program that writes this too'): Uint8Array {
  const count = numbers.length / 9;
  const bytes = new Uint8Array(84 + 50 * count);
  new TextEncoder().encodeInto(header, bytes);
  const view = new DataView(bytes.buffer);
  view.setUint32(80, count, true);
  for (const [c, x] of numbers.entries()) view.setFloat32(84 + 50 * Math.floor(c / 9) + 12 + 4 * (c % 9), x, true);
  return bytes;
}

describe('scanStl', () => {
  it('reads text and binary, also binary that begins with "solid"', () => {
    const text = scanStl(makeText(TRIANGLES));
    expect(text.name).toBe('bent square');
    for (const { positions, faceStart } of [text, scanStl(makeBinary(TRIANGLES))]) {
      expect([...positions]).toEqual(TRIANGLES);
      expect([...faceStart]).toEqual([0, 3, 6]);
    }
  });

  it('names what is wrong', () => {
    const fault = (bytes: Uint8Array) => () => scanStl(bytes);
    expect(fault(makeBinary(TRIANGLES, 'x').slice(0, -1))).toThrow('announces 2 triangles, which take 184 bytes');
    expect(fault(makeBinary([], 'x'))).toThrow('no triangles');
    expect(fault(makeText(TRIANGLES.slice(0, 6)))).toThrow('no triangles');
    expect(fault(new Uint8Array(10))).toThrow('ends within its header');
  });

  it('leaves out triangles without a finite position, with a note', () => {
    const broken = TRIANGLES.map((x) => (x === 0.5 ? Number.NaN : x));
    for (const bytes of [makeText(broken), makeBinary(broken)]) {
      const notes: string[] = [];
      const { cornerPositions, positions } = scanStl(bytes, { log: (note) => notes.push(note) });
      expect(cornerPositions).toHaveLength(3);
      expect(positions.every((x) => Number.isFinite(x))).toBe(true);
      expect(notes[0]).toMatch(/^1 face has a vertex whose position is not finite .* left out \(triangle 1\)$/);
    }
    expect(() => scanStl(makeText(TRIANGLES.map((x, c) => (c === 0 ? Number.NaN : x)).slice(0, 9)))).toThrow(
      'its only face cannot be used',
    );
  });

  it('gives a FormatError or a sound mesh for any mutation', async () => {
    const seeds = [makeText(TRIANGLES), makeBinary(TRIANGLES)];
    const edits = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(fc.nat(1), edits, async (n, list) => {
        const bytes = seeds[n].slice();
        for (const [at, value] of list) bytes[at % bytes.length] = value;
        try {
          checkMesh((await readAsset([{ name: 'a.stl', bytes }])).mesh);
        } catch (error) {
          expect(error).toBeInstanceOf(FormatError);
        }
      }),
      { numRuns: 1000 },
    );
  });
});

describe('readAsset of STL', () => {
  it('welds equal positions', async () => {
    const { mesh, clips } = await readAsset([{ name: 'a.stl', bytes: makeBinary(TRIANGLES) }]);
    expect([...mesh.positions]).toEqual([0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0.5]);
    expect([...mesh.triangles]).toEqual([0, 1, 2, 0, 2, 3]);
    expect(clips).toEqual([]);
  });

  it('joins points of a sequence only if they coincide in every frame', async () => {
    // The second triangle goes up: its edge is torn from the first one in frame 1.
    const torn = TRIANGLES.map((x, c) => (c >= 9 && c % 3 === 2 ? x + 1 : x));
    const frames = [TRIANGLES, torn].map((numbers, k) => ({ name: `f${k}.stl`, bytes: makeBinary(numbers) }));
    const { mesh, clips } = await readAsset(frames);
    expect(mesh.positions).toHaveLength(18);
    expect([...clips[0].positions.subarray(18)]).toEqual(torn);
    const still = await readAsset([frames[0], { ...frames[0], name: 'f1.stl' }]);
    expect(still.mesh.positions).toHaveLength(12);
    expect([...still.clips[0].positions.subarray(12)]).toEqual([...still.mesh.positions]);
  });
});
