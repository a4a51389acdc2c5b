// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { formatCommand } from '../command-line.ts';

describe('the command line of a job', () => {
  it('has the options that differ from their defaults', () => {
    const options = { bones: 12, maxError: 0.01, keepRest: true, quantize: false, levels: [0.5, 0.1] };
    const line = formatCommand({
      command: 'decompose',
      inputs: ['a.obj', 'a.pc2'],
      output: 'b.glb',
      options,
      read: { fps: 30 },
    });
    expect(line).toBe(
      'ossify decompose a.obj+a.pc2 b.glb --bones 12 --max-error 0.01 --keep-rest --levels 0.5,0.1 --fps 30',
    );
  });

  it('quotes names for the shell', () => {
    const line = formatCommand({ command: 'mush', inputs: ["Tom's rig.glb"], output: 'out.glb', options: {} });
    expect(line).toBe("ossify mush 'Tom'\\''s rig.glb' out.glb");
  });
});
