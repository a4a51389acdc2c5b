// SPDX-License-Identifier: MIT
import { arch, availableParallelism, cpus, loadavg, platform } from 'node:os';
import { formatCount } from '../../../jobs/engine/index.ts';

/** What a measured time depends on, besides the code. */
export interface Machine {
  cpu: string;
  cores: number;
  node: string;
  system: string;
  /** Load average of the last minute; zero on systems without it. */
  load: number;
}

export function describeMachine(): Machine {
  // Containers may hide the processor's name.
  const cpu = cpus()[0]?.model.trim() || 'unknown processor';
  return {
    cpu,
    cores: availableParallelism(),
    node: process.version,
    system: `${platform()} ${arch()}`,
    load: loadavg()[0],
  };
}

export function formatMachine({ cpu, cores, node, system }: Machine): string {
  return `${cpu}, ${formatCount(cores, 'core')}, Node ${node}, ${system}`;
}
