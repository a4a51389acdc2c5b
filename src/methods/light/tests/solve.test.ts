// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeCompute } from '../../../core/compute/make-compute.ts';
import { type Mesh, makeMesh } from '../../../core/model/mesh/mesh.ts';
import { lightInto } from '../../../deformers/light/light-into.ts';
import { makeRestNormals } from '../../../deformers/linear-blend/rest-normals.ts';
import { lightMethod } from '../light-method.ts';
import { type LightOptions, lightValuesOf } from '../light-options.ts';
import { measureLight } from '../measure-light.ts';
import { type LightResult, solve } from '../solve.ts';
import type { LitMotion } from '../trace-light.ts';

/** A rectangle of two triangles, by a corner and two sides. */
function makePlate(corner: number[], side: number[], other: number[]): { positions: number[]; triangles: number[] } {
  const at = (s: number, t: number) => corner.map((x, a) => x + s * side[a] + t * other[a]);
  return { positions: [at(0, 0), at(1, 0), at(1, 1), at(0, 1)].flat(), triangles: [0, 1, 2, 0, 2, 3] };
}

function joinPlates(...plates: ReturnType<typeof makePlate>[]): Mesh {
  const triangles = plates.flatMap((plate, n) => plate.triangles.map((i) => i + 4 * n));
  return makeMesh(Float32Array.from(plates.flatMap(({ positions }) => positions)), Uint32Array.from(triangles));
}

/** An octahedron, divided and blown up. */
function makeBall(): Mesh {
  let faces = [
    ...[
      [0, 2, 4],
      [2, 1, 4],
      [1, 3, 4],
      [3, 0, 4],
    ],
    ...[
      [2, 0, 5],
      [1, 2, 5],
      [3, 1, 5],
      [0, 3, 5],
    ],
  ];
  const points = [
    [1, 0, 0],
    [-1, 0, 0],
    [0, 1, 0],
    [0, -1, 0],
    [0, 0, 1],
    [0, 0, -1],
  ];
  const known = new Map<string, number>();
  const middle = (a: number, b: number): number => {
    const key = `${Math.min(a, b)} ${Math.max(a, b)}`;
    const sum = points[a].map((x, c) => x + points[b][c]);
    const index = known.get(key) ?? points.push(sum.map((x) => x / Math.hypot(...sum))) - 1;
    known.set(key, index);
    return index;
  };
  for (let n = 0; n < 2; n++)
    faces = faces.flatMap(([a, b, c]) => {
      const [ab, bc, ca] = [middle(a, b), middle(b, c), middle(c, a)];
      return [
        [a, ab, ca],
        [ab, b, bc],
        [ca, bc, c],
        [ab, bc, ca],
      ];
    });
  return makeMesh(Float32Array.from(points.flat()), Uint32Array.from(faces.flat()));
}

/** The same shape in some frames, with a part that moves by `shift` per frame. */
function motionOf(mesh: Mesh, frameCount = 1, shift = 0, from = 0): LitMotion {
  const rest = makeRestNormals(mesh);
  return {
    name: 'move',
    times: Float64Array.from({ length: frameCount }, (_, k) => k / 10),
    frameInto(k, positions, normals) {
      positions.set(mesh.positions);
      for (let i = from; 3 * i < positions.length; i++) positions[3 * i + 1] += k * shift;
      normals.set(rest);
    },
  };
}

async function lightOf(mesh: Mesh, options: LightOptions, motion = motionOf(mesh)): Promise<LightResult> {
  const compute = await makeCompute({ kind: 'typescript' });
  const values = lightValuesOf({ rays: 400, ...options });
  const size = { vertexCount: mesh.positions.length / 3, frameCount: motion.times.length };
  const plan = lightMethod.plan(values, undefined, size);
  lightMethod.check?.(values);
  return solve({ compute, ...options }, { mesh, motions: [motion], up: 'y' }, values, plan);
}

/** vertexCount x 3: the colours of the first frame */
function colorsOf({ model, traced }: LightResult, vertexCount: number): Float32Array {
  const normals = traced.normals.subarray(0, 3 * vertexCount);
  const out = new Float32Array(3 * vertexCount);
  lightInto(model, model.tracks[0].values.subarray(0, model.rank), out, { normals });
  return out;
}

