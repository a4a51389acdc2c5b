// SPDX-License-Identifier: MIT

import { type Compute, uploadFloat64, uploadUint32 } from '../../core/kernels/compute.ts';
import { castRays } from '../../core/kernels/search/cast-rays.ts';
import { measureBounds } from '../../core/mesh/geometry/bounds.ts';
import { BVH_STACK, fitTriangleBvh, makeTriangleBvh } from '../../core/mesh/geometry/triangle-bvh.ts';
import type { Mesh } from '../../core/model/mesh/mesh.ts';
import type { SolveMonitor } from '../../core/progress/solve-monitor.ts';
import type { LightSamples } from './make-light-samples.ts';

/** Rays start this far above the surface, relative to the box diagonal: above the rounding of float32 positions, and below what is seen. */
const LIFT = 1e-4;

/** Frames of a mesh in motion, made one at a time. */
export interface LitMotion {
  /** Name of the animation. */
  name: string;
  /** frameCount, seconds, ascending */
  times: Float64Array;
  /** Fills positions and unit normals of frame k, vertexCount x 3 each. */
  frameInto(k: number, positions: Float32Array, normals: Float32Array): void;
}

/** Light of every vertex in every frame. */
export interface TracedLight {
  /** frameCount x vertexCount x channels, frames of all motions one after the other */
  values: Float32Array;
  /** frameCount x vertexCount x 3: unit normals of the frames */
  normals: Float32Array;
  /** Number of frames. */
  frameCount: number;
  /** Number of vertices. */
  vertexCount: number;
  /** Numbers per vertex. */
  channels: number;
}

/**
 * Traces rays from every vertex in every frame. The hierarchy is built for the rest shape and refitted to each frame. One frame of positions is held at a time.
 * Throws an AbortError if it is stopped: part of the frames is no result.
 */
export async function traceLight(
  compute: Compute,
  mesh: Mesh,
  motions: readonly LitMotion[],
  samples: LightSamples,
  monitor: SolveMonitor,
): Promise<TracedLight> {
  const { triangles } = mesh;
  const vertexCount = mesh.positions.length / 3;
  const { channels } = samples;
  const frameCount = motions.reduce((sum, { times }) => sum + times.length, 0);
  const stride = vertexCount * channels;
  const values = new Float32Array(frameCount * stride);
  const allNormals = new Float32Array(frameCount * 3 * vertexCount);
  const lift = LIFT * measureBounds(mesh.positions).diagonal;
  const [positions, normals] = [new Float32Array(3 * vertexCount), new Float32Array(3 * vertexCount)];
  const bvh = makeTriangleBvh(mesh.positions, triangles);
  await compute.scope(async (memory) => {
    const caster = {
      points: memory.float32(6 * vertexCount),
      directions: uploadFloat64(memory, samples.directions),
      values: uploadFloat64(memory, samples.values),
      boxes: memory.float32(bvh.boxes.length),
      children: uploadUint32(memory, bvh.children),
      corners: memory.float32(bvh.corners.length),
      sums: memory.float64(stride),
      stacks: memory.uint32(memory.threads * BVH_STACK),
      ...{ stackSize: BVH_STACK, pointCount: vertexCount, directionCount: samples.count, channels },
    };
    let done = 0;
    for (const { times, frameInto } of motions)
      for (let k = 0; k < times.length; k++) {
        frameInto(k, positions, normals);
        fitTriangleBvh(bvh, positions, triangles);
        caster.boxes.view().set(bvh.boxes);
        caster.corners.view().set(bvh.corners);
        liftInto(positions, normals, lift, caster.points.view());
        await castRays(memory, caster);
        values.set(caster.sums.view(), done * stride);
        allNormals.set(normals, done * 3 * vertexCount);
        if (await monitor.tick(++done / frameCount)) throw new DOMException('the light was stopped', 'AbortError');
      }
  });
  return { values, normals: allNormals, frameCount, vertexCount, channels };
}

function liftInto(positions: Float32Array, normals: Float32Array, lift: number, points: Float32Array): void {
  for (let i = 0; 3 * i < positions.length; i++)
    for (let a = 0; a < 3; a++) {
      points[6 * i + a] = positions[3 * i + a] + lift * normals[3 * i + a];
      points[6 * i + 3 + a] = normals[3 * i + a];
    }
}
