// SPDX-License-Identifier: MIT
// Tools that change a version while the page watches: fewer bones, and an edited rest shape. What they make can be kept as a version.
import { FrameBaker } from '../../src/deform.ts';
import { type Asset, editRest, writeGlb } from '../../src/index.ts';
import type { AssetWorker } from './asset-worker.ts';
import { Ladder } from './ladder.ts';
import type { AssetEvent } from './protocol.ts';
import type { VersionInfo } from './views.ts';

export class ToolHost {
  readonly #assets: AssetWorker;
  readonly #tell: (event: AssetEvent) => void;
  #ladder: { version: number; ladder: Ladder } | undefined;
  #edit: { version: number; asset: Asset; baker: FrameBaker } | undefined;

  constructor(assets: AssetWorker, tell: (event: AssetEvent) => void) {
    this.#assets = assets;
    this.#tell = tell;
  }

  /** The errors of every number of bones of a version, relative to a reference. */
  async ladder(version: number, reference: number): Promise<Float64Array> {
    const own = this.#assets.version(version);
    const ladder = await Ladder.make(own, this.#assets.version(reference).asset, (fraction) =>
      this.#tell({ event: 'ladder', fraction }),
    );
    this.#ladder = { version, ladder };
    return ladder.errors;
  }

  ladderPose(count: number, bones: Float64Array): Float32Array {
    return this.#requireLadder().ladder.pose(count, bones);
  }

  async ladderKeep(count: number): Promise<VersionInfo> {
    const { version, ladder } = this.#requireLadder();
    const title = `${count} ${count === 1 ? 'bone' : 'bones'}`;
    return this.#assets.adopt(await ladder.write(count), version, { title, suffix: `${count}-bones` });
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
    if (this.#ladder?.version === version) this.#ladder = undefined;
    if (this.#edit?.version === version) this.#edit = undefined;
  }

  #requireLadder() {
    if (!this.#ladder) throw new Error('the order of bones is not computed');
    return this.#ladder;
  }

  #requireEdit() {
    if (!this.#edit) throw new Error('nothing is being edited');
    return this.#edit;
  }
}
