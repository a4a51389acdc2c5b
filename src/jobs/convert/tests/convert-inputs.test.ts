// SPDX-License-Identifier: MIT
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Document, WebIO } from '@gltf-transform/core';
import { validateBytes } from 'gltf-validator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readAsset } from '../../../formats/assets/read-asset.ts';
import { packGlb } from '../../../formats/gltf/document/pack-glb.ts';
import { splitGlb } from '../../../formats/gltf/document/split-glb.ts';
import { captureCli } from '../../../hosts/cli/capture-cli.ts';
import { makeFace } from '../../../samples/make-face.ts';

const FRAMES = 40;
let folder = '';
const at = (name: string) => join(folder, name);
const open = async (path: string) => readAsset([{ name: path, bytes: new Uint8Array(await readFile(path)) }]);
/** Between zero and one, at another rate than the rotation. */
const windAt = (k: number): number => 0.5 - 0.5 * Math.cos(k * 0.9);

/** A head that turns and that swells with the wind: extras of a node, a factor of a material and a shape have the same keys; a locator moves. */
async function writeWindy(): Promise<Uint8Array> {
  const { mesh } = makeFace(10);
  const document = new Document();
  const buffer = document.createBuffer();
  const accessor = (type: 'SCALAR' | 'VEC3' | 'VEC4', array: Float32Array | Uint32Array) =>
    document
      .createAccessor()
      .setType(type)
      .setArray(array as Float32Array<ArrayBuffer>)
      .setBuffer(buffer);
  const swell = mesh.positions.map((x, c) => (c % 3 === 0 ? 0.5 * x * Math.max(0, mesh.positions[c + 1] * 8) : 0));
  const primitive = document
    .createPrimitive()
    .setIndices(accessor('SCALAR', mesh.triangles))
    .setAttribute('POSITION', accessor('VEC3', mesh.positions))
    .setMaterial(document.createMaterial('skin'))
    .addTarget(document.createPrimitiveTarget('swell').setAttribute('POSITION', accessor('VEC3', swell)));
  const own = document
    .createMesh('head')
    .addPrimitive(primitive)
    .setWeights([0])
    .setExtras({ targetNames: ['swell'] });
  const head = document.createNode('head').setMesh(own).setExtras({ wind: 0 });
  const locator = document.createNode('locator');
  document.createScene().addChild(head).addChild(locator);
  const times = accessor(
    'SCALAR',
    Float32Array.from({ length: FRAMES }, (_, k) => k / 24),
  );
  const wind = accessor(
    'SCALAR',
    Float32Array.from({ length: FRAMES }, (_, k) => windAt(k)),
  );
  const turns = Array.from({ length: FRAMES }, (_, k) => [
    0,
    Math.sin(0.4 * Math.sin(k / 5)),
    0,
    Math.cos(0.4 * Math.sin(k / 5)),
  ]);
  const animation = document.createAnimation('gust');
  const add = (node: typeof head, path: 'rotation' | 'weights' | 'translation', values: typeof times): void => {
    const sampler = document.createAnimationSampler().setInput(times).setOutput(values);
    const channel = document.createAnimationChannel().setTargetNode(node).setTargetPath(path).setSampler(sampler);
    animation.addSampler(sampler).addChannel(channel);
  };
  add(head, 'rotation', accessor('VEC4', Float32Array.from(turns.flat())));
  add(head, 'weights', wind);
  add(
    locator,
    'translation',
    accessor(
      'VEC3',
      Float32Array.from({ length: 3 * FRAMES }, (_, e) => (e % 3 === 0 ? e / 90 : 1)),
    ),
  );
  const { json, binary } = splitGlb(await new WebIO().writeBinary(document));
  const { animations, nodes } = json as unknown as {
    animations: { channels: unknown[]; samplers: { output: number }[] }[];
    nodes: { name: string }[];
  };
  const sampler = animations[0].samplers.findIndex(({ output }) => output === animations[0].samplers[1].output);
  for (const pointer of [
    `/nodes/${nodes.findIndex(({ name }) => name === 'head')}/extras/wind`,
    '/materials/0/pbrMetallicRoughness/metallicFactor',
  ])
    animations[0].channels.push({
      sampler,
      target: { path: 'pointer', extensions: { KHR_animation_pointer: { pointer } } },
    });
  (json as { extensionsUsed?: string[] }).extensionsUsed = ['KHR_animation_pointer'];
  return packGlb(json as never, binary!);
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ossify-inputs-'));
  await writeFile(at('windy.glb'), await writeWindy());
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('convert, with custom animated properties', () => {
  it('reads numbers that KHR_animation_pointer animates', async () => {
    const { properties } = await open(at('windy.glb'));
    expect(properties!.map(({ name, rest }) => [name, rest])).toEqual([
      ['wind', 0],
      ['metallicFactor', expect.any(Number)],
    ]);
    expect(properties![0].tracks[0]!.values[3]).toBeCloseTo(windAt(3), 6);
  });

  it('offers properties, shapes and idle nodes to the controllers, as joints', async () => {
    const words = ['convert', at('windy.glb'), at('out.glb'), '--helpers', '2', '--iterations', '4', '--threads', '1'];
    const { status, out, err } = await captureCli([...words, '--json']);
    expect(status, err).toBe(0);
    expect(err).toContain('the controllers may read "wind"');
    const { result, metrics } = JSON.parse(out);
    const inputs = result.inputs as { name: string; source: string; readBy: string[]; radiansPerUnit?: number }[];
    expect(inputs.map(({ name }) => name)).toEqual(['wind', 'metallicFactor', 'swell', 'locator x']);
    expect(inputs.find(({ name }) => name === 'wind')).toMatchObject({
      source: expect.stringContaining('/extras/wind'),
    });
    expect(inputs.some(({ readBy }) => readBy.length > 0)).toBe(true);
    expect(metrics.max).toBeLessThan(0.02);
    const faults = (await validateBytes(new Uint8Array(await readFile(at('out.glb'))))).issues.messages;
    expect(faults.filter(({ severity }) => severity < 2)).toEqual([]);
    const { rig, animations, nodes } = await open(at('out.glb'));
    const wind = rig!.skeleton.names.indexOf('wind');
    // it carries no vertex, and turns by one radian over the range of the property
    expect(rig!.skin.boneIndices.includes(wind)).toBe(false);
    const track = animations[0].tracks.find(({ node, path }) => nodes.names[node] === 'wind' && path === 'rotation')!;
    const largest = track.values.reduce((most, x, e) => (e % 4 === 3 ? most : Math.max(most, Math.abs(x))), 0);
    expect(largest).toBeCloseTo(Math.sin(0.5), 2);
  });
});
