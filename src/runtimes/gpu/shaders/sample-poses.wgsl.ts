// SPDX-License-Identifier: MIT
// Local poses of all nodes from keys, each instance at its own time of its own clip; core/keyframes/sample-track.ts is the reference.
//
// WGSL guarantees eleven bits for sin and acos, too few for a chain of joints: they are computed by series. On the shorter arc the half angle is at most
// 45 degrees; the sine of half of that is below 0.383, where seven terms of arcsin reach 2e-8; six terms of sin reach 6e-8 up to a right angle.

export const SAMPLE_POSES_SOURCE = /* wgsl */ `
struct Params {
  nodeCount: u32,
  clipCount: u32,
  instanceCount: u32,
  isLooped: u32,
  // vec2s and vec4s
  timeOffset: u32,
  localOffset: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> durations: array<f32>;
@group(0) @binding(2) var<storage, read> tracks: array<vec4u>;
@group(0) @binding(3) var<storage, read> keys: array<f32>;
// node x (translation, rotation, scale)
@group(0) @binding(4) var<storage, read> rest: array<vec4f>;
// instance: seconds, clip
@group(0) @binding(5) var<storage, read> times: array<vec2f>;
// instance x node x (translation, rotation, scale)
@group(0) @binding(6) var<storage, read_write> locals: array<vec4f>;

const CUBIC = 2u;

fn arcsin(x: f32) -> f32 {
  let s = x * x;
  return x * (1.0 + s * (0.16666667 + s * (0.075 + s * (0.044642857 + s * (0.030381944 + s * (0.022372159 + s * 0.017352764))))));
}

fn sine(x: f32) -> f32 {
  let s = x * x;
  return x * (1.0 - s * (0.16666667 - s * (0.0083333333 - s * (1.98412698e-4 - s * (2.75573192e-6 - s * 2.5052108e-8)))));
}

fn slerp(a: vec4f, other: vec4f, t: f32) -> vec4f {
  let b = select(other, -other, dot(a, other) < 0.0);
  let half = 0.5 * length(a - b);
  let quarter = half / sqrt(2.0 * (1.0 + sqrt(max(1.0 - half * half, 0.0))));
  let angle = 4.0 * arcsin(quarter);
  let weights = select(vec2f(sine((1.0 - t) * angle), sine(t * angle)), vec2f(1.0 - t, t), angle < 1e-3);
  return normalize(weights.x * a + weights.y * b);
}

fn valueAt(start: u32, isRotation: bool) -> vec4f {
  var w = 0.0;
  if (isRotation) { w = keys[start + 3u]; }
  return vec4f(keys[start], keys[start + 1u], keys[start + 2u], w);
}

fn sampleTrack(track: vec4u, time: f32, isRotation: bool) -> vec4f {
  // the last key at or before the time
  var low = 0u;
  var high = track.y - 1u;
  while (low < high) {
    let middle = (low + high + 1u) >> 1u;
    if (keys[track.x + middle] <= time) { low = middle; } else { high = middle - 1u; }
  }
  let next = min(low + 1u, track.y - 1u);
  let before = keys[track.x + low];
  let span = keys[track.x + next] - before;
  var t = 0.0;
  if (span > 0.0) { t = clamp((time - before) / span, 0.0, 1.0); }
  let size = select(3u, 4u, isRotation);
  let isCubic = track.w == CUBIC;
  let stride = select(size, 3u * size, isCubic);
  let middle = select(0u, size, isCubic);
  let a = valueAt(track.z + low * stride + middle, isRotation);
  let b = valueAt(track.z + next * stride + middle, isRotation);
  var value = a;
  if (track.w == 1u) {
    if (isRotation) { value = slerp(a, b, t); } else { value = a + t * (b - a); }
  } else if (isCubic) {
    let leaving = valueAt(track.z + low * stride + 2u * size, isRotation);
    let arriving = valueAt(track.z + next * stride, isRotation);
    let t2 = t * t;
    let t3 = t2 * t;
    value = (2.0 * t3 - 3.0 * t2 + 1.0) * a + (t3 - 2.0 * t2 + t) * span * leaving + (3.0 * t2 - 2.0 * t3) * b + (t3 - t2) * span * arriving;
  } else if (t >= 1.0) {
    value = b;
  }
  if (isRotation) {
    let square = dot(value, value);
    value = select(vec4f(0.0, 0.0, 0.0, 1.0), value * inverseSqrt(max(square, 1e-30)), square > 1e-30);
  }
  return value;
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= params.instanceCount * params.nodeCount) { return; }
  let instance = id.x / params.nodeCount;
  let node = id.x % params.nodeCount;
  let when = times[params.timeOffset + instance];
  let clip = min(u32(max(when.y, 0.0)), params.clipCount - 1u);
  var time = when.x;
  let duration = durations[clip];
  if (params.isLooped == 1u && duration > 0.0) { time -= floor(time / duration) * duration; }
  for (var path = 0u; path < 3u; path++) {
    let track = tracks[(clip * params.nodeCount + node) * 3u + path];
    var value = rest[node * 3u + path];
    if (track.y > 0u) { value = sampleTrack(track, time, path == 1u); }
    locals[params.localOffset + id.x * 3u + path] = value;
  }
}
`;
