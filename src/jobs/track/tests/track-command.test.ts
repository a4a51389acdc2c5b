// SPDX-License-Identifier: MIT
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Document, NodeIO } from '@gltf-transform/core';
import { validateBytes } from 'gltf-validator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { measureBounds } from '../../../core/mesh/geometry/bounds.ts';
import { pointTriangles, weldVertices } from '../../../core/mesh/topology/weld.ts';
import { frameOf } from '../../../core/model/clip/clip.ts';
import { makeMesh } from '../../../core/model/mesh/mesh.ts';
import { writeObj } from '../../../formats/meshes/write-obj.ts';
import { captureCli } from '../../../hosts/cli/capture-cli.ts';
import { openFiles } from '../../../hosts/disk/open-files.ts';
import { makeSample } from '../../../samples/make-sample.ts';
import { remeshSurface } from '../../../samples/surfaces/remesh-surface.ts';
import { orientFrames } from '../../skeleton/orient-frames.ts';

const FRAMES = 3;
const STRIP = 'v 0 0 0\nv 0 1 0\nv 1 0 0\nv 1 1 0\nv 2 0 0\nf 1 3 2\nf 2 3 4\nf 4 3 5\n';
const book = new Document();
let folder = '';
const at = (name: string) => join(folder, name);
const track = (...words: string[]) => captureCli(['track', ...words, '--quiet', '--threads', '1']);
const json = async (...words: string[]) => {
  const { status, out, err } = await track(...words, '--json');
  expect([status, err]).toEqual([0, '']);
  return JSON.parse(out);
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ossify-track-'));
  await mkdir(at('scan'));
  const { clip } = makeSample('bar-bend', { resolution: 200, frames: 24 });
  const weld = weldVertices(clip.mesh.positions);
  const triangles = pointTriangles(clip.mesh.triangles, weld);
  for (let k = 0; k < FRAMES; k++) {
    const frame = frameOf(clip, k);
    const shape = Array.from(weld.vertexOfPoint).flatMap((i) => [...frame.subarray(3 * i, 3 * i + 3)]);
    const mesh = remeshSurface(shape, triangles, { vertices: 300, seed: k });
    const positions = Float32Array.from(mesh.corners, (_, c) => {
      const row = 3 * Math.floor(c / 3);
      return [0, 1, 2].reduce((sum, n) => sum + mesh.blends[row + n] * shape[3 * mesh.corners[row + n] + (c % 3)], 0);
    });
    await writeFile(at(`scan/frame${8 + k}.obj`), writeObj(makeMesh(positions, mesh.triangles)));
    addNode(book, k, positions, mesh.triangles);
  }
});
/** Adds a frame of the flip-book. */
function addNode(book: Document, k: number, positions: Float32Array<ArrayBuffer>, triangles: Uint32Array): void {
  const buffer = book.getRoot().listBuffers()[0] ?? book.createBuffer();
  const scene = book.getRoot().listScenes()[0] ?? book.createScene();
  const primitive = book
    .createPrimitive()
    .setAttribute('POSITION', book.createAccessor().setType('VEC3').setArray(positions).setBuffer(buffer))
    .setIndices(book.createAccessor().setType('SCALAR').setArray(Uint32Array.from(triangles)).setBuffer(buffer));
  scene.addChild(book.createNode(`frame_00${k}`).setMesh(book.createMesh().addPrimitive(primitive)));
}

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

