// SPDX-License-Identifier: MIT
// The worker's side of the page: it holds the assets, and opens, bakes, poses and compares them; jobs get a worker of their own.

import { FrameBaker, listNormalGroups, type TimedMotion } from '../../src/deform.ts';
import {
  type Asset,
  encodeSample,
  findJob,
  frameRateOf,
  inspect,
  type Report,
  readAsset,
  writeGlb,
} from '../../src/index.ts';
import { makeSample } from '../../src/sample.ts';
import { Tuner } from './ddm-tuner.ts';
import { listOptions } from './job-form.ts';
import type { JobCalls, MeasuredMotion } from './job-worker.ts';
import type { AssetEvent, Comparison, FileBytes, ReadOptions, RunOptions, VersionInfo } from './protocol.ts';
import { type Client, makeClient, type Port } from './rpc.ts';
import { baseName, findResource, listMotions, makeRigView } from './version-views.ts';

interface Version {
  info: VersionInfo;
  asset: Asset;
  /** Its file, where it has been made or read as one. */
  bytes?: Uint8Array;
  baker?: FrameBaker;
  tuner?: Tuner;
}

interface VersionFacts {
  project: number;
  parent: number;
  title: string;
  fileName: string;
  motions: TimedMotion[];
  bytes: number;
  notes: string[];
  job?: string;
  seconds?: number;
  report?: Report;
}

/** Bytes of positions per message. */
const BATCH_BYTES = 2e6;

function batchSizeOf(asset: Asset): number {
  return Math.max(1, Math.floor(BATCH_BYTES / Math.max(12, 4 * asset.mesh.positions.length)));
}

/** Milliseconds that a cancelled job has to return its best result so far. */
const PATIENCE = 20_000;

export class AssetWorker {
  readonly #tell: (event: AssetEvent, transfer?: Transferable[]) => void;
  readonly #versions = new Map<number, Version>();
  readonly #comparisons = new Map<string, Comparison[]>();
  #last = -1;
  #lastProject = -1;
  #job: { client: Client<JobCalls>; end(reason: string): void } | undefined;
  #live: Tuner | undefined;

  constructor(tell: (event: AssetEvent, transfer?: Transferable[]) => void) {
    this.#tell = tell;
  }

  version(id: number): Version {
    const version = this.#versions.get(id);
    if (!version) throw new Error(`version ${id} is closed`);
    return version;
  }

