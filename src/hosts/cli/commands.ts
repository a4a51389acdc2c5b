// SPDX-License-Identifier: MIT
import { JOBS } from '../../jobs/table/index.ts';
import { batchCommand } from './batch/batch.ts';
import { workerCommand } from './batch/worker.ts';
import { benchCommand } from './bench.ts';
import type { CliCommand } from './command.ts';
import { initCommand } from './init.ts';
import { jobCommand } from './job-command.ts';
import { serveCommand } from './server/serve.ts';
import { viewCommand } from './server/view.ts';
import { completionCommand } from './terminal/completion.ts';

/** Every command, in the order that help lists them. */
export const COMMANDS = [
  ...JOBS.map(jobCommand),
  viewCommand,
  batchCommand,
  workerCommand,
  serveCommand,
  initCommand,
  benchCommand,
  completionCommand,
] as readonly CliCommand[];
