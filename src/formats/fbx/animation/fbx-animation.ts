// SPDX-License-Identifier: MIT
// Animation stacks of FBX, sampled at the frame rate of the file. A stack has layers, a layer has curve nodes, one per animated property, and
// those have a curve per axis. The first layer replaces the values of the scene; further ones are added, blended or replace.
import { multiplyQuaternions, slerpInto } from '../../../core/math/quaternion.ts';
import type { FbxModel } from '../fbx-models.ts';
import { placeFbxModel, quaternionFromDegreesInto } from '../fbx-transform.ts';
import { failFbx, numberOfFbx } from '../syntax/fbx-node.ts';
import { type FbxObject, numberProperty, propertyOf } from '../syntax/fbx-object.ts';
import type { FbxObjects } from '../syntax/fbx-objects.ts';
import { type FbxCurve, holdsFbxCurve, readFbxCurve, sampleFbxCurve } from './fbx-curve.ts';
import { listFbxTimes, thinFbxFrames } from './fbx-frames.ts';

/** The local transforms of a model over time. */
export interface FbxModelTrack {
  /** frameCount x 3, 4, 3 */
  translations: Float64Array;
  rotations: Float64Array;
  scales: Float64Array;
  /** What has keys. */
  isMoved: { translation: boolean; rotation: boolean; scale: boolean };
  /** What jumps from key to key and holds between them. */
  isStepped?: { translation: boolean; rotation: boolean; scale: boolean };
}

export interface FbxStack {
  name: string;
  /** frameCount, seconds from the start of the stack, or from its first key */
  times: Float64Array;
  /** By model index. */
  models: Map<number, FbxModelTrack>;
  /** By identifier of a blend shape channel: frameCount percentages. */
  percents: Map<string, Float64Array>;
  /** Identifiers of those that jump from key to key. */
  stepped: Set<string>;
}

/** The curves of a property in a layer. */
export interface FbxLayerCurves {
  layer: FbxObject;
  isBase: boolean;
  /** Percent, where the weight of the layer is animated. */
  weight?: FbxCurve;
  curves: (FbxCurve | undefined)[];
  /** Values of the axes without a curve. */
  defaults: number[];
}

/** Properties of models that animate them, and axes of their curves. */
const PROPERTIES = ['Lcl Translation', 'Lcl Rotation', 'Lcl Scaling'] as const;
const AXES = ['d|X', 'd|Y', 'd|Z'];
const PERCENT = 'DeformPercent';

/** Steps are sampled this many seconds late, since frames and keys differ by rounding. */
const LATE = 2e-5;

/** Numbers that all sampled keys may take: a base, and a multiple of the bytes of the file. */
const SAMPLES_BASE = 2 ** 23;
const SAMPLES_RATIO = 16;

/** Samples the animation stacks of a file. Those without keys are left out. */
export function sampleFbxStacks(objects: FbxObjects, models: readonly FbxModel[], byteLength: number): FbxStack[] {
  const modelOf = new Map(models.map(({ object }, n) => [object.id, n]));
  const budget = { left: SAMPLES_BASE + SAMPLES_RATIO * byteLength };
  const curves = new Map<string, FbxCurve | undefined>();
  const curveOf = ({ id, node }: FbxObject): FbxCurve | undefined => {
    if (!curves.has(id)) curves.set(id, readFbxCurve(node, objects.ticksPerSecond));
    return curves.get(id);
  };
  return objects.objects.flatMap((stack) => {
    if (stack.kind !== 'AnimationStack') return [];
    const animated = listAnimated(objects, stack, curveOf);
    const times = listFbxTimes(objects, stack, animated);
    if (!times) return [];
    const out: FbxStack = {
      name: stack.name,
      times: times.relative,
      models: new Map(),
      percents: new Map(),
      stepped: new Set(),
    };
    for (const [id, properties] of animated) {
      const frameCount = times.absolute.length;
      const model = modelOf.get(id);
      budget.left -= frameCount * 10;
      if (budget.left < 0)
        failFbx('limit', `the animation "${stack.name}" lasts ${frameCount} frames, which are too many to sample`);
      if (model !== undefined) out.models.set(model, sampleModel(models[model], properties, times.absolute));
      const percent = properties.get(PERCENT);
      const channel = percent && objects.get(id);
      if (!channel) continue;
      const rest = [numberProperty(channel, PERCENT, 0), 0, 0];
      const values = new Float64Array(frameCount);
      const late = isStepped(percent) ? LATE : 0;
      if (late > 0) out.stepped.add(id);
      for (let k = 0; k < frameCount; k++) values[k] = sampleLayers(percent, rest, times.absolute[k] + late, false)[0];
      out.percents.set(id, values);
    }
    return [thinFbxFrames(out, times.onFrame)];
  });
}

