// SPDX-License-Identifier: MIT
// The page of the size suite: how bytes are spent, a table and two plots per clip, and the parts of the codec.

import { makePlot, type PlotSeries } from '../../src/entry/draw.ts';
import { formatNumber } from '../../src/entry/index.ts';
import { formatMachine, type Machine } from '../../src/hosts/cli/index.ts';
import type { PageFile } from '../shared/bench-suite.ts';
import { DECODE_RUNS, SIZE_METHODS, type SizeMethod } from './size-methods.ts';
import type { SizeResults } from './size-suite.ts';

const COLORS: Partial<Record<SizeMethod, string>> = {
  [SIZE_METHODS.small]: '#2b6cb0',
  [SIZE_METHODS.compact]: '#c53030',
  [SIZE_METHODS.brotli]: '#63b3ed',
  [SIZE_METHODS.plain]: '#c05621',
  [SIZE_METHODS.pca]: '#2f855a',
  [SIZE_METHODS.morphs]: '#805ad5',
  [SIZE_METHODS.morphsMeshopt]: '#b794f4',
  [SIZE_METHODS.texture16]: '#b7791f',
  [SIZE_METHODS.texture8]: '#ecc94b',
  [SIZE_METHODS.alembic]: '#718096',
};
const SHORT: Partial<Record<SizeMethod, string>> = {
  [SIZE_METHODS.small]: '--for size',
  [SIZE_METHODS.compact]: '--codec ossify',
  [SIZE_METHODS.brotli]: 'Brotli',
  [SIZE_METHODS.plain]: '--meshopt',
  [SIZE_METHODS.pca]: 'PCA codec',
  [SIZE_METHODS.morphs]: 'morphs',
  [SIZE_METHODS.morphsMeshopt]: 'morphs, meshopt',
  [SIZE_METHODS.texture16]: 'texture 16',
  [SIZE_METHODS.texture8]: 'texture 8',
  [SIZE_METHODS.alembic]: 'Alembic',
};
const LINEAR: readonly SizeMethod[] = [
  SIZE_METHODS.small,
  SIZE_METHODS.compact,
  SIZE_METHODS.brotli,
  SIZE_METHODS.plain,
  SIZE_METHODS.pca,
];
/** Logarithmic axes start at 10 kB. Their plots have the longer legend. */
const LOG_START = 4;
const LOG_WIDTH = 1120;
/** Distortions of decoded files may exceed the required one by the rounding of positions to floats. */
const TOLERANCE = 1.002;

/** The page (size.md) and its plots. */
export function makeSizePage(clips: readonly SizeResults[], machine: Machine, date: Date): PageFile[] {
  const files: PageFile[] = [];
  const sections = clips.map((results) => {
    const { clip, vertices, triangles, frames, publishedRatio } = results;
    const linear = `images/size-${clip}.svg`;
    const all = `images/size-${clip}-all.svg`;
    files.push({ name: linear, text: plotOf(results, LINEAR, false) });
    files.push({ name: all, text: plotOf(results, Object.keys(COLORS) as SizeMethod[], true) });
    const facts = `${vertices} vertices, ${triangles} triangles, ${frames} frames. 1 % here is ${formatNumber(publishedRatio, 2)} % with the denominator of published codecs.`;
    return `## ${clip}\n\n${facts}\n\n${tableOf(results)}\n\n![${clip}: kilobytes over distortion](${linear})\n![${clip}: bytes of all methods over distortion, logarithmic](${all})\n`;
  });
  const day = date.toISOString().slice(0, 10);
  const page = `${INTRODUCTION}
Measured on ${day}: ${formatMachine(machine)}.

${sections.join('\n')}
${codecSection(clips)}`;
  return [{ name: 'size.md', text: page }, ...files];
}

