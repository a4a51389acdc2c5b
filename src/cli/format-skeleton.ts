// SPDX-License-Identifier: MIT
import type { SkinnedModel } from '../model/asset.ts';
import type { Report } from '../recipe/report.ts';
import { formatBytes, formatCount, formatNumber } from './format-number.ts';
import type { Written } from './measure-written.ts';
import { unitOf } from './metric-list.ts';
import type { OpenedInput } from './open-input.ts';
import { formatTable } from './table.ts';

export interface SkeletonFacts {
  output: string;
  opened: OpenedInput;
  written: Written;
  model: SkinnedModel;
  bvhPaths: string[];
}

/** What came out, for people: the file, the tree of joints, how far it is off, and what it took. */
export function formatSkeleton(report: Report, { output, opened, written, model, bvhPaths }: SkeletonFacts): string {
  const { result, seconds, threads } = report;
  const { error, clips, influences, blendsPerVertex } = written;
  const input = report.inputs[0];
  const frames = clips.reduce((sum, clip) => sum + clip.error.frameCount, 0);
  const unit = unitOf('length', opened.asset.metresPerUnit);
  const bones = formatCount(Number(result.bones), 'bone');
  const roots = Number(result.bodies) > 1 ? `, ${result.bodies} roots` : '';
  const blends = `${formatCount(influences, 'influence')} (${formatNumber(blendsPerVertex, 3)} on average)`;
  const moves = `${input.kind}, ${input.vertices} vertices, ${formatCount(frames, 'frame')}`;
  const head = formatTable([
    ['before', formatBytes(input.bytes), moves, opened.input],
    ['after', formatBytes(report.bytes.file ?? 0), `${bones}${roots}, ${blends}`, output],
    ...bvhPaths.map((path) => ['', '', 'the motion as BVH', path]),
  ]);
  const outside = Number(result.outside);
  const placed = Number(result.outsideBefore) - outside;
  const rows = [
    ['RMSE', `${formatNumber(error.rmse)} ${unit}`, `${formatNumber(error.rmsePercent)} % of the box diagonal`],
    [
      'max',
      `${formatNumber(error.max)} ${unit}`,
      `${formatNumber((100 * error.max) / error.diagonal)} % of the box diagonal`,
    ],
    ['E_RMS', formatNumber(error.eRms), ''],
    ['joints', String(result.joints), `${outside} outside the body${placed > 0 ? `, ${placed} placed inside` : ''}`],
  ];
  const phases = Object.entries(seconds).map(([phase, value]) => `${phase} ${formatNumber(value, 3)} s`);
  const work = `${result.status}: ${formatCount(Number(result.iterations), 'alternation')}\n${phases.join(', ')}; ${formatCount(threads, 'thread')}`;
  return `${head}\n${formatTable(rows)}\n${formatTree(model)}\n${work}`;
}

/** Most lines of a tree that people read. */
const MOST_LINES = 60;

/** The chains of a skeleton, one per line, indented by how far they are from the root. */
function formatTree({ skeleton: { names, parents } }: SkinnedModel): string {
  const children: number[][] = names.map(() => []);
  const roots: number[] = [];
  parents.forEach((p, j) => {
    (p < 0 ? roots : children[p]).push(j);
  });
  const lines: string[] = [];
  const visit = (bone: number, depth: number): void => {
    const chain = [bone];
    let at = bone;
    while (children[at].length === 1) {
      [at] = children[at];
      chain.push(at);
    }
    lines.push(`${'  '.repeat(depth)}${chain.map((j) => names[j]).join(' > ')}`);
    for (const child of children[at]) visit(child, depth + 1);
  };
  for (const root of roots) visit(root, 0);
  const hidden = lines.length - MOST_LINES;
  return hidden > 0 ? `${lines.slice(0, MOST_LINES).join('\n')}\n… and ${hidden} more chains` : lines.join('\n');
}
