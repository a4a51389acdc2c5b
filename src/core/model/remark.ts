// SPDX-License-Identifier: MIT

/** A repair as data, for lists of faults. */
export interface RepairFacts {
  /** What was repaired: weight, normal, image … */
  kind: string;
  /** Number of places. */
  count: number;
  /** The first place, or the place and its fault; '' if it is not known. */
  where: string;
}

/**
 * Receives sentences about a file that is read. A `repair` is about a fault of the file that was repaired or whose data was left out; other sentences
 * say how the file is understood.
 */
export type Remark = (message: string, kind?: 'repair', facts?: RepairFacts) => void;
