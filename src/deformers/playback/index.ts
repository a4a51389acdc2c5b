// SPDX-License-Identifier: MIT
export { bakeAt } from './bake/bake-at.ts';
export { type BakeOptions, bakeClip } from './bake/bake-clip.ts';
export { addHelperMotion, bakeHelperMotions } from './bake/bake-helper-motions.ts';
export { type BakedFrames, FrameBaker, type TimedMotion } from './bake/frame-baker.ts';
export { checkMemory } from './check-memory.ts';
export {
  type BakeSide,
  bakePair,
  bakePairWith,
  type ClipPair,
  findMotion,
  listClipPairs,
  listMotions,
  type PairOptions,
} from './clip-pair.ts';
export {
  type ClipSource,
  listSourceTimes,
  type PlayedClip,
  playSource,
  reorderPlayed,
  sampleClipInto,
} from './clip-source.ts';
export { type ListClipsOptions, listClips, listPlayedClips, type PlayClipsOptions } from './list-clips.ts';
export { listReferences } from './list-references.ts';
export { makeAssetDeformer, modelOfAsset } from './make-asset-deformer.ts';
export { makeAssetFrames } from './make-asset-frames.ts';
export { makeAssetSource } from './make-asset-source.ts';
export { makeDeformer } from './make-deformer.ts';
export { playPoses, playPosesWith, sameAnimation } from './play-poses.ts';
export { type SampledAnimation, sampleAnimation } from './sample-animation.ts';
export { countFrames, detectFrameRate, listFrameTimes, listKeyTimes } from './times/list-frame-times.ts';
export { listPoseTimes, type PoseTimes, sampleMotions } from './times/list-pose-times.ts';
