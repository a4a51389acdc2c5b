// SPDX-License-Identifier: MIT

import type { FrameRange } from '../model/clip/select-frames.ts';
import { UsageError } from '../model/errors.ts';

/** Reads `12`, `10:50`, `10:`, `:50`, `::2` or `10:50:2`: first, last (both included, from 0) and step. */
export function parseFrames(text: string): FrameRange {
  const match = /^(\d*)(?::(\d*))?(?::(\d*))?$/.exec(text.trim());
  const isEmpty = !match || text.trim() === '';
  if (isEmpty) throw new UsageError('', `"${text}" is not a range of frames; write 10:50, 10:, :50, ::2 or 12`);
  const [, first, last, step] = match;
  const range: FrameRange = {};
  if (first !== '') range.first = Number(first);
  if (last === undefined) range.last = range.first;
  else if (last !== '') range.last = Number(last);
  if (step) range.step = Number(step);
  if (range.step === 0) throw new UsageError('', `"${text}" has a step of zero`);
  if (range.first !== undefined && range.last !== undefined && range.last < range.first) {
    throw new UsageError('', `"${text}" ends before it starts`);
  }
  return range;
}
