// SPDX-License-Identifier: MIT
// A player of plain glTF that shares nothing with src/: JSON, accessors, node transforms, keys and linear blend skinning, all in double precision.
// It measures what a report claims.

interface Accessor {
  bufferView?: number;
  byteOffset?: number;
  componentType: number;
  normalized?: boolean;
  count: number;
  type: string;
}

interface Channel {
  sampler: number;
  target: { node: number; path: 'translation' | 'rotation' | 'scale' | 'weights' };
}

interface Gltf {
  accessors: Accessor[];
  bufferViews: { byteOffset?: number; byteLength: number; byteStride?: number }[];
  nodes: {
    children?: number[];
    matrix?: number[];
    translation?: number[];
    rotation?: number[];
    scale?: number[];
    mesh?: number;
    skin?: number;
  }[];
  scenes: { nodes: number[] }[];
  meshes: { primitives: { attributes: Record<string, number> }[] }[];
  skins?: { joints: number[]; inverseBindMatrices?: number }[];
  animations?: { channels: Channel[]; samplers: { input: number; output: number; interpolation?: string }[] }[];
}

type Matrix = readonly number[];

const WIDTH: Record<string, number> = { SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4, MAT4: 16 };
const READ: Record<number, [bytes: number, get: (view: DataView, at: number) => number, max: number]> = {
  5120: [1, (view, at) => view.getInt8(at), 127],
  5121: [1, (view, at) => view.getUint8(at), 255],
  5122: [2, (view, at) => view.getInt16(at, true), 32_767],
  5123: [2, (view, at) => view.getUint16(at, true), 65_535],
  5125: [4, (view, at) => view.getUint32(at, true), 2 ** 32 - 1],
  5126: [4, (view, at) => view.getFloat32(at, true), 1],
};

/** Positions of all vertices, primitive after primitive, of the first animation at given times. */
export function playGlb(glb: Uint8Array, times: readonly number[]): Float64Array[] {
  const { json, bin } = parseGlb(glb);
  return times.map((time) => {
    const world = worldMatrices(json, posedNodes(json, bin, time));
    const out: number[] = [];
    json.nodes.forEach(({ mesh, skin }, n) => {
      if (mesh === undefined) return;
      for (const { attributes } of json.meshes[mesh].primitives) {
        const positions = readAccessor(json, bin, attributes.POSITION);
        const bones = skin === undefined ? undefined : boneMatrices(json, bin, skin, world);
        const sets = listSets(attributes);
        const joints = sets.map((set) => readAccessor(json, bin, attributes[`JOINTS_${set}`]));
        const weights = sets.map((set) => readAccessor(json, bin, attributes[`WEIGHTS_${set}`]));
        for (let i = 0; i < positions.length / 3; i++) {
          const point = [positions[3 * i], positions[3 * i + 1], positions[3 * i + 2]];
          out.push(...(bones ? blend(point, i, bones, joints, weights) : apply(world[n], point)));
        }
      }
    });
    return Float64Array.from(out);
  });
}

function parseGlb(glb: Uint8Array): { json: Gltf; bin: DataView } {
  const view = new DataView(glb.buffer, glb.byteOffset, glb.byteLength);
  const length = view.getUint32(12, true);
  const json = JSON.parse(new TextDecoder().decode(glb.subarray(20, 20 + length))) as Gltf;
  return { json, bin: new DataView(glb.buffer, glb.byteOffset + 28 + length) };
}

function readAccessor({ accessors, bufferViews }: Gltf, bin: DataView, index: number): Float64Array {
  const { bufferView, byteOffset = 0, componentType, normalized, count, type } = accessors[index];
  const width = WIDTH[type];
  const out = new Float64Array(count * width);
  if (bufferView === undefined) return out;
  const [bytes, get, max] = READ[componentType];
  const view = bufferViews[bufferView];
  const stride = view.byteStride ?? width * bytes;
  for (let i = 0; i < count; i++)
    for (let c = 0; c < width; c++) {
      const value = get(bin, (view.byteOffset ?? 0) + byteOffset + i * stride + c * bytes);
      out[i * width + c] = normalized ? Math.max(-1, value / max) : value;
    }
  return out;
}

function listSets(attributes: Record<string, number>): number[] {
  const sets: number[] = [];
  while (attributes[`JOINTS_${sets.length}`] !== undefined) sets.push(sets.length);
  return sets;
}

interface Transform {
  matrix?: Matrix;
  translation: readonly number[];
  rotation: readonly number[];
  scale: readonly number[];
}

