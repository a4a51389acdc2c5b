// SPDX-License-Identifier: MIT
// The smallest file of the PCA codec that meets a distortion: one step determines the error and, with it, the number of vectors (pca-codec.ts), so the search is over the step alone.
import { pointTriangles, pointValues, type Weld, weldClip } from '../src/mesh/weld.ts';
import { measureError } from '../src/metric/measure-error.ts';
import { measureSpread } from '../src/metric/measure-spread.ts';
import { type Clip, frameCountOf } from '../src/model/clip.ts';
import { makeMesh } from '../src/model/mesh.ts';
import { encodeConnectivity } from './draco-connectivity.ts';
import { makeMeshWalk } from './mesh-walk.ts';
import { makePcaBasis } from './pca-basis.ts';
import { decodePca, encodePca, type PcaFile, type PcaProblem } from './pca-codec.ts';

/** A file is close enough to the limit from this part of it on. */
const CLOSE = 0.985;
const AIM = 0.993;
const MAX_TRIALS = 9;
/** First step, relative to the limit (horse-gallop: 3.7). */
const FIRST_STEP = 3.5;

export interface PcaMeasured extends PcaFile {
  /** Distortion of the decoded file, percent. */
  distortion: number;
  step: number;
}

/** A clip, ready to be encoded with several errors. */
export interface PcaClip {
  problem: PcaProblem;
  /** By vertex of the codec: the vertex of the clip. */
  vertices: Uint32Array;
  clip: Clip;
  spread: number;
}

/** Welds a clip and finds its principal components. */
export async function preparePca(clip: Clip): Promise<PcaClip> {
  const weld = weldClip(clip);
  const triangles = pointTriangles(clip.mesh.triangles, weld);
  const connectivity = await encodeConnectivity(triangles, distinctPositions(clip, weld));
  const isStored = new Uint8Array(weld.pointCount);
  for (const p of connectivity.order) isStored[p] = 1;
  const points = [...connectivity.order, ...Array.from(isStored.keys()).filter((p) => isStored[p] === 0)];
  const vertices = Uint32Array.from(points, (p) => weld.vertexOfPoint[p]);
  const frameCount = frameCountOf(clip);
  const stride = clip.mesh.positions.length;
  const trajectories = new Float64Array(vertices.length * 3 * frameCount);
  let o = 0;
  for (const v of vertices)
    for (let k = 0; k < frameCount; k++)
      for (let r = 0; r < 3; r++) trajectories[o++] = clip.positions[k * stride + 3 * v + r];
  return {
    problem: {
      connectivity,
      walk: makeMeshWalk(connectivity.triangles, vertices.length),
      basis: makePcaBasis(trajectories, vertices.length),
    },
    vertices,
    clip,
    spread: measureSpread(clip),
  };
}

/** Positions that differ for all points, since Draco merges points that are equal at rest. */
function distinctPositions(clip: Clip, weld: Weld): Float32Array {
  const positions = pointValues(clip.mesh.positions, 3, weld);
  const known = new Set<string>();
  for (let p = 0; p < weld.pointCount; p++) {
    const read = () => positions.subarray(3 * p, 3 * p + 3).join();
    for (let n = 1; known.has(read()); n++)
      positions[3 * p] = clip.mesh.positions[3 * weld.vertexOfPoint[p]] + n * 1e-3 * n;
    known.add(read());
  }
  return positions;
}

/** Encodes with the largest step that meets a distortion, decodes and measures. */
export async function searchPca(prepared: PcaClip, distortion: number): Promise<PcaMeasured> {
  const { problem, spread } = prepared;
  const limit = (distortion / 100) * spread;
  const errorOf = (file: PcaFile) =>
    Math.sqrt(file.squaredError / prepared.vertices.length / frameCountOf(prepared.clip));
  let best: { file: PcaFile; step: number } | undefined;
  let [low, high] = [0, Number.POSITIVE_INFINITY];
  let step = FIRST_STEP * limit;
  for (let n = 0; n < MAX_TRIALS; n++) {
    const file = encodePca(problem, step);
    const error = errorOf(file);
    if (error <= limit) {
      low = step;
      if (!best || step > best.step) best = { file, step };
      if (error >= CLOSE * limit) break;
    } else high = step;
    const wanted = step * ((AIM * limit) / Math.max(error, 1e-3 * limit));
    step = wanted > low && wanted < high ? wanted : Number.isFinite(high) ? (low + high) / 2 : 2 * step;
  }
  best ??= { step: low || step / 4, file: encodePca(problem, low || step / 4) };
  return { ...best.file, step: best.step, distortion: await measureDecoded(prepared, best.file.bytes) };
}

/** The distortion of a file, decoded, percent. */
async function measureDecoded({ clip, vertices }: PcaClip, bytes: Uint8Array): Promise<number> {
  const decoded = await decodePca(bytes);
  const weld = weldClip(clip);
  const frameCount = frameCountOf(clip);
  const vertexCount = clip.mesh.positions.length / 3;
  const placeOfPoint = new Uint32Array(weld.pointCount);
  vertices.forEach((v, n) => {
    placeOfPoint[weld.pointOfVertex[v]] = n;
  });
  const positions = new Float32Array(clip.positions.length);
  for (let k = 0; k < frameCount; k++)
    for (let v = 0; v < vertexCount; v++) {
      const from = 3 * (k * decoded.vertexCount + placeOfPoint[weld.pointOfVertex[v]]);
      positions.set(decoded.positions.subarray(from, from + 3), 3 * (k * vertexCount + v));
    }
  const mesh = makeMesh(clip.mesh.positions, clip.mesh.triangles);
  return measureError(clip, { ...clip, mesh, positions }, { weld }).distortion;
}
