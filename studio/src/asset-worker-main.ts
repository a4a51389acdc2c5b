// SPDX-License-Identifier: MIT

import { AssetWorker } from './asset-worker.ts';
import { listFields, listJobViews } from './job-form.ts';
import type { AssetCalls } from './protocol.ts';
import { Moved, type Port, serve } from './rpc.ts';

const port = self as unknown as Port;
const assets = new AssetWorker((event, transfer = []) => port.postMessage(event, transfer));

const moved = (array: Float32Array | Uint8Array) => [array.buffer as ArrayBuffer];

serve<AssetCalls>(port, {
  open: ({ files, options, project }) => assets.open(files, options, project),
  sample: ({ name, ...options }) => assets.sample(name, options),
  frames: ({ version, motion }) => assets.frames(version, motion),
  jobs: async ({ version }) => listJobViews(version === undefined ? undefined : assets.version(version).info.facts),
  fields: async ({ job, values }) => listFields(job, values),
  run: (options) => assets.run(options),
  cancel: () => assets.cancel(),
  compare: ({ reference, result }) => assets.compare(reference, result),
  async pose({ version, bones }) {
    const positions = assets.pose(version, bones);
    return new Moved(positions, moved(positions));
  },
  async tune({ version, options, bones }) {
    const reply = await assets.tuner(version).tune(options, bones);
    return new Moved(reply, moved(reply.positions));
  },
  async poseLive({ bones }) {
    const positions = await assets.live.pose(bones);
    return new Moved(positions, moved(positions));
  },
  async bytes({ version }) {
    const bytes = await assets.bytes(version);
    return new Moved(bytes, moved(bytes));
  },
  crowd: async ({ version }) => ({ asset: assets.version(version).asset, up: assets.version(version).asset.up }),
  close: async ({ version }) => assets.close(version),
});
