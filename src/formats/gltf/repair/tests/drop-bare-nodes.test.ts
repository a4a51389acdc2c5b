// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { FormatError } from '../../../../core/model/errors.ts';
import { packGlb } from '../../document/pack-glb.ts';
import { readGltf } from '../../read-gltf.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests break the JSON in ways types would forbid
type Loose = any;

/** A triangle that the last node draws, among many nodes without content. */
function makeFile(count: number, change: (json: Loose) => void = () => {}): Uint8Array {
  const json: Loose = {
    asset: { version: '2.0' },
    ...{ scene: 0, scenes: [{ nodes: [count + 1] }] },
    nodes: [
      ...Array.from({ length: count }, () => ({})),
      { name: 'drawn', mesh: 0, translation: [1, 0, 0] },
      { name: 'top', children: [count, 0], scale: [2, 2, 2] },
    ],
    meshes: [{ primitives: [{ attributes: { POSITION: 0 } }] }],
    accessors: [{ bufferView: 0, componentType: 5126, type: 'VEC3', count: 3 }],
    bufferViews: [{ buffer: 0, byteLength: 36 }],
    buffers: [{ byteLength: 36 }],
  };
  change(json);
  return packGlb(json, new Uint8Array(Float32Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0).buffer));
}

describe('readGltf on very many nodes without content', () => {
  it('leaves them out, with a sentence, and keeps the others in place', async () => {
    const notes: string[] = [];
    const { nodes, mesh } = await readGltf(makeFile(50_000), { log: (note, kind) => notes.push(`${kind}: ${note}`) });
    expect(nodes.names).toEqual(['top', 'drawn']);
    expect([...mesh.positions]).toEqual([2, 0, 0, 4, 0, 0, 2, 2, 0]);
    expect(notes).toEqual(['repair: 50000 nodes without a name or content were left out; the first: nodes[0]']);
  });

  it('makes no more of three million bytes than of three hundred', async () => {
    const objects = async (count: number) => (await readGltf(makeFile(count))).nodes.names.length;
    expect(await objects(300_000)).toBe(await objects(100_000));
  });

  it('keeps those that a skin or an animation moves', async () => {
    const bytes = makeFile(20_000, (json) => {
      json.skins = [{ joints: [7, 9] }];
      json.meshes[0].primitives[0].attributes = { POSITION: 0, JOINTS_0: 1, WEIGHTS_0: 2 };
      json.accessors.push(
        { componentType: 5121, type: 'VEC4', count: 3 },
        { componentType: 5126, type: 'VEC4', count: 3 },
      );
      json.nodes[20_000].skin = 0;
      json.nodes[7].translation = [0, 0, 5];
    });
    const { nodes, rig } = await readGltf(bytes);
    expect(nodes.names).toHaveLength(4);
    expect([...rig!.nodeOfBone].some((node) => nodes.translations[3 * node + 2] === 5)).toBe(true);
  });

  it('keeps a thousand, and those with a name', async () => {
    expect((await readGltf(makeFile(1000))).nodes.names).toHaveLength(1002);
    const named = makeFile(12_000, (json) =>
      json.nodes.forEach((node: Loose) => {
        node.name ??= 'socket';
      }),
    );
    expect((await readGltf(named)).nodes.names).toHaveLength(12_002);
  });

  it('refuses a file in which extensions may name them', async () => {
    const error = await readGltf(makeFile(50_000, (json) => (json.extensions = { EXT_any: { node: 4 } }))).catch(
      (e) => e,
    );
    expect(error).toBeInstanceOf(FormatError);
    expect(error.code).toBe('limit');
  });

  it('refuses vertices and triangles without data that are more than the bytes of the file', async () => {
    for (const change of [
      (json: Loose) => json.accessors.push({ componentType: 5126, type: 'VEC3', count: 1_200_000 }),
      (json: Loose) =>
        (json.meshes[0].primitives[0].indices =
          json.accessors.push({ componentType: 5125, type: 'SCALAR', count: 1_200_000 }) - 1),
    ]) {
      const bytes = makeFile(1, (json) => {
        change(json);
        if (json.meshes[0].primitives[0].indices === undefined) json.meshes[0].primitives[0].attributes.POSITION = 1;
      });
      const before = process.memoryUsage().arrayBuffers;
      const error = await readGltf(bytes).catch((e) => e);
      expect(error).toBeInstanceOf(FormatError);
      expect(error.message).toMatch(
        /^accessors\[1\] of meshes\[0\] has 1200000 elements without data, in a file of \d+ bytes$/,
      );
      expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1e6);
    }
  });
});
