// SPDX-License-Identifier: MIT
// All findings about a file: what its reader repaired, our rules, those of its format, and those of a target. What two of them find is said once.
import type { Asset } from '../../core/model/asset.ts';
import { FormatError } from '../../core/model/errors.ts';
import { splitGlb } from '../gltf/index.ts';
import { fitScene, type Target } from '../targets/index.ts';
import { isAvatarExtension } from '../vrm/index.ts';
import { RULES } from './catalog/list-rules.ts';
import { makeTargetRules } from './catalog/target-rules.ts';
import { checkAvatar } from './check-avatar.ts';
import { checkPackage } from './check-package.ts';
import { checkScene } from './check-scene.ts';
import { type Finding, settleFindings } from './finding.ts';
import { fixScene } from './fix-scene.ts';
import { listFixable } from './list-fixable.ts';
import { listReaderFindings, type ReaderRemark } from './list-reader-findings.ts';
import { describeBound, makeSubject } from './make-subject.ts';
import type { Subject } from './rule.ts';
import { checkWithValidator } from './validator/check-with-validator.ts';

/** A file, and what its reader made of it. */
export interface FileToCheck {
  /** Its name: the extension counts. */
  name: string;
  /** What it holds; absent if it could not be read. */
  asset?: Asset;
  /** Why it could not be read, without capital and full stop. */
  unreadable?: string;
  remarks: readonly ReaderRemark[];
  /** The bytes of the file, for the rules of its format. */
  bytes?: Uint8Array;
  /** Reads a file beside it. */
  resolve?(uri: string): Promise<Uint8Array>;
  target?: Target;
}

/** Says whether a file is fit for use, or for a target: findings, the gravest first. */
export async function checkFile(file: FileToCheck): Promise<Finding[]> {
  const own = [...listReaderFindings(file.remarks), ...listUnread(file), ...(await checkAsset(file))];
  const seen = new Set(own.map(({ rule }) => rule));
  const findings = [
    ...own,
    ...(await checkStored(file, seen)),
    ...(file.target ? checkFormat(file.name, file.target) : []),
  ];
  // nothing of a file that cannot be read can be repaired
  return settleFindings(file.asset ? findings : findings.map((finding) => ({ ...finding, canFix: false })));
}

function listUnread({ unreadable }: FileToCheck): Finding[] {
  if (unreadable === undefined) return [];
  const remedy = 'export the file again: no program that checks its input opens it';
  return [{ rule: 'unreadable', severity: 'error', place: {}, fault: unreadable, remedy, canFix: false }];
}

async function checkAsset({ asset, target, name }: FileToCheck): Promise<Finding[]> {
  if (!asset) return [];
  const subject = { ...(await makeSubject(asset)), ...findAdded(asset, name) };
  const findings = [...checkScene(subject), ...(target ? checkTarget(subject, target) : [])];
  if (describeBound(asset) !== undefined) return findings.map((finding) => ({ ...finding, canFix: false }));
  const kept = new Set(RULES.filter((rule) => !listFixable(asset).includes(rule)).map(({ id }) => id));
  return findings.map((finding) => (kept.has(finding.rule) ? { ...finding, canFix: false } : finding));
}

/** The reader of FBX places a node above all others where the file is not in metres with y up. */
function findAdded({ nodes }: Asset, name: string): { added?: number } {
  return /\.fbx$/i.test(name) && nodes.names[0] === 'axes' ? { added: 0 } : {};
}

/** The rules of a target. What its fit repairs is known once it was made. */
function checkTarget(subject: Subject, target: Target): Finding[] {
  const rules = makeTargetRules(target);
  const findings = checkScene(subject, rules);
  if (findings.length === 0) return [];
  const scene = fitScene(fixScene(subject).scene, target);
  const left = new Set(checkScene({ ...subject, scene }, rules).map(({ rule }) => rule));
  return findings.map((finding) => ({ ...finding, canFix: !left.has(finding.rule) }));
}

/** The rules of the format: glTF by the Khronos validator and by VRM, packages by USDZ. */
async function checkStored(
  { bytes, asset, target, resolve, name }: FileToCheck,
  seen: ReadonlySet<string>,
): Promise<Finding[]> {
  if (!bytes) return [];
  const isZip = bytes[0] === 0x50 && bytes[1] === 0x4b;
  if (isZip) return /\.usdz$/i.test(name) ? checkPackage(bytes, asset !== undefined) : [];
  const json = parseGltf(bytes);
  if (!json) return [];
  const isAvatar = /\.vrm$/i.test(name) || target?.name === 'vrm' || hasAvatar(json);
  return [...(await checkWithValidator(bytes, json, { resolve, seen })), ...(isAvatar ? checkAvatar(json) : [])];
}

/** The JSON of a glTF; an empty object if it is damaged, undefined for other files. */
function parseGltf(bytes: Uint8Array): Readonly<Record<string, unknown>> | undefined {
  try {
    const { json } = splitGlb(bytes);
    return typeof json === 'object' && json !== null ? (json as Record<string, unknown>) : {};
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    return error.code === 'magic' || error.code === 'empty' ? undefined : {};
  }
}

function hasAvatar({ extensions }: Readonly<Record<string, unknown>>): boolean {
  return typeof extensions === 'object' && extensions !== null && Object.keys(extensions).some(isAvatarExtension);
}

/** Whether a target opens files of this name. */
function checkFormat(name: string, { name: id, title, formats }: Target): Finding[] {
  const [best] = formats.value;
  if (formats.value.some((extension) => name.toLowerCase().endsWith(extension))) return [];
  const extension = /\.[^./\\]*$/.exec(name)?.[0] ?? name;
  return [
    {
      ...{ rule: `${id}-format`, severity: 'error', place: {} },
      fault: `${title} does not open ${extension} files, but ${formats.value.join(', ')}`,
      remedy: `write a ${best} file: --fix out${best}`,
      canFix: true,
    },
  ];
}
