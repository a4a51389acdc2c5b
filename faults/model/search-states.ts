// SPDX-License-Identifier: MIT

/** Something that one process, or a fault, does at one moment. */
export interface Step<State> {
  /** For traces: 'worker 2: publish job 1'. */
  name: string;
  to: State;
  /** Whether it is a fault: a crash, a pause, a loss of data. Progress must not need faults. */
  isFault?: boolean;
}

/** A system of processes whose steps interleave in every way. */
export interface Model<State> {
  start: State;
  /** All steps that are possible in a state. */
  next(state: State): Step<State>[];
  /** A text that two states share if they differ only in the names of equal processes or jobs. */
  keyOf(state: State): string;
  /** What is wrong in a state; undefined if nothing. */
  faultIn(state: State): string | undefined;
  /** Whether all that was asked for is done. */
  isDone(state: State): boolean;
}

export interface SearchResult {
  states: number;
  steps: number;
  /** The first violation, and the shortest way to it. */
  violation?: { fault: string; trace: string[] };
}

/**
 * Visits every state that can be reached, breadth first, and checks each. Then checks that the end can be reached from every state without a
 * further fault: no job waits for ever.
 */
export function searchStates<State>(model: Model<State>, maxStates: number): SearchResult {
  const index = new Map<string, number>();
  const states: State[] = [];
  const from: number[] = [];
  const how: string[] = [];
  const edges: number[][] = [];
  let steps = 0;
  const trace = (n: number): string[] => (from[n] < 0 ? [] : [...trace(from[n]), how[n]]);
  const visit = (state: State, parent: number, name: string): number => {
    const key = model.keyOf(state);
    const known = index.get(key);
    if (known !== undefined) return known;
    const n = states.length;
    if (n >= maxStates) throw new Error(`the model has more than ${maxStates} states`);
    index.set(key, n);
    states.push(state);
    from.push(parent);
    how.push(name);
    return n;
  };
  visit(model.start, -1, '');
  for (let n = 0; n < states.length; n++) {
    const fault = model.faultIn(states[n]);
    if (fault !== undefined) return { states: states.length, steps, violation: { fault, trace: trace(n) } };
    edges.push([]);
    for (const step of model.next(states[n])) {
      steps++;
      const to = visit(step.to, n, step.name);
      if (!step.isFault) edges[n].push(to);
    }
  }
  const stuck = findStuck(
    states.map((state) => model.isDone(state)),
    edges,
  );
  const violation =
    stuck === undefined ? undefined : { fault: 'the jobs are never finished from here', trace: trace(stuck) };
  return { states: states.length, steps, violation };
}

/** The first state from which no end can be reached. */
function findStuck(isDone: boolean[], edges: number[][]): number | undefined {
  const before: number[][] = edges.map(() => []);
  for (const [n, list] of edges.entries()) for (const to of list) before[to].push(n);
  const reaches = [...isDone];
  const queue = isDone.flatMap((done, n) => (done ? [n] : []));
  while (queue.length > 0)
    for (const n of before[Number(queue.pop())])
      if (!reaches[n]) {
        reaches[n] = true;
        queue.push(n);
      }
  const stuck = reaches.indexOf(false);
  return stuck < 0 ? undefined : stuck;
}
