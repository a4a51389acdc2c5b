// SPDX-License-Identifier: MIT
// Times of compute passes by the GPU's own clock, and the bandwidth of its memory.

const STORAGE = 0x80;
const [COPY_SRC, COPY_DST, MAP_READ, QUERY_RESOLVE] = [0x4, 0x8, 0x1, 0x200];

/** Nanoseconds of each of `rounds` passes, after some to warm up. */
export async function timePass(
  device: GPUDevice,
  rounds: number,
  record: (pass: GPUComputePassEncoder, round: number) => void,
): Promise<number[]> {
  const warm = Math.ceil(rounds / 4);
  const querySet = device.createQuerySet({ type: 'timestamp', count: 2 * rounds });
  const resolved = device.createBuffer({ size: 16 * rounds, usage: QUERY_RESOLVE | COPY_SRC });
  const mapped = device.createBuffer({ size: 16 * rounds, usage: COPY_DST | MAP_READ });
  const encoder = device.createCommandEncoder();
  for (let n = -warm; n < rounds; n++) {
    const timestampWrites =
      n < 0 ? undefined : { querySet, beginningOfPassWriteIndex: 2 * n, endOfPassWriteIndex: 2 * n + 1 };
    const pass = encoder.beginComputePass({ timestampWrites });
    record(pass, n + warm);
    pass.end();
  }
  encoder.resolveQuerySet(querySet, 0, 2 * rounds, resolved, 0);
  encoder.copyBufferToBuffer(resolved, 0, mapped, 0, 16 * rounds);
  device.queue.submit([encoder.finish()]);
  await mapped.mapAsync(1);
  const stamps = new BigUint64Array(mapped.getMappedRange().slice(0));
  querySet.destroy();
  resolved.destroy();
  mapped.destroy();
  return Array.from({ length: rounds }, (_, n) => Number(stamps[2 * n + 1] - stamps[2 * n]));
}

const SOURCE = /* wgsl */ `
@group(0) @binding(0) var<storage, read> source: array<vec4f>;
@group(0) @binding(1) var<storage, read_write> copied: array<vec4f>;
override isFill: bool = false;

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  for (var n = id.x; n < arrayLength(&copied); n += groups.x * 256u) {
    if (isFill) { copied[n] = vec4f(f32(n)) + source[0]; } else { copied[n] = source[n]; }
  }
}
`;

/** GB/s of a plain copy, reading and writing both counted, and of writing alone. */
export async function measureBandwidth(device: GPUDevice, bytes: number): Promise<{ copy: number; fill: number }> {
  const size = Math.min(bytes, device.limits.maxStorageBufferBindingSize);
  const buffers = [0, 1].map(() => device.createBuffer({ size, usage: STORAGE }));
  const module = device.createShaderModule({ code: SOURCE });
  const measure = async (isFill: boolean): Promise<number> => {
    const constants = { isFill: isFill ? 1 : 0 };
    const pipeline = device.createComputePipeline({ layout: 'auto', compute: { module, constants } });
    const entries = buffers.map((buffer, binding) => ({ binding, resource: { buffer } }));
    const bindings = device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries });
    const times = await timePass(device, 8, (pass) => {
      pass.setPipeline(pipeline);
      pass.setBindGroup(0, bindings);
      pass.dispatchWorkgroups(Math.min(65535, Math.ceil(size / 16 / 256)));
    });
    return ((isFill ? 1 : 2) * size) / Math.min(...times);
  };
  const result = { copy: await measure(false), fill: await measure(true) };
  for (const buffer of buffers) buffer.destroy();
  return result;
}
