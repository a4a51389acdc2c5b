// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { launchGpu } from '../../../../scripts/launch-gpu.ts';
import { openSearchDevice, probeGpu } from '../open-search-device.ts';

const isSoftware = process.platform === 'linux' && process.arch === 'x64' && process.env.OSSIFY_GPU !== 'system';

describe('openSearchDevice', () => {
  it.runIf(isSoftware)(
    'refuses a software renderer in one sentence',
    async () => {
      await launchGpu();
      await expect(openSearchDevice()).rejects.toThrow(/^--gpu: found only the software renderer .*; leave it out$/);
    },
    60_000,
  );

  it.runIf(process.platform === 'linux')(
    'finds that there is no GPU in another process, whose warnings are not printed',
    async () => {
      const nothing = '/dev/null';
      const env = { ...process.env, VK_ICD_FILENAMES: nothing, VK_DRIVER_FILES: nothing };
      await expect(probeGpu(env)).rejects.toThrow(/^--gpu: no GPU was found; update its driver/);
    },
    60_000,
  );

  it.runIf(process.platform !== 'win32')(
    'finds that there is no GPU if the other process crashes',
    async () => {
      const env = { ...process.env, NODE_OPTIONS: '--import=data:text/javascript,process.kill(process.pid,11)' };
      await expect(probeGpu(env)).rejects.toThrow(/^--gpu: no GPU was found; update its driver/);
    },
    60_000,
  );
});
