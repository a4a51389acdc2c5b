// SPDX-License-Identifier: MIT
import { runCli } from './run-cli.ts';

export interface Captured {
  status: number;
  out: string;
  err: string;
}

export interface CaptureOptions {
  isTerminal?: boolean;
  environment?: Record<string, string>;
  signal?: AbortSignal;
  /** Answers to questions, in order. */
  answers?: readonly string[];
  /** Called after each piece of the output. */
  onOutput?(): void;
  /** Called with each piece of the standard error. */
  onError?(text: string): void;
}

/** Runs a command line in this process and returns its output, for tests and for programs that embed commands. */
export async function captureCli(argv: readonly string[], options: CaptureOptions = {}): Promise<Captured> {
  const {
    isTerminal = false,
    environment = {},
    signal = new AbortController().signal,
    answers,
    onOutput,
    onError,
  } = options;
  let asked = 0;
  let out = '';
  let err = '';
  const status = await runCli(argv, {
    stdout: {
      write: (text) => {
        out += text;
        onOutput?.();
      },
      isTerminal,
    },
    stderr: {
      write: (text) => {
        err += text;
        onError?.(text);
      },
      isTerminal,
      columns: 80,
    },
    environment,
    signal,
    ask:
      answers &&
      (async (question) => {
        out += question;
        return answers[asked++];
      }),
  });
  return { status, out, err };
}
