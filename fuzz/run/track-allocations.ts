// SPDX-License-Identifier: MIT

const TYPES = [
  ...['Int8Array', 'Uint8Array', 'Uint8ClampedArray', 'Int16Array', 'Uint16Array', 'Int32Array', 'Uint32Array'],
  ...['Float32Array', 'Float64Array'],
] as const;

/** The error of a program that allocates more than the limit. */
export class MemoryLimitError extends Error {}

let bytes = 0;
let limit = Infinity;

/** Starts to count from zero, and to throw beyond a limit. */
export function resetAllocations(maximum: number): void {
  bytes = 0;
  limit = maximum;
}

/** Starts to count from zero, with the limit that there is. */
export function forgetAllocations(): void {
  bytes = 0;
}

/** Bytes of typed arrays that were made since then, those that are freed already included. */
export function countAllocations(): number {
  return bytes;
}

function add(size: number): void {
  if (!(size > 0)) return;
  bytes += size;
  if (bytes > limit) throw new MemoryLimitError(`more than ${limit} bytes`);
}

/**
 * Replaces the constructors of typed arrays by ones that count, and throw before memory beyond a limit is allocated. Unlike the memory of the process,
 * the count is the same in every run. Modules that keep constructors must be loaded after this.
 */
export function trackAllocations(): void {
  const scope = globalThis as unknown as Record<string, new (...args: unknown[]) => ArrayBufferView>;
  for (const name of TYPES) {
    const original = scope[name];
    const size = (original as unknown as { BYTES_PER_ELEMENT: number }).BYTES_PER_ELEMENT;
    const proxy: typeof original = new Proxy(original, {
      construct(target, args, newTarget): object {
        const [first] = args as unknown[];
        if (typeof first === 'number') add(first * size);
        else if (typeof first === 'object' && first !== null && !isBuffer(first))
          add(((first as { length?: number }).length ?? 0) * size);
        return Reflect.construct(target, args, newTarget === proxy ? target : newTarget);
      },
    });
    scope[name] = proxy;
    // slice and map make their results by it
    Object.defineProperty(original.prototype, 'constructor', { value: proxy, configurable: true, writable: true });
  }
}

function isBuffer(value: object): boolean {
  return value instanceof ArrayBuffer || value instanceof SharedArrayBuffer;
}
