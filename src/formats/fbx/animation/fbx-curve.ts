// SPDX-License-Identifier: MIT
// Animation curves of FBX: keys with constant, linear or cubic interpolation to the next key. A cubic segment is a Bézier curve through the
// slopes at both ends; their handles reach a third of the segment unless they are weighted.
import {
  type FbxNode,
  type FbxNumbers,
  type FbxValue,
  failFbx,
  findFbxChild,
  numberOfFbx,
  numbersOfFbx,
} from '../syntax/fbx-node.ts';

export interface FbxCurve {
  /** keyCount, seconds, rising */
  times: Float64Array;
  /** keyCount */
  values: Float64Array;
  /** keyCount: how the key goes on to the next */
  modes: Uint8Array;
  /** keyCount x 4: slope (per second) and weight of the handle after the key, slope and weight of the handle before the next one */
  handles: Float64Array;
}

const FBX_CONSTANT = 0;
/** Constant with the value of the next key. */
const FBX_NEXT = 1;
const FBX_LINEAR = 2;
const FBX_CUBIC = 3;

/** Flags of keys. */
const [CONSTANT, CUBIC, NEXT, TCB, USER] = [2, 8, 0x100, 0x200, 0x400];
const [CLAMP, TIME_INDEPENDENT, CLAMP_PROGRESSIVE] = [0x1000, 0x2000, 0x4000];
const [WEIGHTED_RIGHT, WEIGHTED_LEFT] = [0x1000000, 0x2000000];

const THIRD = 1 / 3;
/** Weights are stored as ten-thousandths. */
const WEIGHT_UNIT = 1e-4;
/** Difference of values below which a clamped tangent is flat. */
const SAME_VALUE = 1e-6;
/** Halvings that find the place on a weighted curve: to 1e-12 of the segment. */
const HALVINGS = 40;

/** Numbers after the letters of FBX 6 for slopes that the player computes. */
const SLOPE_VALUES = new Map(Object.entries({ a: 0, p: 2, q: 2, t: 3, d: 1 }));

/** Reads a curve of FBX 7 (arrays of times, values and attributes) or FBX 6 (one list of keys). Undefined if it has no keys. */
export function readFbxCurve(node: FbxNode, ticksPerSecond: number): FbxCurve | undefined {
  const list = findFbxChild(node, 'Key');
  const curve = list ? readKeyList(list.values, node, ticksPerSecond) : readKeyArrays(node, ticksPerSecond);
  if (curve.times.length === 0) return undefined;
  for (let k = 0; k < curve.times.length; k++) {
    if (!Number.isFinite(curve.times[k])) failFbx('value', `the time of key ${k} of an animation curve is not finite`);
    // a value that is not finite is that of the key before
    if (!Number.isFinite(curve.values[k])) curve.values[k] = k > 0 ? curve.values[k - 1] : 0;
    if (k > 0 && curve.times[k] < curve.times[k - 1]) failFbx('value', 'the times of an animation curve do not rise');
  }
  for (let c = 0; c < curve.handles.length; c++) if (!Number.isFinite(curve.handles[c])) curve.handles[c] = 0;
  return curve;
}

function makeCurve(count: number): FbxCurve {
  const handles = new Float64Array(4 * count);
  for (let k = 0; k < count; k++) handles[4 * k + 1] = handles[4 * k + 3] = THIRD;
  const modes = new Uint8Array(count).fill(FBX_LINEAR);
  return { times: new Float64Array(count), values: new Float64Array(count), modes, handles };
}

function readKeyArrays(node: FbxNode, ticksPerSecond: number): FbxCurve {
  const times = numbersOfFbx(node, 'KeyTime');
  const values = numbersOfFbx(node, 'KeyValueFloat');
  const flags = numbersOfFbx(node, 'KeyAttrFlags');
  const data = numbersOfFbx(node, 'KeyAttrDataFloat');
  const refs = numbersOfFbx(node, 'KeyAttrRefCount');
  const count = times.length;
  if (values.length !== count) failFbx('mismatch', `an animation curve has ${count} times for ${values.length} values`);
  const curve = makeCurve(count);
  for (let k = 0; k < count; k++) {
    curve.times[k] = times[k] / ticksPerSecond;
    curve.values[k] = values[k];
  }
  const { slopes, packed } = splitAttributes(data);
  const isAuto = new Int32Array(count).fill(-1);
  for (let k = 0, n = 0, left = refs[0] ?? 0; k < count && n < flags.length; k++) {
    const flag = flags[n];
    const h = 4 * k;
    if (flag & CONSTANT) curve.modes[k] = flag & NEXT ? FBX_NEXT : FBX_CONSTANT;
    else if (flag & CUBIC) {
      curve.modes[k] = FBX_CUBIC;
      if (!(flag & USER)) isAuto[k] = flag;
      if (!(flag & TCB)) {
        curve.handles[h] = slopes[4 * n] ?? 0;
        curve.handles[h + 2] = slopes[4 * n + 1] ?? 0;
      }
      if (flag & WEIGHTED_RIGHT) curve.handles[h + 1] = ((packed[4 * n + 2] ?? 0) & 0xffff) * WEIGHT_UNIT;
      if (flag & WEIGHTED_LEFT) curve.handles[h + 3] = ((packed[4 * n + 2] ?? 0) >>> 16) * WEIGHT_UNIT;
    }
    if (--left <= 0 && n + 1 < flags.length) left = refs[++n] ?? 0;
  }
  solveAutoSlopes(curve, isAuto);
  return curve;
}

