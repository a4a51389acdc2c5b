// SPDX-License-Identifier: MIT
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listInputFiles, matchesPattern, splitPattern } from '../list-input-files.ts';
import { openFiles } from '../open-files.ts';
import { readBytes } from '../read-bytes.ts';
import { makeResourceReader } from '../resource-folder.ts';

let folder = '';
const at = (name: string) => join(folder, name);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ossify-input-'));
  await mkdir(at('model'));
  for (const name of [
    'f2.obj',
    'f10.obj',
    'f1.obj',
    '.hidden.obj',
    'f1.mtl',
    'a+b,c.glb',
    'odd*.glb',
    'secret',
    'model/inside',
  ]) {
    await writeFile(at(name), name);
  }
  await writeFile(at('model/model.gltf'), '{}');
  await symlink(at('secret'), at('model/link'));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

describe('listInputFiles', () => {
  const list = async (input: string, rest?: string) => {
    const files = await listInputFiles(at(input), rest);
    const short = (path: string) => relative(folder, path);
    return files.rest === undefined ? files.paths.map(short) : [`rest ${short(files.rest)}`, ...files.paths.map(short)];
  };

  it('puts the frames of a sequence in natural order and leaves hidden files out', async () => {
    expect(await list('f*.obj')).toEqual(['f1.obj', 'f2.obj', 'f10.obj']);
    expect(await list('*.obj', at('f10.obj'))).toEqual(['rest f10.obj', 'f1.obj', 'f2.obj', 'f10.obj']);
    expect(await list('f?.obj')).toEqual(['f1.obj', 'f2.obj']);
  });

  it('lists the meshes of a folder in natural order, and nothing else in it', async () => {
    await mkdir(at('scan'), { recursive: true });
    for (const name of ['s10.ply', 's9.ply', '.s1.ply', 'readme.txt', 's9.png'])
      await writeFile(at(`scan/${name}`), '');
    expect(await list('scan')).toEqual([join('scan', 's9.ply'), join('scan', 's10.ply')]);
    expect(await list('scan/', at('f1.obj'))).toEqual(['rest f1.obj', join('scan', 's9.ply'), join('scan', 's10.ply')]);
    await expect(list('.')).rejects.toThrow(
      /is a folder of glTF and OBJ files; name those of one format, as ".*\*\.glb"/,
    );
    await mkdir(at('bare'), { recursive: true });
    await expect(list('bare')).rejects.toThrow(/bare: is a folder without meshes; name a file/);
  });

  it('splits a mesh from its caches', async () => {
    expect((await listInputFiles('a.obj+b.pc2,c.pc2+d.mdd')).paths).toEqual(['a.obj', 'b.pc2', 'c.pc2', 'd.mdd']);
    expect(await listInputFiles('a.obj+b.obj,c.obj')).toEqual({ rest: 'a.obj', paths: ['b.obj', 'c.obj'] });
  });

  it('takes a name that exists as it is', async () => {
    expect(await list('a+b,c.glb')).toEqual(['a+b,c.glb']);
    expect(await list('odd*.glb')).toEqual(['odd*.glb']);
  });

  it('says what is wrong', async () => {
    await expect(list('none*.obj')).rejects.toThrow(/none\*\.obj: no file matches/);
    await expect(list('nowhere/*.obj')).rejects.toThrow(/nowhere\/\*\.obj: no such file/);
    await expect(listInputFiles('f*/x.obj')).rejects.toThrow(/only in the last part/);
    await expect(listInputFiles('a.obj+')).rejects.toThrow(/is not an input/);
    await expect(listInputFiles('')).rejects.toThrow(/empty/);
    await expect(listInputFiles('a.obj+b.pc2', 'rest.obj')).rejects.toThrow(/--rest/);
  });
});

describe('splitPattern', () => {
  it('splits at both separators on Windows, and at the slash elsewhere', () => {
    expect(splitPattern('frames\\*.obj', '\\')).toEqual({ prefix: 'frames\\', name: '*.obj' });
    expect(splitPattern('a\\b/*.obj', '\\')).toEqual({ prefix: 'a\\b/', name: '*.obj' });
    expect(splitPattern('a/b\\*.obj', '/')).toEqual({ prefix: 'a/', name: 'b\\*.obj' });
    expect(splitPattern('*.obj')).toEqual({ prefix: '', name: '*.obj' });
  });
});

