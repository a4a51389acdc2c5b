// SPDX-License-Identifier: MIT
// A rest shape for a clip with noise and without a rest pose: the shape of one frame, with the noise averaged over all frames.
//
// The frame is the one that is least distorted against all others (choose-rest.ts). Every point is then carried from all frames to this one by the rigid motion of a
// small patch around it, and averaged. Where a patch bends between two frames the rigid motion does not fit, and the frame counts less (Geman and McClure's weights), and so does a frame in which
// the point itself jumped. After the skin is solved, the rest shape is solved once more with it (fit/rest/settle-noisy.ts); this one only has to be good enough to find the bones.
import { type Compute, uploadUint32 } from '../../core/kernels/compute.ts';
import { measurePatchScratch, patchMeans, rowLengthOf } from '../../core/kernels/patches/patch-means.ts';
import { makeAdjacency } from '../../core/mesh/topology/adjacency.ts';
import { RingPatch } from '../../core/mesh/topology/ring-patch.ts';
import { pointTriangles, weldClip } from '../../core/mesh/topology/weld.ts';
import { type Clip, frameCountOf } from '../../core/model/clip/clip.ts';
import { chooseRest, spreadFrames } from '../../fit/rest/index.ts';

/** Number of points of a patch: with fewer the rotation is noise, more bend. Chosen on the fox and the spider. */
const PATCH_POINTS = 14;
/** Passes; each uses the rest shape of the one before it. */
const PASSES = 3;
/** Maximum number of frames that are averaged: more hardly lower the noise. */
const AVERAGED_FRAMES = 96;

/** A rest shape of a clip. */
export interface BuiltRest {
  /** vertexCount x 3 */
  positions: Float32Array;
  /** The frame whose pose it has; -1: that of the given shape. */
  frame: number;
}

/**
 * Builds a rest shape from the frames of a clip.
 * @param noise standard deviation of the noise per coordinate, file units
 * @param start vertexCount x 3: a shape whose pose it has, instead of the best frame
 */
export async function buildRest(compute: Compute, clip: Clip, noise: number, start?: Float32Array): Promise<BuiltRest> {
  const weld = weldClip(clip);
  const { pointCount, vertexOfPoint } = weld;
  const triangles = pointTriangles(clip.mesh.triangles, weld);
  const frame = start ? -1 : chooseRest(clip, vertexOfPoint);
  const frames = spreadFrames(frameCountOf(clip), AVERAGED_FRAMES);
  const { patches, sizes } = new RingPatch(makeAdjacency(pointCount, triangles)).listAll(PATCH_POINTS);
  const stride = clip.mesh.positions.length;
  const positions = new Float32Array(stride);
  await compute.scope(async (memory) => {
    const arrays = {
      rest: memory.float64(3 * pointCount),
      posed: memory.float64(3 * pointCount * rowLengthOf(frames.length)),
      patches: uploadUint32(memory, patches),
      sizes: uploadUint32(memory, sizes),
      means: memory.float64(3 * pointCount),
      scratch: memory.float64(compute.threads * measurePatchScratch(PATCH_POINTS, frames.length)),
      frameCount: frames.length,
    };
    const shape = start ?? clip.positions.subarray(frame * stride, (frame + 1) * stride);
    copyPoints(shape, vertexOfPoint, Uint32Array.of(0), arrays.rest.view());
    const row = rowLengthOf(frames.length);
    const starts = Uint32Array.from({ length: row }, (_, n) => stride * frames[Math.min(n, frames.length - 1)]);
    copyPoints(clip.positions, vertexOfPoint, starts, arrays.posed.view());
    const scale = 3 * noise ** 2 + Number.MIN_VALUE;
    for (let pass = 0; pass < PASSES; pass++) {
      await patchMeans(compute, arrays, scale, pass === 0);
      [arrays.rest, arrays.means] = [arrays.means, arrays.rest];
    }
    const rest = arrays.rest.view();
    weld.pointOfVertex.forEach((i, v) => {
      for (let r = 0; r < 3; r++) positions[3 * v + r] = rest[3 * i + r];
    });
  });
  return { positions, frame };
}

/**
 * Copies the positions of points in shapes: pointCount x 3 x shapeCount.
 * @param starts where each shape starts
 */
function copyPoints(from: Float32Array, vertexOfPoint: Uint32Array, starts: Uint32Array, out: Float64Array): void {
  let o = 0;
  for (let i = 0; i < vertexOfPoint.length; i++) {
    for (let v = 3 * vertexOfPoint[i]; v < 3 * vertexOfPoint[i] + 3; v++)
      for (let n = 0; n < starts.length; n++) out[o++] = from[starts[n] + v];
  }
}
