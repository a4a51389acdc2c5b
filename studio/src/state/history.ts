// SPDX-License-Identifier: MIT

/** Maximum steps that can be undone. */
const MAX_STEPS = 60;
/** Milliseconds within which changes of one kind are one step: a slider that is dragged. */
const SAME_STEP = 900;

/** Undo and redo by snapshots of a state. */
export class History<S> {
  readonly #capture: () => S;
  readonly #restore: (snapshot: S) => void;
  readonly #onChange: () => void;
  #past: { title: string; snapshot: S }[] = [];
  #future: { title: string; snapshot: S }[] = [];
  #lastTitle = '';
  #lastTime = Number.NEGATIVE_INFINITY;
  #isInStep = false;

  constructor(capture: () => S, restore: (snapshot: S) => void, onChange: () => void) {
    this.#capture = capture;
    this.#restore = restore;
    this.#onChange = onChange;
  }

  /** Called before a change. Changes of one task, or of one kind in quick succession, are one step. */
  mark(title: string): void {
    if (this.#isInStep) return;
    this.#isInStep = true;
    setTimeout(() => {
      this.#isInStep = false;
    });
    const now = performance.now();
    const isSame = title === this.#lastTitle && now - this.#lastTime < SAME_STEP;
    this.#lastTitle = title;
    this.#lastTime = now;
    if (isSame && this.#past.length > 0) return;
    this.#past.push({ title, snapshot: this.#capture() });
    if (this.#past.length > MAX_STEPS) this.#past.shift();
    this.#future = [];
    this.#onChange();
  }

  /** Titles of the next steps of undo and redo. */
  get titles(): { undo: string | undefined; redo: string | undefined } {
    return { undo: this.#past.at(-1)?.title, redo: this.#future.at(-1)?.title };
  }

  undo(): void {
    this.#move(this.#past, this.#future);
  }

  redo(): void {
    this.#move(this.#future, this.#past);
  }

  #move(from: { title: string; snapshot: S }[], to: { title: string; snapshot: S }[]): void {
    const step = from.pop();
    if (!step) return;
    to.push({ title: step.title, snapshot: this.#capture() });
    this.#lastTitle = '';
    this.#isInStep = true;
    try {
      this.#restore(step.snapshot);
    } finally {
      this.#isInStep = false;
      this.#onChange();
    }
  }
}
