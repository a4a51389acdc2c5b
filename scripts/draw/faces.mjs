// SPDX-License-Identifier: MIT
// The figure of src/methods/faces/README.md that "ossify draw" does not make: the drivers as a matrix.
//
//   node scripts/draw/faces.mjs converted.glb docs/images
//
// Run `npm run build` first; OSSIFY_DIST names another build.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const DIST = process.env.OSSIFY_DIST
  ? pathToFileURL(`${process.env.OSSIFY_DIST}/`)
  : new URL('../../dist/', import.meta.url);
const load = async (path) => import(new URL(path, DIST).href);
const { readAsset } = await load('entry/index.js');
const { drawText } = await load('draw/image/text.js');
const { fillRectangle, makeImage } = await load('draw/image/image.js');
const { writePng } = await load('entry/draw.js');

const [converted, output] = process.argv.slice(2);
const asset = await readAsset([{ name: converted, bytes: new Uint8Array(readFileSync(converted)) }]);
const { drivers } = asset.driven;
const bones = asset.rig.skeleton.names.length;
const size = drivers.form === 'matrix' ? 12 : 9;

// one cell per shape and bone, as dark as the number of its non-zeros
const [CELL, LEFT, TOP] = [14, 190, 60];
const image = makeImage(LEFT + CELL * bones + 20, TOP + CELL * drivers.shapes.length + 20);
drawText(
  image,
  `${drivers.values.length} non-zeros: bones (columns) by shapes (rows), darker for more numbers of a matrix`,
  12,
  24,
  { size: 14 },
);
for (const [s, name] of drivers.shapes.entries()) {
  drawText(image, name, 12, TOP + CELL * s + 11, { size: 11 });
  const counts = new Float64Array(bones);
  for (let e = drivers.rowStart[s]; e < drivers.rowStart[s + 1]; e++) counts[Math.floor(drivers.columns[e] / size)]++;
  for (let j = 0; j < bones; j++) {
    const dark = counts[j] / size;
    const color = [0.94 - 0.82 * dark, 0.94 - 0.55 * dark, 0.96 - 0.35 * dark];
    fillRectangle(image, LEFT + CELL * j, TOP + CELL * s, CELL - 1, CELL - 1, color);
  }
}
writeFileSync(join(output, 'faces-drivers.png'), writePng(image));
