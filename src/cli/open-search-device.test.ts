// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { launchGpu } from '../../scripts/launch-gpu.ts';
import { openSearchDevice } from './open-search-device.ts';

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
});
