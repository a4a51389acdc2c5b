// SPDX-License-Identifier: MIT

import { shortName } from '../../core/model/plain-text.ts';
import {
  type AssetFacts,
  COMMON_OPTIONS,
  defineJob,
  formatBytes,
  formatCount,
  formatMean,
  formatNumber,
  inspect,
  type JobContext,
  READ_OPTIONS,
  type Report,
  type ReportTable,
  type SizeFacts,
} from '../engine/index.ts';

/** Longer lists are printed with "and n more"; --json lists all. */
const MAX_LISTED = 24;

export const infoJob = defineJob({
  name: 'info',
  title: 'Info',
  summary: 'describe a file, and whether it looks skinnable',
  description:
    'Describes a file: vertices, parts, bones and influences, animations, size; and whether it looks skinnable.',
  inputs: [{ name: 'input', description: "a file, rest.obj+motion.pc2, 'frames/*.obj' or a folder of frames" }],
  examples: [
    { line: 'info model.glb', does: 'vertices, bones, influences, animations, size' },
    { line: 'info rest.obj+motion.pc2 --fps 30', does: 'a mesh with its point cache' },
    { line: "info 'frames/*.obj' --json", does: 'a sequence, as JSON' },
  ],
  options: { ...READ_OPTIONS, ...COMMON_OPTIONS },
  async run(context) {
    const opened = await context.open(context.job.inputs[0], { topology: 'any' });
    await context.claim([]);
    const facts = await context.phase('inspect', () => inspect(opened.asset));
    noteFarAway(context, facts.size);
    return { inputs: [opened], files: [], result: { ...facts, paths: opened.paths } };
  },
  describe: describeFacts,
});

/** 32-bit numbers are this far apart, relative to their size. */
const SPACING = 2 ** -23;
/** Spacing of positions, relative to the size of the model, that is visible. */
const COARSE_RATIO = 1e-4;

function noteFarAway(context: Pick<JobContext, 'note'>, { min, max, diagonal }: SizeFacts): void {
  const spacing = SPACING * Math.max(...[...min, ...max].map(Math.abs));
  if (diagonal === 0 || spacing <= COARSE_RATIO * diagonal) return;
  const share = formatNumber((100 * spacing) / diagonal, 2);
  context.note(
    `the mesh is far from the origin, where positions are ${formatNumber(spacing, 2)} apart (${share} % of its size); move it to the origin before the export`,
  );
}

function describeFacts({ inputs, result }: Report): (ReportTable | string)[] {
  const facts = result as unknown as AssetFacts;
  const sections: (ReportTable | string)[] = [{ rows: [[inputs[0].name]] }, { rows: listFacts(facts) }];
  const add = (heading: string[], rows: string[][], align: string): void => {
    if (rows.length === 0) return;
    const shown = rows.slice(0, MAX_LISTED);
    sections.push({ rows: [heading, ...shown], align, hasHeading: true });
    if (rows.length > shown.length) sections.push(`and ${rows.length - shown.length} more`);
  };
  const { parts } = facts.mesh;
  add(
    ['part', 'name', 'material', 'vertices', 'triangles'],
    parts.length < 2
      ? []
      : parts.map((part, n) => [
          ...[String(n), shortName(part.name), shortName(part.material) || '-'],
          ...[String(part.vertices), String(part.triangles)],
        ]),
    'rllrr',
  );
  add(
    ['animation', 'name', 'duration', 'tracks', 'keys', 'frames', 'fps'],
    facts.animations.map((a, n) => [
      ...[String(n), shortName(a.name) || '-', `${formatNumber(a.duration)} s`],
      ...[String(a.tracks), String(a.keys), String(a.frames), formatNumber(a.fps)],
    ]),
    'rlrrrrr',
  );
  add(
    ['clip', 'name', 'duration', 'frames', 'fps'],
    facts.clips.map((c, n) => [
      ...[String(n), shortName(c.name) || '-', `${formatNumber(c.duration)} s`],
      ...[String(c.frames), formatNumber(c.fps)],
    ]),
    'rlrrr',
  );
  sections.push(facts.skinnable);
  return sections;
}

/** Lengths in file units, and in metres where they differ. */
function formatLength(value: number, { metresPerUnit }: SizeFacts): string {
  const metres = metresPerUnit === undefined ? undefined : value * metresPerUnit;
  return `${formatNumber(value)}${metres === undefined ? '' : metresPerUnit === 1 ? ' m' : ` (${formatNumber(metres)} m)`}`;
}

