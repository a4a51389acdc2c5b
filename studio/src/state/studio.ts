// SPDX-License-Identifier: MIT
// The state of the page and its operations. Panels and the viewport listen to topics and read the state; they do not call one another.
import type { Json } from '../../../src/entry/index.ts';
import type { Origin } from '../files/share.ts';
import type { AssetCalls, AssetEvent, Comparison, FileBytes, ReadOptions, TuneOptions } from '../messages/protocol.ts';
import { type Client, makeClient, type Port } from '../messages/rpc.ts';
import type { VersionInfo } from '../messages/views.ts';
import { BoneSlider } from './bone-slider.ts';
import { Emitter } from './emitter.ts';
import { FileOpener } from './file-opener.ts';
import { FrameStore, type Shape } from './frame-store.ts';
import { History } from './history.ts';
import { JobControl } from './job-control.ts';
import { type Live, LiveTuning } from './live-tuning.ts';
import { Posing } from './posing.ts';
import type { ShapeWeights } from './shape-weights.ts';
import { type Passing, type RunningJob, START, type State, type Topic } from './state.ts';
import { VersionList } from './version-list.ts';

/** A shape that a tool shows, and the frame that it belongs to. */
export interface EditedShape {
  /** vertexCount x 3, file units */
  positions: Float32Array;
  frame: number;
}

/** What undo restores. */
interface Snapshot {
  state: Omit<State, Passing>;
  versions: VersionInfo[];
  pose: Float64Array | undefined;
  weights: ShapeWeights;
}

/** Parts of the state whose change can be undone, with the name of the step. */
const UNDOABLE: Partial<Record<keyof State, string>> = {
  view: 'View',
  coloring: 'Colours',
  hasWire: 'Wireframe',
  hasBones: 'Bones',
  hasVirtual: 'Virtual bones',
  hasWorst: 'Worst vertex',
  gain: 'Exaggeration',
  wipe: 'Wipe',
  lock: 'Locked bone',
  speed: 'Speed',
  isLooping: 'Loop',
  isInterpolated: 'Interpolation',
  loopStart: 'Loop range',
  loopEnd: 'Loop range',
};

export class Studio extends Emitter {
  readonly state: State = { ...START };
  readonly frames = new FrameStore();
  readonly assets: Client<AssetCalls>;
  readonly tuning = new LiveTuning(this);
  readonly jobs = new JobControl(this);
  readonly bones = new BoneSlider(this);
  readonly posing = new Posing(this);
  readonly #opener = new FileOpener(this);
  readonly history: History<Snapshot>;
  readonly #list: VersionList;
  /** Results that were not exported. */
  readonly unsaved = new Set<number>();
  /** Where the open file came from, for links. */
  origin: Origin = {};
  comparison: Comparison | undefined;
  /** The last known error of each version, relative to what it was compared with. */
  readonly errors = new Map<number, Comparison>();
  /** Progress of the comparison that is under way; undefined for none. */
  comparing: number | undefined;
  /** Whether files of the page's address or of `ossify view` have not arrived. */
  isExpecting = false;
  /** Short text about what the page is waiting for, and how to end it. */
  busy: { text: string; cancel?: () => void } | undefined;
  /** Shapes that a tool shows in place of frames, by version. */
  readonly edited = new Map<number, EditedShape>();

