// SPDX-License-Identifier: MIT
// Tools that change a version while the page watches: fewer and more bones, and an edited rest shape. What they make can be kept as a version.
import { FrameBaker } from '../../../../src/entry/deform.ts';
import { type Asset, editRest, writeGlb } from '../../../../src/entry/index.ts';
import type { AssetEvent } from '../../messages/protocol.ts';
import type { VersionInfo } from '../../messages/views.ts';
import type { AssetWorker } from '../asset-worker.ts';
import { GrownBones } from './grown-bones.ts';
import { Ladder } from './ladder.ts';

export class ToolHost {
  readonly #assets: AssetWorker;
  readonly #tell: (event: AssetEvent) => void;
  #ladder: { version: number; ladder: Ladder; growth: GrownBones | undefined } | undefined;
  #edit: { version: number; asset: Asset; baker: FrameBaker } | undefined;

  constructor(assets: AssetWorker, tell: (event: AssetEvent) => void) {
    this.#assets = assets;
    this.#tell = tell;
  }

  /** The errors of every number of bones of a version, relative to a reference; and the number that it can grow to. */
  async ladder(version: number, reference: number): Promise<{ errors: Float64Array; maxBones: number }> {
    this.ladderEnd();
    const own = this.#assets.version(version);
    const target = this.#assets.version(reference).asset;
    const ladder = await Ladder.make(own, target, (fraction) => this.#tell({ event: 'ladder', fraction }));
    const growth = await GrownBones.make(own, target);
    this.#ladder = { version, ladder, growth };
    return { errors: ladder.errors, maxBones: growth?.maxBones ?? ladder.errors.length };
  }

  /** Forgets the numbers of bones, and ends their threads. */
  ladderEnd(): boolean {
    this.#ladder?.growth?.dispose();
    this.#ladder = undefined;
    return true;
  }

  grow(count: number, iterations: number): Promise<number> {
    return this.#requireGrowth().grow(count, iterations);
  }

  growPose(count: number, motion: number, frame: number): Float32Array {
    return this.#requireGrowth().pose(count, motion, frame);
  }

  ladderPose(count: number, bones: Float64Array): Float32Array {
    return this.#requireLadder().ladder.at(count).pose(bones);
  }

  async ladderKeep(count: number): Promise<VersionInfo> {
    const { version, ladder, growth } = this.#requireLadder();
    const title = `${count} ${count === 1 ? 'bone' : 'bones'}`;
    const bytes = await (growth && count > ladder.errors.length ? growth : ladder).at(count).write();
    return this.#assets.adopt(bytes, version, { title, suffix: `${count}-bones` });
  }

  /** Gives a version another rest shape; its frames follow. */
  edit(version: number, positions: Float32Array): boolean {
    const asset = editRest(this.#assets.version(version).asset, positions);
    this.#edit = { version, asset, baker: new FrameBaker(asset) };
    return true;
  }

  /** A frame of the edited shape. */
  editFrame(motion: number, frame: number): Float32Array {
    const { version, baker } = this.#requireEdit();
    return baker.bake(this.#assets.version(version).info.motions[motion], motion, frame, 1).positions;
  }

  async editKeep(): Promise<VersionInfo> {
    const { version, asset } = this.#requireEdit();
    const bytes = await writeGlb(asset, { kind: 'shape' }, { shading: 'keep' });
    return this.#assets.adopt(bytes, version, { title: 'Edited shape', suffix: 'edit' });
  }

  /** Forgets what belongs to a closed version. */
  close(version: number): void {
    if (this.#ladder?.version === version) this.ladderEnd();
    if (this.#edit?.version === version) this.#edit = undefined;
  }

  #requireLadder() {
    if (!this.#ladder) throw new Error('the order of bones is not computed');
    return this.#ladder;
  }

  #requireGrowth(): GrownBones {
    const { growth } = this.#requireLadder();
    if (!growth) throw new Error('the frames are too large to add bones here; solve with more bones instead');
    return growth;
  }

  #requireEdit() {
    if (!this.#edit) throw new Error('nothing is being edited');
    return this.#edit;
  }
}
