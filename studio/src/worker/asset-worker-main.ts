// SPDX-License-Identifier: MIT

import type { AssetCalls } from '../messages/protocol.ts';
import { Moved, type Port, serve } from '../messages/rpc.ts';
import { AssetWorker } from './asset-worker.ts';
import { lightFrame } from './light-frame.ts';
import { listClips } from './list-clips.ts';
import type { ToolHost } from './tools/tool-host.ts';
import { validateModel } from './validate-model.ts';

const port = self as unknown as Port;
const assets = new AssetWorker((event, transfer = []) => port.postMessage(event, transfer));
/** Forms and tools are loaded when they are used: the first view needs none. */
const loadForms = () => import('../jobs/job-form.ts');
let tools: ToolHost | undefined;
async function loadTools(): Promise<ToolHost> {
  const { ToolHost } = await import('./tools/tool-host.ts');
  tools ??= new ToolHost(assets, (event) => port.postMessage(event, []));
  return tools;
}

/** How KTX2 files begin: «KTX 20». */
const KTX2 = [0xab, 0x4b, 0x54, 0x58, 0x20, 0x32, 0x30, 0xbb];
const isKtx2 = (bytes: Uint8Array): boolean => KTX2.every((byte, n) => bytes[n] === byte);

const moved = (array: Float32Array | Uint8Array) => [array.buffer as ArrayBuffer];

serve<AssetCalls>(port, {
  open: ({ files, options, project }) => assets.open(files, options, project),
  listClips: ({ groups }) => listClips(groups),
  sample: ({ name, ...options }) => assets.sample(name, options),
  cancelOpening: async () => assets.cancelOpening(),
  image: async ({ image }) => {
    const stored = assets.images.get(image);
    if (!isKtx2(stored.bytes)) return stored;
    const { decodeKtx2 } = await import('../viewport/textures/decode-ktx2.ts');
    return decodeKtx2(stored.bytes);
  },
  frames: ({ version, motion }) => assets.sender.send(version, motion, assets.bakerOf(version)),
  async seek({ version, frame }) {
    assets.sender.seek(version, frame);
    return true;
  },
  jobs: async ({ version }) =>
    (await loadForms()).listJobViews(version === undefined ? undefined : assets.version(version).info.facts),
  fields: async ({ job, values }) => (await loadForms()).listFields(job, values),
  run: (options) => assets.run(options),
  cancel: async () => assets.cancel(),
  compare: ({ reference, result }) => assets.compare(reference, result),
  async pose({ version, bones, morphs }) {
    const positions = assets.bakerOf(version).pose(bones, morphs);
    return new Moved(positions, moved(positions));
  },
  async tune({ version, options, bones, isDraft }) {
    const reply = await (await assets.tuner(version)).tune(options, bones, isDraft);
    return new Moved(reply, moved(reply.positions));
  },
  async poseLive({ bones }) {
    const positions = await assets.live.pose(bones);
    return new Moved(positions, moved(positions));
  },
  async light({ version, motion, frame }) {
    const colors = lightFrame(assets.version(version), motion, frame);
    return new Moved(colors, moved(colors));
  },
  ladder: async ({ version, reference }) => (await loadTools()).ladder(version, reference),
  async ladderPose({ count, bones }) {
    const positions = (await loadTools()).ladderPose(count, bones);
    return new Moved(positions, moved(positions));
  },
  ladderEnd: async () => tools?.ladderEnd() ?? true,
  grow: async ({ count, iterations }) => (await loadTools()).grow(count, iterations),
  async growPose({ count, motion, frame }) {
    const positions = (await loadTools()).growPose(count, motion, frame);
    return new Moved(positions, moved(positions));
  },
  ladderKeep: async ({ count }) => (await loadTools()).ladderKeep(count),
  edit: async ({ version, positions }) => (await loadTools()).edit(version, positions),
  async editFrame({ motion, frame }) {
    const positions = (await loadTools()).editFrame(motion, frame);
    return new Moved(positions, moved(positions));
  },
  editKeep: async () => (await loadTools()).editKeep(),
  async bytes({ version }) {
    const bytes = await assets.bytes(version);
    return new Moved(bytes, moved(bytes));
  },
  async files({ version }) {
    const { files, options } = assets.version(version);
    return { files, readOptions: options };
  },
  validate: async ({ version }) => validateModel(await assets.bytes(version)),
  restore: ({ version }) => assets.restore(version),
  options: async ({ job, values }) => (await loadForms()).listOptions(job, values),
  crowd: async ({ version }) => ({ asset: assets.version(version).asset, up: assets.version(version).asset.up }),
  async close({ version }) {
    tools?.close(version);
    return assets.close(version);
  },
});
