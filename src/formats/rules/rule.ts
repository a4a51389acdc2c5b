// SPDX-License-Identifier: MIT
import type { UpAxis } from '../../core/model/asset.ts';
import type { Scene } from '../gltf/index.ts';
import type { Place, Severity } from './finding.ts';

/** What rules look at. */
export interface Subject {
  scene: Scene;
  up: UpAxis;
  metresPerUnit?: number;
  /** A node that the reader placed above all others, to bring the file to metres with y up: the file does not have it. */
  added?: number;
}

/** A place where a rule is broken. */
export interface Fault {
  place: Place;
  /** What is wrong, without capital and full stop. */
  fault: string;
  /** Default: that of the rule. */
  severity?: Severity;
  /** Whether the fix repairs this place. Default: whether the rule has a fix. */
  canFix?: boolean;
  /** What to do. Default: that of the rule. */
  remedy?: string;
}

/** A rule about scenes. */
export interface Rule {
  /** Short name: name-duplicate. */
  id: string;
  severity: Severity;
  /** What the rule demands, for lists of rules. */
  title: string;
  /** What to do. */
  remedy: string;
  check(subject: Subject): Fault[];
  /** The scene with every place repaired that can be. */
  fix?(subject: Subject): Scene;
}