describe('track', () => {
  it('writes a valid skin and the tracked frames, and reports the distances of both', async () => {
    const { result, files } = await json(at('scan/*.obj'), at('out.glb'), '--bones', '4', '--clip', at('out.abc'));
    expect(result).toMatchObject({ frames: FRAMES, vertices: 300, bones: 4 });
    expect(result.tracked.mean).toBeLessThan(0.1);
    expect(result.skin.mean).toBeLessThan(0.5);
    expect(result.minCoverage).toBeGreaterThan(0.95);
    expect(files).toHaveLength(2);
    const { issues } = await validateBytes(new Uint8Array(await readFile(at('out.glb'))));
    expect(issues.messages.filter(({ severity }) => severity < 2)).toEqual([]);
    const info = await captureCli(['info', at('out.abc'), '--json']);
    expect(JSON.parse(info.out).inputs[0]).toMatchObject({ vertices: 300, clips: [{ frames: FRAMES }] });
  });

  it('writes small files that meet a distance from the frames: standard ones, and ours with displacements', async () => {
    const size = ['--for', 'size', '--bones', '3', '--rms'];
    const standard = await json(at('scan/*.obj'), at('standard.glb'), ...size, '0.3%');
    expect(standard.result.rmsPercent).toBeLessThanOrEqual(0.3);
    const own = [...size, '0.08%', '--codec', 'ossify'];
    const { result, bytes } = await json(at('scan/*.obj'), at('small.glb'), ...own);
    expect(result.rmsPercent).toBeLessThanOrEqual(0.08);
    expect(result.size.displacementStep).toBeGreaterThan(0);
    expect(result.skin.mean).toBeLessThan(result.tracked.mean + 0.1);
    expect(bytes.file).toBeLessThan(standard.bytes.file);
    // the plain file of it plays the same: a skin and a morph target for each frame
    const baked = await captureCli(['bake', at('small.glb'), at('plain.glb'), '--quiet']);
    expect([baked.status, baked.err]).toEqual([0, '']);
    const { issues } = await validateBytes(new Uint8Array(await readFile(at('plain.glb'))));
    expect(issues.messages.filter(({ severity }) => severity < 2)).toEqual([]);
    const { out } = await captureCli(['compare', at('small.glb'), at('plain.glb'), '--json']);
    expect(JSON.parse(out).metrics.rmsePercent).toBeLessThan(1e-4);
  });

  it('ends with status 3 if a small file exceeds its error', async () => {
    const { status } = await track(at('scan'), at('worse.glb'), '--for', 'size', '--bones', '1', '--rms', '0.001%');
    expect(status).toBe(3);
  });

  it('reads a folder in natural order, and writes frames alone', async () => {
    const { result } = await json(at('scan'), at('frames.pc2'), '--template', '2');
    expect(result.template).toBe(at('scan/frame10.obj'));
    expect(result.bones).toBeUndefined();
    expect((await readdir(folder)).filter((name) => name.startsWith('frames'))).toEqual(['frames.obj', 'frames.pc2']);
  });

  it('reads the frames of a flip-book', async () => {
    await writeFile(at('book.glb'), await new NodeIO().writeBinary(book));
    const { result } = await json(at('book.glb'), at('book-out.glb'), '--bones', '4');
    expect(result).toMatchObject({ frames: FRAMES, vertices: 300, bones: 4 });
    expect(result.tracked.mean).toBeLessThan(0.1);
    expect(result.template).toMatch(/^.*book\.glb \(frame_00\d\)$/);
  });

  it.each(['indexed', 'plain'])('turns GLB files that face inward, also in the file it writes: %s', async (kind) => {
    await mkdir(at(kind));
    for (const k of [0, 1]) {
      const { mesh } = (await openFiles(at(`scan/frame${8 + k}.obj`), {})).asset;
      // frames without indices have the same triangles if they have as many
      const own = mesh.triangles.subarray(3 * k);
      const triangles = own.map((_, c, all) => all[c - (c % 3) + [0, 2, 1][c % 3]]);
      const corners = Float32Array.from(
        Array.from(triangles).flatMap((i) => [...mesh.positions.subarray(3 * i, 3 * i + 3)]),
      );
      const single = new Document();
      addNode(single, k, kind === 'plain' ? corners : Float32Array.from(mesh.positions), triangles);
      if (kind === 'plain') single.getRoot().listMeshes()[0].listPrimitives()[0].getIndices()!.dispose();
      await writeFile(at(`${kind}/${k}.glb`), await new NodeIO().writeBinary(single));
    }
    const out = at(`outward-${kind}.glb`);
    const { status, err } = await captureCli(['track', at(kind), out, '--bones', '3', '--threads', '1']);
    expect([status, err]).toEqual([0, 'note: the triangles of the frames face inward; turning them outward\n']);
    const { mesh } = (await openFiles(out, {})).asset;
    expect(orientFrames([mesh]).frames[0]).toBe(mesh);
  });

  it('leaves out a primitive of a GLB file that is a speck', async () => {
    await mkdir(at('speck'));
    for (const k of [0, 1, 2]) {
      const { mesh } = (await openFiles(at(`scan/frame${8 + k}.obj`), {})).asset;
      const { min, diagonal } = measureBounds(mesh.positions);
      const single = new Document();
      // first, so that the vertices of the body are not the first ones of the frame
      const speck = Float32Array.from(
        [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1],
        (x, c) => min[c % 3] + diagonal * (0.01 * x - 0.3),
      );
      if (k === 1) addNode(single, 5, speck, Uint32Array.of(0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3));
      addNode(single, k, Float32Array.from(mesh.positions), mesh.triangles);
      await writeFile(at(`speck/${k}.glb`), await new NodeIO().writeBinary(single));
    }
    const { status, err } = await captureCli([
      'track',
      at('speck'),
      at('clean.glb'),
      '--template',
      '1',
      '--bones',
      '3',
      '--threads',
      '1',
    ]);
    expect([status, err]).toEqual([0, 'note: dropping 1 small part of 1 frame: neighbouring frames do not have it\n']);
    expect((await openFiles(at('clean.glb'), {})).asset.mesh.parts).toHaveLength(1);
    for (const codec of ['auto', 'ossify']) {
      const size = ['--for', 'size', '--rms', '0.5%', '--codec', codec, '--bones', '3', '--template', '1'];
      const { result } = await json(at('speck'), at(`clean-${codec}.glb`), ...size);
      expect(result.rmsPercent).toBeLessThanOrEqual(0.5);
      expect(result.skin.mean).toBeLessThan(0.5);
    }
  });

  it('reads a flip-book that is switched by scale, with its times', async () => {
    const switched = await new NodeIO().readBinary(await new NodeIO().writeBinary(book));
    const [buffer] = switched.getRoot().listBuffers();
    const animation = switched.createAnimation('switch');
    const times = Float32Array.from({ length: FRAMES }, (_, k) => k / 10);
    for (const [n, node] of switched.getRoot().listNodes().entries()) {
      const scales = Float32Array.from({ length: 3 * FRAMES }, (_, c) => (Math.floor(c / 3) === n ? 1 : 0));
      const sampler = switched
        .createAnimationSampler()
        .setInterpolation('STEP')
        .setInput(switched.createAccessor().setType('SCALAR').setArray(times).setBuffer(buffer))
        .setOutput(switched.createAccessor().setType('VEC3').setArray(scales).setBuffer(buffer));
      const channel = switched.createAnimationChannel().setTargetNode(node).setTargetPath('scale').setSampler(sampler);
      animation.addSampler(sampler).addChannel(channel);
    }
    await writeFile(at('switched.glb'), await new NodeIO().writeBinary(switched));
    const { result } = await json(at('switched.glb'), at('switched.abc'));
    expect(result).toMatchObject({ frames: FRAMES, vertices: 300 });
    const info = await captureCli(['info', at('switched.abc'), '--json']);
    expect(JSON.parse(info.out).result.clips[0].duration).toBeCloseTo((FRAMES - 1) / 10, 5);
  });

  it('registers a file as the template, and reads files joined by +', async () => {
    const input = [9, 10].map((n) => at(`scan/frame${n}.obj`)).join('+');
    const { result } = await json(input, at('own.abc'), '--template', at('scan/frame8.obj'));
    expect(result).toMatchObject({ template: at('scan/frame8.obj'), frames: 2 });
  });

  it('refuses a template of another object, and writes the result with --force', async () => {
    const { clip } = makeSample('creature', { resolution: 300, frames: 2 });
    const bar = measureBounds((await openFiles(at('scan/frame8.obj'), {})).asset.mesh.positions);
    const other = measureBounds(clip.mesh.positions);
    const positions = clip.mesh.positions.map((x) => (x * bar.diagonal) / other.diagonal);
    await writeFile(at('other.obj'), writeObj(makeMesh(positions, clip.mesh.triangles)));
    const words = [at('scan'), at('other.abc'), '--template', at('other.obj')];
    const { status, err } = await track(...words);
    expect([status, err]).toEqual([
      1,
      expect.stringMatching(
        /other\.obj: does not fit these frames: lengths .*use --force to write the result anyway\n$/,
      ),
    ]);
    expect((await readdir(folder)).filter((name) => name === 'other.abc')).toEqual([]);
    const forced = await track(...words, '--force');
    expect(forced.status).toBe(0);
    expect((await readdir(folder)).filter((name) => name === 'other.abc')).toEqual(['other.abc']);
  });

  it('names a frame that it could not follow on the terminal and in the report, and writes the result', async () => {
    await cp(at('scan'), at('half'), { recursive: true });
    const lines = (await readFile(at('half/frame9.obj'), 'utf8')).split('\n');
    const faces = lines.filter((line) => line.startsWith('f '));
    const kept = new Set(faces.slice(0, faces.length / 2));
    await writeFile(at('half/frame9.obj'), lines.filter((line) => !line.startsWith('f ') || kept.has(line)).join('\n'));
    const { status, out, err } = await captureCli(['track', at('half'), at('half.abc'), '--json', '--threads', '1']);
    expect(status).toBe(0);
    const { result } = JSON.parse(out);
    expect(result.warnings).toEqual([expect.stringMatching(/half\/frame9\.obj: shows only [45]\d % of the surface/)]);
    expect(err).toContain(result.warnings[0]);
  });

  it('names frames of a flip-book by their index', async () => {
    const [, , node] = book.getRoot().listNodes();
    node
      .getMesh()!
      .listPrimitives()[0]
      .getIndices()!
      .setArray(Uint32Array.from(node.getMesh()!.listPrimitives()[0].getIndices()!.getArray()!.subarray(0, 900)));
    await writeFile(at('torn.glb'), await new NodeIO().writeBinary(book));
    const { result } = await json(at('torn.glb'), at('torn.abc'), '--template', '0');
    expect(result.warnings).toEqual([
      expect.stringMatching(/torn\.glb \(frame_002\), frame 2: shows only \d\d % of the surface/),
    ]);
  });

  it('uses one bone for scans that do not bend, with a note', async () => {
    await mkdir(at('still'));
    for (const k of [0, 1, 2]) await cp(at('scan/frame8.obj'), at(`still/frame${k}.obj`));
    const { status, err } = await captureCli(['track', at('still'), at('still.glb'), '--threads', '1']);
    expect([status, err]).toEqual([
      0,
      'note: all frames have the same triangles. If their vertices correspond, use "ossify decompose" or "ossify skeleton", which keep them. They are registered as scans here.\n' +
        'note: the frames need only 1 bone, not 60: the body moves as a whole, or not at all\n',
    ]);
  });

  it('writes characters in metres with y up, and frames as they are', async () => {
    const boxOf = async (path: string) => measureBounds((await openFiles(path, {})).asset.mesh.positions);
    const words = ['--unit', 'mm', '--up', 'z', '--template', '0'];
    const { result } = await json(
      at('scan'),
      at('small.glb'),
      ...words,
      '--bones',
      '3',
      '--for',
      'size',
      '--rms',
      '0.02',
    );
    expect(result.rmsPercent).toBeLessThan(1);
    await json(at('scan'), at('metres.glb'), ...words, '--bones', '3');
    await json(at('scan'), at('as-is.abc'), ...words);
    const [frames, character] = [await boxOf(at('as-is.abc')), await boxOf(at('metres.glb'))];
    expect(character.diagonal).toBeCloseTo(frames.diagonal / 1000, 5);
    const [x, y, z] = frames.max.map((most, a) => (most - frames.min[a]) / 1000);
    const sizes = character.max.map((most, a) => most - character.min[a]);
    for (const [a, size] of [x, z, y].entries()) expect(sizes[a]).toBeCloseTo(size, 5);
  });

  it('limits the bones to the vertices, with a note', async () => {
    await mkdir(at('coarse'));
    const { clip } = makeSample('bar-bend', { resolution: 100, frames: 3 });
    for (const k of [0, 1, 2])
      await writeFile(at(`coarse/${k}.obj`), writeObj({ ...clip.mesh, positions: frameOf(clip, k).slice() }));
    const words = [at('coarse'), at('many.glb'), '--bones', '5000', '--threads', '1'];
    const { status, err } = await captureCli(['track', ...words]);
    expect(status).toBe(0);
    expect(err).toMatch(/note: the template has only (\d+) distinct vertices; using \1 bones instead of 5000\n$/);
  });

  it('ends with status 130 and one sentence if it is interrupted while tracking, and writes nothing', async () => {
    const interrupt = new AbortController();
    const { status, err } = await captureCli(
      ['track', at('scan'), at('cut.glb'), '--clip', at('cut.abc'), '--threads', '1', '--progress', 'json'],
      { signal: interrupt.signal, onError: (text) => text.includes('"track"') && interrupt.abort() },
    );
    expect(status).toBe(130);
    const lines = err.split('\n').filter((line) => line !== '' && !line.startsWith('{'));
    expect(lines).toEqual(['ossify: interrupted before all frames were tracked; nothing was written']);
    expect((await readdir(folder)).filter((name) => name.startsWith('cut'))).toEqual([]);
  });

  it('writes the best result so far if it is interrupted while solving bones', async () => {
    const interrupt = new AbortController();
    const result = await captureCli(
      ['track', at('scan'), at('brief.glb'), '--bones', '8', '--threads', '1', '--progress', 'json'],
      { signal: interrupt.signal, onError: (text) => text.includes('solve') && interrupt.abort() },
    );
    expect(result.status, result.err).toBe(130);
    expect(result.err).toContain('interrupted; writing the best result so far');
    const info = await captureCli(['info', at('brief.glb'), '--json']);
    expect(JSON.parse(info.out).inputs[0]).toMatchObject({ vertices: 300, bones: 8 });
  });

  it.each([
    ['a single file', ['scan/frame8.obj', 'bad.glb'], 1, /frame8\.obj: is a single mesh; give a sequence/],
    ['a folder without meshes', ['empty', 'bad.glb'], 1, /empty: is a folder without meshes/],
    ['a frame in another unit', ['inches', 'bad.glb'], 1, /inches\/frame9\.obj: is 2\.5 times as large as the other/],
    ['a strip of triangles', ['strip', 'bad.glb'], 1, /strip\/0\.obj: has hardly any vertex inside its border/],
    ['a file that is no mesh', ['broken', 'bad.glb'], 1, /broken\/frame9\.obj: /],
    [
      'a frame that does not exist',
      ['scan', 'bad.glb', '--template', '3'],
      2,
      /--template: must be a frame from 0 to 2/,
    ],
    ['a clip of another format', ['scan', 'bad.glb', '--clip', 'x.glb'], 2, /--clip: must end in/],
    ['an error without a size', ['scan', 'bad.glb', '--rms', '1%'], 2, /--rms: requires --for size/],
    [
      'too little memory',
      ['scan', 'bad.glb', '--max-memory', '1MB'],
      1,
      /scan: 3 frames of 300 vertices need about 2\.4 MB/,
    ],
    ['small frames', ['scan', 'bad.abc', '--for', 'size'], 2, /--for size: writes \.glb only/],
  ])('refuses %s in one sentence and writes nothing', async (_, [input, output, ...words], expected, message) => {
    await mkdir(at('empty'), { recursive: true });
    await cp(at('scan'), at('broken'), { recursive: true });
    await writeFile(at('broken/frame9.obj'), 'v 0 0 zero\n');
    await cp(at('scan'), at('inches'), { recursive: true });
    const inches = (await readFile(at('scan/frame9.obj'), 'utf8')).replace(/^v .*/gm, (line) =>
      line.replace(/[-\d.]\S*/g, (x) => String(2.54 * Number(x))),
    );
    await writeFile(at('inches/frame9.obj'), inches);
    await mkdir(at('strip'), { recursive: true });
    for (const k of [0, 1]) await writeFile(at(`strip/${k}.obj`), STRIP);
    const { status, err } = await track(at(input), at(output), ...words);
    expect([status, err.trim().split('\n').length]).toEqual([expected, 1]);
    expect(err).toMatch(message);
    expect((await readdir(folder)).filter((name) => name.startsWith('bad'))).toEqual([]);
  });
});
