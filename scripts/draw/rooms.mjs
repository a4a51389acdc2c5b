// SPDX-License-Identifier: MIT
// The picture of the groups of src/ in ARCHITECTURE.md. src/tests/rooms.test.ts fails if a group is missing in it.
//
//   node scripts/draw/rooms.mjs docs/images/rooms.svg
import { writeFileSync } from 'node:fs';

const COLUMNS = [
  { title: 'vocabulary', color: '#e8eef7', groups: ['core'] },
  { title: 'what poses deform', color: '#e3f1ec', groups: ['deformers'] },
  {
    title: 'steps and edges',
    color: '#f3e8f4',
    groups: ['fit', 'measure', 'formats', 'draw', 'samples', 'runtimes'],
  },
  { title: 'methods', color: '#fdf0dc', groups: ['methods'] },
  { title: 'commands', color: '#fbe7e7', groups: ['jobs'] },
  { title: 'hosts and entries', color: '#ececec', groups: ['hosts', 'entry'] },
];
const [MARGIN, TOP, WIDTH, GAP, ROW, BOX] = [12, 44, 152, 18, 42, 34];

const rowCount = Math.max(...COLUMNS.map(({ groups }) => groups.length));
const columnHeight = rowCount * ROW + 8;
const width = 2 * MARGIN + COLUMNS.length * WIDTH + (COLUMNS.length - 1) * GAP;
const height = TOP + columnHeight + 34;
const middle = TOP + columnHeight / 2;
const label = 'The groups of src/, imports from right to left';
const parts = [
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif" font-size="14" role="img" aria-label="${label}">`,
  `<rect width="${width}" height="${height}" fill="#fff"/>`,
];
for (const [n, { title, color, groups }] of COLUMNS.entries()) {
  const x = MARGIN + n * (WIDTH + GAP);
  const center = x + WIDTH / 2;
  parts.push(`<rect x="${x}" y="${TOP}" width="${WIDTH}" height="${columnHeight}" rx="8" fill="${color}"/>`);
  parts.push(`<text x="${center}" y="30" text-anchor="middle" fill="#444">${title}</text>`);
  for (const [row, group] of groups.entries()) {
    const y = TOP + 8 + row * ROW;
    const box = `x="${x + 8}" y="${y}" width="${WIDTH - 16}" height="${BOX}" rx="5" fill="#fff" stroke="#888"`;
    const text = `x="${center}" y="${y + 22}" text-anchor="middle" font-family="ui-monospace, monospace" fill="#111"`;
    parts.push(`<rect ${box}/>`, `<text ${text}>${group}</text>`);
  }
  const arrow = `M${x - 2} ${middle} H${x - 14} m6 -5 l-6 5 l6 5`;
  if (n > 0) parts.push(`<path d="${arrow}" fill="none" stroke="#444" stroke-width="1.6"/>`);
}
const note =
  'Arrows point to what is imported. Methods do not import one another; gpu imports only math, model and extension.';
parts.push(`<text x="20" y="${height - 10}" fill="#444" font-size="12">${note}</text>`, '</svg>');
writeFileSync(process.argv[2], `${parts.join('\n')}\n`);
