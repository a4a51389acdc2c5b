// SPDX-License-Identifier: MIT
import type {
  SearchDevice,
  SearchLimits,
  TriangleSearcher,
  TriangleTree,
} from '../../../core/model/clip/triangle-search.ts';
import {
  BUFFER_USAGE,
  checkBindingSize,
  checkBufferSize,
  DeviceWatch,
  makeDataBuffer,
  readBuffer,
} from '../gpu-device.ts';
import { makeBindLayout, makePipeline } from '../make-pipeline.ts';
import {
  FIT_BOXES_SOURCE,
  FIT_TRIANGLES_SOURCE,
  makeNearestSource,
  SEARCH_THREADS,
} from '../shaders/nearest-triangle.wgsl.ts';

/** Bindings of the kernels that fit, and of the search. */
const FIT_STORAGE = 'rrw';
const SEARCH_STORAGE = 'rrrrw';
const PARAMS_BYTES = 16;
/** Children that can wait per level of the tree. */
const WAITING = 3;
const MIN_STACK = 32;

interface FitPipelines {
  triangles: GPUComputePipeline;
  boxes: GPUComputePipeline;
}

/**
 * Makes the nearest-point searches of `track` run on a GPU. Positions are in single precision there, so that of two triangles at nearly the same distance either may be found; the nearest point of the triangle is
 * then computed in double precision on the CPU.
 * @param device freed by the caller
 * @example
 * ```ts
 * import { track } from 'ossify';
 * import { createGpuSearch, requestGpuDevice } from 'ossify/gpu';
 *
 * const device = await requestGpuDevice();
 * const { coverage } = await track([mesh, mesh, mesh], { searchDevice: await createGpuSearch(device) });
 * ```
 */
export async function createGpuSearch(device: GPUDevice): Promise<SearchDevice> {
  const [triangles, boxes] = await Promise.all([
    makePipeline(device, 'triangle fit', FIT_TRIANGLES_SOURCE, FIT_STORAGE),
    makePipeline(device, 'box fit', FIT_BOXES_SOURCE, FIT_STORAGE),
  ]);
  const watch = new DeviceWatch(device, 'gpu search');
  return {
    makeSearcher(tree) {
      const owned: GPUBuffer[] = [];
      try {
        return new GpuSearcher(device, watch, { triangles, boxes }, tree, owned);
      } catch (error) {
        for (const buffer of owned) buffer.destroy();
        throw error;
      }
    },
  };
}

/** A dispatch of a fit. */
interface FitStep {
  pipeline: GPUComputePipeline;
  bindings: GPUBindGroup;
  count: number;
}

/** The triangles of one surface on a device. */
class GpuSearcher implements TriangleSearcher {
  readonly #device: GPUDevice;
  readonly #watch: DeviceWatch;
  readonly #stackSize: number;
  readonly #positions: GPUBuffer;
  readonly #children: GPUBuffer;
  readonly #triangles: GPUBuffer;
  readonly #boxes: GPUBuffer;
  readonly #params: GPUBuffer;
  readonly #steps: FitStep[] = [];
  readonly #owned: GPUBuffer[];
  #queries?: GPUBuffer;
  #found?: GPUBuffer;
  #capacity = 0;
  #isMoved = false;
  #isDisposed = false;

  /** @param owned filled with the buffers of this object, so that the caller can free them if this throws */
  constructor(device: GPUDevice, watch: DeviceWatch, pipelines: FitPipelines, tree: TriangleTree, owned: GPUBuffer[]) {
    watch.check('make a search');
    this.#owned = owned;
    this.#device = device;
    this.#watch = watch;
    const { levels, pointCount } = tree;
    const triangleCount = tree.points.length / 3;
    this.#stackSize = 2 ** Math.ceil(Math.log2(Math.max(MIN_STACK, WAITING * levels.length)));
    const storage = BUFFER_USAGE.STORAGE;
    this.#positions = this.#reserve('positions of a surface', 12 * pointCount, storage | BUFFER_USAGE.COPY_DST);
    this.#triangles = this.#reserve('triangles of a surface', 48 * triangleCount, storage);
    this.#boxes = this.#reserve('boxes of a surface', 24 * tree.children.length, storage);
    this.#children = this.#own(makeDataBuffer(device, 'nodes of a surface', tree.children, storage));
    const points = this.#own(makeDataBuffer(device, 'corners of a surface', tree.points, storage));
    this.#params = this.#reserve('search limits', PARAMS_BYTES, BUFFER_USAGE.UNIFORM | BUFFER_USAGE.COPY_DST);
    this.#addStep(pipelines.triangles, 0, triangleCount, [this.#positions, points, this.#triangles]);
    for (let level = levels.length - 2; level >= 0; level--) {
      const [first, end] = [levels[level], levels[level + 1]];
      this.#addStep(pipelines.boxes, first, end - first, [this.#children, this.#triangles, this.#boxes]);
    }
  }

