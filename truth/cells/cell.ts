// SPDX-License-Identifier: MIT
import type { Loss } from './find-losses.ts';

/** One command line on one character. */
export interface Cell {
  /** As `decompose turning fbx`. */
  name: string;
  character: string;
  command: string;
  /** Words of the command line; IN, OUT and the folder of the cell as WORK are replaced. */
  words: readonly string[];
  /** File name of the output. */
  output: string;
  /** The result has other vertices: surfaces are compared. */
  surfaces?: boolean;
  /** The printed error is that of poses or points that are not played here: it may be larger. */
  isSampled?: boolean;
  /** The command is told to take the first animation only. */
  isFirstOnly?: boolean;
  /** A command that runs first, as one that makes a file in WORK. */
  before?: readonly string[];
}

/** What became of a cell: `under` and `over` printed another error than players show; `silent`: it printed none, and there is one; `refused`: the output cannot exist, and the command said why. */
export type Verdict = 'true' | 'under' | 'over' | 'silent' | 'refused' | 'failed' | 'unplayed';

export interface CellResult {
  cell: string;
  verdict: Verdict;
  /** Percent of the box diagonal of the source. */
  printed?: number;
  played?: number;
  /** Clip and time of the largest distance. */
  worst?: string;
  samples?: number;
  status?: number;
  losses: readonly Loss[];
  /** Counts of the report that are not those of the file. */
  counts?: readonly string[];
  /** What is wrong with the file by the rules of its format, and not with the source. */
  faults?: readonly string[];
  /** Why it failed or was not played. */
  message?: string;
  /** Version of the program that made the result. */
  build: string;
}
