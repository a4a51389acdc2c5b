// SPDX-License-Identifier: MIT
// The largest error that a report states of the file, for players that know nothing of Ossify.

interface Errors {
  max?: number | null;
  maxPercent?: number | null;
}

interface PrintedClip {
  name: string;
  metrics?: Errors;
  between?: Errors;
}

/** The fields of a report that state errors of positions. */
export interface PrintedReport {
  metrics?: Errors;
  result?: {
    max?: number | null;
    maxPercent?: number | null;
    between?: Errors;
    clips?: PrintedClip[];
    levels?: Errors[];
    losses?: unknown;
  };
  losses?: unknown;
}

export interface Printed {
  /** Percent of the box diagonal, as the report has it; undefined if it states no error. */
  percent?: number;
  /** Animations with the largest stated errors first. */
  clips: readonly string[];
}

export function readPrinted({ metrics, result }: PrintedReport, diagonal: number): Printed {
  const clips = result?.clips ?? [];
  const errors = [
    metrics,
    result?.between,
    ...clips.flatMap((clip) => [clip.metrics, clip.between]),
    ...(result?.levels ?? []),
    result,
  ].filter((one) => one !== undefined);
  const largest = Math.max(...errors.map(({ max }) => max ?? Number.NEGATIVE_INFINITY));
  const order = [...clips].sort((a, b) => (b.metrics?.max ?? 0) - (a.metrics?.max ?? 0));
  return {
    percent: Number.isFinite(largest) ? (100 * largest) / reportDiagonal(errors, diagonal) : undefined,
    clips: order.map(({ name }) => name),
  };
}

/** The size by which the report divides; that of the player if it does not tell. */
function reportDiagonal(errors: readonly Errors[], diagonal: number): number {
  for (const { max, maxPercent } of errors) if (max && maxPercent) return (100 * max) / maxPercent;
  return diagonal;
}
