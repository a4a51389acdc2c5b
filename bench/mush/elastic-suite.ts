// SPDX-License-Identifier: MIT
// DDMC §7.7, Fig. 17 to 19: Direct Delta Mush beside elasticity-inspired skinning (Kavan and Sorkine 2012), bounded biharmonic weights and ARAP, on a bar.

import { compose, makeIdentities, multiply } from '../../src/core/math/mat4.ts';
import { quaternionFromAxisAngle } from '../../src/core/math/quaternion.ts';
import { renderScenes } from '../../src/draw/index.ts';
import { makeSwingTwist, type TwistDivision } from '../../src/entry/deform.ts';
import { writePng } from '../../src/entry/draw.ts';
import type { BenchRow, BenchSuite, PaperRowResult } from '../shared/bench-suite.ts';
import { makePaperPage } from '../shared/paper-page.ts';
import { type ElasticBar, makeElasticBar, measureVolume, POSES, poseBar } from './elastic-bar.ts';

const RESOLUTION = 1500;
const QUICK_RESOLUTION = 1000;
const JOINT = [0, 2, 0];
const HEIGHT = 4;
/** Bends around which flips are looked for, degrees. */
const BENDS = [45, 90, 135, 180];
const NEAR = 1;

export const elasticSuite: BenchSuite = {
  name: 'elastic',
  description: 'a bar bent, twisted and both by elastic, biharmonic, ARAP and DDM deformers: volume, distance, flips',
  async run({ quick }) {
    const start = performance.now();
    const bar = await makeElasticBar(quick ? QUICK_RESOLUTION : RESOLUTION);
    const rows = [...listVolumes(bar), ...listDistances(bar), ...listFlips(bar)];
    const milliseconds = performance.now() - start;
    return rows.map(
      (paper): BenchRow => ({
        case: `${paper.table}, ${paper.row}`,
        timings: { all: { least: milliseconds, mean: milliseconds, deviation: 0, runs: 1 } },
        figures: Object.fromEntries(paper.cells.map(({ column, ours }) => [column, ours ?? Number.NaN])),
        paper,
      }),
    );
  },
  async makePage(rows) {
    const [page] = makePaperPage('elastic', '', rows);
    const bar = await makeElasticBar(RESOLUTION);
    const tables = String(page.text).slice(String(page.text).indexOf('## '));
    return [
      { name: 'swing-twist.md', text: `${INTRODUCTION}\n${tables}` },
      { name: 'images/swing-twist.png', text: drawBars(bar) },
      { name: 'images/swing-twist-flip.png', text: drawFlip(bar) },
    ];
  },
};

/** Fig. 17: volume kept. */
function listVolumes(bar: ElasticBar): PaperRowResult[] {
  const rest = measureVolume(bar.mesh.positions, bar.mesh.triangles);
  const kept = (positions: Float32Array) => (100 * measureVolume(positions, bar.mesh.triangles)) / rest;
  return bar.deformers.map(({ name, deformer }) => ({
    table: 'DDMC, Fig. 17',
    caption: `Volume of the sample bar-joint (${bar.mesh.positions.length / 3} vertices) in percent of that at rest: bent by 90°, twisted by 120°, and both. The document shows pictures, no numbers.`,
    row: name,
    digits: 4,
    cells: Object.entries(POSES).map(([column, frame]) => ({ column, ours: kept(poseBar(bar, deformer, frame)) })),
    commands: [],
  }));
}

/** Fig. 18: bones without a hierarchy, distance from ARAP. */
function listDistances(bar: ElasticBar): PaperRowResult[] {
  const wanted = poseBar(bar, bar.reference, POSES.bend);
  return bar.unorganized.map(({ name, deformer }) => {
    const got = poseBar(bar, deformer, POSES.bend);
    let [sum, max] = [0, 0];
    for (let c = 0; c < got.length; c += 3) {
      const square = (got[c] - wanted[c]) ** 2 + (got[c + 1] - wanted[c + 1]) ** 2 + (got[c + 2] - wanted[c + 2]) ** 2;
      sum += square;
      max = Math.max(max, square);
    }
    return {
      table: 'DDMC, Fig. 18',
      caption:
        'The bar bent by two bones without a hierarchy: distance from as-rigid-as-possible deformation with the same handles, in percent of the height. Swing and twist need a joint; without one, the swing/twist deformer is linear blending.',
      row: name,
      cells: [
        { column: 'RMS', ours: (100 * Math.sqrt((3 * sum) / got.length)) / HEIGHT },
        { column: 'maximum', ours: (100 * Math.sqrt(max)) / HEIGHT },
      ],
      commands: [],
    };
  });
}

