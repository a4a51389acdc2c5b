// SPDX-License-Identifier: MIT
// Morph targets as a compute pass, the peer of driven bones: one thread per vertex reads the active targets of its instance alone. Displacements are dense, in single precision
// (12 bytes, 24 with normals) or in 16 bits with a scale per target (8 bytes, 12 with normals). Outputs are packed as those of createGpuDeformer.

const [STORAGE, COPY_SRC, COPY_DST, UNIFORM] = [0x80, 0x4, 0x8, 0x40];
const THREADS = 128;
const SHORT = 32_767;

export interface GpuMorphOptions {
  instances: number;
  normals: boolean;
  /** 16 bits per number. */
  isShort: boolean;
  /** Instances per thread: the rest shape is read once for all of them. */
  perThread: number;
}

export interface GpuMorphs {
  readonly modelBytes: number;
  readonly positions: GPUBuffer;
  readonly normals: GPUBuffer | undefined;
  /** Uploads one set of weights, instances x shapeCount; returns a number for encode. */
  addWeights(weights: Float32Array): number;
  encode(pass: GPUComputePassEncoder, set: number): void;
  destroy(): void;
}

const makeSource = ({ normals, isShort, perThread }: GpuMorphOptions): string => /* wgsl */ `
struct Params { vertexCount: u32, instanceCount: u32, maxActive: u32 }
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> rest: array<f32>;
@group(0) @binding(2) var<storage, read> deltas: array<${isShort && !normals ? 'vec2u' : isShort ? 'u32' : 'f32'}>;
// instance x maxActive: target, weight of positions, weight of normals; ended by a target beyond the last
@group(0) @binding(3) var<storage, read> activeTargets: array<vec4u>;
@group(0) @binding(4) var<storage, read_write> positions: array<f32>;
${normals ? '@group(0) @binding(5) var<storage, read_write> normals: array<f32>;' : ''}

@compute @workgroup_size(${THREADS})
fn main(@builtin(global_invocation_id) id: vec3u) {
  let vertex = id.x;
  if (vertex >= params.vertexCount) { return; }
  let r = ${normals ? 6 : 3}u * vertex;
  let p0 = vec3f(rest[r], rest[r + 1u], rest[r + 2u]);
  ${normals ? 'let n0 = vec3f(rest[r + 3u], rest[r + 4u], rest[r + 5u]);' : ''}
  let last = min((id.y + 1u) * ${perThread}u, params.instanceCount);
  for (var instance = id.y * ${perThread}u; instance < last; instance++) {
    var p = p0;
    ${normals ? 'var n = n0;' : ''}
    let list = instance * params.maxActive;
    for (var a = 0u; a < params.maxActive; a++) {
      let one = activeTargets[list + a];
      if (one.x == 0xffffffffu) { break; }
      let w = bitcast<f32>(one.y);
      let o = one.x * params.vertexCount + vertex;
      ${readDelta(normals, isShort)}
    }
    let to = 3u * (instance * params.vertexCount + vertex);
    positions[to] = p.x;
    positions[to + 1u] = p.y;
    positions[to + 2u] = p.z;
    ${
      normals
        ? `n = normalize(n);
    normals[to] = n.x;
    normals[to + 1u] = n.y;
    normals[to + 2u] = n.z;`
        : ''
    }
  }
}
`;

/** Adds the displacement with index o. In 16 bits, positions have the scale of their target, and differences of normals, at most 2, are halved; the weights contain the scales. */
function readDelta(normals: boolean, isShort: boolean): string {
  if (!isShort)
    return normals
      ? `p += w * vec3f(deltas[6u * o], deltas[6u * o + 1u], deltas[6u * o + 2u]);
      n += w * vec3f(deltas[6u * o + 3u], deltas[6u * o + 4u], deltas[6u * o + 5u]);`
      : 'p += w * vec3f(deltas[3u * o], deltas[3u * o + 1u], deltas[3u * o + 2u]);';
  return normals
    ? `let x = unpack2x16snorm(deltas[3u * o]);
      let y = unpack2x16snorm(deltas[3u * o + 1u]);
      let z = unpack2x16snorm(deltas[3u * o + 2u]);
      p += w * vec3f(x, y.x);
      n += bitcast<f32>(one.z) * vec3f(y.y, z);`
    : `let q = deltas[o];
      p += w * vec3f(unpack2x16snorm(q.x), unpack2x16snorm(q.y).x);`;
}

/**
 * Makes the pass.
 * @param rest vertexCount x 3 positions
 * @param restNormals vertexCount x 3
 * @param deltas shapeCount x vertexCount x 3
 * @param normalDeltas shapeCount x vertexCount x 3
 */
