// SPDX-License-Identifier: MIT

/** Markdown files by their address on the site, both relative to the root. */
export declare const ADDRESSES: ReadonlyMap<string, string>;
