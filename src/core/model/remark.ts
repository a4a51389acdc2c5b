// SPDX-License-Identifier: MIT

/**
 * Receives sentences about a file that is read. A `repair` is about a fault of the file that was repaired or whose data was left out; other sentences
 * say how the file is understood.
 */
export type Remark = (message: string, kind?: 'repair') => void;