export async function createGpuMorphs(
  device: GPUDevice,
  rest: Float32Array,
  restNormals: Float32Array,
  deltas: Float32Array,
  normalDeltas: Float32Array,
  options: GpuMorphOptions,
): Promise<GpuMorphs> {
  const { instances, normals, isShort, perThread } = options;
  const vertexCount = rest.length / 3;
  const shapeCount = deltas.length / rest.length;
  const owned: GPUBuffer[] = [];
  const make = (data: Uint32Array | Float32Array, usage = STORAGE): GPUBuffer => {
    const buffer = device.createBuffer({ size: Math.max(16, data.byteLength), usage: usage | COPY_DST });
    device.queue.writeBuffer(buffer, 0, data as Uint32Array<ArrayBuffer>);
    owned.push(buffer);
    return buffer;
  };
  const output = (): GPUBuffer => {
    const buffer = device.createBuffer({ size: instances * vertexCount * 12, usage: STORAGE | COPY_SRC });
    owned.push(buffer);
    return buffer;
  };
  const scales = new Float32Array(shapeCount).fill(1);
  if (isShort)
    for (let s = 0; s < shapeCount; s++)
      scales[s] = deltas.subarray(s * rest.length, (s + 1) * rest.length).reduce((m, x) => Math.max(m, Math.abs(x)), 0);
  const model = [
    make(normals ? interleave(rest, restNormals) : rest),
    make(
      isShort
        ? packShort(deltas, normals ? normalDeltas : undefined, scales)
        : normals
          ? interleave(deltas, normalDeltas)
          : deltas,
    ),
  ];
  const [positions, normalsOut] = [output(), normals ? output() : undefined];
  const module = device.createShaderModule({ code: makeSource(options) });
  const pipeline = await device.createComputePipelineAsync({ layout: 'auto', compute: { module } });
  const sets: GPUBindGroup[] = [];
  return {
    modelBytes: model.reduce((sum, { size }) => sum + size, 0),
    positions,
    normals: normalsOut,
    addWeights(weights) {
      const lists = Array.from({ length: instances }, (_, k) =>
        Array.from({ length: shapeCount }, (_, s) => s).filter((s) => weights[k * shapeCount + s] !== 0),
      );
      const maxActive = Math.max(1, ...lists.map(({ length }) => length));
      const words = new Uint32Array(4 * instances * maxActive).fill(0xffff_ffff);
      const floats = new Float32Array(words.buffer);
      lists.forEach((list, k) => {
        list.forEach((s, a) => {
          const at = k * maxActive + a;
          words[4 * at] = s;
          floats[4 * at + 1] = weights[k * shapeCount + s] * scales[s];
          floats[4 * at + 2] = 2 * weights[k * shapeCount + s];
        });
      });
      const resources = [
        make(Uint32Array.of(vertexCount, instances, maxActive, 0), UNIFORM),
        ...model,
        make(words),
        positions,
        ...(normalsOut ? [normalsOut] : []),
      ];
      const entries = resources.map((buffer, binding) => ({ binding, resource: { buffer } }));
      sets.push(device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries }));
      return sets.length - 1;
    },
    encode(pass, set) {
      pass.setPipeline(pipeline);
      pass.setBindGroup(0, sets[set]);
      pass.dispatchWorkgroups(Math.ceil(vertexCount / THREADS), Math.ceil(instances / perThread));
    },
    destroy() {
      for (const buffer of owned) buffer.destroy();
    },
  };
}

/** Six numbers per vertex. */
function interleave(a: Float32Array, b: Float32Array): Float32Array {
  const both = new Float32Array(2 * a.length);
  for (let c = 0; c < a.length; c++) {
    const o = 6 * Math.floor(c / 3) + (c % 3);
    both[o] = a[c];
    both[o + 3] = b[c];
  }
  return both;
}

/** Four or six numbers of 16 bits per vertex. */
function packShort(deltas: Float32Array, normals: Float32Array | undefined, scales: Float32Array): Uint32Array {
  const rows = deltas.length / 3;
  const width = normals ? 6 : 4;
  const packed = new Int16Array(width * rows);
  const perShape = deltas.length / scales.length;
  for (let c = 0; c < deltas.length; c++) {
    const scale = scales[Math.floor(c / perShape)] || 1;
    const o = width * Math.floor(c / 3) + (c % 3);
    packed[o] = Math.round((deltas[c] / scale) * SHORT);
    if (normals) packed[o + 3] = Math.round((normals[c] / 2) * SHORT);
  }
  return new Uint32Array(packed.buffer);
}
