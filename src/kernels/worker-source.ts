// SPDX-License-Identifier: MIT

/** Words of the control block that the threads share. */
export const CONTROL_TICKET = 0; // job number << TICKET_BITS | next chunk
export const CONTROL_KERNEL = 1; // index of the kernel
export const CONTROL_ARGS = 2; // address of the arguments
export const CONTROL_CHUNKS = 3; // number of chunks
export const CONTROL_DONE = 4; // chunks finished
export const CONTROL_WORDS = 16;

/** Chunks per job are under 2^20; job numbers wrap at 2^11, so the sign bit stays zero. */
export const TICKET_BITS = 20;

/**
 * The worker as text: it needs no separate file that bundlers would have to find. A chunk is taken by moving the ticket from
 * (job, c) to (job, c + 1); a thread that wakes late sees another job number, fails to take a chunk and reads the job anew, so no
 * kernel ever runs with the arguments of another job.
 */
export const WORKER_SOURCE = `
const start = ({ module, memory, control, names, thread }) => {
  const instance = new WebAssembly.Instance(module, { env: { memory, abort: () => { throw new Error('kernel aborted'); } } });
  const kernels = names.map((name) => instance.exports[name]);
  const mask = (1 << ${TICKET_BITS}) - 1;
  for (;;) {
    const ticket = Atomics.load(control, ${CONTROL_TICKET});
    const chunk = ticket & mask;
    const kernel = control[${CONTROL_KERNEL}];
    const args = control[${CONTROL_ARGS}];
    const chunks = control[${CONTROL_CHUNKS}];
    if (chunk >= chunks) {
      Atomics.wait(control, ${CONTROL_TICKET}, ticket);
      continue;
    }
    if (Atomics.compareExchange(control, ${CONTROL_TICKET}, ticket, ticket + 1) !== ticket) continue;
    kernels[kernel](args, chunk, thread);
    if (Atomics.add(control, ${CONTROL_DONE}, 1) + 1 === chunks) Atomics.notify(control, ${CONTROL_DONE});
  }
};
if (typeof require === 'function') start(require('worker_threads').workerData);
else self.onmessage = (event) => start(event.data);
`;