function posedNodes(json: Gltf, bin: DataView, time: number): Transform[] {
  const nodes = json.nodes.map(({ matrix, translation = [0, 0, 0], rotation = [0, 0, 0, 1], scale = [1, 1, 1] }) => ({
    ...{ matrix, translation, rotation, scale },
  }));
  const animation = json.animations?.[0];
  for (const { sampler, target } of animation?.channels ?? []) {
    if (target.path === 'weights') continue;
    const { input, output, interpolation = 'LINEAR' } = animation!.samplers[sampler];
    const keys = readAccessor(json, bin, input);
    const values = readAccessor(json, bin, output);
    const width = target.path === 'rotation' ? 4 : 3;
    const at = (k: number) => [...values.subarray(k * width, (k + 1) * width)];
    let k = 0;
    while (k + 1 < keys.length && keys[k + 1] <= time) k++;
    const span = k + 1 < keys.length ? keys[k + 1] - keys[k] : 0;
    const ratio = span > 0 && interpolation === 'LINEAR' ? Math.min(Math.max((time - keys[k]) / span, 0), 1) : 0;
    const [a, b] = [at(k), at(Math.min(k + 1, keys.length - 1))];
    nodes[target.node] = {
      ...nodes[target.node],
      [target.path]: target.path === 'rotation' ? slerp(a, b, ratio) : a.map((x, c) => x + ratio * (b[c] - x)),
    };
  }
  return nodes;
}

function slerp(a: number[], b: number[], ratio: number): number[] {
  let dot = a.reduce((sum, x, c) => sum + x * b[c], 0);
  const end = dot < 0 ? b.map((x) => -x) : b;
  dot = Math.min(Math.abs(dot), 1);
  const angle = Math.acos(dot);
  const sine = Math.sin(angle);
  const [p, q] =
    sine < 1e-9 ? [1 - ratio, ratio] : [Math.sin((1 - ratio) * angle) / sine, Math.sin(ratio * angle) / sine];
  const mixed = a.map((x, c) => p * x + q * end[c]);
  const length = Math.hypot(...mixed);
  return mixed.map((x) => x / length);
}

function localMatrix({ matrix, translation: t, rotation: [x, y, z, w], scale: s }: Transform): Matrix {
  if (matrix) return matrix;
  const r = [
    ...[1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w)],
    ...[2 * (x * y - z * w), 1 - 2 * (x * x + z * z), 2 * (y * z + x * w)],
    ...[2 * (x * z + y * w), 2 * (y * z - x * w), 1 - 2 * (x * x + y * y)],
  ];
  const column = (c: number) => [r[3 * c] * s[c], r[3 * c + 1] * s[c], r[3 * c + 2] * s[c], 0];
  return [...column(0), ...column(1), ...column(2), t[0], t[1], t[2], 1];
}

function worldMatrices(json: Gltf, nodes: readonly Transform[]): Matrix[] {
  const world: Matrix[] = [];
  const stack = json.scenes[0].nodes.map((n) => ({
    n,
    parent: localMatrix({ translation: [0, 0, 0], rotation: [0, 0, 0, 1], scale: [1, 1, 1] }),
  }));
  for (let top = stack.pop(); top; top = stack.pop()) {
    const own = multiply(top.parent, localMatrix(nodes[top.n]));
    world[top.n] = own;
    for (const child of json.nodes[top.n].children ?? []) stack.push({ n: child, parent: own });
  }
  return world;
}

function boneMatrices(json: Gltf, bin: DataView, skin: number, world: readonly Matrix[]): Matrix[] {
  const { joints, inverseBindMatrices } = json.skins![skin];
  const inverses = inverseBindMatrices === undefined ? undefined : readAccessor(json, bin, inverseBindMatrices);
  return joints.map((node, j) =>
    inverses ? multiply(world[node], [...inverses.subarray(16 * j, 16 * j + 16)]) : world[node],
  );
}

function blend(
  point: number[],
  i: number,
  bones: readonly Matrix[],
  joints: Float64Array[],
  weights: Float64Array[],
): number[] {
  const sum = [0, 0, 0];
  joints.forEach((row, set) => {
    for (let c = 0; c < 4; c++) {
      const weight = weights[set][4 * i + c];
      if (weight === 0) continue;
      apply(bones[row[4 * i + c]], point).forEach((value, r) => {
        sum[r] += weight * value;
      });
    }
  });
  return sum;
}

function multiply(a: Matrix, b: Matrix): Matrix {
  return Array.from({ length: 16 }, (_, n) => {
    const [row, column] = [n % 4, n - (n % 4)];
    return a[row] * b[column] + a[row + 4] * b[column + 1] + a[row + 8] * b[column + 2] + a[row + 12] * b[column + 3];
  });
}

function apply(m: Matrix, [x, y, z]: number[]): number[] {
  return [0, 1, 2].map((r) => m[r] * x + m[r + 4] * y + m[r + 8] * z + m[r + 12]);
}
