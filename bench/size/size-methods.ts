// SPDX-License-Identifier: MIT
// The ways to store a clip that the size suite compares, each measured on what it wrote, decoded again. All store positions and triangles only.
import { brotliCompressSync, constants } from 'node:zlib';
import { makeCompute } from '../../src/core/compute/make-compute.ts';
import type { Asset } from '../../src/core/model/asset.ts';
import type { Clip } from '../../src/core/model/clip/clip.ts';
import type { Json } from '../../src/core/options/option.ts';
import { listClips } from '../../src/deformers/playback/index.ts';
import { bakeAt } from '../../src/entry/deform.ts';
import {
  decompose,
  measureError,
  type OpenedInput,
  readAsset,
  runJob,
  writeAbc,
  writeGlb,
} from '../../src/entry/index.ts';
import { expandCompactSkin } from '../../src/formats/compact-skin/index.ts';
import { splitGlb } from '../../src/formats/gltf/index.ts';
import { version } from '../../src/hosts/disk/index.ts';
import {
  DECOMPOSE_OPTIONS,
  type DecomposeValues,
  makeDecomposePlan,
  methodValuesOf,
} from '../../src/jobs/decompose/index.ts';
import { writeSmall } from '../../src/jobs/shared/index.ts';
import { RoundedFit } from '../../src/methods/size/index.ts';
import { type PcaClip, preparePca, searchPca } from './search-pca.ts';
import { makeVertexTexture } from './vertex-texture.ts';

/** Runs that the time to decode is the shortest of. */
export const DECODE_RUNS = 20;

/** Names of the methods, as tables show them. */
export const SIZE_METHODS = {
  small: 'decompose --for size',
  brotli: 'decompose --for size, Brotli',
  compact: 'decompose --for size --codec ossify',
  plain: 'decompose --quantize --meshopt --keys',
  pca: 'PCA codec',
  morphs: 'morph targets',
  morphsMeshopt: 'morph targets, meshopt',
  texture16: 'vertex texture, 16 bit',
  texture16Png: 'vertex texture, 16 bit, PNG',
  texture8: 'vertex texture, 8 bit',
  texture8Png: 'vertex texture, 8 bit, PNG',
  alembic: 'Alembic',
} as const;

export type SizeMethod = (typeof SIZE_METHODS)[keyof typeof SIZE_METHODS];

/** One file. */
export interface SizeFile {
  method: SizeMethod;
  /** The distortion that was required, percent; absent for methods that have one size only. */
  required?: number;
  bytes: number;
  /** The distortion of the file, percent. */
  distortion: number;
  seconds: number;
  /** Other numbers: bones, vectors, bytes of parts. */
  details?: Record<string, number>;
}

export interface SizeClip {
  name: string;
  input: OpenedInput;
  clip: Clip;
}

export interface SizeRunOptions {
  threads?: number;
  seed?: number;
  signal?: AbortSignal;
}

/** Files of methods that have one size. */
export async function measureFixedSizes({ input: { asset }, clip }: SizeClip): Promise<SizeFile[]> {
  const files: SizeFile[] = [];
  const add = async (method: SizeMethod, make: () => Promise<{ bytes: number; decoded: Clip }>) => {
    const start = performance.now();
    const { bytes, decoded } = await make();
    const { distortion } = measureError(clip, decoded);
    files.push({ method, bytes, distortion, seconds: (performance.now() - start) / 1000 });
  };
  const { morphs, morphsMeshopt, texture16, texture16Png, texture8, texture8Png, alembic } = SIZE_METHODS;
  for (const [method, isPacked] of [
    [morphs, false],
    [morphsMeshopt, true],
  ] as const)
    await add(method, async () => {
      const bytes = await writeGlb(asset, { kind: 'clip' }, { quantize: isPacked, meshopt: isPacked, shading: 'flat' });
      return { bytes: bytes.length, decoded: playFirst(await readBack('out.glb', bytes), clip) };
    });
  for (const [method, png, bits] of [
    [texture16, texture16Png, 16],
    [texture8, texture8Png, 8],
  ] as const) {
    const { byteLength, pngLength, decoded } = makeVertexTexture(clip, bits);
    await add(method, async () => ({ bytes: byteLength, decoded }));
    await add(png, async () => ({ bytes: pngLength, decoded }));
  }
  await add(alembic, async () => {
    const bytes = writeAbc(clip, { normals: false });
    const [decoded] = listClips({ input: 'out.abc', asset: await readBack('out.abc', bytes) });
    return { bytes: bytes.length, decoded };
  });
  return files;
}

function readBack(name: string, bytes: Uint8Array): Promise<Asset> {
  return readAsset([{ name, bytes }]);
}

function playFirst(asset: Asset, { times }: Clip): Clip {
  return bakeAt(asset, asset.animations[0], times);
}