/** By identifier of an object: its animated properties, each with the curves of its layers. */
export type FbxAnimated = Map<string, Map<string, FbxLayerCurves[]>>;

function listAnimated(
  objects: FbxObjects,
  stack: FbxObject,
  curveOf: (curve: FbxObject) => FbxCurve | undefined,
): FbxAnimated {
  const animated: FbxAnimated = new Map();
  const layers = objects.childrenOf(stack.id).filter(({ object }) => object.kind === 'AnimationLayer');
  layers.forEach(({ object: layer }, n) => {
    if (numberProperty(layer, 'Mute', 0) !== 0) return;
    const weighing = objects.childrenOf(layer.id).find(({ property }) => property === 'Weight')?.object;
    const weights = weighing && objects.childrenOf(weighing.id).find(({ object }) => object.kind === 'AnimationCurve');
    const weight = weights && curveOf(weights.object);
    for (const { object: curveNode } of objects.childrenOf(layer.id)) {
      if (curveNode.kind !== 'AnimationCurveNode') continue;
      for (const { object: target, property } of objects.parentsOf(curveNode.id)) {
        const isPercent = property === PERCENT;
        if (!isPercent && !PROPERTIES.includes(property as (typeof PROPERTIES)[number])) continue;
        const axes = isPercent ? [`d|${PERCENT}`] : AXES;
        const own = objects.childrenOf(curveNode.id).filter(({ object }) => object.kind === 'AnimationCurve');
        const curves = axes.map((axis) => {
          const link = own.find((one) => one.property === axis);
          return link && curveOf(link.object);
        });
        if (!curves.some(Boolean)) continue;
        const defaults = axes.map((axis) => numberOfFbx(propertyOf(curveNode, axis)?.[0]) ?? Number.NaN);
        const properties = animated.get(target.id) ?? new Map<string, FbxLayerCurves[]>();
        animated.set(target.id, properties);
        const list = properties.get(property) ?? [];
        properties.set(property, list);
        list.push({ layer, isBase: n === 0, weight, curves, defaults });
      }
    }
  });
  return animated;
}

function sampleModel(
  { transform }: FbxModel,
  properties: Map<string, FbxLayerCurves[]>,
  times: Float64Array,
): FbxModelTrack {
  const [translation, rotation, scaling] = PROPERTIES.map((name) => properties.get(name));
  const frameCount = times.length;
  const track: FbxModelTrack = {
    translations: new Float64Array(3 * frameCount),
    rotations: new Float64Array(4 * frameCount),
    scales: new Float64Array(3 * frameCount),
    isMoved: {
      translation: translation !== undefined || (transform.hasPivots && (rotation ?? scaling) !== undefined),
      rotation: rotation !== undefined,
      scale: scaling !== undefined,
    },
    isStepped: {
      translation: isStepped(translation) && !transform.hasPivots,
      rotation: isStepped(rotation),
      scale: isStepped(scaling),
    },
  };
  const { isStepped: steps } = track;
  const [lateT, lateR, lateS] = [steps?.translation, steps?.rotation, steps?.scale].map((is) => (is ? LATE : 0));
  const local = { translation: new Float64Array(3), rotation: new Float64Array(4), scale: new Float64Array(3) };
  const turn = new Float64Array(4);
  for (let k = 0; k < frameCount; k++) {
    const time = times[k];
    const t = translation
      ? sampleLayers(translation, transform.translation, time + lateT, false)
      : transform.translation;
    const s = scaling ? sampleLayers(scaling, transform.scaling, time + lateS, true) : transform.scaling;
    const r = rotation ? sampleRotation(rotation, transform, time + lateR, turn) : transform.rotation;
    placeFbxModel(transform, t, r ?? transform.rotation, s, local, r ? undefined : turn);
    for (let c = 0; c < 3; c++) {
      track.translations[3 * k + c] = local.translation[c];
      track.scales[3 * k + c] = local.scale[c];
    }
    let dot = 0;
    if (k > 0) for (let c = 0; c < 4; c++) dot += local.rotation[c] * track.rotations[4 * (k - 1) + c];
    for (let c = 0; c < 4; c++) track.rotations[4 * k + c] = dot < 0 ? -local.rotation[c] : local.rotation[c];
  }
  for (const list of [track.translations, track.rotations, track.scales])
    if (!list.every(Number.isFinite)) failFbx('value', 'an animation has values that are not finite');
  return track;
}

