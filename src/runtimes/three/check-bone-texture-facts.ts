// SPDX-License-Identifier: MIT
import { InputError } from '../../core/model/errors.ts';

/** The JSON file beside a bone texture, as far as a player needs it. */
export interface BoneTextureFacts {
  layout: string;
  texelsPerBone: number;
  center: number[];
  min: number[];
  max: number[];
  joints: string[];
  weights: string[];
  clips: { name: string; start: number; frames: number; fps: number }[];
}

/**
 * Throws an InputError if a parsed JSON file is not one of `ossify bake --as bone-texture`, or does not fit its texture.
 * @param size of the texture, in texels
 */
export function checkBoneTextureFacts(value: unknown, size: { width: number; height: number }): void {
  const facts = (isObject(value) ? value : refuse('it must be an object')) as Partial<
    Record<keyof BoneTextureFacts, unknown>
  >;
  if (facts.layout !== 'bone-texture')
    refuse(`its layout is ${show(facts.layout)}; use the JSON file of ossify bake --as bone-texture`);
  const texels = facts.texelsPerBone;
  if (texels !== 2 && texels !== 3) refuse(`texelsPerBone must be 2 or 3, got ${show(texels)}`);
  checkNumbers(facts.center, 'center', 3);
  checkNumbers(facts.min, 'min', 4 * texels);
  checkNumbers(facts.max, 'max', 4 * texels);
  checkSets(facts.joints, 'joints');
  checkSets(facts.weights, 'weights');
  if (size.width % texels !== 0)
    refuse(`the texture has ${size.width} texels per row, which is not a multiple of texelsPerBone (${texels})`);
  if (!Array.isArray(facts.clips) || facts.clips.length === 0) refuse('clips must be a list of clips');
  for (const [n, clip] of facts.clips.entries()) checkClip(clip, `clips[${n}]`, size.height);
}

function checkClip(clip: unknown, where: string, height: number): void {
  const { name, start, frames, fps } = isObject(clip) ? clip : refuse(`${where} must be an object`);
  if (typeof name !== 'string') refuse(`${where}.name must be a text`);
  if (!isCount(start, 0)) refuse(`${where}.start must be a whole number, got ${show(start)}`);
  if (!isCount(frames, 1)) refuse(`${where}.frames must be at least 1, got ${show(frames)}`);
  if (!(typeof fps === 'number' && fps > 0 && Number.isFinite(fps)))
    refuse(`${where}.fps must be positive, got ${show(fps)}`);
  if (start + frames > height)
    refuse(
      `${where} needs rows up to ${start + frames}, but the texture has ${height}; use the texture beside the file`,
    );
}

function checkNumbers(value: unknown, name: string, count: number): void {
  const isRight = Array.isArray(value) && value.length === count && value.every((x) => Number.isFinite(x));
  if (!isRight) refuse(`${name} must be ${count} finite numbers`);
}

function checkSets(value: unknown, name: string): void {
  const isSet = (one: unknown): boolean => typeof one === 'string' && /^TEXCOORD_\d+$/.test(one);
  if (!Array.isArray(value) || value.length !== 2 || !value.every(isSet))
    refuse(`${name} must be the names of two UV sets, such as TEXCOORD_1`);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isCount(value: unknown, least: number): value is number {
  return Number.isSafeInteger(value) && (value as number) >= least;
}

function show(value: unknown): string {
  return value === undefined ? 'missing' : (JSON.stringify(value)?.slice(0, 40) ?? typeof value);
}

function refuse(fault: string): never {
  throw new InputError('BoneTexture', fault);
}
