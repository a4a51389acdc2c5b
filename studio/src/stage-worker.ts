// SPDX-License-Identifier: MIT
import type { StageCalls } from './protocol.ts';
import { Moved, type Port, serve } from './rpc.ts';
import { Stage } from './stage.ts';

const port = self as unknown as Port;
const stage = new Stage((event, transfer = []) => port.postMessage(event, transfer));

const moved = (array: Float32Array | Uint8Array) => [array.buffer as ArrayBuffer];

serve<StageCalls>(port, {
  open: ({ files, words, project }) => stage.open(files, words, project),
  sample: ({ name, ...options }) => stage.sample(name, options),
  frames: ({ version, motion }) => stage.frames(version, motion),
  run: (words) => stage.run(words),
  cancel: () => stage.cancel(),
  compare: ({ reference, result }) => stage.compare(reference, result),
  async pose({ version, bones }) {
    const positions = stage.pose(version, bones);
    return new Moved(positions, moved(positions));
  },
  async tune({ version, words, bones }) {
    const reply = await stage.tuner(version).tune(words, bones);
    return new Moved(reply, moved(reply.positions));
  },
  async poseLive({ bones }) {
    const positions = await stage.live.pose(bones);
    return new Moved(positions, moved(positions));
  },
  async bytes({ version }) {
    const bytes = await stage.bytes(version);
    return new Moved(bytes, moved(bytes));
  },
  crowd: async ({ version }) => ({ asset: stage.version(version).asset, up: stage.version(version).asset.up }),
  close: async ({ version }) => stage.close(version),
});
