// SPDX-License-Identifier: MIT
import type { Finding } from './finding.ts';
import { RULES } from './list-rules.ts';
import type { Fault, Rule, Subject } from './rule.ts';

/** Places of one rule that are listed. Those beyond are counted. */
const MAX_PLACES = 12;

/** Lists where a scene breaks a rule. */
export function checkScene(subject: Subject, rules: readonly Rule[] = RULES): Finding[] {
  return rules.flatMap((rule) => {
    const faults = rule.check(subject);
    const findings = faults.slice(0, MAX_PLACES).map((fault) => makeFinding(rule, fault));
    const rest = faults.slice(MAX_PLACES);
    if (rest.length === 0) return findings;
    const [first] = rest;
    const fault = `${rest.length} more places, the first: ${first.fault}`;
    return [
      ...findings,
      { ...makeFinding(rule, { ...first, fault }), canFix: rest.every((one) => isFixed(rule, one)) },
    ];
  });
}

function makeFinding(rule: Rule, fault: Fault): Finding {
  const { place, severity = rule.severity, remedy = rule.remedy } = fault;
  return { rule: rule.id, severity, place, fault: fault.fault, remedy, canFix: isFixed(rule, fault) };
}

const isFixed = ({ fix }: Rule, { canFix = true }: Fault): boolean => fix !== undefined && canFix;
