// SPDX-License-Identifier: MIT
// The tables of a binary USD file while it is written: tokens, strings and paths, each once.

export class UsdcTables {
  /** The first token is no name: an element of a path that is negative names a property, and zero has no sign. */
  readonly #tokens = new Map<string, number>([[';-)', 0]]);
  readonly #strings = new Map<string, number>();
  readonly #paths = new Map<string, number>([['/', 0]]);

  /** Index of a token. */
  token(text: string): number {
    return place(this.#tokens, text);
  }

  /** Index of a string. */
  string(text: string): number {
    this.token(text);
    return place(this.#strings, text);
  }

  /** Index of a path; those above are added too. */
  path(path: string): number {
    const known = this.#paths.get(path);
    if (known !== undefined) return known;
    const dot = path.indexOf('.');
    const above = path.slice(0, dot < 0 ? path.lastIndexOf('/') : dot);
    if (above !== '') this.path(above);
    return place(this.#paths, path);
  }

  get tokens(): string[] {
    return [...this.#tokens.keys()];
  }

  /** Index of the token of each string. */
  get strings(): number[] {
    return [...this.#strings.keys()].map((text) => this.token(text));
  }

  /**
   * The paths as a tree, depth first: place in the table, token of the last element (negative for a property), and the jump to the next sibling (0: there
   * is no child, -1: there is no sibling, -2: neither).
   */
  makePathTree(): { indices: Int32Array; elements: Int32Array; jumps: Int32Array } {
    const children = new Map<string, string[]>();
    for (const path of this.#paths.keys()) {
      if (path === '/') continue;
      const dot = path.indexOf('.');
      const above = path.slice(0, dot < 0 ? path.lastIndexOf('/') : dot) || '/';
      const list = children.get(above);
      if (list) list.push(path);
      else children.set(above, [path]);
    }
    const count = this.#paths.size;
    const indices = new Int32Array(count);
    const elements = new Int32Array(count);
    const jumps = new Int32Array(count);
    // by depth: the entry whose next sibling is awaited
    const stack: { path: string; last: boolean; before: number }[] = [{ path: '/', last: true, before: -1 }];
    let at = 0;
    for (let next = stack.pop(); next; next = stack.pop()) {
      const { path, last, before } = next;
      if (before >= 0) jumps[before] = jumps[before] === 0 ? 0 : at - before;
      indices[at] = this.path(path);
      elements[at] = this.#elementOf(path);
      const own = children.get(path) ?? [];
      // one that has children and siblings gets its jump when the sibling comes
      jumps[at] = own.length === 0 ? (last ? -2 : 0) : last ? -1 : 1;
      const here = at++;
      if (!last && stack.length > 0) stack[stack.length - 1].before = here;
      for (let n = own.length - 1; n >= 0; n--) stack.push({ path: own[n], last: n === own.length - 1, before: -1 });
    }
    return { indices, elements, jumps };
  }

  #elementOf(path: string): number {
    if (path === '/') return 0;
    const dot = path.indexOf('.');
    return dot < 0 ? this.token(path.slice(path.lastIndexOf('/') + 1)) : -this.token(path.slice(dot + 1));
  }
}

function place(table: Map<string, number>, key: string): number {
  const known = table.get(key);
  if (known !== undefined) return known;
  table.set(key, table.size);
  return table.size - 1;
}
