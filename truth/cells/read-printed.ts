// SPDX-License-Identifier: MIT
// The largest error that a report states of the file, for players that know nothing of Ossify.

interface Errors {
  max?: number | null;
  maxPercent?: number | null;
  perFrame?: { max: (number | null)[] };
}

interface Between extends Errors {
  worst?: { clip: string; time: number };
}

interface PrintedClip {
  name: string;
  frames?: number;
  metrics?: Errors;
  between?: Errors;
}

/** The fields of a report that state errors of positions. */
export interface PrintedReport {
  output?: Record<'vertices' | 'triangles' | 'joints' | 'influences' | 'animations', number>;
  files?: { path: string; bytes: number }[];
  inputs?: { metresPerUnit?: number }[];
  metrics?: Errors;
  result?: {
    max?: number | null;
    maxPercent?: number | null;
    between?: Between;
    clips?: PrintedClip[];
    levels?: Errors[];
    /** In viewers that evaluate no extension, or four weights per vertex. */
    anyViewer?: Errors & { between?: Between };
    fourInfluences?: Errors & { between?: Between };
    losses?: unknown;
  };
  losses?: unknown;
}

export interface Printed {
  /** In units of the source; undefined if the report states no error. */
  max?: number;
  /** Animations with the largest stated errors first. */
  clips: readonly string[];
  /** By animation, in order: parts of its duration at which the largest errors are stated. */
  peaks: readonly (readonly number[])[];
  /** Where the largest error is stated: an animation, and seconds. */
  worst?: { clip: string; time: number };
}

/** Frames of an animation with the largest errors that are played. */
const PEAKS = 3;

function listPeaks(frames: readonly (number | null)[]): number[] {
  const order = [...frames.keys()].sort((a, b) => (frames[b] ?? 0) - (frames[a] ?? 0));
  return order.slice(0, PEAKS).map((k) => k / Math.max(1, frames.length - 1));
}

/** What is stated for the players here, which evaluate no extension and four weights per vertex; where that is not stated apart, of the file. */
export function readPrinted({ metrics, result }: PrintedReport): Printed {
  const clips = result?.clips ?? [];
  const order = [...clips].sort((a, b) => (b.metrics?.max ?? 0) - (a.metrics?.max ?? 0)).map(({ name }) => name);
  const apart = result?.fourInfluences ?? result?.anyViewer;
  const errors = apart
    ? [apart, apart.between]
    : [
        ...[metrics, result?.between, result],
        ...clips.flatMap((clip) => [clip.metrics, clip.between]),
        ...(result?.levels ?? []),
      ];
  const largest = Math.max(...errors.map((error) => error?.max ?? Number.NEGATIVE_INFINITY));
  let start = 0;
  const peaks = clips.map(({ frames = 0, metrics: own }) => {
    const joined = metrics?.perFrame?.max.slice(start, start + frames);
    start += frames;
    return listPeaks(own?.perFrame?.max ?? joined ?? []);
  });
  const whole = metrics?.perFrame && clips.length === 0 ? [listPeaks(metrics.perFrame.max)] : [];
  const { worst } = (apart ?? result)?.between ?? {};
  return { max: Number.isFinite(largest) ? largest : undefined, clips: order, peaks: [...peaks, ...whole], worst };
}
