// SPDX-License-Identifier: MIT

/** An error that a solve has to meet, file units: the largest distance of any vertex in any frame, or the root mean square over points and frames. */
export interface ErrorGoal {
  kind: 'max' | 'rms';
  limit: number;
  /** A search for the fewest bones may end with an error from this part of the limit on. Default: it ends with the fewest bones. */
  close?: number;
}
