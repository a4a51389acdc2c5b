// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeIdentities } from '../../core/math/mat4.ts';
import type { Asset } from '../../core/model/asset.ts';
import type { Animation } from '../../core/model/clip/animation.ts';
import { type Clip, frameOf } from '../../core/model/clip/clip.ts';
import { makeMesh } from '../../core/model/mesh/mesh.ts';
import { makeSkin } from '../../core/model/skin/skin.ts';
import { makeReport, REPORT_VERSION, reportInputOf, reportMetricsOf } from '../../jobs/engine/report/report.ts';
import { makeSample } from '../../samples/make-sample.ts';
import { compare } from '../compare.ts';

const positions = Float32Array.from([0, 0, 0, 1, 0, 0, 0, 1, 0]);
const triangles = Uint32Array.from([0, 1, 2]);

function makeAsset(extra: Partial<Asset> = {}): Asset {
  return {
    name: 'triangle',
    mesh: makeMesh(positions, triangles),
    nodes: {
      names: ['node'],
      parents: Int32Array.of(-1),
      translations: new Float64Array(3),
      rotations: Float64Array.of(0, 0, 0, 1),
      scales: Float64Array.of(1, 1, 1),
    },
    animations: [],
    clips: [],
    up: 'y',
    byteLength: 10,
    ...extra,
  };
}

/** The triangle moved along x by the given amount in each frame, one frame a second. */
function makeMovedClip(shifts: number[], name = 'move'): Asset {
  const frames = shifts.flatMap((shift) => [...positions].map((value, c) => value + (c % 3 === 0 ? shift : 0)));
  const times = Float64Array.from(shifts, (_, k) => k);
  return makeAsset({
    clips: [{ kind: 'clip', name, mesh: makeMesh(positions, triangles), positions: Float32Array.from(frames), times }],
  });
}

/** The triangle on one bone that moves along x from the first amount to the second in `duration` seconds. */
function makeSkinned(...moves: { name: string; from: number; to: number; duration: number }[]): Asset {
  const animations = moves.map(
    ({ name, from, to, duration }): Animation => ({
      name,
      duration,
      tracks: [
        {
          node: 0,
          path: 'translation',
          interpolation: 'LINEAR',
          times: Float32Array.of(0, duration),
          values: Float32Array.of(from, 0, 0, to, 0, 0),
        },
      ],
    }),
  );
  const rig = {
    skeleton: { names: ['bone'], parents: Int32Array.of(-1), bindMatrices: makeIdentities(1) },
    skin: makeSkin([0, 0, 0], [1, 1, 1], 1),
    nodeOfBone: Int32Array.of(0),
    isJoint: Uint8Array.of(1),
  };
  return makeAsset({ rig, animations });
}

