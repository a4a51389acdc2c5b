// SPDX-License-Identifier: MIT
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Clip, checkClip } from '../../../core/model/clip/clip.ts';
import { FormatError } from '../../../core/model/errors.ts';
import { checkMesh, makeMesh } from '../../../core/model/mesh/mesh.ts';
import { writeMdd } from '../../caches/write-mdd.ts';
import { writePc2 } from '../../caches/write-pc2.ts';
import { type InputFile, readAsset } from '../read-asset.ts';

const data = process.env.OSSIFY_DATA ?? '../shared';
const text = (name: string, ...lines: string[]): InputFile => ({
  name,
  bytes: new TextEncoder().encode(lines.join('\n')),
});
const triangle = (name: string, z = 0) => text(name, `v 0 0 ${z}`, `v 1 0 ${z}`, `v 0 1 ${z}`, 'f 1 2 3');

/** Frames of vertices on the x axis, frame k shifted by k. */
function lineClip(vertexCount: number, frameCount: number): Clip {
  return {
    kind: 'clip',
    name: 'line',
    mesh: makeMesh(new Float32Array(3 * vertexCount), new Uint32Array()),
    positions: Float32Array.from({ length: 3 * vertexCount * frameCount }, (_, c) =>
      c % 3 === 0 ? (c / 3) % vertexCount : c % 3 === 1 ? Math.floor(c / 3 / vertexCount) : 0,
    ),
    times: Float64Array.from({ length: frameCount }, (_, k) => k / 24),
  };
}

async function faultOf(files: InputFile[], options = {}): Promise<string> {
  try {
    await readAsset(files, options);
  } catch (error) {
    if (error instanceof FormatError) return `${error.code} ${error.message}`;
    throw error;
  }
  return 'no fault';
}

