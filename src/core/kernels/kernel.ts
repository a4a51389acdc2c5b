// SPDX-License-Identifier: MIT
// The description of a kernel: the types of its slots, from which the types of a call and of the reference implementation follow. A call hands over one
// double per slot: a number, or the address of an array. The order of the keys is the order of the slots. scripts/build/kernels.mjs makes the offsets for the
// AssemblyScript implementation from the text of the tables, so they have literal names and keys.

/** Typed arrays that kernels work on. */
export type ResidentArray = Float64Array | Float32Array | Uint32Array;

/** An array in memory that kernels can access (WebAssembly memory, or plain memory for the TypeScript reference). */
export interface Resident<T extends ResidentArray = ResidentArray> {
  /** Number of elements. */
  readonly length: number;
  /** A view of the numbers. Call again after every allocation and every await: memory may have grown. Throws after the array is freed. */
  view(): T;
  /** Frees the memory. Only kernels call this; others allocate in a scope (Compute.scope). */
  free(): void;
}

/** What a reference implementation receives for a slot, by the type of the slot. A question mark: the array may be absent. */
export interface SlotViews {
  f32: Float32Array;
  f64: Float64Array;
  u32: Uint32Array;
  'f32?': Float32Array | undefined;
  'f64?': Float64Array | undefined;
  'u32?': Uint32Array | undefined;
  /** A whole number. */
  int: number;
  float: number;
  bool: boolean;
}

/** What a call hands over for a slot, by the type of the slot. */
export interface SlotArguments {
  f32: Resident<Float32Array>;
  f64: Resident<Float64Array>;
  u32: Resident<Uint32Array>;
  'f32?': Resident<Float32Array> | undefined;
  'f64?': Resident<Float64Array> | undefined;
  'u32?': Resident<Uint32Array> | undefined;
  /** A whole number. */
  int: number;
  float: number;
  bool: boolean;
}

/** Types of the slots of a kernel, by name, in their order. */
export type Slots = Readonly<Record<string, keyof SlotViews>>;

/** Any argument of a call. */
type Argument = SlotArguments[keyof SlotArguments];

/** Arguments of a reference implementation: arrays as views. */
export type KernelViews<S extends Slots> = { readonly [N in keyof S]: SlotViews[S[N]] };

/** A hot loop in two implementations: AssemblyScript, exported by the WebAssembly module under its name, and TypeScript. */
export interface Kernel<S extends Slots = Slots> {
  /** Name of the WebAssembly export. */
  readonly name: string;
  readonly slots: S;
  /** Names of the slots, in their order. */
  readonly slotNames: readonly string[];
  /** The TypeScript implementation of one chunk. */
  reference(views: KernelViews<S>, chunk: number): void;
}

/** Arguments of a call. An array that is absent is undefined; no key may be left out. */
export type ArgumentsOf<K extends Kernel> = { readonly [N in keyof K['slots']]: SlotArguments[K['slots'][N]] };

/** Describes a kernel. */
export function kernel<const S extends Slots>(name: string, slots: S, reference: Kernel<S>['reference']): Kernel<S> {
  return { name, slots, slotNames: Object.keys(slots), reference };
}

/** A call of a kernel, made by callOf. */
export interface KernelCall {
  /** The kernel. */
  readonly kernel: Kernel;
  /** One per slot: an array or a number; 0 for an array that is absent. */
  readonly values: readonly (Resident | number)[];
  /** Number of chunks. */
  readonly chunkCount: number;
}

/** A call of a kernel, for Compute.runAll. */
export function callOf<K extends Kernel>(kernel: K, args: ArgumentsOf<K>, chunkCount: number): KernelCall {
  const given: Readonly<Record<string, Argument>> = args;
  return { kernel, values: kernel.slotNames.map((name) => encode(given[name])), chunkCount };
}

function encode(argument: Argument): Resident | number {
  if (typeof argument === 'number' || typeof argument === 'object') return argument;
  return argument ? 1 : 0;
}
