// SPDX-License-Identifier: MIT
// The members of a vertex's support with their weights, stored in whole registers.
import { f64s } from '../matrices/vectors.as';

// A support: count (i32), error (f64 at 8), then bones and slots (i32) and weights (f64), each in whole registers so that a copy is a few moves:
// memory.copy calls out of the module and costs more than the solve.
/** Maximum number of members of a support. */
export let maxMembers: i32 = 0;
export let supportBytes: usize = 0;
let slotsAt: usize = 0, weightsAt: usize = 0;

/** Lays out supports of at most k members. */
export function laySupports(k: i32): void {
  maxMembers = k;
  const ints = (<usize>(maxMembers + 1) * 4 + 15) & ~15;
  slotsAt = 16 + ints;
  weightsAt = slotsAt + ints;
  supportBytes = weightsAt + ((<usize>(maxMembers + 1) * 8 + 15) & ~15);
}
// @ts-ignore: decorator
@inline export function countOf(s: usize): i32 { return load<i32>(s); }
// @ts-ignore: decorator
@inline export function setCount(s: usize, n: i32): void { store<i32>(s, n); }
// @ts-ignore: decorator
@inline export function errorOf(s: usize): f64 { return load<f64>(s, 8); }
// @ts-ignore: decorator
@inline export function boneAt(s: usize, a: i32): i32 { return load<i32>(s + (<usize>a << 2), 16); }
// @ts-ignore: decorator
@inline export function slotAt(s: usize, a: i32): i32 { return load<i32>(s + slotsAt + (<usize>a << 2)); }
// @ts-ignore: decorator
@inline export function weightAt(s: usize, a: i32): f64 { return load<f64>(s + weightsAt + f64s(a)); }
// @ts-ignore: decorator
@inline export function setWeight(s: usize, a: i32, w: f64): void { store<f64>(s + weightsAt + f64s(a), w); }
// @ts-ignore: decorator
@inline export function setMember(s: usize, a: i32, bone: i32, slot: i32): void {
  store<i32>(s + (<usize>a << 2), bone, 16); store<i32>(s + slotsAt + (<usize>a << 2), slot);
}
// @ts-ignore: decorator
@inline export function copySupport(from: usize, to: usize): void {
  for (let o: usize = 0; o < supportBytes; o += 16) v128.store(to + o, v128.load(from + o));
}
