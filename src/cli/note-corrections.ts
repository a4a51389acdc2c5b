// SPDX-License-Identifier: MIT
import type { Asset } from '../model/asset.ts';
import type { Context } from './command.ts';

/** Says that a command which gives a file other weights leaves its corrections out: they were made for the weights that it had. */
export function noteCorrections(context: Context, { correction }: Asset): void {
  if (correction) context.note('the corrections of the file go with its weights as they were, and are left out');
}
