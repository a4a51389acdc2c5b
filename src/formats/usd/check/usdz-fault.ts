// SPDX-License-Identifier: MIT

/** A rule of USDZ. */
export type UsdzRule =
  | 'package'
  | 'compression'
  | 'encryption'
  | 'alignment'
  | 'names'
  | 'root-layer'
  | 'file-types'
  | 'image-types'
  | 'image-size'
  | 'default-prim'
  | 'up-axis'
  | 'unit'
  | 'references'
  | 'extent'
  | 'material'
  | 'normal-map'
  | 'skeleton'
  | 'weights'
  | 'mesh';

/** A place where a package breaks a rule. */
export interface UsdzFault {
  rule: UsdzRule;
  severity: 'error' | 'warning';
  /** A file of the package, or a prim: stage.usdc</Root/Body>. */
  place: string;
  fault: string;
  /** What to do. */
  remedy: string;
}