describe('readAsset', () => {
  it('reads an OBJ file alone: a mesh, no clip, no unit', async () => {
    const file = triangle('some/folder/tri.obj');
    const asset = await readAsset([file]);
    expect(asset.name).toBe('tri');
    expect(asset.mesh.name).toBe('tri');
    expect(asset.clips).toEqual([]);
    expect(asset.up).toBe('y');
    expect(asset.metresPerUnit).toBeUndefined();
    expect(asset.byteLength).toBe(file.bytes.length);
  });

  it('makes a clip of each cache, told by content whatever the order', async () => {
    const clip = lineClip(3, 4);
    const pc2 = { name: 'b/walk.cache', bytes: writePc2(clip) };
    const mdd = { name: 'run.mdd', bytes: writeMdd(clip) };
    const asset = await readAsset([pc2, triangle('a.obj'), mdd], { fps: 12 });
    expect(asset.clips.map((c) => c.name)).toEqual(['walk', 'run']);
    for (const read of asset.clips) {
      checkClip(read);
      expect(read.mesh).toBe(asset.mesh);
      expect(read.positions).toEqual(clip.positions);
    }
    expect(asset.clips[0].times[3]).toBeCloseTo(3 / 12, 6);
    expect(asset.clips[1].times[3]).toBeCloseTo(3 / 24, 6);
  });

  it('spreads a cache over the vertices of a seam', async () => {
    const seam = text(
      'seam.obj',
      ...['v 0 0 0', 'v 1 0 0', 'v 1 1 0', 'v 0 1 0', 'vt 0 0', 'vt 1 1', 'f 1/1 2/1 3/1', 'f 1/2 3/2 4/1'],
    );
    const cache = lineClip(4, 2);
    const { clips, mesh } = await readAsset([seam, { name: 'm.pc2', bytes: writePc2(cache) }], { scale: 2 });
    expect(mesh.positions).toHaveLength(18);
    checkClip(clips[0]);
    // v lines 0 1 2 3, then 0 and 2 again; twice as large; the second frame one up
    const x = [0, 2, 4, 6, 0, 4];
    expect([...clips[0].positions]).toEqual([...x.flatMap((n) => [n, 0, 0]), ...x.flatMap((n) => [n, 2, 0])]);
  });

  it('does not change the bytes it is given, scaled or not', async () => {
    const bytes = writePc2(lineClip(3, 2));
    const before = bytes.slice();
    const { clips } = await readAsset([triangle('a.obj'), { name: 'a.pc2', bytes }], { scale: 10 });
    expect(bytes).toEqual(before);
    expect(clips[0].positions[3]).toBe(10);
  });

  it('reads a sequence in the order given, the first being the rest pose', async () => {
    const asset = await readAsset([triangle('f1.obj', 1), triangle('f2.obj', 2)], { fps: 10, up: 'z', unit: 0.01 });
    expect(asset.mesh.positions[2]).toBe(1);
    expect([...asset.clips[0].times]).toEqual([0, 0.1]);
    expect([2, 11].map((c) => asset.clips[0].positions[c])).toEqual([1, 2]);
    expect([asset.up, asset.metresPerUnit]).toEqual(['z', 0.01]);
  });

  it('takes another rest pose, for a sequence, for one frame and for a cache', async () => {
    const rest = triangle('rest.obj', 9);
    const sequence = await readAsset([triangle('f1.obj', 1), triangle('f2.obj', 2)], { rest });
    expect([sequence.mesh.positions[2], sequence.clips[0].times.length, sequence.clips[0].positions[2]]).toEqual([
      9, 2, 1,
    ]);
    expect((await readAsset([triangle('f1.obj', 1)], { rest })).clips[0].times).toHaveLength(1);
    const cached = await readAsset([{ name: 'a.pc2', bytes: writePc2(lineClip(3, 5)) }], { rest });
    expect([cached.mesh.positions[2], cached.clips[0].times.length]).toEqual([9, 5]);
  });

  it('follows frames whose normals, seams or bent polygons differ from the rest pose', async () => {
    const frame = (name: string, notch: number, normal: string) =>
      text(name, ...['v 0 0 0', `v 1 ${notch} 0`, 'v 2 0 0', 'v 1 3 0', 'vn 0 0 1', normal], 'f 1//1 2//1 3//1 4//2');
    const { clips, mesh } = await readAsset([frame('a.obj', -1, 'vn 0 0 1'), frame('b.obj', 1, 'vn 0 1 0')]);
    checkClip(clips[0]);
    expect(mesh.positions).toHaveLength(12);
    expect(clips[0].positions[12 + 4]).toBe(1);
  });

  it('names both files when they do not belong together', async () => {
    const quad = text('quad.obj', 'v 0 0 0', 'v 1 0 0', 'v 1 1 0', 'v 0 1 0', 'f 1 2 3 4');
    const turned = text('turned.obj', 'v 0 0 0', 'v 1 0 0', 'v 0 1 0', 'f 1 3 2');
    const cache = { name: 'm.pc2', bytes: writePc2(lineClip(3, 2)) };
    expect(await faultOf([quad, cache])).toBe('mismatch m.pc2: it moves 3 vertices, but quad.obj has 4');
    expect(await faultOf([triangle('a.obj'), quad])).toMatch(/^mismatch quad.obj: it has 4 vertices, but a.obj has 3;/);
    expect(await faultOf([triangle('a.obj'), turned])).toMatch(
      /^mismatch turned.obj: its faces are not those of a.obj;/,
    );
    expect(await faultOf([cache])).toMatch(/^mismatch m.pc2: a point cache needs its mesh; .* rest.obj\+m.pc2$/);
    expect(await faultOf([triangle('a.obj'), triangle('b.obj'), cache])).toMatch(/^mismatch m.pc2: /);
    expect(await faultOf([triangle('a.obj')], { rest: cache })).toMatch(/^mismatch m.pc2: /);
  });

  it('starts every fault with the name of the file it is in', async () => {
    expect(await faultOf([text('e.obj')])).toBe('empty e.obj: the file is empty');
    expect(await faultOf([text('one.obj', 'v 0 0 0')])).toBe('empty one.obj: the file has no faces');
    expect(await faultOf([triangle('a.obj'), text('b.obj', 'v 0 0 x')])).toBe(
      'syntax b.obj: line 1: "x" is not a number',
    );
    expect(await faultOf([triangle('a.obj'), text('b.pc2', 'nonsense')])).toMatch(/^magic b.pc2: /);
    expect(await faultOf([triangle('a.obj'), text('b.mdd', 'nonsense')])).toMatch(/^\w+ b.mdd: /);
    expect(await faultOf([text('c.glb', 'nonsense')])).toMatch(/^\w+ c.glb: /);
    expect(await faultOf([text('c.gltf', '{"asset"')])).toMatch(/^\w+ c.gltf: /);
  });

  it('says what to export where a format is not read', async () => {
    for (const [start, what] of [
      ['//Maya ASCII', 'a Maya scene'],
      ['BLENDER-v300', 'a Blender scene'],
    ])
      expect(await faultOf([text('x.bin', start)])).toMatch(
        new RegExp(`^unsupported x.bin: ${what} is not read; export`),
      );
    expect(await faultOf([text('x.max', 'abc')])).toMatch(/^unsupported x.max: a .max file/);
    const hdf5 = { name: 'old.abc', bytes: Uint8Array.of(0x89, 0x48, 0x44, 0x46, 0x0d, 0x0a, 0x1a, 0x0a) };
    expect(await faultOf([hdf5])).toMatch(/^truncated old.abc: the file ends within its header/);
    expect(await faultOf([text('x', 'abc')])).toMatch(/^unsupported x: a file without an extension/);
  });

  it('refuses options that are not positive, and no files', async () => {
    for (const options of [{ fps: 0 }, { scale: -1 }, { unit: Number.NaN }])
      await expect(readAsset([triangle('a.obj')], options)).rejects.toThrow('must be positive');
    await expect(readAsset([])).rejects.toThrow('at least one file');
    const far = text('far.obj', 'v 1e10 0 0', 'v 1 0 0', 'v 0 1 0', 'f 1 2 3');
    expect(await faultOf([text('far.obj', 'v 1e30 0 0', 'v 1 0 0', 'v 0 1 0', 'f 1 2 3')])).toMatch(/larger than 1e18/);
    await expect(readAsset([far], { scale: 1e20 })).rejects.toThrow(
      'scale 100000000000000000000 makes positions larger than 1e18',
    );
  });

  it('gives a FormatError or an asset for any mutation of a mesh and its cache', async () => {
    const obj = triangle('a.obj').bytes;
    const pc2 = writePc2(lineClip(3, 2));
    const edits = fc.array(fc.tuple(fc.nat(80), fc.nat(255)), { maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(edits, edits, async (objEdits, pc2Edits) => {
        const [a, b] = [obj.slice(), pc2.slice()];
        for (const [at, value] of objEdits) a[at % a.length] = value;
        for (const [at, value] of pc2Edits) b[at % b.length] = value;
        try {
          const asset = await readAsset([
            { name: 'a.obj', bytes: a },
            { name: 'b.pc2', bytes: b },
          ]);
          checkMesh(asset.mesh);
          for (const clip of asset.clips) checkClip(clip);
        } catch (error) {
          expect(error).toBeInstanceOf(FormatError);
        }
      }),
      { numRuns: 500 },
    );
  });

  const fromData = (path: string): InputFile => ({ name: path, bytes: new Uint8Array(readFileSync(join(data, path))) });

  it.skipIf(!existsSync(join(data, 'datasets')))(
    'reads every dataset without a copy of its frames: vertices, triangles, frames (needs the data folder)',
    async () => {
      for (const [name, ...counts] of [
        ['horse-gallop', 8431, 16843, 48],
        ['horse-collapse', 8431, 16843, 53],
        ['cat-poses', 7207, 14410, 9],
        ['camel-poses', 21887, 43814, 10],
        ['samba', 9971, 19938, 175],
        ['pdance', 7061, 14118, 201],
      ] as const) {
        const files = [fromData(`datasets/${name}/rest.obj`), fromData(`datasets/${name}/motion.pc2`)];
        const { mesh, clips } = await readAsset(files);
        expect([mesh.positions.length / 3, mesh.triangles.length / 3, clips[0].times.length], name).toEqual(counts);
        expect(clips[0].positions.buffer, 'no copy of the frames').toBe(files[1].bytes.buffer);
      }
    },
  );

  it.skipIf(!existsSync(join(data, 'formats')))('reads FBX files (needs the data folder)', async () => {
    expect((await readAsset([fromData('formats/Bone_Skin.fbx')])).rig?.skeleton.names).toHaveLength(6);
  });

  it.skipIf(!existsSync(join(data, 'formats')))('reads a glTF by its content (needs the data folder)', async () => {
    const said: string[] = [];
    const { bytes } = fromData('formats/Horse.glb');
    const asset = await readAsset([{ name: 'x/horse.bin', bytes }], { unit: 5, up: 'z', log: (m) => said.push(m) });
    expect([asset.name, asset.metresPerUnit, asset.up]).toEqual(['horse', 1, 'y']);
    expect(said.join()).toContain('x/horse.bin is glTF');
  });
});
