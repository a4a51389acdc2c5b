// SPDX-License-Identifier: MIT
// Labels of a rig: from names where they explain a body, else from the shape. See label-by-name.ts, label-by-shape.ts and find-front.ts for the rules.
import type { Anatomy, BodyKind, JointLabel, Side } from './anatomy.ts';
import { labelByName } from './by-name/label-by-name.ts';
import { labelByShape } from './by-shape/label-by-shape.ts';
import { type Direction, frontOfShape, frontOfSides } from './find-front.ts';
import type { RigShape } from './rig-shape.ts';

export interface LabelOptions {
  /** Where the character faces, if it is known: decides the sides. */
  front?: Direction;
  /** Labels of names are not used. */
  shapeOnly?: boolean;
}

/** Height of the lowest point of arms above the ground relative to that of the thighs, below which they are front legs of a trunk that lies. */
const FRONT_LEG = 0.35;

/** Joints from which on a rig is no body. Pairs of bones are compared with one another. */
const MAX_JOINTS = 2000;

/** Labels the joints of a rig in its rest pose, given by `shapeOfSkin` or `shapeOfNodes`. */
export function labelJoints(shape: RigShape, options: LabelOptions = {}): Anatomy {
  if (shape.names.length > MAX_JOINTS)
    return {
      kind: 'none',
      labels: shape.names.map(() => undefined),
      front: [0, 0, 1],
      source: 'shape',
      missing: ['legs'],
    };
  const named = options.shapeOnly ? shape.names.map(() => undefined) : labelByName(shape);
  const found = options.shapeOnly || !explainsBody(shape, named) ? labelOfShape(shape, options) : undefined;
  if (!found || countOf(named) > countOf(found.labels)) {
    if (countOf(named) > 0) return anatomyOfNames(shape, named, options);
  }
  if (found) return found;
  return { kind: 'none', labels: named, front: options.front ?? [0, 0, 1], source: 'shape', missing: ['legs'] };
}

const countOf = (labels: readonly unknown[]): number => labels.filter((one) => one !== undefined).length;

/** Share of the joints with skin from which on their names are enough, whatever they name. */
const MOST = 0.6;

/** Whether names give a trunk and both legs, or several legs. */
function explainsBody({ masses }: RigShape, labels: readonly (JointLabel | undefined)[]): boolean {
  const skinned = labels.filter((_, j) => masses[j] > 0);
  if (skinned.length > 2 && countOf(skinned) > MOST * skinned.length) return true;
  const has = (part: JointLabel['part'], side?: Side): boolean =>
    labels.some((one) => one?.part === part && (side === undefined || one.side === side));
  const hasLegs = (['left', 'right'] as const).every(
    (side) => (has('thigh', side) && has('shin', side)) || has('leg', side),
  );
  return hasLegs && (has('hips') || has('spine'));
}

function anatomyOfNames(shape: RigShape, labels: (JointLabel | undefined)[], { front }: LabelOptions): Anatomy {
  const own = frontOfSides(labels, shape.joints);
  const kind = kindOf(shape, labels);
  const facing: Direction = own ?? front ?? [0, 0, 1];
  return { kind, labels, front: front ?? facing, source: 'names', missing: missingOf(labels, kind) };
}

function labelOfShape(shape: RigShape, { front }: LabelOptions): Anatomy | undefined {
  const found = labelByShape(shape);
  if (!found) return undefined;
  const { labels, axis, kind } = found;
  const along = axis === 0 ? 2 : 0;
  const sign = front ? Math.sign(front[along]) || 1 : frontOfShape(shape, labels, axis, kind);
  // left = up x front: +x if the front is +z, −z if it is +x
  const leftSign = axis === 0 ? sign : -sign;
  const sided = leftSign > 0 ? labels : labels.map(exchange);
  const facing: Direction = along === 2 ? [0, 0, sign] : [sign, 0, 0];
  return { kind, labels: sided, front: front ?? facing, source: 'shape', missing: missingOf(sided, kind) };
}

function exchange(label: JointLabel | undefined): JointLabel | undefined {
  if (!label?.side) return label;
  return { ...label, side: label.side === 'left' ? 'right' : 'left' };
}

/** The kind of a body by its named legs: arms that reach the ground are legs. */
function kindOf(shape: RigShape, labels: readonly (JointLabel | undefined)[]): BodyKind {
  const { joints, boxes, box, parents } = shape;
  const list = (part: JointLabel['part']): number[] => labels.flatMap((one, j) => (one?.part === part ? [j] : []));
  if (list('leg').length > 0) return 'insect';
  if (list('thigh').length < 2) return 'none';
  const arms = new Set([...list('upperArm'), ...list('lowerArm'), ...list('hand')]);
  if (arms.size === 0) return 'biped';
  let low = Infinity;
  parents.forEach((parent, j) => {
    if (arms.has(parent)) arms.add(j);
    if (arms.has(j)) low = Math.min(low, boxes[6 * j + 1], joints[3 * j + 1]);
  });
  const meanOf = (bones: readonly number[], c: number): number =>
    bones.reduce((sum, j) => sum + joints[3 * j + c], 0) / (bones.length || 1);
  const [thighs, uppers] = [list('thigh'), list('upperArm')];
  const [x, y, z] = [0, 1, 2].map((c) => meanOf(uppers, c) - meanOf(thighs, c));
  const isLow = low - box[1] < FRONT_LEG * (meanOf(thighs, 1) - box[1]);
  return isLow && Math.hypot(x, z) > y ? 'quadruped' : 'biped';
}

/** What a humanoid needs, as words. */
function missingOf(labels: readonly (JointLabel | undefined)[], kind: BodyKind): string[] {
  if (kind === 'quadruped') return ['arms (it has four legs)'];
  if (kind === 'insect') return ['arms (it has six legs or more)'];
  const has = (part: JointLabel['part'], side: Side): boolean =>
    labels.some((one) => one?.part === part && one.side === side);
  const lacks = (parts: readonly JointLabel['part'][]): boolean =>
    (['left', 'right'] as const).some((side) => parts.some((part) => !has(part, side)));
  return [
    ...(lacks(['thigh', 'shin']) ? ['legs'] : []),
    ...(lacks(['upperArm', 'lowerArm']) ? ['arms'] : []),
    ...(labels.some((one) => one?.part === 'head') ? [] : ['head']),
  ];
}
