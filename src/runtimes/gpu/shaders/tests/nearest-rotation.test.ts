// SPDX-License-Identifier: MIT
import { beforeAll, describe, expect, it } from 'vitest';
import { launchGpu } from '../../../../../scripts/launch-gpu.ts';
import { makeRandom } from '../../../../core/math/random.ts';
import { nearestRotationInto } from '../../../../core/math/rotation.ts';
import { BUFFER_USAGE, makeDataBuffer, readBuffer, requestGpuDevice } from '../../gpu-device.ts';
import { makeBindLayout, makePipeline } from '../../make-pipeline.ts';
import { NEAREST_ROTATION_SOURCE } from '../nearest-rotation.wgsl.ts';

const random = makeRandom(7);
const between = (low: number, high: number): number => low + (high - low) * random.next();
const normal = (): number => Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());

/** Column-major, any rotation. */
function makeRotation(): Float64Array {
  const out = new Float64Array(9);
  nearestRotationInto(
    Float64Array.from({ length: 9 }, () => normal()),
    out,
  );
  return out;
}

/** U diag(s) Vᵀ with rotations U, V; column-major. */
function makeMatrix(s: readonly number[]): Float64Array {
  const u = makeRotation();
  const v = makeRotation();
  const m = new Float64Array(9);
  for (let c = 0; c < 3; c++) {
    for (let r = 0; r < 3; r++) for (let k = 0; k < 3; k++) m[3 * c + r] += u[3 * k + r] * s[k] * v[3 * k + c];
  }
  return m;
}

const SOURCE = /* wgsl */ `${NEAREST_ROTATION_SOURCE}
struct Params { count: u32 }
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> matrices: array<f32>;
@group(0) @binding(2) var<storage, read_write> rotations: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= params.count) { return; }
  let o = 9u * id.x;
  let a = vec3f(matrices[o], matrices[o + 3u], matrices[o + 6u]);
  let b = vec3f(matrices[o + 1u], matrices[o + 4u], matrices[o + 7u]);
  let c = vec3f(matrices[o + 2u], matrices[o + 5u], matrices[o + 8u]);
  let rows = rowsOf(nearestRotation(a, b, c));
  for (var r = 0u; r < 3u; r++) {
    for (var k = 0u; k < 3u; k++) { rotations[o + 3u * k + r] = rows[r][k]; }
  }
}
`;

let device: GPUDevice;
beforeAll(async () => {
  device = await requestGpuDevice({ gpu: await launchGpu() });
});

/** count x 9 in and out, column-major. */
async function rotateOnGpu(matrices: Float32Array): Promise<Float32Array> {
  const count = matrices.length / 9;
  const pipeline = await makePipeline(device, 'rotations', SOURCE, 'rw');
  const params = makeDataBuffer(device, 'params', Uint32Array.of(count), BUFFER_USAGE.UNIFORM);
  const input = makeDataBuffer(device, 'matrices', new Uint32Array(matrices.buffer), BUFFER_USAGE.STORAGE);
  const usage = BUFFER_USAGE.STORAGE | BUFFER_USAGE.COPY_SRC;
  const output = device.createBuffer({ size: matrices.byteLength, usage });
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  pass.setPipeline(pipeline);
  pass.setBindGroup(
    0,
    device.createBindGroup({
      layout: makeBindLayout(device, 'rw'),
      entries: [params, input, output].map((buffer, binding) => ({ binding, resource: { buffer } })),
    }),
  );
  pass.dispatchWorkgroups(Math.ceil(count / 64));
  pass.end();
  device.queue.submit([encoder.finish()]);
  const rotations = new Float32Array(await readBuffer(device, output, 0, matrices.byteLength));
  for (const buffer of [params, input, output]) buffer.destroy();
  return rotations;
}

function pack(count: number, make: (n: number) => ArrayLike<number>): Float32Array {
  const matrices = new Float32Array(9 * count);
  for (let n = 0; n < count; n++) matrices.set(make(n), 9 * n);
  return matrices;
}

/** Farthest of RᵀR from I and of det R from 1. */
function measureImproper(rotations: Float32Array): number {
  let worst = 0;
  for (let o = 0; o < rotations.length; o += 9) {
    const r = rotations.subarray(o, o + 9);
    const dot = (a: number, b: number): number => r[a] * r[b] + r[a + 1] * r[b + 1] + r[a + 2] * r[b + 2];
    for (const [a, b] of [
      [0, 0],
      [0, 3],
      [0, 6],
      [3, 3],
      [3, 6],
      [6, 6],
    ]) {
      const off = Math.abs(dot(a, b) - (a === b ? 1 : 0));
      worst = off <= worst ? worst : off; // NaN stays
    }
    const det =
      r[0] * (r[4] * r[8] - r[5] * r[7]) + r[1] * (r[5] * r[6] - r[3] * r[8]) + r[2] * (r[3] * r[7] - r[4] * r[6]);
    const off = Math.abs(det - 1);
    worst = off <= worst ? worst : off;
  }
  return worst;
}