  /** Reads files that belong together. Those with the vertices of a project that is open join it as another version. */
  async open(files: FileBytes[], options: ReadOptions, project?: number): Promise<VersionInfo> {
    const notes: string[] = [];
    const isModel = ({ name }: FileBytes): boolean => /\.(glb|gltf|obj|pc2|mdd)$/i.test(name);
    const models = files.filter(isModel);
    if (models.length === 0)
      throw new Error(`${files[0].name}: this kind of file is not read; give a .glb, .gltf or .obj, with .pc2 or .mdd`);
    const { hasRest, ...own } = options;
    const asset = await readAsset(hasRest ? models.slice(1) : models, {
      ...own,
      rest: hasRest ? models[0] : undefined,
      log: (remark) => notes.push(remark),
      resolve: async (uri) => findResource(files, uri),
    });
    const home = project === undefined ? undefined : this.#findHome(project, asset);
    return this.#add(
      asset,
      {
        project: home?.info.project ?? ++this.#lastProject,
        parent: -1,
        title: models.map(({ name }) => baseName(name)).join(' + '),
        fileName: baseName(models[0].name),
        motions: home?.info.motions ?? listMotions(asset),
        bytes: files.reduce((sum, { bytes }) => sum + bytes.length, 0),
        notes,
      },
      models.length === 1 ? models[0].bytes : undefined,
    );
  }

  /** Makes an example as the command line writes it: the same files, read as files. */
  async sample(name: string, options: { resolution?: number; frames?: number }): Promise<VersionInfo> {
    const sample = makeSample(name, options);
    const { clip, skeleton, skin, motion } = sample;
    const isSkinned = sample.isExact && skeleton && skin && motion;
    const encoded = await encodeSample(sample, `${name}.${isSkinned ? 'glb' : 'pc2'}`);
    // the mesh comes before its point cache
    const files = encoded.map(({ path, bytes }) => ({ name: path, bytes: bytes as Uint8Array })).reverse();
    return this.open(files, isSkinned ? {} : { fps: frameRateOf(clip.times), unit: 1 });
  }

  /** Bakes a motion and sends its frames in batches; gives way to other calls in between. */
  async frames(id: number, index: number): Promise<{ frameCount: number }> {
    const version = this.version(id);
    const motion = version.info.motions[index];
    const frameCount = motion.times.length;
    const size = batchSizeOf(version.asset);
    version.baker ??= new FrameBaker(version.asset);
    for (let first = 0; first < frameCount; first += size) {
      const count = Math.min(size, frameCount - first);
      const baked = version.baker.bake(motion, index, first, count);
      const buffers = [...new Set([baked.positions.buffer, baked.bones.buffer, baked.virtual.buffer])] as ArrayBuffer[];
      this.#tell({ event: 'frames', batch: { version: id, motion: index, first, count, ...baked } }, buffers);
      await new Promise((resolve) => setTimeout(resolve));
      if (!this.#versions.has(id)) break;
    }
    return { frameCount };
  }

  pose(id: number, bones: Float64Array): Float32Array {
    const version = this.version(id);
    version.baker ??= new FrameBaker(version.asset);
    return version.baker.pose(bones);
  }

  /** The tuner of a version; it is the one that live poses are for. */
  tuner(id: number): Tuner {
    const version = this.version(id);
    version.tuner ??= new Tuner(version.asset);
    this.#live = version.tuner;
    return version.tuner;
  }

  get live(): Tuner {
    if (!this.#live) throw new Error('nothing is being tuned');
    return this.#live;
  }

  async run({ version: id, job: name, values }: RunOptions): Promise<VersionInfo> {
    if (this.#job) throw new Error('a job is running; cancel it first');
    const { info, asset } = this.version(id);
    const { refuses, titleOf } = findJob(name);
    const fault = refuses?.(info.facts);
    if (fault) throw new Error(fault);
    const fileName = `${info.fileName.replace(/\.[^.]*$/, '')}-${name}.glb`;
    const job = { command: name, inputs: [info.title], output: fileName, options: listOptions(name, values) };
    const got = await this.#inWorker((client) => client.call('run', { job, asset }));
    const result = await readAsset([{ name: fileName, bytes: got.bytes }]);
    const made = this.#add(
      result,
      {
        project: info.project,
        parent: id,
        title: titleOf?.(values) ?? name,
        fileName,
        motions: info.motions,
        bytes: got.bytes.length,
        notes: got.notes,
        job: name,
        seconds: got.report.seconds.solve,
        report: got.report,
      },
      got.bytes,
    );
    this.#comparisons.set(`${id} ${made.id}`, this.#settle(got.comparisons, id, made.id));
    return made;
  }

  async cancel(): Promise<boolean> {
    const job = this.#job;
    if (!job) return false;
    setTimeout(() => this.#job === job && job.end('The job was cancelled.'), PATIENCE);
    return job.client.call('cancel', {});
  }

  async compare(reference: number, result: number): Promise<Comparison[]> {
    const key = `${reference} ${result}`;
    const known = this.#comparisons.get(key);
    if (known) return known;
    const give = { reference: this.version(reference).asset, result: this.version(result).asset };
    const worker = makeJobWorker(() => {});
    try {
      const made = this.#settle(await worker.client.call('compare', give), reference, result);
      this.#comparisons.set(key, made);
      return made;
    } finally {
      worker.end();
    }
  }

  /** The file of a version; one that was opened from several files, or has none, is written as GLB. */
  async bytes(id: number): Promise<Uint8Array> {
    const version = this.version(id);
    version.bytes ??= await writeGlb(version.asset);
    return version.bytes.slice();
  }

  close(id: number): boolean {
    const version = this.#versions.get(id);
    if (this.#live && this.#live === version?.tuner) this.#live = undefined;
    version?.tuner?.dispose();
    return this.#versions.delete(id);
  }

  async #inWorker<T>(work: (client: Client<JobCalls>) => Promise<T>): Promise<T> {
    const worker = makeJobWorker((event) => this.#tell(event as AssetEvent));
    try {
      return await new Promise<T>((resolve, reject) => {
        const end = (reason: string): void => reject(new DOMException(reason, 'AbortError'));
        this.#job = { client: worker.client, end };
        worker.onFault((message) => reject(new Error(message)));
        work(worker.client).then(resolve, reject);
      });
    } finally {
      this.#job = undefined;
      worker.end();
    }
  }

  #settle(measured: MeasuredMotion[], reference: number, result: number): Comparison[] {
    const { motions } = this.version(reference).info;
    return measured.map(({ name, ...rest }, n) => {
      const named = motions.findIndex((motion) => motion.name === name);
      return { reference, result, motion: named >= 0 ? named : n, ...rest };
    });
  }

  #findHome(project: number, { mesh }: Asset): Version | undefined {
    for (const version of this.#versions.values()) {
      const other = version.asset.mesh;
      const isSame =
        other.positions.length === mesh.positions.length && other.triangles.length === mesh.triangles.length;
      if (version.info.project === project && isSame) return version;
    }
    return undefined;
  }

  #add(asset: Asset, facts: VersionFacts, bytes?: Uint8Array): VersionInfo {
    const { mesh, rig, twoLayer } = asset;
    const info: VersionInfo = {
      id: ++this.#last,
      ...facts,
      facts: inspect(asset),
      mesh: { positions: mesh.positions, triangles: mesh.triangles, ...listNormalGroups(mesh) },
      rig: rig && makeRigView(asset),
      virtual: twoLayer && { centers: twoLayer.centers, skin: twoLayer.skin },
      isTunable: !asset.ddm && !asset.twoLayer && !asset.morphs && rig?.isJoint.includes(1) === true,
    };
    this.#versions.set(info.id, { info, asset, bytes });
    return info;
  }
}

function makeJobWorker(onEvent: (event: unknown) => void) {
  const worker = new Worker(new URL('./job-worker.ts', import.meta.url), { type: 'module' });
  return {
    client: makeClient<JobCalls>(worker as unknown as Port, onEvent),
    end: () => worker.terminate(),
    onFault: (hear: (message: string) => void) => {
      worker.onerror = (event) => hear(event.message || 'the worker of the job did not start; load the page again');
    },
  };
}
