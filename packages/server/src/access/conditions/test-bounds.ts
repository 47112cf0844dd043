/** Tests of one member of a stored record as trees. */

import { always, type MemberPath, never } from '../../lib/where.ts';
import { anyOfBounds, exactly, notBounds, type StoredMember, type WhereBounds } from '../../lib/where-bounds.ts';
import type { AccessContext } from '../context/context.ts';
import { decisionSteps, wholeEffort } from '../effort.ts';
import { type BoundsRequest, type CompiledComparison, holdsIfMissing, type OperatorUse } from './operators.ts';
import type { ConditionTerm } from './read-condition.ts';
import { existsAs, type ScalarBounds, scalarTypes } from './scalar-bounds.ts';

export interface TestBounds {
  readonly bounds: WhereBounds;
  /** Of records of which this holds, the test takes no more than `steps`. */
  readonly isFrugal: WhereBounds;
  readonly steps: number;
}

interface MemberTest {
  readonly term: ConditionTerm;
  readonly use: OperatorUse;
  readonly bounds: NonNullable<CompiledComparison['bounds']>;
}

/** Lists and objects are compared by their elements, or not at all: of those little is said. */
export function testBounds(
  { path, isAlwaysText }: StoredMember,
  test: MemberTest,
  context: AccessContext,
): TestBounds | undefined {
  const effort = wholeEffort();
  const isOfOne = !isAlwaysText && test.use.kind === 'compare' && test.use.over === 'one' && !test.use.mayBeMissing;
  const scalars = scalarBounds(path, test, { context, effort, isOfOne });
  if (scalars === undefined) return undefined;
  const steps = stepsOfTest + stepsOfValue * test.term.expected.length + (decisionSteps - effort.stepsLeft);
  const missing = notBounds(exactly({ kind: 'present', path }));
  const known = anyOfBounds([scalars.bounds, ...(holdsOfNone(test) ? [missing] : [])]);
  if (isAlwaysText || scalars.isOfAll === true) return { bounds: known, isFrugal: exactly(always), steps };
  const isKnown = anyOfBounds([missing, existsAs(path, scalarTypes)]);
  const above = anyOfBounds([known, notBounds(isKnown)]).above;
  const isFrugal = anyOfBounds([missing, existsAs(path, scalars.frugalTypes)]);
  return { bounds: { above, below: known.below }, isFrugal, steps };
}

/** With the time to find the member of a record by its name. */
const stepsOfTest = 10_000;
const stepsOfValue = 16;

function holdsOfNone({ term, use }: MemberTest): boolean {
  return use.kind === 'null' ? term.expected.includes('true') : holdsIfMissing(use);
}

function scalarBounds(
  path: MemberPath,
  { term, use, bounds }: MemberTest,
  request: BoundsRequest,
): ScalarBounds | undefined {
  if (use.kind === 'compare') return bounds(path, request);
  const exists = existsAs(path, scalarTypes);
  return { bounds: term.expected.includes('false') ? exists : exactly(never), frugalTypes: scalarTypes };
}
