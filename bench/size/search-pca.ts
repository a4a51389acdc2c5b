// SPDX-License-Identifier: MIT
// The smallest file of the PCA codec that meets a distortion: one step determines the error and, with it, the number of vectors (pca-codec.ts), so the search is over the step alone.

import { pointTriangles, weldClip } from '../../src/core/mesh/topology/weld.ts';
import { type Clip, frameCountOf } from '../../src/core/model/clip/clip.ts';
import { makeMesh } from '../../src/core/model/mesh/mesh.ts';
import { measureError } from '../../src/entry/index.ts';
import { encodeConnectivity, RangeEncoder } from '../../src/formats/compact-skin/index.ts';
import { measureSpread } from '../../src/measure/index.ts';
import { makePcaBasis } from './pca-basis.ts';
import { decodePca, encodePca, makePcaSurface, type PcaFile, type PcaProblem } from './pca-codec.ts';

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
export function preparePca(clip: Clip): PcaClip {
  const weld = weldClip(clip);
  const triangles = pointTriangles(clip.mesh.triangles, weld);
  const encoder = new RangeEncoder();
  const surface = encodeConnectivity(encoder, triangles, weld.pointCount);
  const vertices = surface.order.map((p) => weld.vertexOfPoint[p]);
  const frameCount = frameCountOf(clip);
  const stride = clip.mesh.positions.length;
  const trajectories = new Float64Array(vertices.length * 3 * frameCount);
  let o = 0;
  for (const v of vertices)
    for (let k = 0; k < frameCount; k++)
      for (let r = 0; r < 3; r++) trajectories[o++] = clip.positions[k * stride + 3 * v + r];
  return {
    problem: {
      connectivity: { bytes: encoder.finish(), triangleCount: triangles.length / 3 },
      ...makePcaSurface(surface.triangles, surface.opposite, vertices.length),
      basis: makePcaBasis(trajectories, vertices.length),
    },
    vertices,
    clip,
    spread: measureSpread(clip),
  };
}

/** Encodes with the largest step that meets a distortion, decodes and measures. */
export function searchPca(prepared: PcaClip, distortion: number): PcaMeasured {
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
  return { ...best.file, step: best.step, distortion: measureDecoded(prepared, best.file.bytes) };
}

/** The distortion of a file, decoded, percent. */
function measureDecoded({ clip, vertices }: PcaClip, bytes: Uint8Array): number {
  const decoded = decodePca(bytes);
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
