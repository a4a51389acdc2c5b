// SPDX-License-Identifier: MIT

/** Addresses of pages before version 0.3. */
export declare const REDIRECTS: readonly {
  from: string;
  to: string;
  anchors?: Readonly<Record<string, string>>;
}[];