  fit(positions: Float32Array): void {
    this.#check('fit');
    this.#device.queue.writeBuffer(this.#positions, 0, positions as Float32Array<ArrayBuffer>);
    this.#isMoved = true;
  }

  async search(points: Float32Array, { minCosine, maxDistance }: SearchLimits): Promise<Uint32Array> {
    this.#check('search');
    const device = this.#device;
    const count = points.length / 8;
    if (count === 0) return new Uint32Array(0);
    const { queries, found } = this.#reserveQueries(count);
    const source = makeNearestSource(this.#stackSize);
    const pipeline = await makePipeline(device, 'nearest triangle', source, SEARCH_STORAGE);
    device.queue.writeBuffer(queries, 0, points as Float32Array<ArrayBuffer>);
    const params = new ArrayBuffer(PARAMS_BYTES);
    new Uint32Array(params, 0, 2).set([count, 0]);
    new Float32Array(params, 8, 2).set([minCosine, maxDistance * maxDistance]);
    device.queue.writeBuffer(this.#params, 0, params);
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    if (this.#isMoved) for (const step of this.#steps) this.#dispatch(pass, step.pipeline, step.bindings, step.count);
    this.#isMoved = false;
    const buffers = [queries, this.#children, this.#triangles, this.#boxes, found];
    this.#dispatch(pass, pipeline, this.#bind(SEARCH_STORAGE, this.#params, buffers), count);
    pass.end();
    device.queue.submit([encoder.finish()]);
    try {
      return new Uint32Array(await readBuffer(device, found, 0, 4 * count));
    } catch (error) {
      this.#check('search');
      throw error;
    }
  }

  dispose(): void {
    this.#isDisposed = true;
    for (const buffer of [...this.#owned, this.#queries, this.#found]) buffer?.destroy();
  }

  #check(action: string): void {
    if (this.#isDisposed) throw new Error(`gpu search: ${action} after dispose`);
    this.#watch.check(action);
  }

  #own(buffer: GPUBuffer): GPUBuffer {
    this.#owned.push(buffer);
    return buffer;
  }

  #reserve(label: string, bytes: number, usage: number): GPUBuffer {
    return this.#own(makeBuffer(this.#device, label, bytes, usage));
  }

  #reserveQueries(count: number): { queries: GPUBuffer; found: GPUBuffer } {
    if (count > this.#capacity || !this.#queries || !this.#found) {
      this.#queries?.destroy();
      this.#found?.destroy();
      const usage = BUFFER_USAGE.STORAGE;
      this.#queries = makeBuffer(this.#device, 'points of a search', 32 * count, usage | BUFFER_USAGE.COPY_DST);
      this.#found = makeBuffer(this.#device, 'triangles found', 4 * count, usage | BUFFER_USAGE.COPY_SRC);
      this.#capacity = count;
    }
    return { queries: this.#queries, found: this.#found };
  }

  #addStep(pipeline: GPUComputePipeline, first: number, count: number, buffers: readonly GPUBuffer[]): void {
    if (count === 0) return;
    const data = Uint32Array.of(count, first, 0, 0);
    const params = this.#own(makeDataBuffer(this.#device, 'range of a fit', data, BUFFER_USAGE.UNIFORM));
    this.#steps.push({ pipeline, bindings: this.#bind(FIT_STORAGE, params, buffers), count });
  }

  #bind(storage: string, params: GPUBuffer, buffers: readonly GPUBuffer[]): GPUBindGroup {
    const entries = [params, ...buffers].map((buffer, binding) => ({ binding, resource: { buffer } }));
    return this.#device.createBindGroup({ layout: makeBindLayout(this.#device, storage), entries });
  }

  #dispatch(pass: GPUComputePassEncoder, pipeline: GPUComputePipeline, bindings: GPUBindGroup, count: number): void {
    const groups = Math.ceil(count / SEARCH_THREADS);
    const x = Math.min(groups, this.#device.limits.maxComputeWorkgroupsPerDimension);
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, bindings);
    pass.dispatchWorkgroups(x, Math.ceil(groups / x));
  }
}

function makeBuffer(device: GPUDevice, label: string, bytes: number, usage: number): GPUBuffer {
  checkBufferSize(device, label, bytes, 'track without a GPU');
  checkBindingSize(device, label, bytes);
  return device.createBuffer({ label, size: Math.max(16, bytes), usage });
}
