// SPDX-License-Identifier: MIT

/** Maximum lines of a printed tree. */
const MAX_LINES = 60;

/** The chains of a skeleton, one per line, indented by their distance from the root. */
export function formatTree({ names, parents }: { names: readonly string[]; parents: readonly number[] }): string {
  const children: number[][] = names.map(() => []);
  const roots: number[] = [];
  parents.forEach((parent, j) => {
    (parent < 0 ? roots : children[parent]).push(j);
  });
  const lines: string[] = [];
  const stack = roots.map((bone) => ({ bone, depth: 0 })).reverse();
  for (let top = stack.pop(); top; top = stack.pop()) {
    const chain = [top.bone];
    while (children[chain[chain.length - 1]].length === 1) chain.push(children[chain[chain.length - 1]][0]);
    lines.push(`${'  '.repeat(top.depth)}${chain.map((j) => names[j]).join(' > ')}`);
    // One by one: a joint may have more children than a call takes arguments.
    for (const bone of children[chain[chain.length - 1]].reverse()) stack.push({ bone, depth: top.depth + 1 });
  }
  const hidden = lines.length - MAX_LINES;
  return hidden > 0 ? `${lines.slice(0, MAX_LINES).join('\n')}\n… and ${hidden} more chains` : lines.join('\n');
}
