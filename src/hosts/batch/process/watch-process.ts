// SPDX-License-Identifier: MIT
// A thread that ends its process: a solve may block the main thread for minutes, and then nothing else in the process can.
import { Worker } from 'node:worker_threads';

/** Milliseconds between two looks. A process that allocates 4 GB/s exceeds its limit by 400 MB. */
const INTERVAL = 100;

/** Printed to stderr before the process ends. */
export const MEMORY_MARK = 'ossify: the memory limit of the process was exceeded';

const SOURCE = `
const { workerData } = require('node:worker_threads');
const { writeSync } = require('node:fs');
const { parent, maxMemory, mark } = workerData;
setInterval(() => {
  const isOrphan = process.ppid !== parent;
  const isOver = process.memoryUsage.rss() > maxMemory;
  if (!isOrphan && !isOver) return;
  try {
    if (isOver) writeSync(2, mark + '\\n');
  } finally {
    process.kill(process.pid, 'SIGKILL');
  }
}, ${INTERVAL});
`;

/** Ends this process when it exceeds its memory limit, or when the process that started it has ended. */
export function watchProcess(maxMemory: number): void {
  const workerData = { parent: process.ppid, maxMemory, mark: MEMORY_MARK };
  new Worker(SOURCE, { eval: true, workerData, stdout: false, stderr: false }).unref();
}
