// SPDX-License-Identifier: MIT
import { plainText, shortName } from '../../core/model/plain-text.ts';
import { describePlace, type Finding, type Severity } from '../../formats/rules/index.ts';
import { formatBytes, formatCount, type Report, type ReportTable } from '../engine/index.ts';

/** Characters of a fault that are printed. */
const MAX_FAULT = 400;

const SEVERITIES = ['error', 'warning', 'note'] as const satisfies readonly Severity[];

/** Number of findings of each severity. */
export function countFindings(findings: readonly Finding[]): { errors: number; warnings: number; notes: number } {
  const [errors, warnings, notes] = SEVERITIES.map((one) => findings.filter(({ severity }) => severity === one).length);
  return { errors, warnings, notes };
}

/** Result of the command in its report. */
interface CheckResult {
  file: string;
  findings: Finding[];
  written?: { path: string; findings: Finding[] };
}

/** The list for people: a line for each finding, and one for what to do. */
export function describeCheck({ result, files }: Report): (ReportTable | string)[] {
  const { file, findings, written } = result as unknown as CheckResult;
  const lines = findings.flatMap((finding) => describeFinding(finding, written === undefined));
  const sum = `${file}: ${summarize(findings)}`;
  if (!written) return [...lines, sum];
  const left = written.findings;
  const repaired = findings.filter(({ rule, canFix }) => canFix && !left.some((one) => one.rule === rule));
  return [
    ...lines,
    sum,
    { rows: files.slice(0, 2).map(({ path, bytes }) => ['wrote', path, formatBytes(bytes)]) },
    ...(repaired.length > 0 ? [`repaired: ${[...new Set(repaired.map(({ rule }) => rule))].join(', ')}`] : []),
    ...left.flatMap((finding) => describeFinding(finding, false)),
    `${written.path}: ${summarize(left)}`,
  ];
}

function describeFinding({ rule, severity, place, fault, remedy, canFix }: Finding, showsFix: boolean): string[] {
  const where = describePlace(place);
  // sequences that set a style are those of the file
  return [
    `${severity}: ${where === '' ? '' : `${where}: `}${shortName(fault, MAX_FAULT)} (${rule})`,
    `  ${remedy}${canFix && showsFix ? ' [--fix]' : ''}`,
  ].map(plainText);
}

function summarize(findings: readonly Finding[]): string {
  const { errors, warnings, notes } = countFindings(findings);
  if (errors + warnings + notes === 0) return 'nothing found';
  const counts = [formatCount(errors, 'error'), formatCount(warnings, 'warning'), formatCount(notes, 'note')];
  return counts.filter((text) => !text.startsWith('0 ')).join(', ');
}
