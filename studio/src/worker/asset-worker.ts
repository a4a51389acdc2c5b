// SPDX-License-Identifier: MIT
// The worker that stores the assets: it opens, bakes, poses and compares them. Each job has its own worker.

import { FrameBaker, listNormalGroups, type TimedMotion } from '../../../src/entry/deform.ts';
import { type Asset, inspect, type Json, type Report, readAsset } from '../../../src/entry/index.ts';
import { JobRunner, startJobWorker } from '../jobs/job-runner.ts';
import type { MeasuredMotion } from '../jobs/job-worker.ts';
import type { AssetEvent, Comparison, FileBytes, ReadOptions, RunOptions } from '../messages/protocol.ts';
import type { VersionInfo } from '../messages/views.ts';
import type { StoredVersion } from '../state/project-file.ts';
import { FrameSender } from './frame-sender.ts';
import { ImageStore } from './image-store.ts';
import { drawsNothing } from './list-clips.ts';
import { makeLookView } from './look-view.ts';
import { listModels, readFiles } from './read-files.ts';
import { titleFiles } from './title-files.ts';
import type { Tuner } from './tools/ddm-tuner.ts';
import { baseName, listMotions, makeNodeView, makeRigView, measureReach } from './version-views.ts';

export interface Version {
  info: VersionInfo;
  asset: Asset;
  /** The files that it was read from or written as. */
  files: FileBytes[];
  options: ReadOptions;
  baker?: FrameBaker;
  tuner?: Tuner;
  /** Written as GLB, if its files are others. */
  glb?: Uint8Array;
}

type VersionFacts = Pick<VersionInfo, 'project' | 'parent' | 'title' | 'fileName' | 'bytes' | 'notes'> & {
  motions: TimedMotion[];
  job?: string;
  options?: Record<string, Json>;
  seconds?: number;
  report?: Report;
  isStopped?: boolean;
};

/** Bytes above which files are read in a worker of their own, which can be ended. */
const LARGE = 64e6;

export class AssetWorker {
  readonly images = new ImageStore();
  readonly sender: FrameSender;
  readonly #tell: (event: AssetEvent, transfer?: Transferable[]) => void;
  readonly #versions = new Map<number, Version>();
  readonly #comparisons = new Map<string, Comparison[]>();
  readonly #runner: JobRunner;
  #last = -1;
  #lastProject = -1;
  #live: Tuner | undefined;
  #endOpening: (() => void) | undefined;
  #endComparing: (() => void) | undefined;

