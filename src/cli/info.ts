// SPDX-License-Identifier: MIT
import { type AssetFacts, inspect } from '../recipe/inspect.ts';
import { reportInputOf } from '../recipe/report.ts';
import { shortName } from './clean-text.ts';
import { addReadOptions, type ClipOptions } from './clip-options.ts';
import type { CommandSpec, Context } from './command.ts';
import { EXIT_DONE } from './exit-status.ts';
import { formatBytes, formatCount, formatMean, formatNumber } from './format-number.ts';
import { openInput } from './open-input.ts';
import { checkResults, saveResults } from './save-results.ts';
import { formatTable } from './table.ts';

/** Longer lists end in "and n more"; --json has all. */
const MOST_LISTED = 24;

export const infoCommand: CommandSpec<ClipOptions> = {
  name: 'info',
  summary: 'say what a file holds, and whether it looks skinnable',
  description:
    'Says what a file holds: vertices, parts, bones and influences, animations, size; and whether it looks skinnable.',
  arguments: [{ name: '<input>', description: "a file, rest.obj+motion.pc2, or 'frames/*.obj'" }],
  examples: [
    { line: 'info model.glb', does: 'vertices, bones, influences, animations, size' },
    { line: 'info rest.obj+motion.pc2 --fps 30', does: 'a mesh with its point cache' },
    { line: "info 'frames/*.obj' --json", does: 'a sequence, as JSON' },
  ],
  configure: addReadOptions,
  async run(context) {
    const { asset, input, paths } = await context.phase('read', () => openInput(context.args[0], context));
    await checkResults(context, [], paths);
    const facts = await context.phase('inspect', () => inspect(asset));
    context.tell({ input, files: paths, ...facts });
    context.say(formatFacts(input, facts, context));
    await saveResults(context, [], paths, { inputs: [reportInputOf(input, asset)] });
    return EXIT_DONE;
  },
};

function formatFacts(input: string, facts: AssetFacts, { colors }: Context): string {
  const text = [colors.bold(formatTable([[input]]).trimEnd()), '\n', formatTable(listFacts(facts), { indent: '  ' })];
  if (facts.mesh.parts.length > 1) {
    const rows = facts.mesh.parts.map((p, n) => [
      String(n),
      shortName(p.name),
      shortName(p.material) || '-',
      String(p.vertices),
      String(p.triangles),
    ]);
    text.push('\n', formatList(['part', 'name', 'material', 'vertices', 'triangles'], rows, 'rllrr', colors.bold));
  }
  if (facts.animations.length > 0) {
    const rows = facts.animations.map((a, n) => [
      String(n),
      shortName(a.name) || '-',
      `${formatNumber(a.duration)} s`,
      String(a.tracks),
      String(a.keys),
      String(a.frames),
      formatNumber(a.fps),
    ]);
    const heading = ['animation', 'name', 'duration', 'tracks', 'keys', 'frames', 'fps'];
    text.push('\n', formatList(heading, rows, 'rlrrrrr', colors.bold));
  }
  if (facts.clips.length > 0) {
    const rows = facts.clips.map((c, n) => [
      String(n),
      shortName(c.name) || '-',
      `${formatNumber(c.duration)} s`,
      String(c.frames),
      formatNumber(c.fps),
    ]);
    text.push('\n', formatList(['clip', 'name', 'duration', 'frames', 'fps'], rows, 'rlrrr', colors.bold));
  }
  text.push('\n', facts.skinnable, '\n');
  return text.join('');
}

