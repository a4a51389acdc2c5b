// SPDX-License-Identifier: MIT
// Where a character faces. With names, left and right say it: front = left x up. Without, cues vote, each with a sign along the axis that is not across the plane of symmetry:
//   tail          behind the hips                                  4
//   feet          the sole is in front of the ankle                2 (where one side is at least 1.5 times longer)
//   thumbs        in front of the other fingers                    2
//   head          the skin of the head, in front of its joint      1
//   knees         in front of the line from hip to ankle           1
//   elbows        behind the line from shoulder to wrist           1
//   +z            the front of glTF                                1.5
// A vote counts in full from an offset of 2 % of the size on. Quadrupeds face from the hips to the head. The weights were set by hand: tails and feet are seldom wrong, the others break ties.
import type { JointLabel } from './anatomy.ts';
import type { RigShape } from './rig-shape.ts';

export type Direction = readonly [number, number, number];

const CLEAR = 0.02;
const LONGER = 1.5;
const PRIOR = 1.5;

/** From named sides: the horizontal direction that is across left minus right. */
export function frontOfSides(labels: readonly (JointLabel | undefined)[], joints: Float64Array): Direction | undefined {
  const across = [0, 0];
  labels.forEach((own, j) => {
    if (own?.side !== 'left') return;
    const partner = labels.findIndex(
      (one) => one?.side === 'right' && one.part === own.part && one.chain === own.chain && one.order === own.order,
    );
    if (partner < 0) return;
    across[0] += joints[3 * j] - joints[3 * partner];
    across[1] += joints[3 * j + 2] - joints[3 * partner + 2];
  });
  const length = Math.hypot(across[0], across[1]);
  // left x up: (x, 0, z) x (0, 1, 0) = (−z, 0, x)
  return length > 0 ? [-across[1] / length, 0, across[0] / length] : undefined;
}

/**
 * From the shape, the sign along the axis that is not across.
 * @param labels labels of which only the sides may be exchanged
 */
export function frontOfShape(
  shape: RigShape,
  labels: readonly (JointLabel | undefined)[],
  axis: 0 | 2,
  kind: string,
): 1 | -1 {
  const along = axis === 0 ? 2 : 0;
  const { joints, centers, size } = shape;
  const list = (part: JointLabel['part'], side?: JointLabel['side']): number[] =>
    labels.flatMap((one, j) => (one?.part === part && (side === undefined || one.side === side) ? [j] : []));
  const mean = (bones: readonly number[], points: Float64Array): number | undefined =>
    bones.length === 0 ? undefined : bones.reduce((sum, j) => sum + points[3 * j + along], 0) / bones.length;
  const votes: number[] = along === 2 ? [PRIOR] : [0];
  const vote = (weight: number, a: number | undefined, b: number | undefined): void => {
    if (a === undefined || b === undefined) return;
    votes.push(weight * Math.max(-1, Math.min(1, (a - b) / (CLEAR * size))));
  };
  const hips = mean(list('hips'), joints);
  const head = list('head');
  if (kind !== 'biped') vote(10, mean(head, centers), mean(list('hips'), centers));
  else {
    vote(4, hips, mean(list('tail'), centers));
    vote(1, mean(head, centers), mean(head, joints));
    for (const side of ['left', 'right'] as const) {
      votes.push(soleVote(shape, [...list('foot', side), ...list('toes', side)], along));
      vote(1, mean(list('thumb', side), centers), mean([...list('index', side), ...list('middle', side)], centers));
      vote(0.5, lineOffset(joints, [list('thigh', side)[0], list('shin', side)[0], list('foot', side)[0]], along), 0);
      vote(
        0.5,
        0,
        lineOffset(joints, [list('upperArm', side)[0], list('lowerArm', side)[0], list('hand', side)[0]], along),
      );
    }
  }
  return votes.reduce((sum, x) => sum + x, 0) >= 0 ? 1 : -1;
}

/** Weight 1 per foot: in which direction the skin of the foot reaches farther from the ankle. */
function soleVote({ joints, boxes, size }: RigShape, foot: readonly number[], along: 0 | 2): number {
  if (foot.length === 0) return 0;
  const ankle = joints[3 * foot[0] + along];
  const ahead = Math.max(...foot.map((j) => boxes[6 * j + 3 + along])) - ankle;
  const behind = ankle - Math.min(...foot.map((j) => boxes[6 * j + along]));
  const [short, long] = [Math.min(ahead, behind), Math.max(ahead, behind)];
  if (!(long > LONGER * Math.max(0, short)) || !(long > CLEAR * size)) return 0;
  return ahead > behind ? 1 : -1;
}

/** How far a joint is off the line between two others. */
function lineOffset(
  joints: Float64Array,
  [a, b, c]: readonly (number | undefined)[],
  along: 0 | 2,
): number | undefined {
  if (a === undefined || b === undefined || c === undefined) return undefined;
  const at = (j: number, r: number): number => joints[3 * j + r];
  const line = [0, 1, 2].map((r) => at(c, r) - at(a, r));
  const length = line.reduce((sum, x) => sum + x * x, 0);
  if (!(length > 0)) return undefined;
  const t = line.reduce((sum, x, r) => sum + x * (at(b, r) - at(a, r)), 0) / length;
  return at(b, along) - (at(a, along) + t * line[along]);
}
