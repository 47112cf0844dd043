import { type FieldNaming, namesOf } from './context/context.ts';
import { type Effort, isSpent, spend, wholeEffort } from './effort.ts';
import { compileGlob, type Glob, matchesGlob } from './patterns/glob.ts';
import type { Effect } from './truth.ts';

/** Fields of a record, by name. */
export interface FieldSet {
  has(name: string): boolean;
}

/** The envelope of a record: it is in every set, because it identifies the record. */
const envelope: ReadonlySet<string> = new Set(['id', 'version', 'created_at', 'updated_at']);

/** The `Fields` of a statement. */
export interface FieldPatterns {
  readonly includes: readonly Glob[];
  readonly excludes: readonly Glob[];
}

export function compileFields(patterns: readonly string[]): FieldPatterns {
  const { includes, excludes } = splitFields(patterns);
  return { includes: includes.map(compileGlob), excludes: excludes.map(compileGlob) };
}

/** Patterns that exclude begin with `!`; where all of them do, the rest is included. */
export function splitFields(patterns: readonly string[]): Readonly<Record<'includes' | 'excludes', readonly string[]>> {
  const includes = patterns.filter((pattern) => !isExclusion(pattern));
  const excludes = patterns.filter(isExclusion).map((pattern) => pattern.slice(1));
  return { includes: includes.length === 0 ? ['*'] : includes, excludes };
}

/** The fields that statements grant and take. In every list, `undefined` stands for all fields. */
export interface FieldGrant {
  readonly granted: readonly (FieldPatterns | undefined)[];
  /** Whether all of `granted` have to grant a field, or one of them. */
  readonly by: 'all' | 'any';
  readonly taken: readonly FieldPatterns[];
}

/**
 * `undefined` for all fields. Names on which all is spent that one decision may take, and those after them, are in no set.
 * @param namingOf how fields are called: asked for where a set depends on names.
 */
export function fieldSetOf(
  { granted, by, taken }: FieldGrant,
  namingOf: () => FieldNaming | undefined,
): FieldSet | undefined {
  const limits = granted.filter((patterns) => patterns !== undefined);
  const isUnlimited = by === 'all' ? limits.length === 0 : limits.length < granted.length;
  if (isUnlimited && taken.length === 0) return undefined;
  const naming = namingOf();
  const effort = wholeEffort();
  const [ofDeny, ofAllow] = [{ effect: 'Deny', effort } as const, { effect: 'Allow', effort } as const];
  const isIn = (names: readonly string[]): boolean => {
    if (taken.some((patterns) => takesField(patterns, names, ofDeny))) return false;
    if (isUnlimited) return true;
    const grants = (patterns: FieldPatterns) => takesField(patterns, names, ofAllow);
    return by === 'all' ? limits.every(grants) : limits.some(grants);
  };
  return rememberingSet((name) => !isSpent(effort) && isIn(namesOf(naming, name)) && !isSpent(effort));
}

function isExclusion(pattern: string): boolean {
  return pattern.startsWith('!');
}

/**
 * Whether a statement is about a field, by all names that it has or had. A Deny must hold on under any of them: a
 * pattern with wildcards excludes the field from a Deny only if it matches each of the names.
 */
export function takesField(
  { includes, excludes }: FieldPatterns,
  names: readonly string[],
  { effect, effort }: { readonly effect: Effect; readonly effort: Effort },
): boolean {
  if (!spend(effort, (includes.length + excludes.length) * names.length * stepsOfPattern)) return false;
  const [only = ''] = names;
  const matchesOne =
    names.length === 1
      ? (glob: Glob): boolean => matchesGlob(glob, only, effort)
      : (glob: Glob): boolean => names.some((name) => matchesGlob(glob, name, effort));
  if (names.length === 1) return includes.some(matchesOne) && !excludes.some(matchesOne);
  const matchesEach = (glob: Glob): boolean => names.every((name) => matchesGlob(glob, name, effort));
  const isExcludedBy = (glob: Glob): boolean =>
    effect === 'Allow' || glob.kind === 'literal' ? matchesOne(glob) : matchesEach(glob);
  return includes.some(matchesOne) && !excludes.some(isExcludedBy);
}

const stepsOfPattern = 4;

/** Names come from callers too, so no more of them are remembered than an entity has fields. */
const namesMax = 256;

function rememberingSet(isIn: (name: string) => boolean): FieldSet {
  const known = new Map<string, boolean>();
  return {
    has: (name) => {
      if (envelope.has(name)) return true;
      const answer = known.get(name) ?? isIn(name);
      if (known.size < namesMax) known.set(name, answer);
      return answer;
    },
  };
}