/**
 * Attributes of keys as slopes, and as the 32-bit words in which two weights are packed. Binary files store floats; ASCII files, and some
 * binary ones, store integers of the same bits, or slopes as decimals beside packed weights as integers or as the decimals of their bits.
 */
function splitAttributes(data: FbxNumbers): { slopes: ArrayLike<number>; packed: Uint32Array } {
  if (data instanceof Float32Array) return { slopes: data, packed: new Uint32Array(Float32Array.from(data).buffer) };
  const bits = new Uint32Array(Float32Array.from(data).buffer);
  const packed = Uint32Array.from(data, (word, n) => (Number.isInteger(word) ? word >>> 0 : bits[n]));
  return { slopes: data.every(Number.isInteger) ? new Float32Array(packed.buffer) : data, packed };
}

/** Computes the slopes of keys whose tangents the file leaves to the player, by key: its flags, or -1 for given slopes. */
function solveAutoSlopes(curve: FbxCurve, flagsOf: Int32Array): void {
  const { times, modes, handles } = curve;
  for (let k = 0; k < times.length; k++) {
    if (flagsOf[k] < 0) continue;
    const slope = autoSlope(curve, k, flagsOf[k]);
    handles[4 * k] = slope;
    if (k > 0 && modes[k - 1] === FBX_CUBIC) handles[4 * k - 2] = slope;
  }
}

function autoSlope({ times, values, handles }: FbxCurve, k: number, flags: number): number {
  const hasLeft = k > 0 && times[k] > times[k - 1];
  const hasRight = k + 1 < times.length && times[k + 1] > times[k];
  const left = hasLeft ? (values[k] - values[k - 1]) / (times[k] - times[k - 1]) : 0;
  const right = hasRight ? (values[k + 1] - values[k]) / (times[k + 1] - times[k]) : 0;
  if (flags & CLAMP) {
    const apartLeft = hasLeft ? Math.abs(values[k] - values[k - 1]) : Number.POSITIVE_INFINITY;
    const apartRight = hasRight ? Math.abs(values[k + 1] - values[k]) : Number.POSITIVE_INFINITY;
    if (Math.min(apartLeft, apartRight) <= SAME_VALUE) return 0;
  }
  if (!hasLeft || !hasRight) return flags & CLAMP_PROGRESSIVE ? 0 : left + right;
  const span = times[k + 1] - times[k - 1];
  let slope = (values[k + 1] - values[k - 1]) / span;
  if (!(flags & TIME_INDEPENDENT)) {
    const ratio = (times[k] - times[k - 1]) / span;
    slope = (slope + left * (1 - ratio) + right * ratio) / 2;
  }
  if (flags & CLAMP_PROGRESSIVE) {
    // no further than the values of the neighbours
    const sign = slope < 0 ? -1 : 1;
    const mostLeft = (sign * left) / (handles[4 * k - 1] || THIRD);
    const mostRight = (sign * right) / (handles[4 * k + 1] || THIRD);
    slope = sign * Math.max(0, Math.min(sign * slope, mostLeft, mostRight));
  }
  return slope;
}

