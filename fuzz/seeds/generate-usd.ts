// SPDX-License-Identifier: MIT
import type { Random } from '../../src/core/math/random.ts';
import { pick } from '../fuzz-format.ts';

const NAMES = ['A', 'B', 'C', 'D', 'E'];
const ARCS = ['references', 'payload', 'inherits', 'specializes'];
const CODES = ['-1', '0', '1', '2', '10', '24'];
const HOSTILE_CODES = ['1000', '-1e300', '1e9', '1e300', 'nan', 'inf'];
const RATES = ['1', '2', '24', '-1'];
const HOSTILE_RATES = ['0', '1e9', '1e-9', 'nan'];

/** One of this many stages has many arcs per prim, which multiply; the others have few, so that many stages are read in a second. */
const DENSE_SHARE = 32;

/** How many arcs the prims of a stage have. */
interface Density {
  /** One of this many prims has an arc of a kind. */
  share: number;
  /** Maximum number of targets of an arc. */
  targets: number;
}
const DENSE: Density = { share: 3, targets: 3 };
const SPARSE: Density = { share: 8, targets: 2 };

const pickCode = (random: Random): string => pick(random, random.below(50) === 0 ? HOSTILE_CODES : CODES);
const pickRate = (random: Random): string => pick(random, random.below(10) === 0 ? HOSTILE_RATES : RATES);

/**
 * A hostile stage: prims that refer to one another by every kind of arc, within the file and across files, with variants, offsets of time, and samples at any time
 * codes. Other files of the stage have the same text.
 */
export function generateUsd(random: Random): Uint8Array<ArrayBuffer> {
  const lines = ['#usda 1.0', '('];
  if (random.below(2)) lines.push(`  defaultPrim = "${pick(random, NAMES)}"`);
  if (random.below(4) === 0) lines.push(`  timeCodesPerSecond = ${pickRate(random)}`);
  if (random.below(40) === 0) lines.push('  subLayers = [@./x.usda@]');
  lines.push(')');
  const count = 1 + random.below(NAMES.length);
  const density = random.below(DENSE_SHARE) === 0 ? DENSE : SPARSE;
  for (let n = 0; n < count; n++) addPrim(random, lines, { name: NAMES[n], depth: 0, density });
  return new TextEncoder().encode(`${lines.join('\n')}\n`);
}

interface PrimPlace {
  name: string;
  depth: number;
  density: Density;
}

function addPrim(random: Random, lines: string[], { name, depth, density }: PrimPlace): void {
  const pad = '  '.repeat(depth);
  const kind = pick(random, ['Xform', 'Mesh', 'Scope', 'SkelRoot', '']);
  const isMesh = kind === 'Mesh' || depth === 0;
  const metadata = random.below(3) === 0 ? listArcs(random, name, density) : [];
  const head = `${pad}${pick(random, ['def', 'def', 'def', 'over', 'class'])} ${isMesh ? 'Mesh' : kind} "${name}"`;
  lines.push(metadata.length > 0 ? `${head} (${metadata.join('\n')})` : head, `${pad}{`);
  if (isMesh) addMesh(random, lines, pad);
  if (random.below(3) === 0) {
    const samples = Array.from({ length: 1 + random.below(3) }, () => `${pickCode(random)}: (0, 1, 0)`);
    lines.push(`${pad}  double3 xformOp:translate.timeSamples = { ${samples.join(', ')} }`);
    lines.push(`${pad}  uniform token[] xformOpOrder = ["xformOp:translate"]`);
  }
  const children = depth < 2 ? random.below(3) : 0;
  for (let n = 0; n < children; n++) addPrim(random, lines, { name: `c${n}`, depth: depth + 1, density });
  if (random.below(6) === 0)
    lines.push(`${pad}  variantSet "v" = { "a" { def Xform "w" (references = </${pickTarget(random, name)}>) {} } }`);
  lines.push(`${pad}}`);
}

/** A prim after another, so that few stages refer to themselves; sometimes any. */
function pickTarget(random: Random, from: string): string {
  const after = NAMES.slice(NAMES.indexOf(from) + 1);
  return after.length > 0 && random.below(16) > 0 ? pick(random, after) : pick(random, NAMES);
}

/** Arcs to prims of this file or of others, one or several, with offsets. */
function listArcs(random: Random, from: string, density: Density): string[] {
  const list: string[] = [];
  for (const arc of ARCS) {
    if (random.below(density.share) > 0) continue;
    const isFile = arc === 'references' || arc === 'payload';
    const targets = Array.from({ length: 1 + random.below(density.targets) }, () => {
      const asset =
        isFile && random.below(8) === 0 ? pick(random, ['@./x.usda@', '@./y.usda@', '@../z.usda@', '@@']) : '';
      const offset =
        isFile && random.below(5) === 0 ? ` (offset = ${pickCode(random)}; scale = ${pickRate(random)})` : '';
      return `${asset}</${pickTarget(random, from)}${random.below(4) === 0 ? '/c0' : ''}>${offset}`;
    });
    const value = targets.length === 1 ? targets[0] : `[${targets.join(', ')}]`;
    list.push(`${pick(random, ['', 'prepend ', 'append ', 'add '])}${arc} = ${value}`);
  }
  if (random.below(6) === 0) list.push('variants = { string v = "a" }', 'prepend variantSets = "v"');
  if (random.below(6) === 0) list.push('instanceable = true');
  return list;
}

function addMesh(random: Random, lines: string[], pad: string): void {
  const count = random.below(24) === 0 ? 300 : 3;
  const points = `[${Array.from({ length: count }, (_, n) => `(${n % 2}, ${n % 3}, ${random.below(3)})`).join(', ')}]`;
  lines.push(
    `${pad}  int[] faceVertexCounts = [3]`,
    `${pad}  int[] faceVertexIndices = [0, 1, ${random.below(20) === 0 ? pick(random, ['299', '-1']) : 2}]`,
    `${pad}  point3f[] points = ${points}`,
  );
  if (random.below(3) > 0) return;
  const samples = Array.from({ length: 1 + random.below(3) }, () => `${pickCode(random)}: ${points}`);
  lines.push(`${pad}  point3f[] points.timeSamples = { ${samples.join(', ')} }`);
}
