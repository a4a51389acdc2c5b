// SPDX-License-Identifier: MIT
import type { ProjectReflection } from 'typedoc';

/** The page of the exported names of a converted project. */
export declare function makeNamesPage(project: ProjectReflection): string;