/** Keys of FBX 6: time, value, a letter for the interpolation, and what belongs to that. */
function readKeyList(list: readonly FbxValue[], node: FbxNode, ticksPerSecond: number): FbxCurve {
  const version = numberOfFbx(findFbxChild(node, 'KeyVer')?.values[0]) ?? 4005;
  const stated = numberOfFbx(findFbxChild(node, 'KeyCount')?.values[0]) ?? 0;
  // a key takes three values or more
  const count = Math.min(Math.max(0, Math.floor(stated)), Math.floor(list.length / 3));
  const curve = makeCurve(count);
  const isAuto = new Int32Array(count).fill(-1);
  let at = 0;
  const number = (): number => numberOfFbx(list[at++]) ?? Number.NaN;
  const letter = (): string => {
    const value = list[at++];
    return typeof value === 'number' ? String.fromCharCode(value) : typeof value === 'string' ? value : '';
  };
  for (let k = 0; k < count; k++) {
    curve.times[k] = number() / ticksPerSecond;
    curve.values[k] = number();
    const mode = letter();
    if (mode === 'L') continue;
    if (mode === 'C') {
      curve.modes[k] = version >= 4004 && letter() === 'n' ? FBX_NEXT : FBX_CONSTANT;
      continue;
    }
    if (mode !== 'U') failFbx('syntax', `key ${k} of an animation curve has an unknown interpolation`);
    curve.modes[k] = FBX_CUBIC;
    const slopes = letter();
    const h = 4 * k;
    let weights = 1;
    if (slopes === 's' || slopes === 'b') {
      curve.handles[h] = number();
      curve.handles[h + 2] = number();
      if (version === 4003) weights = 0;
    } else {
      isAuto[k] = CLAMP_PROGRESSIVE | TIME_INDEPENDENT;
      at += SLOPE_VALUES.get(slopes) ?? 0;
      if (slopes === 't' || (slopes === 'a' && version <= 4004)) weights = 0;
      else if (slopes === 'p' || slopes === 'q') weights = version <= 4004 ? 1 : 2;
    }
    for (; weights > 0; weights--) {
      const kind = letter();
      if (kind === 'a' || kind === 'r') curve.handles[h + 1] = number();
      if (kind === 'a' || kind === 'l') curve.handles[h + 3] = number();
    }
  }
  solveAutoSlopes(curve, isAuto);
  return curve;
}

/** Whether a curve of several keys holds the value of each until the next. */
export function holdsFbxCurve({ times, modes }: FbxCurve): boolean {
  if (times.length < 2) return false;
  for (let k = 0; k + 1 < times.length; k++) if (modes[k] !== FBX_CONSTANT) return false;
  return true;
}

/** Times of keys at which a curve jumps to another value. */
export function listFbxJumps({ times, values, modes }: FbxCurve): number[] {
  return [...times].filter((_, k) => k > 0 && modes[k - 1] === FBX_CONSTANT && values[k] !== values[k - 1]);
}

/** Seconds between the two keys of a jump at most, where lines join keys. */
const PAIR = 2e-4;

/** Times just before a jump that two keys of a curve make: the first of them. */
export function listFbxPairs({ times, values }: FbxCurve): number[] {
  return [...times].filter((time, k) => times[k + 1] - time <= PAIR && values[k + 1] !== values[k]);
}

/** Value of a curve at a time in seconds; outside its keys, that of the nearest. */
export function sampleFbxCurve({ times, values, modes, handles }: FbxCurve, time: number): number {
  const last = times.length - 1;
  if (time <= times[0]) return values[0];
  if (time >= times[last]) return values[last];
  let [low, high] = [0, last];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (times[middle] <= time) low = middle;
    else high = middle;
  }
  const span = times[low + 1] - times[low];
  if (!(span > 0)) return values[low];
  const ratio = (time - times[low]) / span;
  const [from, to] = [values[low], values[low + 1]];
  const mode = modes[low];
  if (mode === FBX_CONSTANT || ratio === 0) return from;
  if (mode === FBX_NEXT) return to;
  if (mode === FBX_LINEAR) return from + ratio * (to - from);
  const h = 4 * low;
  const right = clampWeight(handles[h + 1]);
  const left = clampWeight(handles[h + 3]);
  const u = right === THIRD && left === THIRD ? ratio : placeOnBezier(right, 1 - left, ratio);
  const v = 1 - u;
  const afterFrom = from + handles[h] * right * span;
  const beforeTo = to - handles[h + 2] * left * span;
  return v * v * v * from + 3 * v * v * u * afterFrom + 3 * v * u * u * beforeTo + u * u * u * to;
}

function clampWeight(weight: number): number {
  return weight >= 0 && weight <= 1 ? weight : THIRD;
}

/** The parameter at which a Bézier curve through 0, a, b and 1 is at x; it rises for a and b in [0, 1]. */
function placeOnBezier(a: number, b: number, x: number): number {
  let [low, high] = [0, 1];
  for (let n = 0; n < HALVINGS; n++) {
    const u = (low + high) / 2;
    const v = 1 - u;
    if (3 * v * v * u * a + 3 * v * u * u * b + u * u * u < x) low = u;
    else high = u;
  }
  return (low + high) / 2;
}
