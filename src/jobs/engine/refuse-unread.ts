// SPDX-License-Identifier: MIT
// Options that the chosen path of a job does not read are refused, so that none is lost without a message.
import { UsageError } from '../../core/model/errors.ts';
import { flagOf } from '../../core/options/option.ts';
import type { Job } from './job.ts';

/**
 * Throws a UsageError for the first given option of a list.
 * @param fault what is wrong, and the remedy
 */
export function refuseUnread({ options = {} }: Pick<Job, 'options'>, unread: readonly string[], fault: string): void {
  for (const [key, value] of Object.entries(options))
    if (value !== undefined && value !== null && value !== false && unread.includes(key))
      throw new UsageError(flagOf(key), fault);
}

/** The keys of a schema that a path does not read, given those that it reads. */
export function listUnread(schema: object, read: readonly string[]): string[] {
  return Object.keys(schema).filter((key) => !read.includes(key));
}
