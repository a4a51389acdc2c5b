// SPDX-License-Identifier: MIT
import { InputError } from '../../core/model/errors.ts';
import type { JobContext } from './job-context.ts';

/**
 * Reads the JSON file that an option names.
 * @param subject subject of errors about its contents
 */
export async function readJsonFile(path: string, subject: string, context: JobContext): Promise<unknown> {
  const bytes = await context.read(path, subject);
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch (error) {
    throw new InputError(path, `is not JSON: ${(error as Error).message}`, { cause: error });
  }
}
