// SPDX-License-Identifier: MIT
import { RULES } from './catalog/list-rules.ts';
import type { Finding } from './finding.ts';
import type { Fault, Rule, Subject } from './rule.ts';

/** Lists where a scene breaks a rule. */
export function checkScene(subject: Subject, rules: readonly Rule[] = RULES): Finding[] {
  return rules.flatMap((rule) => rule.check(subject).map((fault) => makeFinding(rule, fault)));
}

function makeFinding(rule: Rule, fault: Fault): Finding {
  const { place, severity = rule.severity, remedy = rule.remedy, canFix = true } = fault;
  return { rule: rule.id, severity, place, fault: fault.fault, remedy, canFix: rule.fix !== undefined && canFix };
}
