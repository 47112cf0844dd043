import { pointerTo } from '../lib/json-pointer.ts';
import type { ProblemDetails } from '../lib/problem.ts';
import { collapseStars } from './glob.ts';
import { mayMatchAction } from './verbs.ts';

type InputError = NonNullable<ProblemDetails['errors']>[number];

export type Effect = 'Allow' | 'Deny';

/** One element of a policy's `statements`. In no pattern do two `*` stand together. */
export interface Statement {
  readonly Sid?: string;
  readonly Effect: Effect;
  readonly Action: readonly string[];
  readonly Resource: readonly string[];
}

export type ParsedStatements =
  | { readonly statements: readonly Statement[] }
  | { readonly errors: readonly InputError[] };

/** `bytesMax` is measured on the statements as JSON without white space, in UTF-8. */
const policyLimits = {
  statementsMax: 50,
  bytesMax: 10 * 1024,
  patternLengthMax: 256,
  patternStarsMax: 16,
} as const;

/**
 * Reads the `statements` of a policy that is about to be written and lists every mistake, its pointer relative to the
 * statements. A single string is taken where a list of strings is asked for.
 */
export function parseStatements(input: unknown): ParsedStatements {
  if (!Array.isArray(input)) return refused('invalid_type', '`statements` must be an array');
  const elements: readonly unknown[] = input;
  const { statementsMax, bytesMax } = policyLimits;
  if (elements.length > statementsMax) return refused('too_many', `a policy has at most ${statementsMax} statements`);
  if (jsonBytes(elements) > bytesMax)
    return refused('too_long', `a policy has at most ${bytesMax} bytes of statements`);
  const readings = elements.map((element, index) => readStatement(element, `/${index}`));
  const errors = [...readings.flatMap((reading) => reading.errors), ...repeatedSids(readings)];
  const statements = readings.map(statementOf).filter((statement) => statement !== undefined);
  return errors.length === 0 ? { statements } : { errors };
}

/** What can be understood of a statement. What is not there, or not understood, is `undefined`. */
export interface StatementReading {
  readonly Sid?: string | undefined;
  readonly Effect?: Effect | undefined;
  readonly Action?: readonly string[] | undefined;
  readonly Resource?: readonly string[] | undefined;
  /** Empty when the statement is sound. */
  readonly errors: readonly InputError[];
}

/** Reads one statement as far as it goes: stored ones may be broken, and then it matters what their sound part says. */
export function readStatement(input: unknown, pointer = ''): StatementReading {
  const errors: InputError[] = [];
  const report: Report = (at, code, message) => errors.push({ pointer: pointer + at, code, message });
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    report('', 'invalid_type', 'a statement must be an object');
    return { errors };
  }
  const isUnderstood = checkMembers(input, report);
  const Sid = readSid(own(input, 'Sid'), report);
  const Effect = readEffect(own(input, 'Effect'), report);
  const Action = readPatterns('Action', own(input, 'Action'), report);
  const Resource = readPatterns('Resource', own(input, 'Resource'), report);
  // A member without a meaning here could change what the others mean.
  return isUnderstood ? { Sid, Effect, Action, Resource, errors } : { Sid, Effect, errors };
}

type Report = (at: string, code: string, message: string) => void;

/** Only a statement's own members count: what it inherits was written by nobody. */
function own(statement: object, name: string): unknown {
  return Object.hasOwn(statement, name) ? Reflect.get(statement, name) : undefined;
}

function refused(code: string, message: string): ParsedStatements {
  return { errors: [{ pointer: '', code, message }] };
}

function jsonBytes(value: unknown): number {
  return new TextEncoder().encode(JSON.stringify(value)).length;
}

function statementOf(reading: StatementReading): Statement | undefined {
  const { Sid, Effect, Action, Resource } = reading;
  if (Effect === undefined || Action === undefined || Resource === undefined) return undefined;
  return Sid === undefined ? { Effect, Action, Resource } : { Sid, Effect, Action, Resource };
}

function repeatedSids(readings: readonly StatementReading[]): readonly InputError[] {
  const seen = new Set<string>();
  const errors: InputError[] = [];
  for (const [index, { Sid }] of readings.entries()) {
    if (Sid === undefined || Sid === '') continue;
    if (seen.has(Sid)) {
      errors.push({ pointer: `/${index}/Sid`, code: 'duplicate', message: `\`Sid\` \`${shown(Sid)}\` stands twice` });
    }
    seen.add(Sid);
  }
  return errors;
}

