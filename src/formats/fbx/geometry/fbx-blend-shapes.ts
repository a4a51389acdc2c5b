// SPDX-License-Identifier: MIT
// Blend shapes of FBX. A channel has one shape, or several at rising percentages ("in-betweens"): its displacement goes through them in
// straight lines. Each shape becomes a morph target, whose weight is a hat function of the channel's percentage.
import { MAX_COORDINATE } from '../../../core/model/mesh/coordinate-limit.ts';
import { quoteName } from '../../../core/model/plain-text.ts';
import { type FbxNumbers, failFbx, findFbxChild, numberOfFbx, numbersOfFbx } from '../syntax/fbx-node.ts';
import { type FbxObject, numberProperty } from '../syntax/fbx-object.ts';
import type { FbxObjects } from '../syntax/fbx-objects.ts';
import type { FbxMesh } from './fbx-geometry.ts';
import { listDeformers } from './fbx-skin.ts';

/** A channel of a mesh: a percentage that drives one target or more. */
export interface FbxChannel {
  id: string;
  name: string;
  /** Percentage at rest. */
  percent: number;
  /** Percentages at which the targets have weight one, rising, one per target. */
  fullWeights: number[];
  /** Per target: vertexCount x 3 displacements, in the space of the geometry. */
  targets: Float32Array[];
}

/** Reads the blend shapes of a geometry. */
export function readFbxBlendShapes(
  objects: FbxObjects,
  geometry: FbxObject,
  { pointOfVertex, pointCount }: FbxMesh,
  spend: (bytes: number) => void,
): FbxChannel[] {
  const channels: FbxChannel[] = [];
  for (const deformer of listDeformers(objects, [geometry], 'BlendShape')) {
    for (const { object } of objects.childrenOf(deformer.id)) {
      if (object.kind !== 'Deformer' || object.type !== 'BlendShapeChannel') continue;
      const full = numbersOfFbx(object.node, 'FullWeights');
      const shapes = objects
        .childrenOf(object.id)
        .filter((link) => link.object.kind === 'Geometry')
        .map((link, n) => ({ shape: link.object, full: Number.isFinite(full[n]) ? full[n] : 100 }))
        .sort((a, b) => a.full - b.full);
      if (shapes.length === 0) {
        // a channel that moves nothing keeps its place and its name
        const targets = [new Float32Array(3 * pointOfVertex.length)];
        spend(12 * pointOfVertex.length);
        channels.push({ id: object.id, name: object.name, percent: 0, fullWeights: [100], targets });
        continue;
      }
      // Blender lists the weight of every point there
      const byPoint = shapes.length === 1 && full.length > 1;
      const stated = findFbxChild(object.node, 'DeformPercent');
      channels.push({
        id: object.id,
        name: object.name || shapes[shapes.length - 1].shape.name,
        percent: numberProperty(object, 'DeformPercent', numberOfFbx(stated?.values[0]) ?? 0),
        fullWeights: shapes.map((one) => (byPoint ? 100 : one.full)),
        targets: shapes.map(({ shape }) => {
          spend(12 * pointOfVertex.length);
          return readShape(shape, pointOfVertex, pointCount, byPoint ? full : undefined);
        }),
      });
    }
  }
  return channels;
}

/** @param percents of each point of the shape, if they have one */
function readShape(
  { node, name }: FbxObject,
  pointOfVertex: Uint32Array,
  pointCount: number,
  percents?: FbxNumbers,
): Float32Array {
  const points = numbersOfFbx(node, 'Indexes');
  const moves = numbersOfFbx(node, 'Vertices');
  if (moves.length !== 3 * points.length)
    failFbx('mismatch', `the shape ${quoteName(name)} has ${moves.length} numbers for ${points.length} points`);
  const byPoint = new Float32Array(3 * pointCount);
  for (let n = 0; n < points.length; n++) {
    const point = points[n];
    if (!(point >= 0 && point < pointCount && Number.isInteger(point)))
      failFbx('index', `the shape ${quoteName(name)} names point ${point} of ${pointCount}`);
    for (let c = 0; c < 3; c++) {
      const move = (moves[3 * n + c] * (percents?.[n] ?? 100)) / 100;
      // a point that is moved out of all bounds stays
      byPoint[3 * point + c] = Math.abs(move) <= MAX_COORDINATE ? move : 0;
    }
  }
  const out = new Float32Array(3 * pointOfVertex.length);
  for (let i = 0; i < pointOfVertex.length; i++)
    for (let c = 0; c < 3; c++) out[3 * i + c] = byPoint[3 * pointOfVertex[i] + c];
  return out;
}

/** Fills out with the weights of a channel's targets at a percentage. Beyond the ends the first and the last line go on. */
export function channelWeightsInto(
  fullWeights: readonly number[],
  percent: number,
  out: Float32Array,
  offset: number,
): void {
  const count = fullWeights.length;
  out.fill(0, offset, offset + count);
  // the rest shape is at zero percent, between targets of negative and positive percentages
  const stops = [...fullWeights.map((at, target) => ({ at, target })), { at: 0, target: -1 }].sort(
    (a, b) => a.at - b.at,
  );
  let right = stops.findIndex(({ at }) => at > percent);
  if (right < 0) right = stops.length - 1;
  right = Math.max(1, right);
  const [a, b] = [stops[right - 1], stops[right]];
  if (!b || b.at === a.at) return;
  const ratio = (percent - a.at) / (b.at - a.at);
  if (a.target >= 0) out[offset + a.target] = 1 - ratio;
  if (b.target >= 0) out[offset + b.target] = ratio;
}
