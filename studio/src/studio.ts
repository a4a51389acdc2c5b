// SPDX-License-Identifier: MIT
// The state of the page and what can be done to it. Panels and the viewport listen to topics and read the state; they never talk to one another.
import type { Json } from '../../src/index.ts';
import { Emitter } from './emitter.ts';
import { FrameStore, type Shape } from './frame-store.ts';
import { makeLatest } from './latest.ts';
import type {
  AssetCalls,
  AssetEvent,
  Comparison,
  FileBytes,
  ReadOptions,
  TuneOptions,
  TuneReply,
  VersionInfo,
} from './protocol.ts';
import { type Client, makeClient, type Port } from './rpc.ts';
import { type RunningJob, START, type State, type Topic } from './state.ts';

export class Studio extends Emitter {
  readonly state: State = { ...START };
  readonly frames = new FrameStore();
  readonly versions = new Map<number, VersionInfo>();
  readonly assets: Client<AssetCalls>;
  comparison: Comparison | undefined;
  job: RunningJob | undefined;
  /** The last job that ended, for its plot. */
  lastJob: RunningJob | undefined;
  /** What the page waits for, a few words. */
  busy: string | undefined;
  /** Where joints were turned by hand: boneCount x 16 for the bones of the shown rig. */
  pose: Float64Array | undefined;
  /** Shapes of a turned pose, by version. */
  readonly posed = new Map<number, Float32Array>();
  /** Smoothing that is being tried: it stands in the place of the result. */
  live: { version: number; options: TuneOptions; reply?: TuneReply; positions?: Float32Array } | undefined;

  constructor(worker: Worker) {
    super();
    this.assets = makeClient<AssetCalls>(worker as unknown as Port, (event) => this.#receive(event as AssetEvent));
  }

  get reference(): VersionInfo | undefined {
    return this.versions.get(this.state.reference);
  }

  get result(): VersionInfo | undefined {
    return this.versions.get(this.state.result);
  }

  /** The version that is shown: the result, or the reference if there is no result. */
  get shown(): VersionInfo | undefined {
    return this.state.view === 'reference' ? this.reference : (this.result ?? this.reference);
  }

  /** Files that can be compared have the same unit; either may state it. */
  get metresPerUnit(): number | undefined {
    return this.reference?.facts.size.metresPerUnit ?? this.result?.facts.size.metresPerUnit;
  }

  get frameCount(): number {
    return this.shown?.motions[this.state.motion]?.times.length ?? 0;
  }

  /** Whether two different versions are there to compare. */
  get isPair(): boolean {
    const { reference, result } = this.state;
    return this.live !== undefined || (reference >= 0 && result >= 0 && reference !== result);
  }

  set(change: Partial<State>, ...topics: Topic[]): void {
    Object.assign(this.state, change);
    this.emit(...topics);
  }

  /** Runs long work, shows that the page is busy, and shows faults. */
  async attempt<T>(what: string, work: () => Promise<T>): Promise<T | undefined> {
    this.busy = what;
    this.emit('busy');
    try {
      return await work();
    } catch (error) {
      this.complain(error instanceof Error ? error.message : String(error));
      return undefined;
    } finally {
      this.busy = undefined;
      this.emit('busy');
    }
  }

  async open(files: FileBytes[], options: ReadOptions = {}): Promise<void> {
    const project = this.shown?.project;
    const names = files.map(({ name }) => name).join(', ');
    const made = await this.attempt(`Reading ${names}`, () => this.assets.call('open', { files, options, project }));
    if (made) this.#join(made);
  }

  async openSample(name: string, options: { resolution?: number; frames?: number } = {}): Promise<void> {
    const made = await this.attempt(`Making the sample "${name}"`, () =>
      this.assets.call('sample', { name, ...options }),
    );
    if (made) this.#join(made);
  }

  #join(made: VersionInfo): void {
    const isSame = this.shown?.project === made.project;
    this.versions.set(made.id, made);
    for (const note of made.notes) this.complain(`${made.title}: ${note}`, true);
    if (isSame) this.show({ result: made.id });
    else this.show({ reference: made.id, result: -1 });
    this.emit('versions');
  }

  /** Puts versions into the slots. A reference of another project takes the result along. */
  show({
    reference = this.state.reference,
    result = this.state.result,
  }: {
    reference?: number;
    result?: number;
  }): void {
    const a = this.versions.get(reference);
    const b = this.versions.get(result);
    const isSwitch = a?.project !== this.reference?.project;
    this.state.reference = reference;
    this.state.result = b && b.project === a?.project && result !== reference ? result : -1;
    if (isSwitch) Object.assign(this.state, { motion: 0, frame: 0, isPlaying: false });
    if (this.state.result < 0 && this.state.view !== 'reference') this.state.view = 'result';
    this.state.bone = -1;
    this.live = undefined;
    this.pose = undefined;
    this.posed.clear();
    this.comparison = undefined;
    this.emit('shown', 'view', 'frame', 'comparison', 'live', 'pose');
    void this.#fetch();
  }

  close(id: number): void {
    const closing = this.versions.get(id);
    if (!closing) return;
    this.versions.delete(id);
    this.frames.drop(id);
    void this.assets.call('close', { version: id });
    const left = [...this.versions.values()];
    const next = left.find(({ project }) => project === closing.project) ?? left.at(-1);
    if (this.state.reference === id) this.show({ reference: next?.id ?? -1, result: -1 });
    else if (this.state.result === id) this.show({ result: -1 });
    this.emit('versions');
  }

