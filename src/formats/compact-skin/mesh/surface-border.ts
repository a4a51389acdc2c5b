// SPDX-License-Identifier: MIT
// The border of a surface that grows triangle by triangle, which connectivity is coded along. A gate is an edge of the border: a half-edge a→b of a known triangle whose other side is not known yet. Gates
// form loops. Half-edges are numbered 3t + c: from corner c of triangle t to the next corner.

/** Triangles around a vertex, beyond which numbers are not told apart. */
const MAX_AROUND = 11;

/** Gates, loops, and the triangles so far. */
export class SurfaceBorder {
  /** triangleCount x 3 vertices, in coded order */
  readonly triangles: Uint32Array;
  /** By half-edge: the half-edge on the other side; -1: none */
  readonly opposite: Int32Array;
  vertexCount = 0;
  triangleCount = 0;
  /** By gate: its half-edge, the vertex where it starts, and its neighbours in the loop. */
  readonly insides: Int32Array;
  readonly starts: Uint32Array;
  readonly next: Int32Array;
  readonly previous: Int32Array;
  /** By gate: 1 if the other side is still to be coded. */
  readonly #isOpen: Uint8Array;
  #gateCount = 0;
  /** By vertex: its number of triangles, and a gate that starts there. */
  readonly #around: Uint8Array;
  readonly #gateOf: Int32Array;
  /** Gates by the number of triangles around their start; entries that are out of date are skipped. */
  readonly #waiting: number[][] = Array.from({ length: MAX_AROUND + 1 }, () => []);

  constructor(vertexCount: number, triangleCount: number) {
    const halfEdges = 3 * triangleCount;
    this.triangles = new Uint32Array(halfEdges);
    this.opposite = new Int32Array(halfEdges).fill(-1);
    // a triangle adds at most two gates, the first of a component three
    this.insides = new Int32Array(halfEdges);
    this.starts = new Uint32Array(halfEdges);
    this.next = new Int32Array(halfEdges);
    this.previous = new Int32Array(halfEdges);
    this.#isOpen = new Uint8Array(halfEdges);
    this.#around = new Uint8Array(vertexCount);
    this.#gateOf = new Int32Array(vertexCount).fill(-1);
  }

  /** The open gate whose start has the most triangles: vertices are completed soon, which keeps the border short. -1: none */
  takeGate(): number {
    for (let n = MAX_AROUND; n >= 0; n--) {
      const list = this.#waiting[n];
      for (let gate = list.pop(); gate !== undefined; gate = list.pop()) {
        if (this.#isOpen[gate] === 1 && this.#around[this.starts[gate]] === n) return gate;
      }
    }
    return -1;
  }

  /** The number of triangles around a vertex, at most 11. */
  around(vertex: number): number {
    return this.#around[vertex];
  }

  isOpen(gate: number): boolean {
    return this.#isOpen[gate] === 1;
  }

  endOf(gate: number): number {
    return this.starts[this.next[gate]];
  }

  /** Adds a triangle with no known neighbour. */
  start(a: number, b: number, c: number): void {
    const t = 3 * this.#addTriangle(a, b, c);
    const x = this.#addGate(t, a);
    const y = this.#addGate(t + 1, b);
    const z = this.#addGate(t + 2, c);
    this.#link(x, y);
    this.#link(y, z);
    this.#link(z, x);
    for (const gate of [x, y, z]) this.#wait(gate);
  }

  /** Marks the other side of a gate as empty. */
  close(gate: number): void {
    this.#isOpen[gate] = 0;
  }

  /**
   * Adds the triangle at a gate.
   * @param isLeft whether it also joins the gate before, and isRight the one after; otherwise v is new, or anywhere
   */
  attach(gate: number, v: number, isLeft: boolean, isRight: boolean): void {
    const a = this.starts[gate];
    const b = this.endOf(gate);
    const before = this.previous[gate];
    const after = this.next[gate];
    const t = 3 * this.#addTriangle(b, a, v);
    this.#glue(gate, t);
    if (isLeft && isRight) {
      this.#glue(before, t + 1);
      this.#glue(after, t + 2);
      this.#join(this.previous[before], this.next[after]);
    } else if (isLeft) {
      this.#glue(before, t + 1);
      const made = this.#addGate(t + 2, v);
      this.#link(this.previous[before], made);
      this.#link(made, after);
      this.#wait(made);
      this.#wait(after);
    } else if (isRight) {
      this.#glue(after, t + 2);
      const made = this.#addGate(t + 1, a);
      const last = this.next[after];
      this.#link(before, made);
      this.#link(made, last);
      this.#wait(last);
      this.#wait(made);
    } else {
      const split = this.#gateOf[v];
      const isSplit = split >= 0 && this.starts[split] === v && split !== gate && this.#isInLoop(split);
      const first = this.#addGate(t + 1, a);
      const second = this.#addGate(t + 2, v);
      if (isSplit && split !== after) {
        this.#link(this.previous[split], second);
        this.#link(before, first);
        this.#link(first, split);
        this.#wait(split);
      } else {
        this.#link(before, first);
        this.#link(first, second);
      }
      this.#link(second, after);
      this.#wait(after);
      this.#wait(second);
      this.#wait(first);
    }
  }

  #addTriangle(a: number, b: number, c: number): number {
    const t = this.triangleCount++;
    this.triangles[3 * t] = a;
    this.triangles[3 * t + 1] = b;
    this.triangles[3 * t + 2] = c;
    if (this.#around[a] < MAX_AROUND) this.#around[a]++;
    if (this.#around[b] < MAX_AROUND) this.#around[b]++;
    if (this.#around[c] < MAX_AROUND) this.#around[c]++;
    return t;
  }

  #addGate(inside: number, start: number): number {
    const gate = this.#gateCount++;
    this.insides[gate] = inside;
    this.starts[gate] = start;
    this.#isOpen[gate] = 1;
    this.#gateOf[start] = gate;
    return gate;
  }

  #isInLoop(gate: number): boolean {
    return this.opposite[this.insides[gate]] < 0;
  }

  /** Joins a gate with the half-edge of a new triangle; the gate leaves its loop. */
  #glue(gate: number, halfEdge: number): void {
    this.opposite[this.insides[gate]] = halfEdge;
    this.opposite[halfEdge] = this.insides[gate];
    this.#isOpen[gate] = 0;
  }

  #link(gate: number, after: number): void {
    this.next[gate] = after;
    this.previous[after] = gate;
  }

  /** Closes the gap in a loop whose gates between two were removed. */
  #join(before: number, after: number): void {
    this.#link(before, after);
    this.#wait(after);
  }

  #wait(gate: number): void {
    if (this.#isOpen[gate] === 1) this.#waiting[this.#around[this.starts[gate]]].push(gate);
  }
}