/** Largest difference to the reference in double, and by how much tr(RᵀM)/|M| falls short of its. */
function measureAgainst(matrices: Float32Array, rotations: Float32Array): { difference: number; shortfall: number } {
  const reference = new Float64Array(9);
  let difference = 0;
  let shortfall = 0;
  for (let o = 0; o < matrices.length; o += 9) {
    nearestRotationInto(matrices, reference, o);
    let trace = 0;
    let square = 0;
    for (let c = 0; c < 9; c++) {
      difference = Math.max(difference, Math.abs(reference[c] - rotations[o + c]));
      trace += (reference[c] - rotations[o + c]) * matrices[o + c];
      square += matrices[o + c] ** 2;
    }
    if (square > 0) shortfall = Math.max(shortfall, trace / Math.sqrt(square));
  }
  return { difference, shortfall };
}

describe('the nearest rotation in WGSL', () => {
  it('agrees with core/math/rotation.ts for matrices that have one', async () => {
    const shapes = [
      () => makeMatrix([1, 1, 1]),
      () => makeMatrix([1, between(0.3, 1), between(0, 0.3)]),
      () => makeMatrix([1, between(0.3, 1), 0]), // flat
      () => makeMatrix([1, between(0.3, 1), -between(0, 0.2)]), // reflections
      () => makeMatrix([1, 0.1, 0]),
      () => makeMatrix([1, 0.9, -0.8]), // three eigenvalues near each other
    ];
    const matrices = pack(6000, (n) => shapes[n % shapes.length]());
    const rotations = await rotateOnGpu(matrices);
    expect(measureImproper(rotations)).toBeLessThan(1e-5);
    expect(measureAgainst(matrices, rotations).difference).toBeLessThan(1e-5);
  });

  it('knows half turns about any axis', async () => {
    const matrices = pack(2000, (n) => {
      const a = [normal(), normal(), normal()];
      const length = Math.hypot(...a);
      const s = n % 2 ? 1 : 1e-9;
      return Array.from({ length: 9 }, (_, c) => {
        const [col, row] = [Math.floor(c / 3), c % 3];
        return s * ((2 * a[col] * a[row]) / length ** 2 - (col === row ? 1 : 0));
      });
    });
    const rotations = await rotateOnGpu(matrices);
    expect(measureImproper(rotations)).toBeLessThan(1e-5);
    expect(measureAgainst(matrices, rotations).difference).toBeLessThan(1e-5);
  });

  it('loses only what single precision loses for long thin matrices', async () => {
    for (const thin of [1e-2, 1e-3]) {
      const matrices = pack(1000, () => makeMatrix([1, thin, 0]));
      const rotations = await rotateOnGpu(matrices);
      expect(measureImproper(rotations)).toBeLessThan(1e-5);
      const { difference, shortfall } = measureAgainst(matrices, rotations);
      expect(shortfall).toBeLessThan(1e-6);
      expect(difference).toBeLessThan(thin === 1e-2 ? 1e-4 : 0.05);
    }
  });

  it('gives a proper rotation for anything, and a best one of rank one, twins and zero', async () => {
    const rankOne = pack(2000, () => makeMatrix([10 ** between(-12, 12), 0, 0]));
    const turned = await rotateOnGpu(rankOne);
    expect(measureImproper(turned)).toBeLessThan(1e-5);
    expect(measureAgainst(rankOne, turned).shortfall).toBeLessThan(2e-6);
    const mirrors = pack(2000, () => makeMatrix([1, 0.5, -0.5]));
    const mirrored = await rotateOnGpu(mirrors);
    expect(measureImproper(mirrored)).toBeLessThan(1e-5);
    expect(measureAgainst(mirrors, mirrored).shortfall).toBeLessThan(2e-6);
    const odd = pack(4000, (n) => makeMatrix([1, 10 ** between(-8, 0), n % 2 ? 0 : -(10 ** between(-8, 0))]));
    expect(measureImproper(await rotateOnGpu(odd))).toBeLessThan(1e-5);
    expect(measureImproper(await rotateOnGpu(pack(200, () => makeMatrix([-1, -1, -1]))))).toBeLessThan(1e-5);
    const nothing = pack(64, (n) => [0, 1e-36, -1e-38].map((x) => (n % 2 ? x : 0)).concat([0, 0, 0, 0, 0, 0]));
    expect(measureImproper(await rotateOnGpu(nothing))).toBeLessThan(1e-5);
    expect([...(await rotateOnGpu(new Float32Array(9)))].map((x) => x + 0)).toEqual([1, 0, 0, 0, 1, 0, 0, 0, 1]);
  });
});