const INTRODUCTION = `# File size against error

\`\`\`sh
ossify decompose rest.obj+motion.pc2 out.glb --for size --kg 1                  # the smallest GLB with a distortion of 1 %
ossify decompose rest.obj+motion.pc2 out.glb --for size --kg 1 --codec ossify   # half of it, by our own codec
ossify bench size --page docs/benchmarks/size.md                                          # writes this page
\`\`\`

The error is the distortion of Karni and Gotsman, in percent: 100·‖P − P̂‖ / ‖P − P_avg‖ over all positions of all frames, P_avg the time average of each point ([metrics](../reference/metrics.md)). Every file is
decoded again and measured. All methods store positions and triangles only: \`--shading flat\`, no normals, no UVs. kB are 1000 bytes; *bits* are bits per vertex and frame.

| method | content |
|---|---|
| \`decompose --for size\` | GLB with a skin: Draco mesh, meshopt animation, rounded weights. Loaders need both decoders. The Brotli size is what a server with \`Content-Encoding: br\` sends. |
| \`decompose --quantize --meshopt --keys\` | GLB with a skin, with the number of bones that the same distortion needs. |
| \`decompose --for size --codec ossify\` | GLB with the same skin as one stream of our own codec ([OSSIFY_compact_skin](../formats/extensions/OSSIFY_compact_skin.md)), from the same solve. |
| PCA codec | Principal components of vertex trajectories after Váša and Skala (CoDDyaC, 2007; COBRA, 2009), implemented in \`bench/size/pca-codec.ts\` with a range coder. No loader reads it, and a player needs the positions of all frames in memory, or a sum over all components for each vertex and frame. Triangles are stored by our codec; the rows that are recorded here have them as a Draco stream with positions of one bit. |
| morph targets | GLB with a target per frame, as floats; with meshopt: \`--quantize --meshopt\`. |
| vertex texture | A texel of four channels per vertex and frame, without the mesh that it belongs to. PNG: three channels, rows as differences between frames. |
| Alembic | Ogawa archive, positions as floats. |

Published codecs use another denominator for the same name: the distance of points from the mean of *each frame* ([note of the authors](http://meshcompression.org/index.php/random-stuff/12-kg-error)). The same percentage is
then another error, so their rates are not listed here; the factor between both is given for each clip. An entropy estimate of a PCA codec that was made before this implementation gave 40 kB for horse-gallop and 169 kB for samba at 1 %, and 121 kB for pdance at 0.2 %.

## How the bytes are spent

**Bones** may have 72 % of the error; the rest is rounding. **Weights** are rounded in the fit: with 36 bones of horse-gallop, 0.84 % before rounding, each weight rounded by itself to 1/255 gives 1.27 %, to 1/17 gives 3.3 %; by descent on
the exact error, with rest positions and bones fitted again, 1/17 gives 1.15 %. **Steps of motion** follow from the vertices that they move: a number of a key moves m vertices in one frame, a coordinate at rest moves one vertex in all K frames, so
squared steps relate as 1/m to 1/K. **A hierarchy** of bones, each a child of a bone that it nearly follows, is written where it makes the file smaller: pdance, 86.4 to 81.5 kB; horse-gallop and samba would grow by 1.6 and 3 %, since errors of parents move their children.
**JSON** is a third of the standard file of horse-gallop: two tracks of a bone need 340 bytes of accessors, samplers and channels. The codec has no such JSON.

## Importers

| importer | standard file | file of \`--codec ossify\` |
|---|---|---|
| \`ossify\`, the studio | yes | yes |
| three.js, GLTFLoader | with DRACOLoader and MeshoptDecoder | with \`compactSkinPlugin\` or \`ossifyPlugin\`: positions within 2e-5 of the diagonal of our reader's, in Node and in a browser (\`src/runtimes/three\`) |
| Blender 3.4.1 | no: it does not know EXT_meshopt_compression, and Debian's build has no Draco library | after \`ossify bake\` or \`expandGlb\`. horse-gallop: vertices within 6e-7 of 2.3 units at keys, 4e-4 between keys, where Blender interpolates the numbers of quaternions |
| Babylon.js 7.54.3 | yes, with its Draco and meshopt decoders. horse-gallop: within 5e-6 of 2.3 units of our reader | after \`ossify bake\` or \`expandGlb\`: within 4e-7 |
| others | if they know KHR_draco_mesh_compression and EXT_meshopt_compression | after \`ossify bake\` or \`expandGlb\` |
`;