  /** Frames and errors of what the slots hold. */
  async #fetch(): Promise<void> {
    const { motion, reference, result } = this.state;
    for (const version of [this.reference, this.result]) {
      if (!version || this.frames.has(version.id, motion)) continue;
      this.frames.expect(version, motion);
      this.assets.call('frames', { version: version.id, motion }).catch((error: Error) => this.complain(error.message));
    }
    if (reference < 0 || result < 0) return;
    try {
      const list = await this.assets.call('compare', { reference, result });
      if (this.state.reference !== reference || this.state.result !== result) return;
      this.comparison = list.find((one) => one.motion === motion) ?? list[0];
      this.emit('comparison', 'view');
    } catch (error) {
      this.complain((error as Error).message);
    }
  }

  setMotion(motion: number): void {
    this.set({ motion, frame: 0 }, 'shown', 'frame', 'view');
    void this.#fetch();
  }

  setFrame(frame: number): void {
    const count = Math.max(1, this.frameCount);
    this.state.frame = Math.max(0, Math.min(count - 1, Math.round(frame)));
    if (this.pose) {
      this.pose = undefined;
      this.posed.clear();
      this.emit('pose');
    }
    this.emit('frame');
    if (this.live) this.#poseLive(this.bonesOf(this.live.version));
  }

  bonesOf(version: number): Float64Array {
    return this.pose ?? this.frames.get(version, this.state.motion, this.state.frame)?.bones ?? new Float64Array(0);
  }

  /** The shape of a slot to draw. */
  shapeOf(slot: 'reference' | 'result'): Shape | undefined {
    const { reference, result, motion, frame } = this.state;
    const id = slot === 'reference' || result < 0 ? reference : result;
    const shape = this.frames.get(id, motion, frame);
    if (slot === 'result' && this.live?.positions) {
      const bones = this.pose ?? this.frames.get(this.live.version, motion, frame)?.bones ?? new Float64Array(0);
      return { positions: this.live.positions, bones, virtual: new Float64Array(0) };
    }
    const posed = this.posed.get(id);
    return posed && shape && this.pose ? { ...shape, positions: posed, bones: this.pose } : shape;
  }

  /** Bends what is shown into a pose that was made by hand; every version of the same bones follows. */
  setPose(bones: Float64Array): void {
    this.pose = bones;
    this.state.isPlaying = false;
    this.#poseShown(bones);
    if (this.live) this.#poseLive(bones);
    this.emit('pose');
  }

  readonly #poseShown = makeLatest(async (bones: Float64Array) => {
    for (const version of [this.reference, this.result]) {
      if (!version?.rig || version.rig.names.length * 16 !== bones.length) continue;
      const positions = await this.assets.call('pose', { version: version.id, bones });
      if (this.pose) this.posed.set(version.id, positions);
    }
    this.emit('frame');
  });

  readonly #poseLive = makeLatest(async (bones: Float64Array) => {
    if (!this.live || bones.length === 0) return;
    const positions = await this.assets.call('poseLive', { bones });
    if (this.live) this.live.positions = positions;
    this.emit('frame');
  });

  /** Tries smoothing on a version: what comes back stands in the place of the result. */
  tune(version: number, options: TuneOptions): void {
    this.live = { ...this.live, version, options };
    this.#tune(options);
    this.emit('live');
  }

  readonly #tune = makeLatest(async (options: TuneOptions) => {
    const { live } = this;
    if (!live) return;
    try {
      const bones = this.bonesOf(live.version).slice();
      const reply = await this.assets.call('tune', { version: live.version, options, bones });
      if (!this.live) return;
      Object.assign(this.live, { reply, positions: reply.positions });
    } catch (error) {
      this.complain((error as Error).message);
    }
    this.emit('live', 'frame');
  });

  endTuning(): void {
    if (!this.live) return;
    this.live = undefined;
    this.emit('live', 'view', 'frame');
  }

  async run(version: number, name: string, values: Record<string, Json>): Promise<VersionInfo | undefined> {
    if (this.job) return undefined;
    this.endTuning();
    const start = performance.now();
    const progress = { phase: 'start', fraction: 0 };
    this.job = { name, version, progress, seconds: [], errors: [], isCancelled: false, start };
    this.emit('job');
    try {
      const made = await this.assets.call('run', { version, job: name, values });
      this.versions.set(made.id, made);
      for (const note of made.notes) this.complain(`${made.title}: ${note}`, true);
      this.emit('versions');
      const view = this.state.view === 'result' || this.state.view === 'reference' ? 'side' : this.state.view;
      this.show({ reference: version, result: made.id });
      this.set({ view }, 'view');
      return made;
    } catch (error) {
      const isCancelled = (error as Error).name === 'AbortError';
      this.complain(isCancelled ? 'The job was cancelled.' : (error as Error).message, isCancelled);
      return undefined;
    } finally {
      this.lastJob = this.job;
      this.job = undefined;
      this.emit('job');
    }
  }

  async cancel(): Promise<void> {
    if (!this.job) return;
    this.job.isCancelled = true;
    this.emit('job');
    await this.assets.call('cancel', {});
  }

  #receive(event: AssetEvent): void {
    if (event.event === 'frames') {
      this.frames.put(event.batch);
      this.emit('frame');
    } else if (event.event === 'progress' && this.job) {
      const { progress } = event;
      const isFirst = this.job.progress.phase !== progress.phase;
      this.job.progress = progress;
      if (progress.eRms !== undefined && Number.isFinite(progress.eRms)) {
        this.job.seconds.push((performance.now() - this.job.start) / 1000);
        this.job.errors.push(progress.eRms);
      }
      if (isFirst || progress.fraction < 1) this.emit('job');
    }
  }
}
