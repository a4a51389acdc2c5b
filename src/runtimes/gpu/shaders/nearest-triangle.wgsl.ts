// SPDX-License-Identifier: MIT
// The nearest triangle of a moving surface for many points, among triangles that face the same way; core/kernels/search/nearest-points.ts and core/kernels/search/fit-bvh.ts are the reference. Three kernels: one thread per triangle fills its
// corners and its normal, one thread per node of a level its four boxes, from the deepest level to the root, and one thread per point visits the tree from the nearest box on. All in single precision.

export const SEARCH_THREADS = 64;

const HEAD = /* wgsl */ `
struct Params { count: u32, first: u32, minCosine: f32, maxSquare: f32 }
@group(0) @binding(0) var<uniform> params: Params;

fn indexOf(id: vec3u, groups: vec3u) -> u32 {
  return id.y * groups.x * ${SEARCH_THREADS}u + id.x;
}
`;

/** A triangle is three vectors: each corner, with one number of the unit normal. */
export const FIT_TRIANGLES_SOURCE = /* wgsl */ `${HEAD}
@group(0) @binding(1) var<storage, read> positions: array<f32>;
@group(0) @binding(2) var<storage, read> points: array<u32>;
@group(0) @binding(3) var<storage, read_write> triangles: array<vec4f>;

fn pointAt(n: u32) -> vec3f {
  let o = 3u * points[n];
  return vec3f(positions[o], positions[o + 1u], positions[o + 2u]);
}

@compute @workgroup_size(${SEARCH_THREADS})
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let f = indexOf(id, groups);
  if (f >= params.count) { return; }
  let a = pointAt(3u * f);
  let b = pointAt(3u * f + 1u);
  let c = pointAt(3u * f + 2u);
  let across = cross(b - a, c - a);
  // scaled first: the square of a small area is below the range of single precision
  let size = max(max(abs(across.x), abs(across.y)), abs(across.z));
  var normal = vec3f(0.0);
  if (size > 0.0) { normal = normalize(across / size); }
  triangles[3u * f] = vec4f(a, normal.x);
  triangles[3u * f + 1u] = vec4f(b, normal.y);
  triangles[3u * f + 2u] = vec4f(c, normal.z);
}
`;

const LEAF = '0x80000000u';
const NONE = '0xffffffffu';

/** The boxes of a node are six vectors: min x of its four children, min y, min z, max x, max y, max z. */
export const FIT_BOXES_SOURCE = /* wgsl */ `${HEAD}
@group(0) @binding(1) var<storage, read> children: array<vec4u>;
@group(0) @binding(2) var<storage, read> triangles: array<vec4f>;
@group(0) @binding(3) var<storage, read_write> boxes: array<vec4f>;

const FAR = 1e30;

fn least(v: vec4f) -> f32 { return min(min(v.x, v.y), min(v.z, v.w)); }
fn largest(v: vec4f) -> f32 { return max(max(v.x, v.y), max(v.z, v.w)); }

@compute @workgroup_size(${SEARCH_THREADS})
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let n = indexOf(id, groups);
  if (n >= params.count) { return; }
  let node = params.first + n;
  let own = children[node];
  var lows: array<vec3f, 4>;
  var highs: array<vec3f, 4>;
  for (var lane = 0u; lane < 4u; lane++) {
    let child = own[lane];
    lows[lane] = vec3f(FAR);
    highs[lane] = vec3f(-FAR);
    if (child == ${NONE}) { continue; }
    if (child < ${LEAF}) {
      let o = 6u * child;
      lows[lane] = vec3f(least(boxes[o]), least(boxes[o + 1u]), least(boxes[o + 2u]));
      highs[lane] = vec3f(largest(boxes[o + 3u]), largest(boxes[o + 4u]), largest(boxes[o + 5u]));
    } else {
      let f = 3u * ((child & 0x7fffffffu) >> 2u);
      let a = triangles[f].xyz;
      let b = triangles[f + 1u].xyz;
      let c = triangles[f + 2u].xyz;
      lows[lane] = min(min(a, b), c);
      highs[lane] = max(max(a, b), c);
    }
  }
  for (var axis = 0u; axis < 3u; axis++) {
    boxes[6u * node + axis] = vec4f(lows[0][axis], lows[1][axis], lows[2][axis], lows[3][axis]);
    boxes[6u * node + 3u + axis] = vec4f(highs[0][axis], highs[1][axis], highs[2][axis], highs[3][axis]);
  }
}
`;

