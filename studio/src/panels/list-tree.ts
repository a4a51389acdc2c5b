// SPDX-License-Identifier: MIT

/** Nodes or bones in the order of their tree, each with its depth. */
export function listTree({ parents }: { parents: Int32Array }): { index: number; depth: number }[] {
  const children = Array.from({ length: parents.length }, (): number[] => []);
  const roots: number[] = [];
  parents.forEach((parent, index) => {
    (parent >= 0 ? children[parent] : roots).push(index);
  });
  const rows: { index: number; depth: number }[] = [];
  const stack = roots.map((index) => ({ index, depth: 0 })).reverse();
  for (let row = stack.pop(); row; row = stack.pop()) {
    rows.push(row);
    const { index, depth } = row;
    stack.push(...children[index].map((child) => ({ index: child, depth: depth + 1 })).reverse());
  }
  return rows;
}
