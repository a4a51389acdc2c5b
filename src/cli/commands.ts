// SPDX-License-Identifier: MIT
import { JOBS } from '../recipe/jobs.ts';
import { batchCommand } from './batch.ts';
import { benchCommand } from './bench.ts';
import type { CliCommand } from './command.ts';
import { completionCommand } from './completion.ts';
import { initCommand } from './init.ts';
import { jobCommand } from './job-command.ts';
import { serveCommand } from './serve.ts';
import { viewCommand } from './view.ts';
import { workerCommand } from './worker.ts';

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
