// SPDX-License-Identifier: MIT

/** The table of a kernel: its name and the names of its slots, in their order. */
export interface KernelTable {
  name: string;
  slots: string[];
}

/** All kernels of a repository, by name. */
export function listKernels(root: string): KernelTable[];
