// SPDX-License-Identifier: MIT

/** Words of a cache line: words that different threads write often are on lines of their own. */
const LINE = 16;

/** Words of the control block that the threads share. */
export const CONTROL_LEFT = 0; // chunks of the present call that no thread has taken yet
export const CONTROL_DONE = LINE; // its chunks that are finished, or given up after an error
export const CONTROL_SIGNAL = 2 * LINE; // changes when a call starts, and when the job is over
export const CONTROL_KERNEL = 3 * LINE; // index of its kernel
export const CONTROL_ARGS = CONTROL_KERNEL + 1; // address of its arguments
export const CONTROL_CHUNKS = CONTROL_KERNEL + 2; // its number of chunks
export const CONTROL_CALL = CONTROL_KERNEL + 3; // index of the present call; the number of calls when the job is over
export const CONTROL_CALLS = CONTROL_KERNEL + 4; // number of calls of the job
export const CONTROL_ERROR = CONTROL_KERNEL + 5; // 0, or 1 + length of the text of the first error of the job
export const CONTROL_TABLE = 4 * LINE; // by call: kernel, address of the arguments, number of chunks
/** Maximum number of calls of a job. */
export const MAX_CALLS = 16;
const MAX_THREADS = 16;
const CONTROL_HELD = CONTROL_TABLE + 3 * MAX_CALLS; // by thread, a line each: 1 while it may hold a chunk
export const CONTROL_TEXT = CONTROL_HELD + (MAX_THREADS + 1) * LINE; // UTF-16 units of the text of the error
const MAX_TEXT = 200;
export const CONTROL_WORDS = CONTROL_TEXT + MAX_TEXT;

/** The word that is 1 while a thread may hold a chunk. */
export function heldWordOf(thread: number): number {
  return CONTROL_HELD + thread * LINE;
}

/** Reads of a word before a thread that waits for work sleeps, about 50 µs: the next call starts soon in most cases, and waking costs tens of microseconds per thread. */
const SPINS = 10_000;

/**
 * The worker as text: it needs no separate file that bundlers would have to find. A chunk is taken by counting the chunks that are left down by
 * one. Kernel, arguments and the number of chunks are read after that: they cannot change before the chunk is done, so a thread that was
 * suspended for any time between its reads never runs a kernel with the arguments of another call. The thread that finishes the last chunk of a call
 * starts the next one. An error of a kernel is reported in the control block, and the rest of the job is given up: the calling thread must learn of it even
 * if its event loop does not run. finishChunk in wasm-engine.ts is the same function for the calling thread.
 */
export const WORKER_SOURCE = `
const start = ({ module, memory, control, names, thread }) => {
  const instance = new WebAssembly.Instance(module, { env: { memory, abort: () => { throw new Error('a kernel stopped unexpectedly'); } } });
  const kernels = names.map((name) => instance.exports[name]);
  const held = ${CONTROL_HELD} + thread * ${LINE};
  const report = (error) => {
    if (Atomics.compareExchange(control, ${CONTROL_ERROR}, 0, 1) !== 0) return;
    const text = String(error && error.message || error).slice(0, ${MAX_TEXT});
    for (let n = 0; n < text.length; n++) Atomics.store(control, ${CONTROL_TEXT} + n, text.charCodeAt(n));
    Atomics.store(control, ${CONTROL_ERROR}, 1 + text.length);
  };
  const finishChunk = (done, chunks) => {
    if (Atomics.add(control, ${CONTROL_DONE}, done) + done !== chunks) return;
    const calls = Atomics.load(control, ${CONTROL_CALLS});
    const next = Atomics.load(control, ${CONTROL_ERROR}) === 0 ? Atomics.load(control, ${CONTROL_CALL}) + 1 : calls;
    if (next < calls) {
      const entry = ${CONTROL_TABLE} + 3 * next;
      Atomics.store(control, ${CONTROL_KERNEL}, Atomics.load(control, entry));
      Atomics.store(control, ${CONTROL_ARGS}, Atomics.load(control, entry + 1));
      Atomics.store(control, ${CONTROL_CHUNKS}, Atomics.load(control, entry + 2));
      Atomics.store(control, ${CONTROL_DONE}, 0);
      Atomics.store(control, ${CONTROL_CALL}, next);
      Atomics.store(control, ${CONTROL_LEFT}, Atomics.load(control, entry + 2));
    } else Atomics.store(control, ${CONTROL_CALL}, calls);
    Atomics.add(control, ${CONTROL_SIGNAL}, 1);
    Atomics.notify(control, ${CONTROL_SIGNAL});
  };
  for (;;) {
    const signal = Atomics.load(control, ${CONTROL_SIGNAL});
    const left = Atomics.load(control, ${CONTROL_LEFT});
    if (left === 0) {
      let spins = 0;
      while (spins < ${SPINS} && Atomics.load(control, ${CONTROL_SIGNAL}) === signal) spins++;
      if (spins === ${SPINS}) Atomics.wait(control, ${CONTROL_SIGNAL}, signal);
      continue;
    }
    Atomics.store(control, held, 1);
    if (Atomics.compareExchange(control, ${CONTROL_LEFT}, left, left - 1) === left) {
      const chunks = Atomics.load(control, ${CONTROL_CHUNKS});
      let done = 1;
      try {
        kernels[Atomics.load(control, ${CONTROL_KERNEL})](Atomics.load(control, ${CONTROL_ARGS}), chunks - left, thread);
      } catch (error) {
        report(error);
        done += Atomics.exchange(control, ${CONTROL_LEFT}, 0);
      }
      finishChunk(done, chunks);
    }
    Atomics.store(control, held, 0);
  }
};
if (typeof require === 'function') start(require('worker_threads').workerData);
else self.onmessage = (event) => start(event.data);
`;
