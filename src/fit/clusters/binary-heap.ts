// SPDX-License-Identifier: MIT

/** A binary heap: pop returns the item that is before all others. Equal items are returned in an order that depends on the calls only. */
export class BinaryHeap<T> {
  readonly #isBefore: (a: T, b: T) => boolean;
  readonly #items: T[] = [];

  constructor(isBefore: (a: T, b: T) => boolean) {
    this.#isBefore = isBefore;
  }

  push(item: T): void {
    const items = this.#items;
    let at = items.push(item) - 1;
    while (at > 0) {
      const up = (at - 1) >> 1;
      if (!this.#isBefore(items[at], items[up])) break;
      [items[at], items[up]] = [items[up], items[at]];
      at = up;
    }
  }

  /** Undefined if the heap is empty. */
  pop(): T | undefined {
    const items = this.#items;
    const top: T | undefined = items[0];
    const last = items.pop();
    if (items.length === 0 || last === undefined) return top;
    items[0] = last;
    for (let at = 0; ; ) {
      const [left, right] = [2 * at + 1, 2 * at + 2];
      let first = at;
      if (left < items.length && this.#isBefore(items[left], items[first])) first = left;
      if (right < items.length && this.#isBefore(items[right], items[first])) first = right;
      if (first === at) return top;
      [items[at], items[first]] = [items[first], items[at]];
      at = first;
    }
  }
}
