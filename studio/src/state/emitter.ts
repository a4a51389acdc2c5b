// SPDX-License-Identifier: MIT
import type { Topic } from './state.ts';

/** Calls the listeners of changed topics, and the receiver of faults and notes. */
export class Emitter {
  readonly #listeners = new Map<Topic, Set<() => void>>();
  #receive: (sentence: string, isNote: boolean) => void = () => {};

  on(topics: readonly Topic[], listener: () => void): void {
    for (const topic of topics) {
      const set = this.#listeners.get(topic) ?? new Set();
      set.add(listener);
      this.#listeners.set(topic, set);
    }
  }

  /** Each listener is called once, even if it listens to several of the topics. */
  emit(...topics: Topic[]): void {
    const called = new Set<() => void>();
    for (const topic of topics) for (const listener of this.#listeners.get(topic) ?? []) called.add(listener);
    for (const listener of called) listener();
  }

  /** @param receive called with faults and notes */
  onComplaint(receive: (sentence: string, isNote: boolean) => void): void {
    this.#receive = receive;
  }

  complain(sentence: string, isNote = false): void {
    this.#receive(sentence, isNote);
  }
}
