// SPDX-License-Identifier: MIT
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkClip } from '../../../../core/model/clip/clip.ts';
import { FormatError } from '../../../../core/model/errors.ts';
import { readGltf } from '../../read-gltf.ts';

type Json = Record<string, unknown>;

/** A tent: two triangles with a ridge of some height. `split` repeats the vertices of the ridge, as flat shading does. */
function tent(height: number, split = false): { positions: number[]; triangles: number[] } {
  const ridge = [0, height, -1, 0, height, 1];
  const [left, right] = [
    [-1, 0, 0],
    [1, 0, 0],
  ];
  return split
    ? { positions: [...ridge, ...left, ...ridge, ...right], triangles: [0, 2, 1, 3, 4, 5] }
    : { positions: [...ridge, ...left, ...right], triangles: [0, 2, 1, 0, 1, 3] };
}

/** Collects numbers into a buffer and makes a .gltf of a node per mesh. */
class Builder {
  readonly views: Json[] = [];
  readonly accessors: Json[] = [];
  readonly json: Json & { nodes: Json[]; animations: { samplers: Json[]; channels: Json[] }[] };
  readonly #bytes: number[] = [];

  constructor(meshes: { positions: number[]; triangles: number[] }[], names?: string[]) {
    this.json = {
      asset: { version: '2.0' },
      meshes: meshes.map(({ positions, triangles }) => ({
        primitives: [{ attributes: { POSITION: this.add('VEC3', positions) }, indices: this.#addIndices(triangles) }],
      })),
      nodes: meshes.map((_, n) => ({ mesh: n, name: names?.[n] ?? `part${n}` })),
      scenes: [{ nodes: meshes.map((_, n) => n) }],
      scene: 0,
      animations: [],
    };
  }

  add(type: string, values: number[]): number {
    const width = { SCALAR: 1, VEC3: 3, VEC4: 4 }[type]!;
    const accessor: Json = { componentType: 5126, type, count: values.length / width };
    if (type === 'VEC3') {
      const column = (c: number) => values.filter((_, n) => n % 3 === c);
      accessor.min = [0, 1, 2].map((c) => Math.min(...column(c)));
      accessor.max = [0, 1, 2].map((c) => Math.max(...column(c)));
    }
    return this.#push(accessor, new Uint8Array(Float32Array.from(values).buffer));
  }

  #addIndices(values: number[]): number {
    const accessor = { componentType: 5125, type: 'SCALAR', count: values.length };
    return this.#push(accessor, new Uint8Array(Uint32Array.from(values).buffer));
  }

  #push(accessor: Json, bytes: Uint8Array): number {
    this.views.push({ buffer: 0, byteOffset: this.#bytes.length, byteLength: bytes.length });
    this.#bytes.push(...bytes);
    return this.accessors.push({ ...accessor, bufferView: this.views.length - 1 }) - 1;
  }

  /** Adds a channel, in an animation of its own if asked. */
  animate(target: Json, times: number[], values: number[], type: string, interpolation = 'STEP', isOwn = false): void {
    const { animations } = this.json;
    if (animations.length === 0 || isOwn) animations.push({ samplers: [], channels: [] });
    const { samplers, channels } = animations.at(-1)!;
    channels.push({ sampler: samplers.length, target });
    samplers.push({ input: this.add('SCALAR', times), output: this.add(type, values), interpolation });
  }

  bytes(): Uint8Array {
    const uri = `data:;base64,${btoa(String.fromCharCode(...this.#bytes))}`;
    const { animations, ...json } = this.json;
    return new TextEncoder().encode(
      JSON.stringify({
        ...json,
        ...(animations.length > 0 ? { animations } : {}),
        bufferViews: this.views,
        accessors: this.accessors,
        buffers: [{ byteLength: this.#bytes.length, uri }],
      }),
    );
  }
}

const HEIGHTS = [1, 2, 4, 3];
/** Keys of frame k of 4, at 2 frames per second: shown from k / 2 to (k + 1) / 2. */
const keysOf = (k: number): [number[], boolean[]] =>
  k === 0
    ? [
        [0, 0.5],
        [true, false],
      ]
    : [
        [0, k / 2, (k + 1) / 2],
        [false, true, false],
      ];

const heightsOf = ({ clips: [{ positions }] }: Awaited<ReturnType<typeof readGltf>>): number[] =>
  HEIGHTS.map((_, k) => positions[(k * positions.length) / HEIGHTS.length + 1]);

describe('a flip-book in a glTF', () => {
  it('is a clip if nodes are switched by scale', async () => {
    for (const interpolation of ['STEP', 'LINEAR'] as const) {
      const file = new Builder(HEIGHTS.map((height) => tent(height)));
      HEIGHTS.forEach((_, k) => {
        const [times, shown] = keysOf(k);
        // With LINEAR, keys just before the switch keep the scale until then.
        const keys = times.flatMap((time, n) => {
          const value = shown[n] ? 1 : 0;
          const before = n > 0 && interpolation === 'LINEAR' ? [[time - 1e-5, 1 - value]] : [];
          return [...before, [time, value]];
        });
        file.animate(
          { node: k, path: 'scale' },
          ...[keys.map(([time]) => time), keys.flatMap(([, value]) => [value, value, value])],
          ...(['VEC3', interpolation, true] as const),
        );
      });
      const notes: string[] = [];
      const asset = await readGltf(file.bytes(), { name: 'tent', log: (note) => notes.push(note) });
      expect(heightsOf(asset)).toEqual(HEIGHTS);
      expect(asset.clips[0].times.map((time) => Math.round(1e4 * time) / 1e4)).toEqual(Float64Array.of(0, 0.5, 1, 1.5));
      expect(asset.mesh.positions).toHaveLength(12);
      expect([asset.rig, asset.animations]).toEqual([undefined, []]);
      expect(notes).toEqual(['a flip-book: 4 nodes, one after the other, are read as the frames of one clip']);
      expect(asset.source!.json.meshes).toHaveLength(1);
    }
  });

  it('is a clip if nodes are switched by visibility, below other nodes too', async () => {
    const file = new Builder(HEIGHTS.map((height) => tent(height)));
    file.json.extensionsUsed = ['KHR_node_visibility', 'KHR_animation_pointer'];
    HEIGHTS.forEach((_, k) => {
      const group = file.json.nodes.push({ children: [k], scale: [2, 2, 2] }) - 1;
      if (k > 0) file.json.nodes[group].extensions = { KHR_node_visibility: { visible: false } };
      const pointer = `/nodes/${group}/extensions/KHR_node_visibility/visible`;
      const [times, shown] = keysOf(k);
      const target = { path: 'pointer', extensions: { KHR_animation_pointer: { pointer } } };
      file.animate(target, times, shown.map(Number), 'SCALAR');
    });
    file.json.scenes = [{ nodes: HEIGHTS.map((_, k) => HEIGHTS.length + k) }];
    const notes: string[] = [];
    const asset = await readGltf(file.bytes(), { log: (note) => notes.push(note) });
    expect(notes).toEqual(['a flip-book: 4 nodes, one after the other, are read as the frames of one clip']);
    expect(heightsOf(asset)).toEqual(HEIGHTS.map((height) => 2 * height));
    expect(asset.mesh.positions[1]).toBe(2);
    expect([...asset.clips[0].times]).toEqual([0, 0.5, 1, 1.5]);
  });

  it('is a clip if nodes wait far away', async () => {
    const file = new Builder(HEIGHTS.map((height) => tent(height)));
    HEIGHTS.forEach((_, k) => {
      const [times, shown] = keysOf(k);
      file.animate(
        { node: k, path: 'translation' },
        times,
        shown.flatMap((is) => [0, is ? 5 : -1000, 0]),
        'VEC3',
      );
    });
    expect(heightsOf(await readGltf(file.bytes()))).toEqual(HEIGHTS.map((height) => 5 + height));
  });

  it('is a clip if nodes are only named as frames, in the order of their numbers', async () => {
    const file = new Builder([tent(3), tent(1), tent(2), tent(4)], ['frame_10', 'frame_1', 'frame_2', 'frame_11']);
    const asset = await readGltf(file.bytes(), { fps: 10 });
    expect(heightsOf(asset)).toEqual([1, 2, 3, 4]);
    expect(asset.clips[0].times[3]).toBeCloseTo(0.3);
    const cubes = new Builder([tent(3), tent(1), tent(2)], ['Cube.001', 'Cube.002', 'Cube.003']);
    expect((await readGltf(cubes.bytes())).clips).toEqual([]);
  });

  it('matches frames whose vertices are split differently', async () => {
    const names = HEIGHTS.map((_, k) => `f${k}`);
    const file = new Builder(
      HEIGHTS.map((height, k) => tent(height, k % 2 === 1)),
      names,
    );
    const asset = await readGltf(file.bytes());
    expect(heightsOf(asset)).toEqual(HEIGHTS);
    expect(asset.mesh.positions).toHaveLength(12);
  });

  it('plays forth and back, and ends where it closes its loop', async () => {
    const file = new Builder(HEIGHTS.map((height) => tent(height)));
    const order = [0, 1, 2, 3, 2, 1, 0, 1, 2, 3];
    HEIGHTS.forEach((_, k) => {
      const values = order.flatMap((shown) => (shown === k ? [1, 1, 1] : [0, 0, 0]));
      file.animate(
        { node: k, path: 'scale' },
        order.map((_, n) => n),
        values,
        'VEC3',
      );
    });
    const [{ times, positions }] = (await readGltf(file.bytes())).clips;
    expect([...times]).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect([...times].map((_, k) => positions[12 * k + 1])).toEqual([1, 2, 4, 3, 4, 2, 1]);
  });

  it('keeps frames of different topology as a sequence', async () => {
    const notes: string[] = [];
    const single = { positions: [0, 9, -1, 0, 9, 1, 1, 0, 0], triangles: [0, 1, 2] };
    const file = new Builder([tent(1), single, tent(3)], ['frame1', 'frame2', 'frame3']);
    const asset = await readGltf(file.bytes(), { log: (note) => notes.push(note) });
    expect(asset.clips).toEqual([]);
    expect(asset.sequence!.frames.map(({ name, positions }) => [name, positions.length / 3])).toEqual([
      ['frame1', 4],
      ['frame2', 3],
      ['frame3', 4],
    ]);
    expect(notes[0]).toContain('are frames with different topology');
  });

  it('is not seen where parts move while they are shown, share frames, or are fewer than three', async () => {
    const switched = (count: number, isShown: (k: number, n: number) => boolean): Builder => {
      const file = new Builder(HEIGHTS.slice(0, count).map((height) => tent(height)));
      for (let k = 0; k < count; k++) {
        const values = HEIGHTS.flatMap((_, n) => (isShown(k, n) ? [1, 1, 1] : [0, 0, 0]));
        file.animate({ node: k, path: 'scale' }, [0, 1, 2, 3], values, 'VEC3');
      }
      return file;
    };
    const blink = switched(2, (k, n) => k === n % 2);
    expect((await readGltf(blink.bytes())).clips).toEqual([]);
    const fading = switched(4, (k, n) => k === n || k === n + 1);
    expect((await readGltf(fading.bytes())).clips).toEqual([]);
    const turning = switched(3, (k, n) => k === n % 3);
    turning.json.meshes = [...(turning.json.meshes as Json[]), (turning.json.meshes as Json[])[0]];
    turning.json.nodes.push({ mesh: 3, name: 'prop' });
    turning.json.scenes = [{ nodes: [0, 1, 2, 3] }];
    expect((await readGltf(turning.bytes())).clips[0].mesh.positions).toHaveLength(24);
    turning.animate({ node: 3, path: 'translation' }, [0, 3], [0, 0, 0, 0, 1, 0], 'VEC3', 'LINEAR');
    const asset = await readGltf(turning.bytes());
    expect([asset.clips, asset.animations.length]).toEqual([[], 1]);
  });

  it('gives a FormatError or sound frames for any mutation', async () => {
    const file = new Builder(HEIGHTS.map((height) => tent(height)));
    HEIGHTS.forEach((_, k) => {
      const [times, shown] = keysOf(k);
      const pointer = `/nodes/${k}/extensions/KHR_node_visibility/visible`;
      const target = { path: 'pointer', extensions: { KHR_animation_pointer: { pointer } } };
      if (k % 2 === 0) file.animate(target, times, shown.map(Number), 'SCALAR');
      else
        file.animate(
          { node: k, path: 'scale' },
          times,
          shown.flatMap((is) => Array(3).fill(Number(is))),
          'VEC3',
        );
    });
    const named = new Builder([tent(3), tent(1), tent(2)], ['frame_1', 'frame_2', 'frame_3']);
    const seeds = [file.bytes(), named.bytes()];
    const edits = fc.array(fc.tuple(fc.nat(), fc.integer({ min: 32, max: 126 })), { minLength: 1, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(fc.nat(1), edits, async (n, list) => {
        const bytes = seeds[n].slice();
        for (const [at, value] of list) bytes[at % bytes.length] = value;
        const asset = await readGltf(bytes).catch((error: unknown) => {
          expect(error).toBeInstanceOf(FormatError);
          return undefined;
        });
        for (const clip of asset?.clips ?? []) {
          checkClip(clip);
          expect(clip.times.every((time, k) => k === 0 || time > clip.times[k - 1])).toBe(true);
        }
      }),
      { numRuns: 600 },
    );
  });

  it('refuses visibility whose values do not match its times', async () => {
    const file = new Builder(HEIGHTS.map((height) => tent(height)));
    const pointer = '/nodes/1/extensions/KHR_node_visibility/visible';
    const target = { path: 'pointer', extensions: { KHR_animation_pointer: { pointer } } };
    file.animate(target, [0, 1, 2], [0, 1], 'SCALAR');
    await expect(readGltf(file.bytes())).rejects.toThrow('the visibility of node 1 has 3 times, but 2 values');
  });
});
