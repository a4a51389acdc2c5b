// SPDX-License-Identifier: MIT
import { compose, multiply, transformPoints } from '../../../core/math/mat4.ts';
import type { Clip } from '../../../core/model/clip/clip.ts';
import { FormatError } from '../../../core/model/errors.ts';
import type { Mesh } from '../../../core/model/mesh/mesh.ts';
import { quoteName } from '../../../core/model/plain-text.ts';
import { numbersOf } from '../syntax/usd-values-at.ts';
import { checkPositions, type UsdReadShape } from './mesh/usd-shape.ts';
import type { UsdReadScene } from './read-usd-scene.ts';
import { turnPointsInPlace } from './usd-axes.ts';
import { USD_COSTS, type UsdBudget } from './usd-budget.ts';
import { fillTimes, transformAt } from './usd-motion.ts';
import type { UsdScene } from './usd-scene.ts';
import { listTransformTimes } from './usd-transforms.ts';

/**
 * Frames of positions of all meshes, at every time at which something is sampled.
 * @param mesh all shapes, one after the other in the order of their nodes
 */
export function readUsdClip(
  mesh: Mesh,
  stage: UsdScene,
  { shapes, codes: samples, rate, unit, isZUp }: UsdReadScene,
  budget: UsdBudget,
): Clip {
  const codes = fillTimes(samples);
  const stride = mesh.positions.length;
  const moving = countMoving(stage);
  const frame =
    USD_COSTS.framePoint * (stride / 3) + USD_COSTS.frameShape * shapes.length + USD_COSTS.frameNode * moving;
  budget.take(frame * codes.length, `${codes.length} frames of positions`);
  const positions = new Float32Array(stride * codes.length);
  const ordered = shapes
    .map((shape, s) => ({ shape, s }))
    .sort((a, b) => a.shape.shape.node - b.shape.shape.node || a.s - b.s);
  const scratch = new Float32Array(shapes.reduce((max, shape) => Math.max(max, 3 * shape.pointOfVertex.length), 0));
  let worlds: Float64Array | undefined;
  codes.forEach((code, k) => {
    if (!worlds || moving > 0) worlds = worldsAt(stage, unit, code);
    let start = k * stride;
    for (const { shape } of ordered) {
      const own = scratch.subarray(0, 3 * shape.pointOfVertex.length);
      pointsAtInto(shape, unit, code, own);
      const { node } = shape.content;
      if (node >= 0) transformPoints(worlds.subarray(16 * node, 16 * node + 16), own, positions, 0, start);
      else positions.set(own, start);
      start += own.length;
    }
  });
  if (isZUp) turnPointsInPlace(positions);
  checkPositions(positions);
  const times = Float64Array.from(codes, (code) => (code - codes[0]) / rate);
  return { kind: 'clip', name: mesh.name, mesh, positions, times };
}

/** Number of nodes whose transforms have samples. */
function countMoving({ nodes }: UsdScene): number {
  return nodes.filter(({ prim }) => prim && listTransformTimes(prim).length > 1).length;
}

function pointsAtInto(
  { content: { prim }, pointOfVertex, pointCount }: UsdReadShape,
  unit: number,
  code: number,
  out: Float32Array,
): void {
  const points = numbersOf(prim, 'points', code);
  if (!points || points.length !== 3 * pointCount)
    throw new FormatError(
      'usd',
      'mismatch',
      `mesh ${quoteName(prim.name)} has ${pointCount} points, and ${(points?.length ?? 0) / 3} at time code ${code}; the topology must not change`,
    );
  pointOfVertex.forEach((point, i) => {
    for (let c = 0; c < 3; c++) out[3 * i + c] = unit * points[3 * point + c];
  });
}

/** nodeCount x 16: from each node to the world of the file, in metres. */
function worldsAt({ nodes }: UsdScene, unit: number, code: number): Float64Array {
  const worlds = new Float64Array(16 * nodes.length);
  nodes.forEach(({ prim, parent }, n) => {
    if (!prim) return;
    const { translation, rotation, scale } = transformAt(prim, code);
    compose(
      translation.map((x) => x * unit),
      rotation,
      scale,
      worlds,
      0,
      0,
      0,
      16 * n,
    );
    if (parent >= 0) multiply(worlds, worlds, worlds, 16 * parent, 16 * n, 16 * n);
  });
  return worlds;
}