  constructor(tell: (event: AssetEvent, transfer?: Transferable[]) => void) {
    this.#tell = tell;
    this.#runner = new JobRunner(tell);
    this.sender = new FrameSender((id) => this.#versions.get(id), tell);
  }

  version(id: number): Version {
    const version = this.#versions.get(id);
    if (!version) throw new Error(`version ${id} is closed`);
    return version;
  }

  /**
   * Reads files that belong together. If they have the vertices of the open project, they become a version of it. Files of animations alone are joined with the character of the
   * open project.
   */
  async open(files: FileBytes[], options: ReadOptions, project?: number): Promise<VersionInfo> {
    const { asset, notes, files: kept, options: settled, isJoined } = await this.#readOrJoin(files, options, project);
    const models = listModels(kept);
    const home = project === undefined || isJoined ? undefined : this.#findHome(project, asset);
    const facts = {
      project: home?.info.project ?? ++this.#lastProject,
      parent: -1,
      title: titleFiles(models.map(({ name }) => baseName(name))),
      fileName: baseName(models[0].name),
      motions: home?.info.motions ?? listMotions(asset),
      bytes: kept.reduce((sum, { bytes }) => sum + bytes.length, 0),
      notes,
    };
    return this.#add(asset, facts, kept, settled);
  }

  async #readOrJoin(files: FileBytes[], options: ReadOptions, project: number | undefined) {
    try {
      return { ...(await this.#read(files, options)), options, isJoined: options.hasRest === true };
    } catch (error) {
      const character = drawsNothing(error) ? this.#findCharacter(project) : undefined;
      if (!character) throw error;
      const joined = { ...character.options, hasRest: true };
      return { ...(await this.#read([...character.files, ...files], joined)), options: joined, isJoined: true };
    }
  }

  /** The character of a project, as it was opened. */
  #findCharacter(project: number | undefined): Version | undefined {
    return [...this.#versions.values()].find(
      ({ info, asset }) => info.project === project && info.job === undefined && asset.rig !== undefined,
    );
  }

  cancelOpening(): boolean {
    this.#endOpening?.();
    return true;
  }

  /** Makes an example: encodes the same files as the command line, and reads them. */
  async sample(name: string, options: { resolution?: number; frames?: number }): Promise<VersionInfo> {
    const { makeSampleFiles } = await import('./sample-files.ts');
    const { files, readOptions } = await makeSampleFiles(name, options);
    return this.open(files, readOptions);
  }

  bakerOf(id: number): FrameBaker {
    const version = this.version(id);
    version.baker ??= new FrameBaker(version.asset);
    return version.baker;
  }

  /** The tuner of a version. Live poses use the last one. */
  async tuner(id: number): Promise<Tuner> {
    const { Tuner } = await import('./tools/ddm-tuner.ts');
    const version = this.version(id);
    version.tuner ??= new Tuner(version.asset);
    this.#live = version.tuner;
    return version.tuner;
  }

  get live(): Tuner {
    if (!this.#live) throw new Error('nothing is being tuned');
    return this.#live;
  }

  /** Runs a job; each model that it writes becomes a version. */
  async run({ version: id, job: name, values }: RunOptions): Promise<VersionInfo[]> {
    if (this.#runner.isBusy) throw new Error('a job is running; cancel it first');
    const { info, asset } = this.version(id);
    const { defaultOf, findJob, listOptions, titleOfResult } = await import('../jobs/job-form.ts');
    const { refuses, options: known } = findJob(name);
    const fault = refuses?.(info.facts);
    if (fault) throw new Error(fault);
    const fileName = `${info.fileName.replace(/\.[^.]*$/, '')}-${name}.glb`;
    const options = listOptions(name, values);
    // levels of detail are versions of their own here
    const own: Record<string, Json> = 'separate' in known ? { ...options, separate: true } : { ...options };
    // the form shows the number of bones, also if it is the default
    const bones = values.bones ?? defaultOf(name, 'bones');
    if (options.maxError === undefined && bones) own.bones ??= bones;
    const job = { command: name, inputs: [info.title], output: fileName, options: own };
    const got = await this.#runner.run(job, asset);
    const made: VersionInfo[] = [];
    for (const [n, file] of got.files.entries()) {
      const result = await readAsset([file]);
      const { report } = got;
      const facts = {
        ...{ project: info.project, parent: id, fileName: file.name, job: name, options },
        ...{ motions: info.motions, bytes: file.bytes.length, notes: n === 0 ? got.notes : [], report },
        title: titleOfResult(name, { ...values, maxError: options.maxError }, report, n),
        seconds: report?.seconds.solve ?? report?.seconds.simplify,
        isStopped: got.isCancelled || report?.result.status === 'stopped',
      };
      made.push(this.#add(result, facts, [file], {}));
    }
    if (got.comparisons?.length)
      this.#comparisons.set(`${id} ${made[0].id}`, this.#settle(got.comparisons, id, made[0].id));
    return made;
  }

  /** Adds a version of a stored project. */
  async restore({ files, readOptions, parent, ...stored }: Omit<StoredVersion, 'id'>): Promise<VersionInfo> {
    const { asset, notes } = await readFiles(files, readOptions);
    const home = this.#versions.get(parent)?.info;
    const facts = {
      ...{ ...stored, parent, notes: home ? [] : notes },
      project: home?.project ?? ++this.#lastProject,
      motions: home?.motions ?? listMotions(asset),
      bytes: files.reduce((sum, { bytes }) => sum + bytes.length, 0),
    };
    return this.#add(asset, facts, files, readOptions);
  }

  /** Adds a GLB that a tool made of a version. */
  async adopt(
    bytes: Uint8Array,
    parent: number,
    { title, suffix }: { title: string; suffix: string },
  ): Promise<VersionInfo> {
    const { info } = this.version(parent);
    const fileName = `${info.fileName.replace(/\.[^.]*$/, '')}-${suffix}.glb`;
    const file = { name: fileName, bytes };
    const facts = {
      project: info.project,
      parent,
      title,
      fileName,
      motions: info.motions,
      bytes: bytes.length,
      notes: [],
    };
    return this.#add(await readAsset([file]), facts, [file], {});
  }

  cancel(): boolean {
    return this.#runner.cancel();
  }

  /** Compares two versions. A comparison that is not needed any more ends. */
  async compare(reference: number, result: number): Promise<Comparison[]> {
    this.#endComparing?.();
    const key = `${reference} ${result}`;
    const known = this.#comparisons.get(key);
    if (known) return known;
    const give = { reference: this.version(reference).asset, result: this.version(result).asset };
    const worker = startJobWorker((event) => this.#tell(event as AssetEvent));
    try {
      const measured = await new Promise<MeasuredMotion[]>((resolve, reject) => {
        this.#endComparing = () => reject(new DOMException('Another pair is shown.', 'AbortError'));
        worker.client.call('compare', give).then(resolve, reject);
      });
      const made = this.#settle(measured, reference, result);
      this.#comparisons.set(key, made);
      return made;
    } finally {
      this.#endComparing = undefined;
      worker.end();
    }
  }

  /** The GLB of a version. A version that was read from other files is written as one. */
  async bytes(id: number): Promise<Uint8Array> {
    const version = this.version(id);
    const [file] = version.files;
    if (version.files.length === 1 && /\.glb$/i.test(file.name)) return file.bytes.slice();
    const { writeGlb } = await import('./write-model.ts');
    version.glb ??= await writeGlb(version.asset);
    return version.glb.slice();
  }

  close(id: number): boolean {
    const version = this.#versions.get(id);
    if (!version) return false;
    if (this.#live && this.#live === version.tuner) this.#live = undefined;
    version.tuner?.dispose();
    for (const image of version.info.mesh.look?.images ?? []) this.images.drop(image);
    for (const key of [...this.#comparisons.keys()])
      if (key.split(' ').includes(String(id))) this.#comparisons.delete(key);
    return this.#versions.delete(id);
  }

  /** Large files are read in a worker that can be ended. */
  async #read(files: FileBytes[], options: ReadOptions) {
    const size = files.reduce((sum, { bytes }) => sum + bytes.length, 0);
    if (size < LARGE) return { ...(await readFiles(files, options)), files };
    const worker = startJobWorker(() => {});
    try {
      return await new Promise<{ asset: Asset; notes: string[]; files: FileBytes[] }>((resolve, reject) => {
        this.#endOpening = () => reject(new DOMException('Opening was cancelled.', 'AbortError'));
        worker.onFault((message) => reject(new Error(message)));
        const transfer = [...new Set(files.map(({ bytes }) => bytes.buffer as ArrayBuffer))];
        worker.client.call('read', { files, options }, transfer).then(resolve, reject);
      });
    } finally {
      this.#endOpening = undefined;
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

  #add(asset: Asset, facts: VersionFacts, files: FileBytes[], options: ReadOptions): VersionInfo {
    const { mesh, rig, twoLayer, morphs } = asset;
    const look = makeLookView(asset, (image) => this.images.add(image));
    const info: VersionInfo = {
      id: ++this.#last,
      ...facts,
      facts: inspect(asset),
      reach: this.#versions.get(facts.parent)?.info.reach ?? measureReach(asset, facts.motions),
      mesh: { positions: mesh.positions, triangles: mesh.triangles, ...listNormalGroups(mesh), look },
      nodes: makeNodeView(asset),
      rig: rig && makeRigView(asset),
      virtual: twoLayer && { centers: twoLayer.centers, skin: twoLayer.skin },
      morphs: morphs?.targets.map(({ name }) => name),
      drivers: asset.driven?.drivers,
      hasLight: asset.light !== undefined,
      isTunable: !asset.ddm && !asset.twoLayer && !asset.morphs && rig?.isJoint.includes(1) === true,
    };
    this.#versions.set(info.id, { info, asset, files, options });
    return info;
  }
}