/** The smallest GLBs with a distortion by codec, from one solve, the Brotli size of the standard one, and the time to decode the other. */
export async function measureSmall(one: SizeClip, kg: number, { threads = 2, seed = 0, signal }: SizeRunOptions) {
  const { asset } = one.input;
  const clips = [one.clip];
  const defaults = Object.fromEntries(
    Object.entries(DECOMPOSE_OPTIONS).map(([key, { default: usual }]) => [key, usual]),
  );
  const values = { ...defaults, for: 'size', kg, threads, seed } as DecomposeValues;
  const plan = makeDecomposePlan(values, asset, undefined, clips);
  const start = performance.now();
  const solved = await decompose(clips, {
    ...methodValuesOf(values),
    ...{ method: values.method, threads, signal, maxRms: plan.targetRms, close: plan.close },
  });
  const solveSeconds = (performance.now() - start) / 1000;
  const compute = await makeCompute({ threads });
  const { small, brotli, compact } = SIZE_METHODS;
  const files: SizeFile[] = [];
  try {
    const goal = plan.goalAt(solved.eRms);
    const fit = new RoundedFit(compute, one.clip, solved.model, goal, { transforms: solved.transforms });
    for (const codec of ['auto', 'ossify'] as const) {
      const from = performance.now();
      const { bytes, written, parts } = await writeSmall({
        ...{
          asset,
          played: clips.map((clip) => ({ clip })),
          goal,
          codec,
          storing: { shading: 'flat' as const },
          compute,
        },
        contentFor: async (precision) => ({ kind: 'skin', model: await fit.round(precision) }),
      });
      const seconds = solveSeconds + (performance.now() - from) / 1000;
      const details = { bones: solved.model.skeleton.names.length, solveSeconds, ...parts };
      const file = { required: kg, bytes: bytes.length, distortion: written.error.distortion, seconds, details };
      if (codec === 'auto') {
        files.push({ ...file, method: small }, { ...file, method: brotli, bytes: brotliLength(bytes) });
      } else {
        const decodeMilliseconds = timeDecoding(bytes, one.clip.mesh.positions.length / 3);
        files.push({ ...file, method: compact, details: { ...details, decodeMilliseconds } });
      }
    }
  } finally {
    compute.dispose();
  }
  return files;
}

/** Milliseconds to make plain glTF of a compact one, per 10,000 vertices: the shortest of several runs on one core. */
function timeDecoding(bytes: Uint8Array, vertexCount: number): number {
  const { json, binary } = splitGlb(bytes);
  let least = Number.POSITIVE_INFINITY;
  for (let n = 0; n < DECODE_RUNS; n++) {
    const start = performance.now();
    expandCompactSkin({ json: json as Record<string, unknown>, binary });
    least = Math.min(least, performance.now() - start);
  }
  return (least * 10_000) / vertexCount;
}

/** The GLB of the options before --for size, with a distortion. */
export async function measurePlain(one: SizeClip, kg: number, options: SizeRunOptions): Promise<SizeFile[]> {
  const file = await runDecompose(one, { kg, quantize: true, meshopt: true, keys: true }, options);
  return [{ ...file, method: SIZE_METHODS.plain, required: kg }];
}

/** The PCA codec; components of a clip are found once. */
export function makePcaMeter({ clip }: SizeClip): (kg: number) => Promise<SizeFile[]> {
  let prepared: PcaClip | undefined;
  return async (kg) => {
    const start = performance.now();
    prepared ??= preparePca(clip);
    const { bytes, distortion, vectorCount, parts } = searchPca(prepared, kg);
    const seconds = (performance.now() - start) / 1000;
    const details = { vectorCount, ...parts };
    return [{ method: SIZE_METHODS.pca, required: kg, bytes: bytes.length, distortion, seconds, details }];
  };
}

async function runDecompose(
  { input }: SizeClip,
  own: Record<string, Json>,
  { threads = 2, seed = 0, signal }: SizeRunOptions,
): Promise<Omit<SizeFile, 'method'>> {
  const job = {
    command: 'decompose',
    inputs: [input.input],
    output: 'out.glb',
    options: { ...own, shading: 'flat', threads, seed },
  };
  const io = {
    open: async () => input,
    read: async () => new Uint8Array(0),
    ...{ threads, version },
  };
  const { files, report } = await runJob(job, io, { signal });
  return {
    bytes: (files[0].bytes as Uint8Array).length,
    distortion: report.metrics.distortion ?? Number.NaN,
    seconds: report.seconds.total ?? Object.values(report.seconds).reduce((sum, x) => sum + x, 0),
    details: { bones: Number(report.result.bones ?? 0) },
  };
}

function brotliLength(bytes: Uint8Array): number {
  return brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } }).length;
}
