import type { CompiledStatement, OpenStatement } from '../compiled-statement.ts';
import type { ConditionTest } from '../conditions/condition-test.ts';
import type { AccessContext } from '../context/context.ts';
import type { ContextKey } from '../context/context-key.ts';
import { textOf } from '../context/context-value.ts';
import { type Effort, isSpent, spend } from '../effort.ts';

/** Statements each of which demands one of its own texts under a key that all of them ask for. */
export interface TextGroup {
  readonly key: ContextKey;
  readonly members: readonly OpenStatement[];
  readonly byText: ReadonlyMap<string, readonly OpenStatement[]>;
}

/** Grouping pays from so many different texts on. */
const textsMin = 4;

export interface Grouped {
  readonly groups: readonly TextGroup[];
  /** The statements that are in no group. */
  readonly others: readonly CompiledStatement[];
}

/**
 * @param statements those whose resource is known to match. Each goes by the test that tells it from most of the others,
 * if it has one.
 */
export function groupByTexts(statements: readonly CompiledStatement[], min = textsMin): Grouped {
  const texts = new Map<string, Set<string>>();
  for (const statement of statements) {
    for (const test of testsOf(statement)) {
      const known = texts.get(test.term.key) ?? new Set();
      for (const text of test.texts) known.add(text);
      texts.set(test.term.key, known);
    }
  }
  const others: CompiledStatement[] = [];
  const groups = new Map<string, GrowingGroup>();
  const countOf = (test: TextTest | undefined): number => (test && texts.get(test.term.key)?.size) ?? 0;
  for (const statement of statements) {
    const [first, ...more] = testsOf(statement);
    const test = more.reduce((best, one) => (countOf(one) > countOf(best) ? one : best), first);
    const [key] = test?.keys ?? [];
    if (test === undefined || key === undefined || countOf(test) < min) {
      others.push(statement);
      continue;
    }
    const group: GrowingGroup = groups.get(key.text) ?? { key, members: [], byText: new Map() };
    const open = { statement, isReached: true, tests: statement.tests };
    group.members.push(open);
    for (const text of new Set(test.texts)) {
      const alike = group.byText.get(text);
      if (alike === undefined) group.byText.set(text, [open]);
      else alike.push(open);
    }
    groups.set(key.text, group);
  }
  return { groups: [...groups.values()], others };
}

interface GrowingGroup extends TextGroup {
  readonly members: OpenStatement[];
  readonly byText: Map<string, OpenStatement[]>;
}

/** The members that the value under the key does not rule out: each has to be looked at once more. */
export function membersFor(
  { key, members, byText }: TextGroup,
  context: AccessContext,
  effort: Effort,
): readonly OpenStatement[] {
  if (!spend(effort, stepsOfLookup)) return members;
  const found = key.read(context, effort);
  if (isSpent(effort)) return members;
  if (found === undefined || found === null) return [];
  const text = typeof found === 'object' ? undefined : textOf(found);
  return text === undefined ? members : (byText.get(text) ?? []);
}

/** Like a test of one text. */
const stepsOfLookup = 64;

type TextTest = ConditionTest & { readonly texts: readonly string[] };

/**
 * Those to go by. What is asked of a record may be open: then all that the statement demands must be, so that it need
 * not be looked at before the record is known.
 */
function testsOf({ tests }: CompiledStatement): readonly TextTest[] {
  const areOfRecord = tests.every(({ keys: [key] }) => key?.needs.includes('record') === true);
  return tests.filter((test): test is TextTest => {
    if (test.texts === undefined) return false;
    const [need, ...others] = test.keys[0]?.needs ?? [];
    return need === undefined || (need === 'record' && others.length === 0 && areOfRecord);
  });
}