function listFacts(facts: AssetFacts): string[][] {
  const { mesh, animations } = facts;
  return [
    ...listShapeFacts(facts),
    ...listRigFacts(facts),
    ...listExtraFacts(facts),
    ['normals', mesh.hasNormals ? 'yes' : 'no'],
    ['attributes', listNames(mesh.attributes.map((a) => `${shortName(a.name)} (${a.size})`))],
    ['materials', listNames(mesh.materials)],
    ...(animations.length > 0 ? [['animations', String(animations.length)]] : []),
    ...listFrameFacts(facts),
  ];
}

function listShapeFacts({ mesh, size, kind, bytes, codecs, rigidPieces }: AssetFacts): string[][] {
  const length = (value: number) => formatLength(value, size);
  const corner = (point: number[]) => point.map((value) => formatNumber(value)).join(' ');
  return [
    ['kind', kind],
    ['file size', `${formatBytes(bytes)} (${bytes} bytes)`],
    ...(codecs ? [['codec', codecs.join(', ')]] : []),
    ['vertices', `${mesh.vertices}, ${mesh.weldedVertices} once welded`],
    ['triangles', String(mesh.triangles)],
    ['connected parts', String(mesh.connectedParts)],
    ...(rigidPieces === undefined ? [] : [['rigid pieces', String(rigidPieces)]]),
    ['degenerate triangles', String(mesh.degenerateTriangles)],
    ['unreferenced vertices', String(mesh.unreferencedVertices)],
    ['height', `${length(size.height)} along ${size.up}`],
    ['box', `${corner(size.min)} to ${corner(size.max)}, diagonal ${length(size.diagonal)}`],
    ['enclosing ball', `radius ${length(size.ballRadius)}`],
    ...(size.metresPerUnit === undefined ? [['unit', 'unknown']] : []),
  ];
}

/** Bones, and what deforms beside them. */
function listRigFacts({ rig, ddm, twoLayer, helpers }: AssetFacts): string[][] {
  const rows: string[][] = [];
  const influencesOf = ({ maxInfluences, meanInfluences }: { maxInfluences: number; meanInfluences: number }) =>
    `maximum ${maxInfluences} per vertex, ${formatNumber(meanInfluences, 3)} on average`;
  if (rig) {
    const joints = `${formatCount(rig.joints, 'joint')}, ${rig.weightedJoints} of which carry weight`;
    rows.push(['bones', `${rig.bones} (${joints})`], ['rig', rig.body.sentence], ['influences', influencesOf(rig)]);
  }
  if (ddm) {
    const { variant, entriesPerVertex, iterations, lambda, kappa, alpha } = ddm;
    const made = `iterations ${iterations}, lambda ${formatNumber(lambda)}, kappa ${formatNumber(kappa)}, alpha ${formatNumber(alpha)}`;
    rows.push([
      'direct delta mush',
      `variant ${variant}, ${formatMean(entriesPerVertex, 'entry', 'entries')} per vertex (${made})`,
    ]);
  }
  if (twoLayer)
    rows.push(['two layers', `${formatCount(twoLayer.virtualBones, 'virtual bone')}, ${influencesOf(twoLayer)}`]);
  if (helpers) rows.push(['helper bones', `${helpers}, with controllers`]);
  return rows;
}

function listExtraFacts({ correction, light, morphTargets }: AssetFacts): string[][] {
  const rows: string[][] = [];
  if (correction) {
    const { rank, normalRule, frames } = correction;
    const normals = normalRule ? `, normals too (${normalRule})` : '';
    rows.push(['corrective shapes', `rank ${rank} over ${formatCount(frames, 'frame')}${normals}`]);
  }
  if (light) rows.push(['light', `${light.kind}, rank ${light.rank} over ${formatCount(light.frames, 'frame')}`]);
  if (morphTargets > 0) rows.push(['morph targets', String(morphTargets)]);
  return rows;
}

function listFrameFacts({ sequence, clips }: AssetFacts): string[][] {
  const rows: string[][] = [];
  if (sequence) {
    const { frames, minVertices, maxVertices, duration, hasColors } = sequence;
    const colors = hasColors ? ', with colours' : '';
    rows.push([
      'frames',
      `${frames} over ${formatNumber(duration)} s, ${minVertices} to ${maxVertices} vertices${colors}`,
    ]);
  }
  for (const clip of clips.slice(0, 1)) {
    const more = clips.length > 1 ? `, and ${formatCount(clips.length - 1, 'more clip')}` : '';
    rows.push(['frames', `${clip.frames}${more}`]);
  }
  return rows;
}

function listNames(names: string[]): string {
  const shown = names.slice(0, MAX_LISTED).map((name) => shortName(name) || '-');
  const more = names.length - shown.length;
  return (more > 0 ? `${shown.join(', ')} and ${more} more` : shown.join(', ')) || 'none';
}