  constructor(worker: Worker) {
    super();
    this.assets = makeClient<AssetCalls>(worker as unknown as Port, (event) => this.#receive(event as AssetEvent));
    this.#list = new VersionList((id) => {
      this.frames.drop(id);
      this.unsaved.delete(id);
      void this.assets.call('close', { version: id });
    });
    this.history = new History(
      () => this.#capture(),
      (snapshot) => this.#restore(snapshot),
      () => this.emit('history'),
    );
  }

  get versions(): Map<number, VersionInfo> {
    return this.#list.open;
  }

  get reference(): VersionInfo | undefined {
    return this.versions.get(this.state.reference);
  }

  get result(): VersionInfo | undefined {
    return this.versions.get(this.state.result);
  }

  get live(): Live | undefined {
    return this.tuning.current;
  }

  /** A pose made by hand: boneCount x 16, for the bones of the result. */
  get pose(): Float64Array | undefined {
    return this.posing.bones;
  }

  get job(): RunningJob | undefined {
    return this.jobs.current;
  }

  get lastJob(): RunningJob | undefined {
    return this.jobs.last;
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

  /** Whether two different versions are shown. */
  get isPair(): boolean {
    const { reference, result } = this.state;
    return this.live !== undefined || (reference >= 0 && result >= 0 && reference !== result);
  }

  /** Whether the shown pair has the same vertices, so that its distances are known. */
  get isComparable(): boolean {
    const [a, b] = [this.reference, this.result ?? this.reference];
    return this.isPair && a?.mesh.positions.length === b?.mesh.positions.length;
  }

  /** Whether the frame of a shown version has not arrived. */
  get isWaiting(): boolean {
    if (this.pose) return false;
    const { motion, frame } = this.state;
    return [this.reference, this.result].some((one) => one && !this.frames.get(one.id, motion, frame));
  }

  /** Whether a tool shows the shape of another frame than the present one, which has not arrived. */
  get isLate(): boolean {
    const shown = [...this.edited.values(), ...(this.live?.positions ? [this.live] : [])];
    return !this.pose && shown.some(({ frame }) => frame !== this.state.frame);
  }

  set(change: Partial<State>, ...topics: Topic[]): void {
    for (const key of Object.keys(change) as (keyof State)[])
      if (UNDOABLE[key] && change[key] !== this.state[key]) this.history.mark(UNDOABLE[key]);
    Object.assign(this.state, change);
    this.emit(...topics);
  }

  /** Runs long work, shows that the page is busy, and shows faults. */
  async attempt<T>(text: string, work: () => Promise<T>, cancel?: () => void): Promise<T | undefined> {
    const busy = { text, cancel };
    this.busy = busy;
    this.emit('busy');
    try {
      return await work();
    } catch (error) {
      const isStop = (error as Error)?.name === 'AbortError';
      this.complain(error instanceof Error ? error.message : String(error), isStop);
      return undefined;
    } finally {
      if (this.busy === busy) this.busy = undefined;
      this.emit('busy');
    }
  }

  open(files: FileBytes[], options: ReadOptions = {}): Promise<VersionInfo | undefined> {
    return this.#opener.open(files, options);
  }

  openSample(name: string, options: { resolution?: number; frames?: number } = {}): Promise<void> {
    return this.#opener.sample(name, options);
  }

  /** Adds a version that was read, and shows it: compared with the shown one if it has the same vertices. */
  join(made: VersionInfo): void {
    this.history.mark(`Open ${made.title}`);
    const isSame = this.shown?.project === made.project;
    this.versions.set(made.id, made);
    for (const note of made.notes) this.complain(`${made.title}: ${note}`, true);
    if (isSame) this.show({ result: made.id });
    else this.show({ reference: made.id, result: -1 });
    this.emit('versions');
  }

  /** Shows versions as reference and result. A reference of another project also changes the result. */
  show({
    reference = this.state.reference,
    result = this.state.result,
  }: {
    reference?: number;
    result?: number;
  }): void {
    this.history.mark('Shown versions');
    const a = this.versions.get(reference);
    const b = this.versions.get(result);
    const isSwitch = a?.project !== this.reference?.project;
    this.state.reference = reference;
    this.state.result = b && b.project === a?.project && result !== reference ? result : -1;
    if (isSwitch) this.#reset(a);
    if (this.state.result < 0 && this.state.view !== 'reference') this.state.view = 'result';
    this.state.bone = -1;
    this.tuning.end();
    this.posing.clear();
    this.edited.clear();
    this.comparison = undefined;
    this.emit('shown', 'view', 'frame', 'comparison', 'live', 'pose', 'edit');
    void this.#fetch();
  }

  /** The state for another file: from its first frame, with its materials if it has any, moving if it moves. */
  #reset(version: VersionInfo | undefined): void {
    const coloring = version?.mesh.look ? 'material' : 'shaded';
    Object.assign(this.state, { motion: 0, frame: 0, between: 0, lock: -1, loopStart: -1, loopEnd: -1, coloring });
    const isStill = (version?.motions[0]?.times.length ?? 0) < 2;
    this.state.isPlaying = !isStill && !matchMedia('(prefers-reduced-motion: reduce)').matches;
  }

  rename(id: number, title: string): void {
    const version = this.versions.get(id);
    if (!version || title.trim() === '' || title === version.title) return;
    this.history.mark('Rename');
    this.#list.replace({ ...version, title: title.trim() });
    this.emit('versions', 'shown');
  }

  close(id: number): void {
    if (!this.versions.has(id)) return;
    this.history.mark('Close');
    const closing = this.#list.close(id)!;
    const left = [...this.versions.values()];
    const next = left.find(({ project }) => project === closing.project) ?? left.at(-1);
    if (this.state.reference === id) this.show({ reference: next?.id ?? -1, result: -1 });
    else if (this.state.result === id) this.show({ result: -1 });
    this.emit('versions');
  }

  /** Requests frames and errors of the shown versions. */
  async #fetch(): Promise<void> {
    const { motion, reference, result } = this.state;
    for (const version of [this.reference, this.result]) {
      if (!version || this.frames.has(version.id, motion)) continue;
      this.frames.expect(version, motion);
      this.assets.call('frames', { version: version.id, motion }).catch((error: Error) => this.complain(error.message));
    }
    if (reference < 0 || result < 0 || !this.isComparable) return;
    this.comparing = 0;
    try {
      const list = await this.assets.call('compare', { reference, result });
      if (this.state.reference !== reference || this.state.result !== result) return;
      this.comparison = list.find((one) => one.motion === this.state.motion) ?? list[0];
      if (this.comparison) this.errors.set(result, this.comparison);
    } catch (error) {
      if ((error as Error).name === 'AbortError') return;
      this.complain((error as Error).message);
    }
    this.comparing = undefined;
    this.emit('comparison', 'view');
  }

  setMotion(motion: number): void {
    this.set({ motion, frame: 0, between: 0, loopStart: -1, loopEnd: -1 }, 'shown', 'frame', 'view');
    void this.#fetch();
  }

  setFrame(frame: number, between = 0): void {
    const count = Math.max(1, this.frameCount);
    this.state.frame = Math.max(0, Math.min(count - 1, Math.round(frame)));
    this.state.between = between;
    if (this.pose) {
      this.history.mark('Pose');
      this.posing.clear();
      this.emit('pose');
    }
    this.#seek();
    this.emit('frame');
    if (this.live) this.tuning.pose(this.bonesOf(this.live.version));
  }

  /** Has the worker send the frame that is shown before others. */
  #seek(): void {
    const { motion, frame } = this.state;
    for (const version of [this.reference, this.result])
      if (version && !this.frames.get(version.id, motion, frame))
        void this.assets.call('seek', { version: version.id, frame });
  }

  bonesOf(version: number): Float64Array {
    return this.pose ?? this.frames.get(version, this.state.motion, this.state.frame)?.bones ?? new Float64Array(0);
  }

  /** The shape of a slot to draw: while its frame is awaited, the nearest one. */
  shapeOf(slot: 'reference' | 'result'): Shape | undefined {
    const { reference, result, motion, frame } = this.state;
    const id = slot === 'reference' || result < 0 ? reference : result;
    const shape = this.frames.get(id, motion, frame) ?? this.frames.nearest(id, motion, frame);
    if (slot === 'result' && this.live?.positions) {
      const bones = this.pose ?? this.frames.get(this.live.version, motion, frame)?.bones ?? new Float64Array(0);
      return { positions: this.live.positions, bones, virtual: new Float64Array(0) };
    }
    const edited = this.edited.get(id);
    if (edited && shape) return { ...shape, positions: edited.positions };
    const posed = this.posing.shapes.get(id);
    return posed && shape && this.pose ? { ...shape, ...posed } : shape;
  }

  /** Previews Direct Delta Mush on a version, in place of the result. */
  tune(version: number, options: TuneOptions): void {
    this.tuning.start(version, options);
  }

  run(version: number, name: string, values: Record<string, Json>): Promise<VersionInfo | undefined> {
    return this.jobs.run(version, name, values);
  }

  cancel(): Promise<void> {
    return this.jobs.cancel();
  }

  #capture(): Snapshot {
    const { frame: _, between: __, isPlaying: ___, bone: ____, ...state } = this.state;
    return { state, versions: [...this.versions.values()], pose: this.pose, weights: this.posing.weights };
  }

  #restore({ state, versions, pose, weights }: Snapshot): void {
    this.#list.restore(versions);
    const { reference, result } = this.state;
    const isOther = state.reference !== reference || state.result !== result || state.motion !== this.state.motion;
    Object.assign(this.state, state);
    if (!this.versions.has(this.state.reference)) this.state.reference = [...this.versions.keys()][0] ?? -1;
    if (!this.versions.has(this.state.result)) this.state.result = -1;
    this.state.frame = Math.min(this.state.frame, Math.max(0, this.frameCount - 1));
    if (isOther) this.comparison = undefined;
    this.emit('versions', 'shown', 'view', 'frame', 'comparison', 'live', 'bone');
    if (isOther) void this.#fetch();
    if (pose) this.posing.set(pose, weights);
    else if (this.pose) {
      this.posing.clear();
      this.emit('pose', 'frame');
    }
  }

  #receive(event: AssetEvent): void {
    if (event.event === 'frames') {
      this.frames.put(event.batch);
      this.emit('frames');
      const { motion, frame, reference, result } = this.state;
      const { version, first, count } = event.batch;
      const isShown = version === reference || version === result;
      if (isShown && event.batch.motion === motion && frame >= first && frame < first + count)
        this.emit('frame', 'view');
    } else if (event.event === 'progress') this.jobs.receive(event.progress);
    else if (event.event === 'ladder') this.bones.receive(event.fraction);
    else if (this.comparing !== undefined) {
      this.comparing = event.fraction;
      this.emit('comparison');
    }
  }
}