function tableOf({ vertices, frames, files }: SizeResults): string {
  const order = Object.values(SIZE_METHODS);
  const lines = order.flatMap((method) =>
    files
      .filter((file) => file.method === method)
      .map(({ required, bytes, distortion, details }) =>
        [
          method,
          required === undefined ? '–' : formatNumber(required),
          formatNumber(distortion, 3),
          formatNumber(bytes / 1000, 3),
          formatNumber((8 * bytes) / vertices / frames, 3),
          details?.bones ? `${details.bones} bones` : details?.vectorCount ? `${details.vectorCount} vectors` : '',
        ].join(' | '),
      ),
  );
  return [
    '| method | required % | measured % | kB | bits | model |',
    '|---|---|---|---|---|---|',
    ...lines.map((line) => `| ${line} |`),
  ].join('\n');
}

/** Kilobytes, or the logarithm of bytes, over the distortion: a line per method. Methods with one size are lines from their own distortion on. */
function plotOf({ files }: SizeResults, methods: readonly SizeMethod[], isLogarithmic: boolean): string {
  const required = [...new Set(files.flatMap((file) => file.required ?? []))].sort((a, b) => a - b);
  const height = (bytes: number) => (isLogarithmic ? Math.log10(bytes) : bytes / 1000);
  const series = methods.flatMap((method): PlotSeries[] => {
    const own = files.filter((file) => file.method === method);
    if (own.length === 0) return [];
    const values = required.map((kg) => {
      const file = own.find((one) => one.required === kg || one.required === undefined);
      return file && file.distortion <= TOLERANCE * kg ? height(file.bytes) : Number.NaN;
    });
    return [{ label: SHORT[method] ?? method, values, color: COLORS[method] ?? '#000000' }];
  });
  return makePlot({
    ...{ x: required, xLabel: 'distortion, percent', series },
    ...(isLogarithmic ? { yLabel: 'log10 of bytes', yMin: LOG_START, width: LOG_WIDTH } : { yLabel: 'kilobytes' }),
  }).svg;
}

/** The codec against the standard file. */
function codecSection(clips: readonly SizeResults[]): string {
  const kilobytes = (bytes: number | undefined) => formatNumber((bytes ?? 0) / 1000, 3);
  const lines = clips.flatMap(({ clip, files }) =>
    files
      .filter(({ method }) => method === SIZE_METHODS.compact)
      .map((own) => {
        const find = (method: SizeMethod) =>
          files.find((file) => file.method === method && file.required === own.required)?.bytes;
        const { meshes, motion, json, other, decodeMilliseconds = Number.NaN } = own.details ?? {};
        const sizes = [find(SIZE_METHODS.small), find(SIZE_METHODS.brotli), own.bytes].map(kilobytes);
        const parts = [meshes, motion, (json ?? 0) + (other ?? 0)].map(kilobytes);
        return `| ${[clip, formatNumber(own.required!), ...sizes, ...parts, Number.isNaN(decodeMilliseconds) ? '–' : formatNumber(decodeMilliseconds, 2)].join(' | ')} |`;
      }),
  );
  return `## The codec

\`--codec ossify\` writes the extension [OSSIFY_compact_skin](../formats/extensions/OSSIFY_compact_skin.md). *Decode* is the time from its bytes to plain glTF in memory on one core, for 10,000 vertices: the shortest of ${DECODE_RUNS} runs. The times that are recorded here are of a busy machine, with a load average of 10 to 17 on two cores.

| clip | % | standard kB | its Brotli kB | codec kB | meshes and weights | motion | the rest | decode ms |
|---|---|---|---|---|---|---|---|---|
${lines.join('\n')}
`;
}
