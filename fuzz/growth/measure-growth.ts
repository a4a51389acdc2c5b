// SPDX-License-Identifier: MIT
import { type InputFile, inspect, readAsset, runJob } from '../../src/entry/index.ts';
import { describeError } from '../run/fuzz-files.ts';
import { countAllocations, resetAllocations } from '../run/track-allocations.ts';
import type { GrowingInput } from './growing-input.ts';

/** What reading may take beside what its bytes account for. */
export const BUDGET = { memory: 64 * 2 ** 20, memoryPerByte: 200, milliseconds: 2000, millisecondsPerByte: 0.02 };

/** Allocations may grow by this factor when the items of a command double. */
export const MAX_WORK_RATIO = 2.6;

/** Allocations of this many times the budget are stopped. */
const STOP = 8;

/** Readers claim less than this of something in one file. */
const MAX_CLAIM = 2 ** 30;
const FIRST_CLAIM = 2 ** 10;
/** A file is made of so many bytes at first. */
const FIRST_BYTES = 2 ** 14;

/** One size of an input. */
export interface GrowthRow {
  size: number;
  bytes: number;
  isAccepted: boolean;
  /** Bytes of typed arrays that were allocated, those that were freed included. */
  arrays: number;
  /** Processor time. */
  milliseconds: number;
  /** The sentence with which it was refused. */
  refusal?: string;
  /** What is wrong with the error, if there was one. */
  fault?: string;
}

/** Items of a command, such as triangles, take fewer bytes of a file than this. */
const BYTES_PER_ITEM = 128;

/** Sizes from small to large, each twice the one before; claims grow by eight. */
export function listSizes({ grows, sizes, bytesPerItem = BYTES_PER_ITEM }: GrowingInput, largest: number): number[] {
  const [first, end] = sizes ?? (grows === 'claim' ? [FIRST_CLAIM, MAX_CLAIM] : [FIRST_BYTES, largest]);
  const last = grows === 'work' ? Math.min(end, largest / bytesPerItem) : end;
  const list: number[] = [];
  // a small run begins with fewer items, so that it has two sizes to compare
  for (let size = grows === 'work' ? Math.min(first, last / 2) : first; size <= last; size *= grows === 'claim' ? 8 : 2)
    list.push(size);
  return list;
}

/** Bytes of memory that an input may take. */
export function memoryFor(bytes: number): number {
  return BUDGET.memory + BUDGET.memoryPerByte * bytes;
}

/** Reads and describes an input, or runs its command, and measures what that takes. */
export async function measureGrowth(input: GrowingInput, size: number): Promise<GrowthRow> {
  const files = input.make(size);
  const bytes = files.reduce((sum, file) => sum + file.bytes.length, 0);
  // what is beyond the budget is measured, and stopped before it fills the machine
  resetAllocations(input.grows === 'work' ? Infinity : STOP * memoryFor(bytes));
  const start = process.cpuUsage();
  let isAccepted = false;
  let refusal: string | undefined;
  let fault: string | undefined;
  try {
    if (input.grows === 'work') await runCommand(input, files);
    else inspect(await open(files));
    isAccepted = true;
  } catch (error) {
    refusal = error instanceof Error ? error.message : String(error);
    fault = describeError(error);
  }
  const { user, system } = process.cpuUsage(start);
  const arrays = countAllocations();
  resetAllocations(Infinity);
  return { size, bytes, isAccepted, arrays, milliseconds: (user + system) / 1000, refusal, fault };
}

/** A point cache belongs to the input; other files are beside it. */
function open(files: readonly InputFile[]) {
  const inputs = files.filter(({ name }, n) => n === 0 || /\.(pc2|mdd)$/.test(name));
  const resolve = async (uri: string): Promise<Uint8Array> => {
    const file = files.find(({ name }) => name === uri);
    if (!file) throw new Error('it does not exist');
    return file.bytes;
  };
  return readAsset(inputs, { resolve, topology: 'any' });
}

async function runCommand({ format, options = {} }: GrowingInput, files: readonly InputFile[]): Promise<void> {
  const asset = await open(files);
  const [{ name }] = files;
  const job = { command: format, inputs: [name], output: 'x.glb', options: { ...options, threads: 1 } };
  const fail = async (): Promise<never> => Promise.reject(new Error('nothing else is read'));
  await runJob(job, {
    open: async (input) => ({ input, asset, paths: [name] }),
    ...{ read: fail, threads: 1, version: '0' },
  });
}
