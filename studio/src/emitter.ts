// SPDX-License-Identifier: MIT
import type { Topic } from './state.ts';

/** Tells listeners that something about a topic changed, and somebody that something went wrong. */
export class Emitter {
  readonly #listeners = new Map<Topic, Set<() => void>>();
  #hear: (sentence: string, isNote: boolean) => void = () => {};

  on(topics: readonly Topic[], listener: () => void): void {
    for (const topic of topics) {
      const set = this.#listeners.get(topic) ?? new Set();
      set.add(listener);
      this.#listeners.set(topic, set);
    }
  }

  /** Each listener is called once, also where it listens to several of the topics. */
  emit(...topics: Topic[]): void {
    const called = new Set<() => void>();
    for (const topic of topics) for (const listener of this.#listeners.get(topic) ?? []) called.add(listener);
    for (const listener of called) listener();
  }

  /** @param hear takes faults, and remarks that are none */
  onComplaint(hear: (sentence: string, isNote: boolean) => void): void {
    this.#hear = hear;
  }

  complain(sentence: string, isNote = false): void {
    this.#hear(sentence, isNote);
  }
}
