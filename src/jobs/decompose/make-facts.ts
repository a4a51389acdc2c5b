// SPDX-License-Identifier: MIT
import type { TransformKind } from '../../core/kernels/bones/bone-sweep.ts';
import type { ErrorReport } from '../../measure/index.ts';
import {
  type Gate,
  type JobContext,
  type JobFacts,
  type OpenedInput,
  type OutputFile,
  reportMetricsOf,
} from '../engine/index.ts';
import type { DecomposeResult } from './decompose.ts';
import type { DecomposePlan } from './decompose-plan.ts';

/** What was solved, written and measured. */
export interface Decomposed {
  /** The fields of the result. What belongs to the model is not reported. */
  solved: Partial<DecomposeResult> & { eRms: number };
  transforms: TransformKind;
  bytes: Uint8Array;
  /** Files besides the output. */
  files?: readonly OutputFile[];
  error: ErrorReport;
  gate: Gate | undefined;
  /** What was counted and measured on the file. */
  measured: object;
  /** Further fields of the report. */
  more: object;
  /** Measures the same in another format. */
  measure?: JobFacts['measure'];
}

/** The facts of a decomposition, in the order of the report. */
export function makeFacts(
  { output }: Pick<JobContext, 'output'>,
  inputs: readonly OpenedInput[],
  plan: DecomposePlan,
  { solved, transforms, bytes, files = [], error, gate, measured, more, measure }: Decomposed,
): JobFacts {
  const { model: _model, seconds: _seconds, corrected: _corrected, eRms, ...own } = solved;
  return {
    inputs,
    files: [{ path: output, bytes }, ...files],
    gate,
    metrics: reportMetricsOf(error),
    result: { ...own, transforms, ...measured, eRmsSolved: eRms, ...more },
    bytes: { file: bytes.length },
    options: { bones: plan.bones },
    measure,
  };
}

/** The part of the error that the corrected rest pose takes away. */
export function restGainOf(eRms: number, eRmsBeforeRest: number): number {
  return eRmsBeforeRest > 0 ? 1 - eRms / eRmsBeforeRest : 0;
}
