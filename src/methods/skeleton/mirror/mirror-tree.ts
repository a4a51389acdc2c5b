// SPDX-License-Identifier: MIT
// The tree of a symmetric skeleton: Kruskal's algorithm on orbits. An edge and its image have one cost, the mean of theirs (Eq. 21), and are added together, unless this would close a circle. The present tree is preferred,
// since it was improved with connected joints (search-structure.ts), and two bones of a pair are seldom connected to each other.

import { type MirrorPlane, reflectInto } from '../../../core/mesh/geometry/find-mirror-plane.ts';
import type { SkinFit } from '../../../fit/skin/index.ts';
import { listJointLinks } from '../joints/joint-topology.ts';
import type { JointEdge } from '../joints/joint-tree.ts';
import { markReleased } from '../joints/release-joints.ts';

/** Factor on the cost of an edge within a pair. Chosen on Fox, fox, bird, CesiumMan and Michelle. */
const WITHIN = 3;
/** Edges between bones without common points come after all others. */
const FAR = 1e30;

/**
 * The edges of a symmetric tree; undefined if orbits do not connect all bones.
 * @param present edges of the present tree
 * @param preference factor on the cost of these edges and their images
 * @param mirror the image of each bone, the plane, and the size of the body
 */
export function mirrorTree(
  fit: SkinFit,
  present: readonly JointEdge[],
  preference: number,
  { partners, plane, size }: { partners: Int32Array; plane: MirrorPlane; size: number },
): JointEdge[] | undefined {
  const { boneCount } = fit;
  const keyOf = (a: number, b: number): number => Math.min(a, b) * boneCount + Math.max(a, b);
  const known = new Map(present.map((edge) => [keyOf(edge.a, edge.b), edge]));
  const links = new Map(listJointLinks(fit, 'soft').links.map((link) => [keyOf(link.a, link.b), link]));
  const slides = present.some(({ isReleased }) => isReleased);
  const markNew = (edge: JointEdge): JointEdge => (slides ? markReleased(fit, [edge], size)[0] : edge);
  const orbits: { edges: { edge: JointEdge; key: number }[]; cost: number }[] = [];
  for (const [key, link] of links) {
    const image = keyOf(partners[link.a], partners[link.b]);
    const other = links.get(image);
    if (image < key || !other) continue;
    const own = [link, other].map((one) => one.cost + (one.isBlended ? 0 : FAR));
    const isPresent = known.has(key) || known.has(image);
    const isWithin = partners[link.a] === link.b;
    const cost = ((own[0] + own[1]) / 2) * (isPresent ? preference : 1) * (isWithin ? WITHIN : 1);
    const first = { edge: known.get(key) ?? markNew(link), key };
    const second = { edge: known.get(image) ?? markNew(other), key: image };
    orbits.push({ edges: image === key ? [first] : [first, second], cost });
  }
  orbits.sort((p, q) => p.cost - q.cost || p.edges[0].key - q.edges[0].key);
  const groups = Int32Array.from({ length: boneCount }, (_, j) => j);
  const chosen: JointEdge[] = [];
  for (const { edges } of orbits) {
    const before = groups.slice();
    if (edges.every(({ edge }) => unite(groups, edge.a, edge.b))) chosen.push(...shareJoint(edges, partners, plane));
    else groups.set(before);
  }
  return chosen.length === boneCount - 1 ? chosen : undefined;
}

/** Joins the groups of two bones; false if they are the same. */
function unite(groups: Int32Array, a: number, b: number): boolean {
  const [p, q] = [groups[a], groups[b]];
  if (p === q) return false;
  for (let j = 0; j < groups.length; j++) if (groups[j] === q) groups[j] = p;
  return true;
}

/** The edges of an orbit, with joints that are images of each other. */
function shareJoint(edges: readonly { edge: JointEdge }[], partners: Int32Array, plane: MirrorPlane): JointEdge[] {
  const image = new Float64Array(3);
  const [first] = edges;
  const second = edges[1] ?? first;
  reflectInto(plane, second.edge.joint, 0, image);
  const { joint, a, b } = first.edge;
  const mean: [number, number, number] = [
    (joint[0] + image[0]) / 2,
    (joint[1] + image[1]) / 2,
    (joint[2] + image[2]) / 2,
  ];
  const isReleased = first.edge.isReleased || second.edge.isReleased;
  if (edges.length === 1) return [{ ...first.edge, joint: mean, isReleased }];
  reflectInto(plane, mean, 0, image);
  return [
    { ...first.edge, joint: mean, isReleased },
    { ...second.edge, isReleased, a: partners[a], b: partners[b], joint: [image[0], image[1], image[2]] },
  ];
}
