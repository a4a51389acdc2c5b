// SPDX-License-Identifier: MIT

/** A short name for files that were read together: "walk.obj + .pc2", "rest.obj + motion.pc2", "f01.obj and 99 more". */
export function titleFiles(names: readonly string[]): string {
  const [first, ...others] = names;
  if (others.length > 1) return `${first} and ${others.length} more`;
  const stem = first.replace(/\.[^.]*$/, '');
  return [first, ...others.map((name) => (name.startsWith(`${stem}.`) ? name.slice(stem.length) : name))].join(' + ');
}
