import type { CompiledStatement, OpenStatement } from '../compiled-statement.ts';
import type { ConditionTest } from '../conditions/condition-test.ts';
import type { AccessContext } from '../context/context.ts';
import type { ContextKey } from '../context/context-key.ts';
import { textOf } from '../context/member-path.ts';
import { type Effort, isSpent, spend } from '../effort.ts';
import {
  beginningOf,
  endingOf,
  mayBeOpen,
  type OpenPath,
  type ResourceGlob,
  reachesOpen,
} from '../patterns/resource-glob.ts';

/** Statements of one effect, in the order in which they are looked at. */
export interface Candidates {
  /** Those that come first: if any are grouped, those that take effect by action and resource alone. */
  readonly first: readonly CompiledStatement[];
  readonly groups: readonly TextGroup[];
  readonly others: readonly CompiledStatement[];
}

/** A path of the class, or what the paths of the class begin with. */
export type SelectedPath = { readonly path: string } | OpenPath;

/** The statements that may concern requests on the paths of one class. */
export interface StatementSelection {
  readonly denies: Candidates;
  readonly allows: Candidates;
  /** The number of references it keeps. */
  readonly weight: number;
}

/** Leaves out nothing. */
export function selectAll(
  denies: readonly CompiledStatement[],
  allows: readonly CompiledStatement[],
): StatementSelection {
  return { denies: ungrouped(denies), allows: ungrouped(allows), weight: 0 };
}

/** Such as are looked at in the order given. */
function ungrouped(statements: readonly CompiledStatement[]): Candidates {
  return { first: statements, groups: [], others: [] };
}

/** Leaves out what cannot match the path, nor any other of its class, whatever else is known of the request. */
export function select(
  { denies, allows }: Readonly<Record<'denies' | 'allows', readonly CompiledStatement[]>>,
  at: SelectedPath,
  textsMin?: number,
): StatementSelection {
  const [denied, allowed] = [candidatesAmong(denies, at, textsMin), candidatesAmong(allows, at, textsMin)];
  return { denies: denied, allows: allowed, weight: referencesOfSelection + weightOf(denied) + weightOf(allowed) };
}

function candidatesAmong(
  statements: readonly CompiledStatement[],
  at: SelectedPath,
  textsMin: number | undefined,
): Candidates {
  const reaching = statements.filter(({ resources }) => resources.some((glob) => mayReach(glob, at)));
  const plain = reaching.filter(({ isPlain }) => isPlain);
  const conditional = reaching.filter(({ isPlain }) => !isPlain);
  const isReached = ({ resources }: CompiledStatement) => resources.some((glob) => reachesClass(glob, at));
  const { groups, others } = groupByTexts(conditional.filter(isReached), textsMin);
  if (groups.length === 0) return ungrouped([...plain, ...conditional]);
  const left = new Set(others);
  return { first: plain, groups, others: conditional.filter((one) => left.has(one) || !isReached(one)) };
}

function mayReach(glob: ResourceGlob, at: SelectedPath): boolean {
  if ('before' in at) return glob.kind === 'variable' || reachesOpen(glob, at) !== false;
  if (mayBeOpen(glob)) return true;
  if (glob.kind === 'literal') return at.path === glob.text;
  return at.path.startsWith(beginningOf(glob)) && at.path.endsWith(endingOf(glob));
}

/** Whether it matches every path of the class. */
function reachesClass(glob: ResourceGlob, at: SelectedPath): boolean {
  switch (glob.kind) {
    case 'any':
      return true;
    case 'prefix':
      return ('before' in at ? at.before : at.path).startsWith(glob.text);
    case 'literal':
      return 'path' in at && at.path === glob.text;
    case 'suffix':
    case 'general':
    case 'variable':
      return false;
  }
}

const referencesOfSelection = 32;
const referencesOfMember = 8;
const referencesOfText = 12;

function weightOf({ first, groups, others }: Candidates): number {
  const ofGroups = groups.map(
    ({ members, byText }) => members.length * referencesOfMember + byText.size * referencesOfText,
  );
  return ofGroups.reduce((sum, weight) => sum + weight, first.length + others.length);
}

/** Statements each of which demands one of its own texts under a key that all of them ask for. */
export interface TextGroup {
  readonly key: ContextKey;
  readonly members: readonly OpenStatement[];
  readonly byText: ReadonlyMap<string, readonly OpenStatement[]>;
}

/** Grouping pays from so many different texts on. */
const textsMin = 4;

interface Grouped {
  readonly groups: readonly TextGroup[];
  /** The statements that are in no group. */
  readonly others: readonly CompiledStatement[];
}

/**
 * @param statements those whose resource is known to match. Each goes by the test that tells it from most of the others,
 * if it has one.
 */
function groupByTexts(statements: readonly CompiledStatement[], min = textsMin): Grouped {
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

/**
 * Puts paths into classes by the texts that patterns begin and end with: two paths of one class begin with the same of
 * these texts and end with the same, and are equal to the same literal pattern or to none.
 */
export class PathClasses {
  readonly #literals = new Set<string>();
  readonly #beginnings: Beginnings;
  /** Of texts from their end to their beginning; undefined where no pattern asks for an end. */
  readonly #endings: Beginnings | undefined;

  constructor(statements: readonly CompiledStatement[]) {
    const beginnings = new Set<string>();
    const endings = new Set<string>();
    for (const glob of statements.flatMap(({ resources }) => resources)) {
      if (glob.kind === 'literal') {
        this.#literals.add(glob.text);
        continue;
      }
      beginnings.add(beginningOf(glob));
      const ending = endingOf(glob);
      if (ending !== '') endings.add(backwards(ending));
    }
    this.#beginnings = new Beginnings(beginnings);
    this.#endings = endings.size === 0 ? undefined : new Beginnings(endings);
  }

  /** A name of the class, by the patterns alone: there are no more than the patterns make, however many paths. */
  classOf(path: string): string {
    if (this.#literals.has(path)) return `=${path}`;
    const openingText = this.#beginnings.longestOf(path);
    return this.#endings === undefined ? openingText : `${openingText} ${this.#endings.longestOf(backwards(path))}`;
  }
}

/** Texts that others may begin with. */
class Beginnings {
  /** In the order of UTF-16 units, in which a text comes before every longer text that begins with it. */
  readonly #texts: readonly string[];
  /** For each text, the place of the longest other text that it begins with; -1 for none. */
  readonly #shorter: readonly number[];

  constructor(texts: ReadonlySet<string>) {
    this.#texts = [...texts].sort(byUnits);
    const shorter: number[] = [];
    for (const [index, text] of this.#texts.entries()) shorter.push(this.#longest(text, shorter, index - 1));
    this.#shorter = shorter;
  }

  /** The position of the longest text that the text begins with; another text where there is none. */
  longestOf(text: string): string {
    return `^${this.#longest(text, this.#shorter, this.#lastUpTo(text))}`;
  }

  /** The place of the longest text that the text begins with, no later than `from`. */
  #longest(text: string, shorter: readonly number[], from: number): number {
    let index = from;
    while (index !== -1 && !text.startsWith(this.#texts[index] ?? '')) index = shorter[index] ?? -1;
    return index;
  }

  #lastUpTo(text: string): number {
    let [low, high] = [0, this.#texts.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#texts[middle] ?? '') <= text) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
}

/** By UTF-16 units. */
function backwards(text: string): string {
  let made = '';
  for (let index = text.length - 1; index >= 0; index--) made += text[index];
  return made;
}

function byUnits(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
