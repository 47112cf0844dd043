/** The rulings of open statements on records, as trees over stored ones. */
import { always } from '../lib/where.ts';
import {
  allOfBounds,
  anyOfBounds,
  atMost,
  exactly,
  isExact,
  notBounds,
  unknownBounds,
  type WhereBounds,
} from '../lib/where-bounds.ts';
import type { OpenStatement } from './compiled-statement.ts';
import type { ConditionTest } from './conditions/condition-test.ts';
import type { TestBounds } from './conditions/test-bounds.ts';

interface OpenDecision {
  readonly denies: readonly OpenStatement[];
  readonly allows: readonly OpenStatement[] | 'everything';
  /** They are looked at as well, and change nothing but the fields. */
  readonly others: readonly OpenStatement[];
  readonly boundsOf: (test: ConditionTest) => TestBounds | undefined;
  /** The steps left to each record. */
  readonly stepsLeft: number;
}

/**
 * Once the steps are spent, nothing is allowed that would not be: so a record may be left out of the answer, and is never
 * added to it. Denies of some fields deny no record.
 */
export function rulingBounds({ denies, allows, others, boundsOf, stepsLeft }: OpenDecision): WhereBounds {
  const statements = [...denies, ...(allows === 'everything' ? [] : allows), ...others];
  const tests = new Map(statements.flatMap((open) => open.tests.map((test) => [test, boundsOf(test)] as const)));
  const ofStatement = ({ isReached, tests: open }: OpenStatement): WhereBounds =>
    allOfBounds([
      ...(isReached ? [] : [unknownBounds]),
      ...open.map((test) => tests.get(test)?.bounds ?? unknownBounds),
    ]);
  const denied = anyOfBounds(denies.filter(({ statement }) => statement.fields === undefined).map(ofStatement));
  const allowed = allows === 'everything' ? exactly(always) : anyOfBounds(allows.map(ofStatement));
  const bounds = allOfBounds([notBounds(denied), allowed]);
  const known = [...tests.values()].filter((test) => test !== undefined);
  const steps = known.reduce((sum, test) => sum + test.steps, 0);
  if (known.length < tests.size || statements.some(({ isReached }) => !isReached) || steps > stepsLeft)
    return atMost(bounds);
  const isFrugal = allOfBounds(known.map((test) => test.isFrugal));
  const isAlwaysFrugal = isExact(isFrugal) && isFrugal.above.kind === 'and' && isFrugal.above.parts.length === 0;
  return isAlwaysFrugal ? bounds : { above: bounds.above, below: allOfBounds([bounds, isFrugal]).below };
}
