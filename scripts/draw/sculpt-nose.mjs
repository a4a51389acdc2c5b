// SPDX-License-Identifier: MIT
// The edit of docs/guide/editing.md: a long nose on an animal that looks along +z, as OBJ. The vertices are those of the input, in order.
//
//   ossify bake cat.glb rest.obj --rest-pose
//   node scripts/draw/sculpt-nose.mjs rest.obj ogre.obj
import { readFileSync, writeFileSync } from 'node:fs';

/** Length of the nose and radius of its root, relative to the height. */
const LENGTH = 0.16;
const RADIUS = 0.028;

const [from, to] = process.argv.slice(2);
const lines = readFileSync(from, 'utf8').split('\n');
const points = lines.filter((line) => line.startsWith('v ')).map((line) => line.split(/\s+/).slice(1, 4).map(Number));
const heights = points.map(([, y]) => y);
const height = heights.reduce((a, b) => Math.max(a, b)) - heights.reduce((a, b) => Math.min(a, b));
const tip = points.reduce((best, point) => (point[2] > best[2] ? point : best));
const sculpt = (point) => {
  const squared = point.reduce((sum, x, r) => sum + (x - tip[r]) ** 2, 0);
  const along = LENGTH * height * Math.exp(-squared / (2 * (RADIUS * height) ** 2));
  return along < 1e-4 * height ? point : [point[0], point[1] - 0.35 * along, point[2] + along];
};
const edited = lines.map((line) =>
  line.startsWith('v ') ? `v ${sculpt(line.split(/\s+/).slice(1, 4).map(Number)).join(' ')}` : line,
);
writeFileSync(
  to,
  edited
    .filter((line) => !line.startsWith('vn '))
    .join('\n')
    .replace(/(\d+)\/(\d*)\/\d+/g, (_, v, t) => (t ? `${v}/${t}` : v)),
);