function listFacts({ mesh, size, rig, ...facts }: AssetFacts): string[][] {
  const length = (value: number) => {
    const metres = size.metresPerUnit === undefined ? undefined : value * size.metresPerUnit;
    return `${formatNumber(value)}${metres === undefined ? '' : size.metresPerUnit === 1 ? ' m' : ` (${formatNumber(metres)} m)`}`;
  };
  const corner = (point: number[]) => point.map((value) => formatNumber(value)).join(' ');
  const rows = [
    ['kind', facts.kind],
    ['file size', `${formatBytes(facts.bytes)} (${facts.bytes} bytes)`],
    ['vertices', `${mesh.vertices}, ${mesh.weldedVertices} once welded`],
    ['triangles', String(mesh.triangles)],
    ['connected parts', String(mesh.connectedParts)],
    ['degenerate triangles', String(mesh.degenerateTriangles)],
    ['unreferenced vertices', String(mesh.unreferencedVertices)],
    ['height', `${length(size.height)} along ${size.up}`],
    ['box', `${corner(size.min)} to ${corner(size.max)}, diagonal ${length(size.diagonal)}`],
    ['enclosing ball', `radius ${length(size.ballRadius)}`],
  ];
  if (size.metresPerUnit === undefined) rows.push(['unit', 'not said by the file']);
  if (rig) {
    rows.push([
      'bones',
      `${rig.bones} (${formatCount(rig.joints, 'joint')}, ${rig.weightedJoints} of which carry weight)`,
    ]);
    rows.push([
      'influences',
      `at most ${rig.maxInfluences} per vertex, ${formatNumber(rig.meanInfluences, 3)} on average`,
    ]);
  }
  if (facts.ddm) {
    const { variant, entriesPerVertex, iterations, lambda, kappa, alpha } = facts.ddm;
    const made = `iterations ${iterations}, lambda ${formatNumber(lambda)}, kappa ${formatNumber(kappa)}, alpha ${formatNumber(alpha)}`;
    rows.push([
      'direct delta mush',
      `variant ${variant}, ${formatMean(entriesPerVertex, 'entry', 'entries')} per vertex (${made})`,
    ]);
  }
  if (facts.twoLayer) {
    const { virtualBones, maxInfluences, meanInfluences } = facts.twoLayer;
    const influences = `at most ${maxInfluences} per vertex, ${formatNumber(meanInfluences, 3)} on average`;
    rows.push(['two layers', `${formatCount(virtualBones, 'virtual bone')}, ${influences}`]);
  }
  if (facts.helpers) rows.push(['helper bones', `${facts.helpers}, with controllers`]);
  if (facts.correction) {
    const { rank, normalRule, frames } = facts.correction;
    const normals = normalRule ? `, normals too (${normalRule})` : '';
    rows.push(['corrections', `rank ${rank} over ${formatCount(frames, 'frame')}${normals}`]);
  }
  if (facts.morphTargets > 0) rows.push(['morph targets', String(facts.morphTargets)]);
  rows.push(['normals', mesh.hasNormals ? 'yes' : 'no']);
  rows.push(['attributes', listNames(mesh.attributes.map((a) => `${shortName(a.name)} (${a.size})`))]);
  rows.push(['materials', listNames(mesh.materials)]);
  if (facts.animations.length > 0) rows.push(['animations', String(facts.animations.length)]);
  for (const clip of facts.clips.slice(0, 1)) {
    rows.push([
      'frames',
      `${clip.frames}${facts.clips.length > 1 ? `, and ${formatCount(facts.clips.length - 1, 'more clip')}` : ''}`,
    ]);
  }
  return rows;
}

function listNames(names: string[]): string {
  const shown = names.slice(0, MOST_LISTED).map((name) => shortName(name) || '-');
  const more = names.length - shown.length;
  return (more > 0 ? `${shown.join(', ')} and ${more} more` : shown.join(', ')) || 'none';
}

function formatList(heading: string[], rows: string[][], align: string, paint: (text: string) => string): string {
  const shown = rows.slice(0, MOST_LISTED);
  const more = rows.length - shown.length;
  const table = formatTable([heading, ...shown], { align, indent: '  ', heading: paint });
  return more > 0 ? `${table}  and ${more} more\n` : table;
}
