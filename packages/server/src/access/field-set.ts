import { compileGlob, type Glob, matchesGlob } from './glob.ts';

/** Fields of a record, by name. */
export interface FieldSet {
  has(name: string): boolean;
}

/** The envelope of a record: it is in every set, since nobody could tell without it which record is meant. */
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

/** What statements grant and take. In every list, `undefined` stands for all fields. */
export interface FieldGrant {
  readonly granted: readonly (FieldPatterns | undefined)[];
  /** Whether all of `granted` have to grant a field, or one of them. */
  readonly by: 'all' | 'any';
  readonly taken: readonly FieldPatterns[];
}

/** `undefined` for all fields. */
export function fieldSetOf({ granted, by, taken }: FieldGrant): FieldSet | undefined {
  const limits = granted.filter((patterns) => patterns !== undefined);
  const isUnlimited = by === 'all' ? limits.length === 0 : limits.length < granted.length;
  if (isUnlimited && taken.length === 0) return undefined;
  return rememberingSet((name) => {
    if (taken.some((patterns) => takes(patterns, name))) return false;
    if (isUnlimited) return true;
    return by === 'all'
      ? limits.every((patterns) => takes(patterns, name))
      : limits.some((patterns) => takes(patterns, name));
  });
}

function isExclusion(pattern: string): boolean {
  return pattern.startsWith('!');
}

function takes({ includes, excludes }: FieldPatterns, name: string): boolean {
  return includes.some((glob) => matchesGlob(glob, name)) && !excludes.some((glob) => matchesGlob(glob, name));
}

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