/** Fig. 19: the largest displacement of a vertex while the bend changes by two degrees. */
function listFlips(bar: ElasticBar): PaperRowResult[] {
  return (['quaternion', 'euler'] as const).map((division) => ({
    table: 'DDMC, Fig. 19',
    caption: `Largest motion of a vertex, in percent of the height, while the bend goes from ${NEAR}° below to ${NEAR}° above an angle; a rigid bone moves by 1.8 %. Twists by Euler angles flip where the middle angle passes 90°, and again at 180°; those of quaternions do not.`,
    row: `twist by ${division === 'euler' ? 'Euler angles' : 'quaternions'}`,
    cells: BENDS.map((angle) => {
      const [before, after] = [bentBar(bar, division, angle - NEAR), bentBar(bar, division, angle + NEAR)];
      let largest = 0;
      for (let c = 0; c < before.length; c += 3)
        largest = Math.max(
          largest,
          Math.hypot(after[c] - before[c], after[c + 1] - before[c + 1], after[c + 2] - before[c + 2]),
        );
      return { column: `${angle}°`, ours: (100 * largest) / HEIGHT };
    }),
    commands: [],
  }));
}

/** The bar bent about the middle axis of its Euler angles. */
function bentBar(bar: ElasticBar, division: TwistDivision, degrees: number): Float32Array {
  const { mesh, skeleton, elastic } = bar;
  const bones = makeIdentities(2);
  const [turn, away] = [new Float64Array(16), new Float64Array(16)];
  const q = [0, 0, 0, 1];
  quaternionFromAxisAngle([1, 0, 0], (degrees * Math.PI) / 180, q);
  compose(JOINT, q, [1, 1, 1], turn);
  compose(
    JOINT.map((x) => -x),
    [0, 0, 0, 1],
    [1, 1, 1],
    away,
  );
  multiply(turn, away, bones, 0, 0, 16);
  const positions = new Float32Array(mesh.positions.length);
  makeSwingTwist(mesh, skeleton, elastic.swing, { twist: elastic.twist, division }).deformInto({ bones }, positions);
  return positions;
}

const SHEET = {
  views: ['front'],
  size: { width: 240, height: 260 },
  background: 'light',
  opacity: 1,
  up: 'y',
} as const;

function drawBars(bar: ElasticBar): Uint8Array {
  const scenes = Object.entries(POSES).flatMap(([pose, frame]) =>
    bar.deformers.slice(1).map(({ name, deformer }) => ({
      scene: { positions: poseBar(bar, deformer, frame), triangles: bar.mesh.triangles },
      caption: `${name.replace('λ', 'lambda').replace('κ', 'kappa')}, ${pose}`,
    })),
  );
  return writePng(renderScenes({ scenes }, { ...SHEET, columns: bar.deformers.length - 1 }));
}

function drawFlip(bar: ElasticBar): Uint8Array {
  const scenes = (['quaternion', 'euler'] as const).flatMap((division) =>
    [85, 89, 91, 95].map((angle) => ({
      scene: { positions: bentBar(bar, division, angle), triangles: bar.mesh.triangles },
      caption: `${division}, ${angle}°`,
    })),
  );
  return writePng(renderScenes({ scenes }, { ...SHEET, views: ['three-quarter'], columns: 4 }));
}

const INTRODUCTION = `# Swing and twist, elastic and biharmonic weights

\`\`\`sh
ossify bench elastic --page docs/benchmarks/swing-twist.md             # writes this page and its pictures
ossify sample bar-joint bar.glb                                        # bends, twists, does both
ossify bake bar.glb bar.pc2 --deformer swing-twist --weights elastic   # any rig by any deformer
ossify bake bar.glb bar.pc2 --deformer linear --weights biharmonic
\`\`\`

\`\`\`ts
import { boundedBiharmonicWeights, solveElasticWeights } from 'ossify';
import { makeAsRigidAsPossible, makeSwingTwist } from 'ossify/deform';
\`\`\`

What Le et al. 2021 compare Direct Delta Mush with in §7.7. Rows: bent by 90°, twisted by 120°, both.

![The bar by every deformer](images/swing-twist.png)

- **Swing/twist** (\`deformers/rig-sources/swing-twist.ts\`; Kavan and Sorkine 2012): the rotation of a joint is divided into a twist about the bone and a swing. Swings are blended linearly, twists by their angle. A twisted limb keeps
  its volume, and a bent one does not bulge. Without twists it is linear blend skinning exactly. The paper leaves open how several joints are combined; the file says how it is done here.
- **Elasticity-inspired weights** (\`methods/reduce/per-vertex/solve-elastic-weights.ts\`): per joint, the weights that give sample swings the lowest elastic energy, and harmonic weights for twists. The energy is the as-rigid-as-possible one of the
  surface; the paper uses the volume.
- **Bounded biharmonic weights** (\`methods/reduce/per-vertex/bounded-biharmonic-weights.ts\`; Jacobson et al. 2011), on the surface instead of in the volume. Rows are convex, with exact zeros away from a handle; equal to an active set to 1e-4 on a
  small mesh (its test).
- **As rigid as possible** (\`deformers/rig-sources/as-rigid-as-possible.ts\`; Sorkine and Alexa 2007): a solve per pose, as a reference. On the surface it has no resistance against loss of volume.

**When not to use them**: the swing/twist deformer needs a hierarchy with rigid bones, and no game engine or glTF viewer has it; bake it, or convert the frames ([helper bones](../../src/methods/convert/README.md)).

**Flips.** The division into swing and twist by quaternions is undefined only where the swing is half a turn. With Euler angles, as many rigs have them, all three angles flip where the middle one passes 90°, and the limb jumps:

![A bend through 90 degrees](images/swing-twist-flip.png)
`;