/**
 * The search.
 * @param stackSize maximum children that wait: three per level of the tree
 */
export function makeNearestSource(stackSize: number): string {
  return /* wgsl */ `${HEAD}
@group(0) @binding(1) var<storage, read> queries: array<vec4f>;
@group(0) @binding(2) var<storage, read> children: array<vec4u>;
@group(0) @binding(3) var<storage, read> triangles: array<vec4f>;
@group(0) @binding(4) var<storage, read> boxes: array<vec4f>;
@group(0) @binding(5) var<storage, read_write> found: array<u32>;

// squared distance from the origin to a triangle; C. Ericson, "Real-Time Collision Detection", 2005, 5.1.5
fn squareOf(a: vec3f, b: vec3f, c: vec3f) -> f32 {
  let u = b - a;
  let w = c - a;
  let d1 = -dot(u, a);
  let d2 = -dot(w, a);
  let d3 = -dot(u, b);
  let d4 = -dot(w, b);
  let d5 = -dot(u, c);
  let d6 = -dot(w, c);
  let va = d3 * d6 - d5 * d4;
  let vb = d5 * d2 - d1 * d6;
  let vc = d1 * d4 - d3 * d2;
  var nearest = a;
  if (d1 <= 0.0 && d2 <= 0.0) {
    nearest = a;
  } else if (d3 >= 0.0 && d4 <= d3) {
    nearest = b;
  } else if (vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0) {
    if (d1 > d3) { nearest = a + u * (d1 / (d1 - d3)); }
  } else if (d6 >= 0.0 && d5 <= d6) {
    nearest = c;
  } else if (vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0) {
    if (d2 > d6) { nearest = a + w * (d2 / (d2 - d6)); }
  } else if (va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0) {
    let whole = d4 - d3 + (d5 - d6);
    nearest = b;
    if (whole > 0.0) { nearest = b + (c - b) * ((d4 - d3) / whole); }
  } else {
    let whole = va + vb + vc;
    if (whole > 0.0) { nearest = a + (u * vb + w * vc) / whole; }
  }
  return dot(nearest, nearest);
}

@compute @workgroup_size(${SEARCH_THREADS})
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let n = indexOf(id, groups);
  if (n >= params.count) { return; }
  let p = queries[2u * n].xyz;
  let normal = queries[2u * n + 1u].xyz;
  var stack: array<u32, ${stackSize}>;
  var squares: array<f32, ${stackSize}>;
  var top = 0u;
  var least = params.maxSquare;
  var best = ${NONE};
  var child = 0u;
  loop {
    var next = ${NONE};
    if (child < ${LEAF}) {
      let o = 6u * child;
      let dx = max(max(boxes[o] - p.x, p.x - boxes[o + 3u]), vec4f(0.0));
      let dy = max(max(boxes[o + 1u] - p.y, p.y - boxes[o + 4u]), vec4f(0.0));
      let dz = max(max(boxes[o + 2u] - p.z, p.z - boxes[o + 5u]), vec4f(0.0));
      let square4 = dx * dx + dy * dy + dz * dz;
      let own = children[child];
      var nearest = least;
      for (var lane = 0u; lane < 4u; lane++) {
        let square = square4[lane];
        if (own[lane] == ${NONE} || !(square < least)) { continue; }
        // the nearest child is visited next, the others wait
        if (next == ${NONE}) {
          next = own[lane];
          nearest = square;
          continue;
        }
        let isNearer = square < nearest;
        if (top < ${stackSize}u) {
          stack[top] = select(own[lane], next, isNearer);
          squares[top] = select(square, nearest, isNearer);
          top++;
        }
        next = select(next, own[lane], isNearer);
        nearest = min(nearest, square);
      }
    } else {
      let place = (child & 0x7fffffffu) >> 2u;
      let a = triangles[3u * place];
      let b = triangles[3u * place + 1u];
      let c = triangles[3u * place + 2u];
      if (dot(normal, vec3f(a.w, b.w, c.w)) >= params.minCosine) {
        let square = squareOf(a.xyz - p, b.xyz - p, c.xyz - p);
        if (square < least) {
          least = square;
          best = place;
        }
      }
    }
    while (next == ${NONE} && top > 0u) {
      top--;
      if (squares[top] < least) { next = stack[top]; }
    }
    if (next == ${NONE}) { break; }
    child = next;
  }
  found[n] = best;
}
`;
}
