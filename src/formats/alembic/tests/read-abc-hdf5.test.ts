// SPDX-License-Identifier: MIT
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HDF5_ARCHIVES } from '../../../../fuzz/seeds/hdf5-archives.ts';
import { FormatError } from '../../../core/model/errors.ts';
import { checkMesh } from '../../../core/model/mesh/mesh.ts';
import { readAbc } from '../read-abc.ts';

/** Archives of a quad and a triangle per object, written by the HDF5 library 1.10.8, compressed. */
const unpack = (text: string) => new Uint8Array(gunzipSync(Buffer.from(text, 'base64')));

const POINTS = [0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 2, 0, 0.5];

const FILES = [
  ['superblock 0, symbol tables, chunks with shuffle, deflate and checksum', HDF5_ARCHIVES.old, 3, false],
  ['superblock 3, links and attributes in heaps, arrays in one compressed chunk', HDF5_ARCHIVES.dense, 12, true],
  ['superblock 2, compact links, trees of chunks with shuffle and deflate', HDF5_ARCHIVES.compact, 2, true],
] as const;

describe('readAbc of HDF5 containers', () => {
  it.each(FILES)('reads %s', (_, file, objectCount, hasOrder) => {
    const { mesh, clips } = readAbc(unpack(file));
    checkMesh(mesh);
    // objects in the order of their creation if the file states it, else by name; the first one created moves and has UVs
    const made = Array.from({ length: objectCount }, (_, n) => objectCount - 1 - n);
    const order = hasOrder ? made : made.toReversed();
    expect(mesh.parts.map(({ name }) => name)).toEqual(order.map((n) => `m${n}`));
    const [{ positions, times }] = clips;
    expect(times.length).toBe(3);
    for (const [n, time] of [0, 0.01, 1 / 24].entries()) expect(times[n]).toBeCloseTo(time, 12);
    order.forEach((name, p) => {
      const created = objectCount - 1 - name;
      for (let k = 0; k < 3; k++)
        for (let c = 0; c < 15; c++) {
          const rest = POINTS[c] + (c % 3 === 2 ? created : 0);
          expect(positions[k * mesh.positions.length + 15 * p + c]).toBe(created === 0 ? (k + 1) * rest : rest);
        }
    });
    const uvs = mesh.attributes.find(({ name }) => name === 'TEXCOORD_0')?.values ?? new Float32Array();
    const moving = 10 * order.indexOf(objectCount - 1);
    expect([...uvs.subarray(moving, moving + 10)]).toEqual(
      Array.from({ length: 10 }, (_, c) => (c % 2 === 1 ? 1 - c / 16 : c / 16)),
    );
  });

  it('gives a FormatError or an asset for any mutation', () => {
    const seeds = FILES.map(([, file]) => unpack(file));
    const edit = fc.tuple(fc.nat(), fc.oneof(fc.constantFrom(0, 1, 127, 128, 255), fc.nat(255)));
    fc.assert(
      fc.property(fc.nat(2), fc.array(edit, { maxLength: 6 }), fc.option(fc.nat(), { freq: 8 }), (n, edits, cut) => {
        const bytes = seeds[n].slice(0, cut === null ? undefined : cut % seeds[n].length);
        for (const [at, value] of edits) if (bytes.length > 0) bytes[at % bytes.length] = value;
        try {
          checkMesh(readAbc(bytes).mesh);
        } catch (error) {
          expect(error).toBeInstanceOf(FormatError);
        }
      }),
      { numRuns: 1000 },
    );
  });

  it('names an HDF5 file that is no archive, and values of another byte order', () => {
    const bytes = unpack(HDF5_ARCHIVES.compact);
    const text = new TextDecoder('latin1').decode(bytes);
    const top = text.indexOf('ABC');
    const other = bytes.slice();
    other.set([88, 89, 90], top);
    expect(() => readAbc(other)).toThrow('it is an HDF5 file, but not an Alembic archive');
    const swapped = bytes.slice();
    // the type of an attribute of uint32: class 0 in version 1, flags
    for (let at = text.indexOf('1.tspc'); at < bytes.length; at++)
      if (text.startsWith('\x10\x00\x00\x00\x04\x00\x00\x00', at)) {
        swapped[at + 1] = 1;
        break;
      }
    expect(() => readAbc(swapped)).toThrow('big-endian values are not read');
  });

  const data = join(process.env.OSSIFY_DATA ?? '../shared', 'formats');
  it.skipIf(!existsSync(data))('reads the same from both containers of one archive (needs the data folder)', () => {
    const [hdf5, ogawa] = ['hdf5', 'ogawa'].map((kind) => {
      const bytes = new Uint8Array(readFileSync(join(data, `appleseed_dform_${kind}.abc`)));
      return { ...readAbc(bytes, { name: 'dform' }), byteLength: 0 };
    });
    expect(hdf5.clips[0].times).toHaveLength(6);
    expect(hdf5).toEqual(ogawa);
  });
});
