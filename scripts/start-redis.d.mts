// SPDX-License-Identifier: MIT

export interface TestRedis {
  url: string;
  port: number;
  /** Ends the server and starts it again with its data. */
  restart(signal?: NodeJS.Signals): Promise<void>;
  /** Removes all data, as a server without a file that starts again. */
  flush(): Promise<string>;
  /** Starts the server after stop(false). */
  start(): Promise<void>;
  /** Ends the server. With false, its data stay for the next start. */
  stop(isLast?: boolean): Promise<void>;
}

/** Whether redis-server is installed. */
export const hasRedis: boolean;

/** Starts redis-server of the path on a free port, in a temporary folder, with its append-only file. */
export function startRedis(password?: string): Promise<TestRedis>;
