// SPDX-License-Identifier: MIT
// Animation stacks of FBX, sampled at the frame rate of the file. A stack has layers, a layer has curve nodes, one per animated property, and
// those have a curve per axis. The first layer replaces the values of the scene; further ones are added, blended or replace.
import { multiplyQuaternions, slerpInto } from '../../core/math/quaternion.ts';
import { type FbxCurve, readFbxCurve, sampleFbxCurve } from './fbx-curve.ts';
import type { FbxModel } from './fbx-models.ts';
import { placeFbxModel, quaternionFromDegreesInto } from './fbx-transform.ts';
import { failFbx, numberOfFbx } from './syntax/fbx-node.ts';
import { type FbxObject, numberProperty, propertyOf } from './syntax/fbx-object.ts';
import type { FbxObjects } from './syntax/fbx-objects.ts';

/** The local transforms of a model over time. */
export interface FbxModelTrack {
  /** frameCount x 3, 4, 3 */
  translations: Float64Array;
  rotations: Float64Array;
  scales: Float64Array;
  /** What has keys. */
  isMoved: { translation: boolean; rotation: boolean; scale: boolean };
}

export interface FbxStack {
  name: string;
  /** frameCount, seconds from the first key */
  times: Float64Array;
  /** By model index. */
  models: Map<number, FbxModelTrack>;
  /** By identifier of a blend shape channel: frameCount percentages. */
  percents: Map<string, Float64Array>;
}

interface LayerCurves {
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

/** Frames per second by the file's time mode; 14 is a rate of its own. */
const FRAME_RATES = [30, 120, 100, 60, 50, 48, 30, 30, 29.97, 29.97, 25, 24, 1000, 23.976, 0, 96, 72, 59.94, 119.88];
const CUSTOM_MODE = 14;
const MAX_FRAME_RATE = 240;
/** Sparser keys are poses, not frames. */
const MIN_FRAME_RATE = 10;
/** Tolerance for a key on a frame, in frames. */
const ON_FRAME = 0.02;

/** Frames of an animation. Longer ones have a pose per key. */
const MAX_FRAMES = 2 ** 16;

/** Numbers that all sampled keys may take: a base, and a multiple of the bytes of the file. */
const SAMPLES_BASE = 2 ** 23;
const SAMPLES_RATIO = 16;

/** Frames per second that a file is made for. */
function frameRateOfFbx({ settings }: FbxObjects): number {
  const mode = numberProperty(settings, 'TimeMode', 0);
  const rate = mode === CUSTOM_MODE ? numberProperty(settings, 'CustomFrameRate', 0) : FRAME_RATES[mode];
  return rate >= 1 ? Math.min(rate, MAX_FRAME_RATE) : FRAME_RATES[0];
}

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
    const times = listTimes(objects, animated);
    if (!times) return [];
    const out: FbxStack = { name: stack.name, times: times.relative, models: new Map(), percents: new Map() };
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
      for (let k = 0; k < frameCount; k++) values[k] = sampleLayers(percent, rest, times.absolute[k], false)[0];
      out.percents.set(id, values);
    }
    return [out];
  });
}

/** By identifier of an object: its animated properties, each with the curves of its layers. */
type Animated = Map<string, Map<string, LayerCurves[]>>;

function listAnimated(
  objects: FbxObjects,
  stack: FbxObject,
  curveOf: (curve: FbxObject) => FbxCurve | undefined,
): Animated {
  const animated: Animated = new Map();
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
        const properties = animated.get(target.id) ?? new Map<string, LayerCurves[]>();
        animated.set(target.id, properties);
        const list = properties.get(property) ?? [];
        properties.set(property, list);
        list.push({ layer, isBase: n === 0, weight, curves, defaults });
      }
    }
  });
  return animated;
}

/** Frames from the first key to the last, at the file's rate, or at that of the keys if they are closer. Undefined without keys. */
function listTimes(
  objects: FbxObjects,
  animated: Animated,
): { absolute: Float64Array; relative: Float64Array } | undefined {
  let [start, end] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  let densest: FbxCurve | undefined;
  for (const properties of animated.values()) {
    for (const layers of properties.values()) {
      for (const curve of layers.flatMap(({ curves }) => curves)) {
        if (!curve) continue;
        const last = curve.times.length - 1;
        start = Math.min(start, curve.times[0]);
        end = Math.max(end, curve.times[last]);
        if (last >= (densest?.times.length ?? 0)) densest = curve;
      }
    }
  }
  if (!(end >= start)) return undefined;
  const rate = chooseRate(frameRateOfFbx(objects), start, densest);
  const steps = (end - start) * rate;
  if (steps > MAX_FRAMES) return makeTimes(listKeyTimes(animated), start);
  const whole = Math.round(steps);
  // the last frame is the last key, also where the rate does not divide the span
  const count = Math.abs(steps - whole) < 0.05 ? whole + 1 : Math.ceil(steps) + 1;
  const relative = Float64Array.from({ length: count }, (_, k) => (k === count - 1 ? end - start : k / rate));
  return { relative, absolute: relative.map((time) => start + time) };
}

