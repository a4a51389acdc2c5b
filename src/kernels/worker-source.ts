// SPDX-License-Identifier: MIT

/** Words of the control block that the threads share. */
export const CONTROL_LEFT = 0; // chunks that no thread has taken yet
export const CONTROL_KERNEL = 1; // index of the kernel
export const CONTROL_ARGS = 2; // address of the arguments
export const CONTROL_CHUNKS = 3; // number of chunks
export const CONTROL_DONE = 4; // chunks finished, or given up after an error
export const CONTROL_ERROR = 5; // 0, or 1 + length of the text of the first error of the job
export const CONTROL_HELD = 16; // by thread: 1 while it may hold a chunk
export const CONTROL_TEXT = 32; // UTF-16 units of that text
const MAX_TEXT = 200;
export const CONTROL_WORDS = CONTROL_TEXT + MAX_TEXT;

/**
 * The worker as text: it needs no separate file that bundlers would have to find. A chunk is taken by counting the chunks that are left down by
 * one. Kernel, arguments and the number of chunks are read after that: they cannot change before the chunk is done, so a thread that was
 * suspended for any time between its reads never runs a kernel with the arguments of another job. An error of a kernel is reported in the control
 * block, and the rest of the job is given up: the calling thread must learn of it even if its event loop does not run.
 */
export const WORKER_SOURCE = `
const start = ({ module, memory, control, names, thread }) => {
  const instance = new WebAssembly.Instance(module, { env: { memory, abort: () => { throw new Error('a kernel stopped unexpectedly'); } } });
  const kernels = names.map((name) => instance.exports[name]);
  const report = (error) => {
    if (Atomics.compareExchange(control, ${CONTROL_ERROR}, 0, 1) !== 0) return;
    const text = String(error && error.message || error).slice(0, ${MAX_TEXT});
    for (let n = 0; n < text.length; n++) Atomics.store(control, ${CONTROL_TEXT} + n, text.charCodeAt(n));
    Atomics.store(control, ${CONTROL_ERROR}, 1 + text.length);
  };
  for (;;) {
    const left = Atomics.load(control, ${CONTROL_LEFT});
    if (left === 0) {
      Atomics.wait(control, ${CONTROL_LEFT}, 0);
      continue;
    }
    Atomics.store(control, ${CONTROL_HELD} + thread, 1);
    if (Atomics.compareExchange(control, ${CONTROL_LEFT}, left, left - 1) === left) {
      const chunks = Atomics.load(control, ${CONTROL_CHUNKS});
      let done = 1;
      try {
        kernels[Atomics.load(control, ${CONTROL_KERNEL})](Atomics.load(control, ${CONTROL_ARGS}), chunks - left, thread);
      } catch (error) {
        report(error);
        done += Atomics.exchange(control, ${CONTROL_LEFT}, 0);
      }
      if (Atomics.add(control, ${CONTROL_DONE}, done) + done === chunks) Atomics.notify(control, ${CONTROL_DONE});
    }
    Atomics.store(control, ${CONTROL_HELD} + thread, 0);
  }
};
if (typeof require === 'function') start(require('worker_threads').workerData);
else self.onmessage = (event) => start(event.data);
`;
