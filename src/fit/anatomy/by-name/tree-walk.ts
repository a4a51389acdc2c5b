// SPDX-License-Identifier: MIT

/** By joint, its children in order. */
export function listChildren(parents: Int32Array): number[][] {
  const children: number[][] = Array.from(parents, () => []);
  parents.forEach((parent, j) => {
    if (parent >= 0) children[parent].push(j);
  });
  return children;
}

/** By joint, the number of joints above it. */
export function depthsOf(parents: Int32Array): Int32Array {
  const depths = new Int32Array(parents.length);
  parents.forEach((parent, j) => {
    depths[j] = parent < 0 ? 0 : depths[parent] + 1;
  });
  return depths;
}