const members: ReadonlySet<string> = new Set(['Sid', 'Effect', 'Action', 'Resource']);
/** Both can only narrow a statement, so the rest of it can still be read. */
const narrowingMembers: ReadonlySet<string> = new Set(['Condition', 'Fields']);

function checkMembers(statement: object, report: Report): boolean {
  let isUnderstood = true;
  for (const name of Object.keys(statement)) {
    const at = pointerTo(name);
    if (members.has(name)) continue;
    if (narrowingMembers.has(name)) report(at, 'not_supported', `\`${name}\` is not supported yet`);
    else {
      isUnderstood = false;
      report(at, 'unknown_field', `a statement has no member \`${shown(name)}\``);
    }
  }
  return isUnderstood;
}

function readSid(value: unknown, report: Report): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'string' && /^[A-Za-z0-9]*$/.test(value)) return value;
  report('/Sid', 'invalid_value', '`Sid` must be a string of ASCII letters and digits');
  return undefined;
}

function readEffect(value: unknown, report: Report): Effect | undefined {
  if (value === 'Allow' || value === 'Deny') return value;
  if (value === undefined) report('/Effect', 'required', '`Effect` is required: `Allow` or `Deny`');
  else report('/Effect', 'invalid_value', '`Effect` must be exactly `Allow` or `Deny`');
  return undefined;
}

function readPatterns(member: 'Action' | 'Resource', value: unknown, report: Report): readonly string[] | undefined {
  if (value === undefined) {
    report(`/${member}`, 'required', `\`${member}\` is required`);
    return undefined;
  }
  const elements: unknown = typeof value === 'string' ? [value] : value;
  if (!Array.isArray(elements) || elements.length === 0) {
    report(`/${member}`, 'invalid_type', `\`${member}\` must be a pattern or a list of at least one pattern`);
    return undefined;
  }
  const patterns: string[] = [];
  for (const [index, element] of elements.entries()) {
    const pattern = readPattern(member, element);
    if (typeof pattern === 'string') patterns.push(pattern);
    else report(elements === value ? `/${member}/${index}` : `/${member}`, ...pattern);
  }
  return patterns.length === elements.length ? patterns : undefined;
}

type Mistake = readonly [code: string, sentence: string];

function readPattern(member: 'Action' | 'Resource', value: unknown): string | Mistake {
  if (typeof value !== 'string') return ['invalid_type', `a pattern in \`${member}\` must be a string`];
  const pattern = collapseStars(value);
  const mistake = patternMistake(pattern) ?? (member === 'Action' ? actionMistake(pattern) : resourceMistake(pattern));
  if (mistake === undefined) return pattern;
  const [code, sentence] = mistake;
  return [code, `${member === 'Action' ? 'action' : 'resource'} pattern \`${shown(value)}\` ${sentence}`];
}

function patternMistake(pattern: string): Mistake | undefined {
  const { patternLengthMax, patternStarsMax } = policyLimits;
  const stars = pattern.split('*').length - 1;
  if ([...pattern].length > patternLengthMax) return ['too_long', `has more than ${patternLengthMax} characters`];
  if (stars > patternStarsMax) return ['too_many', `has more than ${patternStarsMax} stars`];
  if (!pattern.isWellFormed()) return ['invalid_value', 'contains half of a surrogate pair'];
  return undefined;
}

function actionMistake(pattern: string): Mistake | undefined {
  if (mayMatchAction(pattern)) return undefined;
  return ['invalid_value', 'matches no action: an action is a verb and an entity, such as `getorder`, `get*` or `*`'];
}

function resourceMistake(pattern: string): Mistake | undefined {
  if (pattern.includes('${')) return ['not_supported', 'contains a variable, which is not supported yet'];
  if (pattern.startsWith('/') || pattern.startsWith('*')) return undefined;
  return ['invalid_value', 'must begin with `/` or `*`'];
}

function shown(input: string): string {
  return (input.length > 64 ? `${input.slice(0, 64)}…` : input).toWellFormed();
}