describe('compare', () => {
  it('evaluates a skinned result at the frames of a clip', async () => {
    const clip = makeMovedClip([0, 1, 2, 3]);
    const skinned = makeSkinned({ name: 'walk', from: 0, to: 3, duration: 3 });
    const there = await compare(clip, skinned);
    expect(there.clips[0].times).toHaveLength(4);
    expect(there.clips[0].error.max).toBeLessThan(1e-6);
    const back = await compare(skinned, clip);
    expect(back.clips[0].times).toHaveLength(4);
    expect(back.clips[0].error.max).toBeLessThan(1e-6);
  });

  it('measures what it is told to measure', async () => {
    const { clips } = await compare(makeMovedClip([0, 1]), makeMovedClip([0, 3]));
    const { error } = clips[0];
    expect(error.max).toBeCloseTo(2, 6);
    expect(error.rmse).toBeCloseTo(Math.sqrt(2), 6);
    expect([...error.perFrame.max]).toEqual([0, 2]);
  });

  it('repeats a still shape against every motion of the other', async () => {
    const skinned = makeSkinned(
      { name: 'walk', from: 0, to: 1, duration: 1 },
      { name: 'run', from: 0, to: 5, duration: 2 },
    );
    for (const { clips, worst } of [await compare(makeAsset(), skinned), await compare(skinned, makeAsset())]) {
      expect(clips.map(({ pair }) => pair.name)).toEqual(['walk', 'run']);
      expect(clips[worst].pair.name).toBe('run');
      expect(clips[worst].error.max).toBeCloseTo(5, 6);
    }
    const still = await compare(makeAsset(), makeAsset());
    expect(still.clips[0].times).toHaveLength(1);
    expect(still.clips[0].error.max).toBe(0);
  });

  it('pairs animations by name, in whatever order', async () => {
    const walk = { name: 'walk', from: 0, to: 1, duration: 1 };
    const run = { name: 'run', from: 0, to: 5, duration: 2 };
    const all = await compare(makeSkinned(walk, run), makeSkinned(run, walk, { ...walk, name: 'extra' }));
    expect(all.clips.map(({ pair, error }) => [pair.name, error.max])).toEqual([
      ['walk', 0],
      ['run', 0],
    ]);
    const one = await compare(makeSkinned(walk, run), makeSkinned(run, walk), { animation: 'run' });
    expect(one.clips.map(({ pair }) => pair)).toEqual([{ name: 'run', reference: 1, result: 0 }]);
    await expect(compare(makeSkinned(walk, run), makeSkinned({ ...walk, name: 'hop' }))).rejects.toThrow(
      /no animation of the same name/,
    );
    await expect(compare(makeSkinned(walk, run), makeSkinned(run), { animation: '7' })).rejects.toThrow(
      /no animation "7"; the file has "walk", "run"/,
    );
  });

  it('samples at a rate, at keys, and in a range of frames', async () => {
    const skinned = makeSkinned({ name: 'walk', from: 0, to: 1, duration: 2 });
    const frames = async (options: object) => [...(await compare(skinned, skinned, options)).clips[0].times];
    expect(await frames({ rate: 2 })).toEqual([0, 0.5, 1, 1.5, 2]);
    expect(await frames({ keys: true })).toEqual([0, 2]);
    expect(await frames({ rate: 2, frames: { first: 1, last: 3, step: 2 } })).toEqual([0.5, 1.5]);
  });

  it('refuses other vertex counts and other frame counts in a sentence, and notes other triangles', async () => {
    const other = makeAsset({ mesh: makeMesh(new Float32Array(6), new Uint32Array(0)) });
    await expect(compare(makeAsset(), other)).rejects.toThrow(/3 vertices and the second 2/);
    await expect(compare(makeMovedClip([0, 1]), makeMovedClip([0]))).rejects.toThrow(
      /2 frames in the first file and 1/,
    );
    const turned = makeAsset({ mesh: makeMesh(positions, Uint32Array.of(0, 2, 1)) });
    expect((await compare(makeAsset(), turned)).hasSameTriangles).toBe(false);
    const sameWayRound = makeAsset({ mesh: makeMesh(positions, Uint32Array.of(1, 2, 0)) });
    expect((await compare(makeAsset(), sameWayRound)).hasSameTriangles).toBe(true);
  });

  it('matches vertices in another order in the first frame, if the rest poses differ', async () => {
    const { clip } = makeSample('bar-bend', { resolution: 200, frames: 6 });
    const count = clip.mesh.positions.length / 3;
    const place = (i: number): number => (7 * i + 3) % count;
    const shuffle = (from: Float32Array): Float32Array => {
      const to = new Float32Array(from.length);
      for (let i = 0; i < count; i++) to.set(from.subarray(3 * i, 3 * i + 3), 3 * place(i));
      return to;
    };
    expect(new Set(Array.from({ length: count }, (_, i) => place(i))).size).toBe(count);
    const other: Clip = {
      ...clip,
      mesh: makeMesh(
        shuffle(clip.mesh.positions.map((x, c) => (c % 3 === 1 ? 3 * x + 2 : x))),
        clip.mesh.triangles.map(place),
      ),
      positions: Float32Array.from([...clip.times.keys()].flatMap((k) => [...shuffle(frameOf(clip, k).slice())])),
    };
    const assetOf = (own: Clip): Asset => makeAsset({ mesh: own.mesh, clips: [own] });
    const { hasSameOrder, clips } = await compare(assetOf(clip), assetOf(other));
    expect(hasSameOrder).toBe(false);
    expect(clips[0].error.max).toBeLessThan(1e-6);
    // vertices that match nowhere
    const elsewhere = { ...other, positions: other.positions.map((x, c) => (c % 3 === 0 ? -x - 9 : x)) };
    await expect(compare(assetOf(clip), assetOf(elsewhere))).rejects.toThrow(
      /^compare: both files have \d+ vertices, but other triangles, and vertices of the same number are \d+ % of the size apart/,
    );
  });

  it('stops on a signal', async () => {
    await expect(compare(makeAsset(), makeAsset(), { signal: AbortSignal.abort() })).rejects.toThrow(/abort/i);
  });
});

describe('makeReport', () => {
  it('survives JSON with every number and the inputs summed', async () => {
    const a = makeMovedClip([0, 1]);
    const { clips } = await compare(a, makeMovedClip([0, 3]));
    const report = makeReport({
      version: '1.2.3',
      command: 'compare',
      inputs: [reportInputOf('a', a), reportInputOf('b', a)],
      metrics: reportMetricsOf(clips[0].error),
      seconds: { read: 1 },
      totalSeconds: 1.5,
      threads: 2,
      seed: 0,
    });
    const copy = JSON.parse(JSON.stringify(report));
    expect(copy).toEqual(report);
    expect(copy).toMatchObject({
      reportVersion: REPORT_VERSION,
      ossify: '1.2.3',
      bytes: { input: 20 },
      seconds: { read: 1, total: 1.5 },
      inputs: [{ kind: 'clip', vertices: 3, clips: [{ name: 'move', frames: 2 }] }, {}],
    });
    expect(copy.metrics.perFrame.max).toEqual([0, 2]);
  });
});