describe('light', () => {
  it('lights a convex shape fully', async () => {
    const ball = makeBall();
    const colors = colorsOf(await lightOf(ball, { kind: 'occlusion' }), ball.positions.length / 3);
    for (const color of colors) expect(Math.abs(color - 1)).toBeLessThan(0.01);
  });

  it('gives a floor beside a high wall half of the sky', async () => {
    const floor = makePlate([-0.01, 0, -0.01], [0, 0, 0.02], [0.02, 0, 0]);
    const wall = makePlate([-0.02, 0, -200], [0, 0, 400], [0, 200, 0]);
    const colors = colorsOf(await lightOf(joinPlates(floor, wall), { kind: 'occlusion' }), 8);
    // rays start above the floor by 1e-4 of the size, so the wall is nearly a half space
    for (let i = 0; i < 4; i++) expect(Math.abs(colors[3 * i] - 0.5)).toBeLessThan(0.02);
  });

  it('gives a surface that faces the ground what the ground reflects', async () => {
    const mesh = joinPlates(makePlate([0, 1, 0], [1, 0, 0], [0, 0, 1]));
    expect(makeRestNormals(mesh)[1]).toBeCloseTo(-1);
    for (const kind of ['occlusion', 'transfer', 'prelit'] as const) {
      const options = { kind, sun: false } as const;
      const up = joinPlates(makePlate([0, 1, 0], [0, 0, 1], [1, 0, 0]));
      const sky = colorsOf(await lightOf(up, { ...options, ground: 0.4 }), 4);
      const below = colorsOf(await lightOf(mesh, { ...options, ground: 0.4 }), 4);
      for (let c = 0; c < 3; c++) expect(below[c] / sky[c]).toBeCloseTo(0.4, 1);
    }
  });

  it('casts the shadow of the sun', async () => {
    const floor = makePlate([0, 0, 0], [0, 0, 1], [1, 0, 0]);
    const roof = makePlate([-0.5, 1, -0.5], [0, 0, 2], [1, 0, 0]);
    const mesh = joinPlates(floor, roof);
    const options = { kind: 'prelit', sun: { azimuth: 0, elevation: 90 } } as const;
    const [lit, sky] = [await lightOf(mesh, options), await lightOf(mesh, { ...options, sun: false })];
    const sunOf = (i: number) => colorsOf(lit, 8)[3 * i] - colorsOf(sky, 8)[3 * i];
    // the first two corners of the floor are below the roof
    expect([sunOf(0), sunOf(1)].every((x) => Math.abs(x) < 0.01)).toBe(true);
    expect([sunOf(2), sunOf(3)].every((x) => x > 0.5)).toBe(true);
  });

  it('has transfer vectors that give the same light as the sky itself', async () => {
    const ball = makeBall();
    const [transfer, prelit] = await Promise.all(
      (['transfer', 'prelit'] as const).map(async (kind) =>
        colorsOf(await lightOf(ball, { kind, sun: false }), ball.positions.length / 3),
      ),
    );
    transfer.forEach((x, c) => {
      expect(Math.abs(x - prelit[c])).toBeLessThan(0.03);
    });
  });

  it.each(['occlusion', 'transfer', 'prelit'] as const)('has errors of %s that fall with the rank', async (kind) => {
    const floor = makePlate([0, 0, 0], [0, 0, 1], [1, 0, 0]);
    const roof = makePlate([-0.2, 0.2, 0], [0, 0, 1], [1, 0, 0]);
    const mesh = joinPlates(floor, roof);
    const motion = motionOf(mesh, 6, 0.15, 4);
    const found = await lightOf(mesh, { kind, rank: 4 }, motion);
    const { errors, model, traced } = found;
    for (let r = 1; r < errors.length; r++) expect(errors[r]).toBeLessThanOrEqual(errors[r - 1]);
    expect(measureLight(traced, model, [motion])).toBeCloseTo(errors.at(-1)!, 5);
    if (kind !== 'transfer') {
      expect(model.basis.every((x) => x >= 0)).toBe(true);
      expect(model.tracks[0].values.every((x) => x >= 0)).toBe(true);
    }
  });

  it.each(['occlusion', 'transfer', 'prelit'] as const)(
    'has less error of %s by normals, for surfaces that turn',
    async (kind) => {
      const ball = makeBall();
      const rest = makeRestNormals(ball);
      // a quarter turn in steps
      const motion: LitMotion = {
        name: 'turn',
        times: Float64Array.from({ length: 8 }, (_, k) => k / 10),
        frameInto(k, positions, normals) {
          const [cosine, sine] = [Math.cos(k / 5), Math.sin(k / 5)];
          const turn = (from: Float32Array, to: Float32Array): void => {
            for (let o = 0; o < from.length; o += 3) {
              to[o] = cosine * from[o] - sine * from[o + 1];
              to[o + 1] = sine * from[o] + cosine * from[o + 1];
              to[o + 2] = from[o + 2];
            }
          };
          turn(ball.positions, positions);
          turn(rest, normals);
        },
      };
      const options = { kind, rank: 3, ground: 0.3 } as const;
      const plain = await lightOf(ball, options, motion);
      const relative = await lightOf({ ...ball, normals: rest }, options, motion);
      expect(relative.traced.values).toEqual(plain.traced.values);
      const { errors, model, traced } = relative;
      for (let r = 1; r < errors.length; r++) expect(errors[r]).toBeLessThanOrEqual(errors[r - 1]);
      expect(measureLight(traced, model, [motion])).toBeCloseTo(errors.at(-1)!, 5);
      expect(errors[1]).toBeLessThan(0.5 * plain.errors[1]);
      if (kind !== 'transfer') {
        expect(model.basis.every((x) => x >= 0)).toBe(true);
        expect(model.tracks[0].values.every((x) => x >= 0)).toBe(true);
      }
      expect(model.mean!.every((x) => x >= 0)).toBe(true);
    },
  );

  it('stores a number for the sky and one for the sun instead of three colours', async () => {
    const ball = makeBall();
    const mesh = { ...ball, normals: makeRestNormals(ball) };
    const { model } = await lightOf(mesh, { kind: 'prelit' });
    expect(model.basis.length).toBe((2 * model.rank * ball.positions.length) / 3);
    const { model: sunless } = await lightOf(mesh, { kind: 'prelit', sun: false });
    expect(sunless.basis.length).toBe((sunless.rank * ball.positions.length) / 3);
  });

  it('gives the same numbers for the same seed, and others for another', async () => {
    const mesh = joinPlates(makePlate([0, 0, 0], [0, 0, 1], [1, 0, 0]), makePlate([0, 0.3, 0], [0, 0, 1], [1, 0, 0]));
    const basisOf = async (seed: number) => (await lightOf(mesh, { rays: 20, seed })).model.basis;
    expect(await basisOf(1)).toEqual(await basisOf(1));
    expect(await basisOf(1)).not.toEqual(await basisOf(2));
  });

  it('needs triangles, frames and valid options', async () => {
    const empty = makeMesh(new Float32Array(9), new Uint32Array(0));
    await expect(lightOf(empty, {})).rejects.toThrow('no triangles');
    const ball = makeBall();
    await expect(lightOf(ball, {}, motionOf(ball, 0))).rejects.toThrow('no frames');
    await expect(lightOf(ball, { rank: 0 })).rejects.toThrow('rank must be');
    await expect(lightOf(ball, { rays: 0.5 })).rejects.toThrow('rays must be');
    await expect(lightOf(ball, { ground: 2 })).rejects.toThrow('ground must be');
    await expect(lightOf(ball, { kind: 'sunny' as never })).rejects.toThrow('kind must be');
  });

  it('throws an AbortError if it is stopped while it traces', async () => {
    const ball = makeBall();
    const stop = new AbortController();
    const options = { signal: stop.signal, onProgress: () => stop.abort() };
    await expect(lightOf(ball, options, motionOf(ball, 5))).rejects.toMatchObject({ name: 'AbortError' });
  });
});