describe('matchesPattern', () => {
  it('agrees with a regular expression', () => {
    const name = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 8 });
    const pattern = fc.string({ unit: fc.constantFrom('a', 'b', '*', '?'), maxLength: 6 });
    fc.assert(
      fc.property(name, pattern, (n, p) => {
        const expression = new RegExp(`^${p.replaceAll('*', '.*').replaceAll('?', '.')}$`);
        return matchesPattern(n, p) === expression.test(n);
      }),
    );
  });

  it('takes no time over many stars', () => {
    expect(matchesPattern('a'.repeat(5000), `${'*a'.repeat(200)}b`)).toBe(false);
  });
});

describe('makeResourceReader', () => {
  it('reads inside the folder of the file only', async () => {
    const read = makeResourceReader(at('model/model.gltf'));
    expect(new TextDecoder().decode(await read('inside'))).toBe('model/inside');
    expect(new TextDecoder().decode(await read('./inside'))).toBe('model/inside');
    for (const uri of [
      '../secret',
      'x/../../secret',
      '/etc/passwd',
      at('secret'),
      'file:///etc/passwd',
      'http://a/b',
      '..',
    ]) {
      await expect(read(uri), uri).rejects.toThrow(/not a file in the folder|out of the folder/);
    }
    await expect(read('link')).rejects.toThrow(/a link that leads out/);
    await expect(read('missing.bin')).rejects.toThrow(/^no such file$/);
  });

  it('reads in a folder above if it is given, and not above that', async () => {
    const read = makeResourceReader(at('model/model.gltf'), folder);
    expect(new TextDecoder().decode(await read('../secret'))).toBe('secret');
    expect(new TextDecoder().decode(await read('link'))).toBe('secret');
    await expect(read('../../x')).rejects.toThrow(/out of the folder/);
    await expect(read('/etc/passwd')).rejects.toThrow(/out of the folder/);
  });
});

describe('--folder', () => {
  const LOG = () => {};
  const stage = (reference: string) =>
    `#usda 1.0\n(\n    defaultPrim = "a"\n)\ndef "a" (\n    references = @${reference}@\n)\n{\n}\n`;
  const mesh = `#usda 1.0
(
    defaultPrim = "m"
)
def Mesh "m"
{
    point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0)]
    int[] faceVertexCounts = [3]
    int[] faceVertexIndices = [0, 1, 2]
}
`;
  beforeAll(async () => {
    await mkdir(at('show/shots'), { recursive: true });
    await mkdir(at('show/parts'));
    await writeFile(at('show/parts/mesh.usda'), mesh);
    await writeFile(at('mesh.usda'), mesh);
    await writeFile(at('show/parts/middle.usda'), stage('./mesh.usda'));
    await writeFile(at('show/shots/one.usda'), stage('../parts/middle.usda'));
    await writeFile(at('show/shots/out.usda'), stage('../../mesh.usda'));
  });

  it('widens what a USD stage may refer to', async () => {
    await expect(openFiles(at('show/shots/one.usda'), {}, { remark: LOG })).rejects.toThrow(/draws no mesh/);
    const { asset } = await openFiles(at('show/shots/one.usda'), { folder: at('show') }, { remark: LOG });
    expect(asset.mesh.positions).toHaveLength(9);
    await expect(openFiles(at('show/shots/out.usda'), { folder: at('show') }, { remark: LOG })).rejects.toThrow(
      /draws no mesh/,
    );
  });

  it('is refused where the input is not in the folder, or there is none', async () => {
    await expect(openFiles(at('show/shots/one.usda'), { folder: at('model') })).rejects.toThrow(/is not in/);
    await expect(openFiles(at('show/shots/one.usda'), { folder: at('none') })).rejects.toThrow(/none/);
  });
});

describe('readBytes', () => {
  it('reads a file, and says why it cannot', async () => {
    expect((await readBytes(at('secret'))).length).toBe(6);
    await expect(readBytes(at('none'))).rejects.toThrow(/none: no such file$/);
    await expect(readBytes(folder)).rejects.toThrow(/is a folder; name a file in it/);
    await expect(readBytes(at('secret/x'))).rejects.toThrow(/no such file/);
  });
});
