// SPDX-License-Identifier: MIT
// The pictures of src/methods/compress/README.md, after Figures 5, 8 and 9 of Le et al. 2021: virtual bones as cubes, errors per frame, errors on the worst frame.
//
//   ossify compress rig.glb out.glb --virtual-bones 100,200,500 --report report.json
//   node scripts/draw/compression.mjs rig.glb report.json docs/images/ddm-compression
//
// writes …-bones.png and …-errors.svg. Run `npm run build` first; OSSIFY_DIST names another build.
import { readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const DIST = process.env.OSSIFY_DIST
  ? pathToFileURL(`${process.env.OSSIFY_DIST}/`)
  : new URL('../../dist/', import.meta.url);
const load = async (path) => import(new URL(path, DIST).href);
const { readAsset } = await load('formats/assets/read-asset.js');
const { fitCamera, makeContactSheet, makePlot, renderView, writePng } = await load('entry/draw.js');
const { blendPixel } = await load('draw/image/image.js');
const { paletteColor } = await load('draw/image/palette.js');

const SIZE = { width: 400, height: 420 };
/** Colours that are told apart; then they begin anew. */
const COLORS = 12;
const PLOT = { width: 860, height: 250 };
/** Half a cube's side, in parts of the model's height. */
const HALF = 0.0065;
const FACES = [
  0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4, 2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5,
];

const [rigPath, reportPath, stem] = process.argv.slice(2);
const open = async (path) => readAsset([{ name: path, bytes: new Uint8Array(readFileSync(path)) }]);
const report = JSON.parse(readFileSync(reportPath, 'utf8'));
const rig = await open(rigPath);
const files = report.result.ladder ?? [{ path: report.output, result: report.result, metrics: report.metrics }];

/** cₖ = Σ a² u / Σ a², as §6.1 draws them; virtual bones without a vertex are left out. */
function listCenters({ mesh, skin, centers }) {
  const count = centers.length / 3;
  const sums = new Float64Array(4 * count);
  for (let i = 0; i + 1 < skin.rowStart.length; i++) {
    for (let e = skin.rowStart[i]; e < skin.rowStart[i + 1]; e++) {
      const square = skin.weights[e] ** 2;
      const o = 4 * skin.boneIndices[e];
      for (let c = 0; c < 3; c++) sums[o + c] += square * mesh.positions[3 * i + c];
      sums[o + 3] += square;
    }
  }
  return Array.from({ length: count }, (_, k) => [0, 1, 2].map((c) => sums[4 * k + c] / sums[4 * k + 3])).filter((v) =>
    v.every(Number.isFinite),
  );
}

function cubesOf(centers, half) {
  const positions = [];
  const triangles = [];
  const colors = [];
  centers.forEach((center, k) => {
    for (let corner = 0; corner < 8; corner++) {
      for (let c = 0; c < 3; c++) positions.push(center[c] + ((corner >> c) & 1 ? half : -half));
      colors.push(...paletteColor(k % COLORS));
    }
    triangles.push(...FACES.map((corner) => 8 * k + corner));
  });
  return { positions, triangles, colors };
}

/** Cubes over a faint body: those inside it are seen too. */
function drawBones(asset) {
  const { positions, triangles } = asset.mesh;
  const camera = fitCamera(positions, { ...SIZE, view: 'front', up: asset.up });
  const image = renderView({ positions, triangles }, { ...SIZE, camera, opacity: 0.55 });
  let [low, high] = [Infinity, -Infinity];
  for (let c = 1; c < positions.length; c += 3)
    [low, high] = [Math.min(low, positions[c]), Math.max(high, positions[c])];
  const scene = cubesOf(listCenters(asset.twoLayer), HALF * (high - low));
  const over = renderView(scene, { ...SIZE, camera, transparent: true, ground: false, occlusion: false, flat: true });
  for (let y = 0; y < over.height; y++) {
    for (let x = 0; x < over.width; x++) {
      const o = 4 * (y * over.width + x);
      const [r, g, b, a] = over.pixels.subarray(o, o + 4);
      if (a > 0) blendPixel(image, x, y, [r / 255, g / 255, b / 255], a / 255);
    }
  }
  return image;
}

const cells = [];
for (const { path, result } of files)
  cells.push({ image: drawBones(await open(path)), caption: `${result.virtualBones} virtual bones` });
writeFileSync(`${stem}-bones.png`, writePng(makeContactSheet(cells)));

const height = (100 * report.metrics.rmse) / report.metrics.rmseOfHeight;
const plots = files.map(({ result, metrics: { perFrame } }, n) => {
  const percent = (values) => values.map((value) => (100 * value) / height);
  const { svg } = makePlot({
    ...PLOT,
    x: perFrame.rms.map((_, k) => k),
    xLabel: `frame, with ${result.virtualBones} virtual bones`,
    yLabel: '% of height',
    bands: [
      {
        label: 'quartiles',
        low: percent(perFrame.q1),
        high: percent(perFrame.q3),
        color: '#3f9b46',
      },
    ],
    series: [
      { label: 'median', values: percent(perFrame.median), color: '#3f9b46' },
      { label: 'RMS', values: percent(perFrame.rms), color: '#3a6fd8' },
      { label: 'maximum', values: percent(perFrame.max), color: '#d8443a' },
    ],
  });
  return svg.replace('<svg ', `<svg y="${n * PLOT.height}" `);
});
writeFileSync(
  `${stem}-errors.svg`,
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${PLOT.width} ${PLOT.height * plots.length}" width="${PLOT.width}" height="${PLOT.height * plots.length}" role="img" aria-label="error per frame, by the number of virtual bones">${plots.join('')}</svg>\n`,
);
console.log(`${rig.name}: ${files.length} models, ${stem}-bones.png and ${stem}-errors.svg`);