/** Times of all keys, for animations that are too long to sample. */
function listKeyTimes(animated: Animated): Float64Array {
  const times = new Set<number>();
  for (const properties of animated.values())
    for (const layers of properties.values())
      for (const { curves } of layers)
        for (const curve of curves) for (const time of curve?.times ?? []) times.add(time);
  return Float64Array.from(times).sort();
}

/** Times as they are sampled, and from zero, where 32-bit floats must tell them apart. */
function makeTimes(times: Float64Array, start: number): { absolute: Float64Array; relative: Float64Array } {
  const absolute = times.filter((time, k) => k === 0 || Math.fround(time - start) > Math.fround(times[k - 1] - start));
  return { absolute, relative: absolute.map((time) => time - start) };
}

/** The file's frame rate, or that of the curve with most keys where those are regular and fall between the file's frames. */
function chooseRate(rate: number, start: number, curve: FbxCurve | undefined): number {
  const last = (curve?.times.length ?? 0) - 1;
  if (!curve || last < 1) return rate;
  const { times } = curve;
  const isOn = (step: number, time: number): boolean => {
    const place = (time - start) * step;
    return Math.abs(place - Math.round(place)) < ON_FRAME;
  };
  const own = last / (times[last] - times[0]);
  if (times.every((time) => isOn(rate, time)) || !(own >= MIN_FRAME_RATE && own <= MAX_FRAME_RATE)) return rate;
  const rounded = Math.round(own);
  const found = Math.abs(own - rounded) < 1e-3 * own ? rounded : own;
  return times.every((time) => isOn(found, time)) ? found : Math.max(rate, Math.min(MAX_FRAME_RATE, rounded));
}

function sampleModel(
  { transform }: FbxModel,
  properties: Map<string, LayerCurves[]>,
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
  };
  const local = { translation: new Float64Array(3), rotation: new Float64Array(4), scale: new Float64Array(3) };
  const turn = new Float64Array(4);
  for (let k = 0; k < frameCount; k++) {
    const time = times[k];
    const t = translation ? sampleLayers(translation, transform.translation, time, false) : transform.translation;
    const s = scaling ? sampleLayers(scaling, transform.scaling, time, true) : transform.scaling;
    const r = rotation ? sampleRotation(rotation, transform, time, turn) : transform.rotation;
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

/** Angles in degrees; undefined where layers are joined as rotations, which turn then holds. */
function sampleRotation(
  layers: readonly LayerCurves[],
  { rotation, order }: FbxModel['transform'],
  time: number,
  turn: Float64Array,
): ArrayLike<number> | undefined {
  const byAngles = layers.every(
    ({ layer, isBase }) =>
      isBase || blendOf(layer) === 'override' || numberProperty(layer, 'RotationAccumulationMode', 0) === 1,
  );
  if (byAngles) return sampleLayers(layers, rotation, time, false);
  quaternionFromDegreesInto(rotation, order, turn);
  const own = new Float64Array(4);
  for (const entry of layers) {
    quaternionFromDegreesInto(valuesAt(entry, rotation, time), order, own);
    const weight = weightOf(entry, time);
    const blend = entry.isBase ? 'override' : blendOf(entry.layer);
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
  layers: readonly LayerCurves[],
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
      else if (blend === 'blend') out[c] += weight * (own[c] - out[c]);
      else if (isFactor) out[c] *= Math.abs(own[c]) ** weight * Math.sign(own[c]);
      else out[c] += weight * own[c];
    }
  }
  return out;
}

/** Values of one layer; axes without a curve have the value of the curve node. */
function valuesAt({ curves, defaults }: LayerCurves, rest: ArrayLike<number>, time: number): number[] {
  return curves.map((curve, c) => {
    if (curve) return sampleFbxCurve(curve, time);
    return Number.isFinite(defaults[c]) ? defaults[c] : rest[c];
  });
}

function blendOf(layer: FbxObject): 'add' | 'override' | 'blend' {
  const mode = numberProperty(layer, 'BlendMode', 0);
  return mode === 1 ? 'override' : mode === 2 ? 'blend' : 'add';
}

function weightOf({ layer, weight }: LayerCurves, time: number): number {
  return (weight ? sampleFbxCurve(weight, time) : numberProperty(layer, 'Weight', 100)) / 100;
}
