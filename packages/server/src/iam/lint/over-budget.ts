import {
  collapseStars,
  compileGlob,
  decisionSteps,
  foldAscii,
  stepsPerCharacter,
  withoutVariables,
} from '../../access/port.ts';
import { pointerTo } from '../../lib/json-pointer.ts';
import type { Finding, LintedPolicy } from './linted-policy.ts';

interface Comparisons {
  readonly key: string;
  /** Where the first of them stands. */
  readonly pointer: string;
  readonly patternCount: number;
  readonly stepsPerCharacter: number;
}

/** Values as long as they may be, compared with so many patterns that a decision would take more than one may. */
export function findOverBudget({ statements }: LintedPolicy): readonly Finding[] {
  const byKey = new Map<string, Comparisons>();
  for (const { pointer, terms } of statements.filter(({ isReportOnly }) => !isReportOnly))
    for (const { operator, key, expected } of terms) {
      if (!/Like(?:IfExists)?$/.test(operator)) continue;
      const folded = foldAscii(key);
      const known = byKey.get(folded);
      byKey.set(folded, {
        key: known?.key ?? key,
        pointer: known?.pointer ?? `${pointer}/Condition${pointerTo(operator, key)}`,
        patternCount: (known?.patternCount ?? 0) + expected.length,
        stepsPerCharacter: expected.reduce((sum, text) => sum + stepsOf(text), known?.stepsPerCharacter ?? 0),
      });
    }
  return [...byKey.values()].flatMap(findingOf);
}

function stepsOf(text: string): number {
  return stepsPerCharacter(compileGlob(collapseStars(withoutVariables(text))).symbols);
}

function findingOf({ key, pointer, patternCount, stepsPerCharacter }: Comparisons): readonly Finding[] {
  const charactersMax = Math.floor(decisionSteps / stepsPerCharacter);
  if (charactersMax >= longestOf(key)) return [];
  const message = `\`${key}\` is compared with ${patternCount} patterns: where it has more than ${charactersMax} characters a decision exceeds its budget; each Deny then counts as matching, and no Allow does`;
  return [{ severity: charactersMax < usualMax ? 'warning' : 'info', code: 'over_budget', pointer, message }];
}

/** Few texts are longer. */
const usualMax = 64 * 1024;

/** What is in a body or a record may be as long as a body; most else comes with the headers. */
function longestOf(key: string): number {
  const folded = foldAscii(key);
  if (/^(?:record|request\.body)\./.test(folded)) return 1024 * 1024;
  return /^(?:user|tenant)\./.test(folded) ? 512 : 16 * 1024;
}