/** Whether a property holds from key to key in all its layers. */
function isStepped(layers: readonly FbxLayerCurves[] | undefined): boolean {
  if (!layers) return false;
  return layers.every(({ curves, weight }) => !weight && curves.every((curve) => !curve || holdsFbxCurve(curve)));
}

/**
 * Angles in degrees; undefined where layers are joined as rotations, which turn then holds. Layers that add angles do so as long as no layer
 * below them has joined rotations.
 */
function sampleRotation(
  layers: readonly FbxLayerCurves[],
  { rotation, order }: FbxModel['transform'],
  time: number,
  turn: Float64Array,
): ArrayLike<number> | undefined {
  const isByAngles = ({ layer, isBase }: FbxLayerCurves): boolean =>
    isBase || blendOf(layer) === 'override' || numberProperty(layer, 'RotationAccumulationMode', 0) === 1;
  const first = layers.findIndex((entry) => !isByAngles(entry));
  if (first < 0) return sampleLayers(layers, rotation, time, false);
  const below = first === 0 ? rotation : sampleLayers(layers.slice(0, first), rotation, time, false);
  quaternionFromDegreesInto(below, order, turn);
  const own = new Float64Array(4);
  for (const entry of layers.slice(first)) {
    quaternionFromDegreesInto(valuesAt(entry, rotation, time), order, own);
    const weight = weightOf(entry, time);
    const blend = blendOf(entry.layer);
    if (blend === 'override') turn.set(own);
    else if (blend === 'blend') slerpInto(turn, own, weight, turn);
    else {
      slerpInto([0, 0, 0, 1], own, weight, own);
      multiplyQuaternions(turn, own, turn);
    }
  }
  return undefined;
}

/** Values of a property, layer by layer. */
function sampleLayers(
  layers: readonly FbxLayerCurves[],
  rest: ArrayLike<number>,
  time: number,
  isScaling: boolean,
): ArrayLike<number> {
  if (layers.length === 1 && layers[0].isBase) return valuesAt(layers[0], rest, time);
  const out = Float64Array.from(rest);
  for (const entry of layers) {
    const own = valuesAt(entry, out, time);
    const weight = weightOf(entry, time);
    const blend = entry.isBase ? 'override' : blendOf(entry.layer);
    const isFactor = isScaling && numberProperty(entry.layer, 'ScaleAccumulationMode', 0) === 0;
    for (let c = 0; c < own.length; c++) {
      if (blend === 'override') out[c] = own[c];
      else if (blend === 'blend')
        out[c] = isFactor ? power(out[c], 1 - weight) * power(own[c], weight) : out[c] + weight * (own[c] - out[c]);
      else if (isFactor) out[c] *= power(own[c], weight);
      else out[c] += weight * own[c];
    }
  }
  return out;
}

/** A power of a scale, which keeps its sign. */
function power(scale: number, exponent: number): number {
  return Math.abs(scale) ** exponent * Math.sign(scale);
}

/** Values of one layer; axes without a curve have the value of the curve node. */
function valuesAt({ curves, defaults }: FbxLayerCurves, rest: ArrayLike<number>, time: number): number[] {
  return curves.map((curve, c) => {
    if (curve) return sampleFbxCurve(curve, time);
    return Number.isFinite(defaults[c]) ? defaults[c] : rest[c];
  });
}

function blendOf(layer: FbxObject): 'add' | 'override' | 'blend' {
  const mode = numberProperty(layer, 'BlendMode', 0);
  return mode === 1 ? 'override' : mode === 2 ? 'blend' : 'add';
}

function weightOf({ layer, weight }: FbxLayerCurves, time: number): number {
  const percent = weight ? sampleFbxCurve(weight, time) : numberProperty(layer, 'Weight', 100);
  return Math.min(1, Math.max(0, percent / 100));
}
