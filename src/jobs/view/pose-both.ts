// SPDX-License-Identifier: MIT

import type { Asset } from '../../core/model/asset.ts';
import { carryPoses, type PosedAsset } from '../../fit/poses/index.ts';
import type { JobContext, OpenedInput } from '../engine/index.ts';
import { choosePoses, type PoseValues } from '../shared/index.ts';

/** Two files in the same poses. */
interface PosedPair {
  reference: OpenedInput;
  result: OpenedInput;
  posed: PosedAsset;
}

/** Two files that play their own motion, or the same drawn poses if neither moves or ranges are wanted. Files without the same joints are compared as they are. */
export async function poseBoth(
  context: JobContext<PoseValues>,
  reference: OpenedInput,
  result: OpenedInput,
): Promise<PosedPair> {
  const own: PosedPair = { reference, result, posed: { asset: reference.asset, source: sourceOf(reference, result) } };
  const isWanted = context.options.poses === 'ranges';
  if (!isWanted && (own.posed.source !== 'rest' || !hasJoints(reference) || !hasJoints(result))) return own;
  const lost = findLost(reference.asset, result.asset);
  if (lost !== undefined && !isWanted) {
    context.note(`${result.input} has no joint "${lost}"; the files are compared as they show their rest pose`);
    return own;
  }
  const posed = await choosePoses(context, reference.asset, context.options);
  const asset = carryPoses(posed, result.asset, result.input);
  return { reference: { ...reference, asset: posed.asset }, result: { ...result, asset }, posed };
}

/** The first joint that another file does not have. */
function findLost({ nodes, rig }: Asset, other: Asset): string | undefined {
  const known = new Set(other.nodes.names);
  const joints = [...(rig?.nodeOfBone ?? [])].filter((_, bone) => rig?.isJoint[bone] === 1);
  const lost = joints.find((node) => !known.has(nodes.names[node]));
  return lost === undefined ? undefined : nodes.names[lost];
}

const hasJoints = ({ asset: { rig } }: OpenedInput): boolean => rig?.isJoint.includes(1) === true;

function sourceOf(...files: readonly OpenedInput[]): PosedAsset['source'] {
  return files.some(({ asset: { clips, animations } }) => clips.length + animations.length > 0) ? 'animations' : 'rest';
}
