import { pointerTo } from '../lib/json-pointer.ts';
import type { ProblemDetails } from '../lib/problem.ts';
import { unknownNames } from '../lib/unknown-names.ts';
import { type ConditionTerm, readCondition } from './conditions/read-condition.ts';
import { patternMistake, type ReportMistake, readFields, type StatementMistake, shown } from './mistakes.ts';
import { collapseStars } from './patterns/glob.ts';
import { policyLimits, sidMax, statementMembers } from './schema/statement-schema.ts';
import { collapseTemplateStars, parseTemplate } from './template.ts';
import type { Effect } from './truth.ts';
import { mayMatchAction } from './verbs.ts';

type InputError = NonNullable<ProblemDetails['errors']>[number];

/** One element of a policy's `statements`. In no pattern do two `*` stand together. */
export interface Statement {
  readonly Sid?: string;
  readonly Effect: Effect;
  readonly Action: readonly string[];
  readonly Resource: readonly string[];
  /** The values of each key of each operator. */
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;
  readonly Fields?: readonly string[];
  /** It is decided and recorded, and never enforced. */
  readonly Mode?: Mode;
}

type Mode = 'report';

type ParsedStatements = { readonly statements: readonly Statement[] } | { readonly errors: readonly InputError[] };

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
  const errors = [...readings.flatMap((reading) => reading.errors), ...longSids(readings), ...repeatedSids(readings)];
  const statements = readings.map(statementOf).filter((statement) => statement !== undefined);
  return errors.length === 0 ? { statements } : { errors };
}

/** The members of a statement that can be understood. A member that is missing or not understood is `undefined`. */
export interface StatementReading {
  readonly Sid?: string | undefined;
  readonly Effect?: Effect | undefined;
  readonly Action?: readonly string[] | undefined;
  readonly Resource?: readonly string[] | undefined;
  readonly Condition?: readonly ConditionTerm[] | undefined;
  readonly Fields?: readonly string[] | undefined;
  readonly Mode?: Mode | undefined;
  /** Empty when the statement is sound. */
  readonly errors: readonly InputError[];
}

/** Reads one statement as far as it goes: stored ones may be broken, and then it matters what their sound part says. */
export function readStatement(input: unknown, pointer = ''): StatementReading {
  const errors: InputError[] = [];
  const report: ReportMistake = (at, code, message) => errors.push({ pointer: pointer + at, code, message });
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    report('', 'invalid_type', 'a statement must be an object');
    return { errors };
  }
  const isUnderstood = checkMembers(input, report);
  const Sid = readSid(own(input, 'Sid'), report);
  const Effect = readEffect(own(input, 'Effect'), report);
  const Action = readPatterns('Action', own(input, 'Action'), report);
  const Resource = readPatterns('Resource', own(input, 'Resource'), report);
  const Condition = ifPresent(own(input, 'Condition'), (value) => readCondition(value, report));
  const Fields = ifPresent(own(input, 'Fields'), (value) => readFields(value, report));
  const Mode = ifPresent(own(input, 'Mode'), (value) => readMode(value, report));
  // A member without a meaning here could change what the others mean.
  return isUnderstood ? { Sid, Effect, Action, Resource, Condition, Fields, Mode, errors } : { Sid, Effect, errors };
}

/**
 * Whether a stored statement is never enforced. Nothing else is asked of it: what is broken in it beside does not make
 * it a Deny. With a member that is not known its mode may mean something else, so it is enforced.
 */
export function isReportOnly(stored: unknown): boolean {
  if (typeof stored !== 'object' || stored === null || Array.isArray(stored)) return false;
  return own(stored, 'Mode') === 'report' && unknownNames(stored, (name) => members.has(name)).length === 0;
}

/** The stored statements that are enforced. A value that is no list is left as it is: one broken statement. */
export function enforcedOf(statements: unknown): unknown {
  return Array.isArray(statements) ? statements.filter((one) => !isReportOnly(one)) : statements;
}

function ifPresent<Read>(value: unknown, read: (value: unknown) => Read): Read | undefined {
  return value === undefined ? undefined : read(value);
}

/** Only a statement's own members count, and not inherited ones. */
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
  const { Sid, Effect, Action, Resource, Condition, Fields, Mode } = reading;
  if (Effect === undefined || Action === undefined || Resource === undefined) return undefined;
  return {
    ...(Sid === undefined ? {} : { Sid }),
    Effect,
    Action,
    Resource,
    ...(Condition === undefined ? {} : { Condition: conditionOf(Condition) }),
    ...(Fields === undefined ? {} : { Fields }),
    ...(Mode === undefined ? {} : { Mode }),
  };
}

function conditionOf(terms: readonly ConditionTerm[]): NonNullable<Statement['Condition']> {
  const operators = [...new Set(terms.map(({ operator }) => operator))];
  return Object.fromEntries(
    operators.map((name) => {
      const keys = terms.filter(({ operator }) => operator === name).map(({ key, expected }) => [key, expected]);
      return [name, Object.fromEntries(keys)];
    }),
  );
}

/** Asked only of what is written: a stored statement with a longer `Sid` is sound. */
function longSids(readings: readonly StatementReading[]): readonly InputError[] {
  const message = `\`Sid\` has at most ${sidMax} characters`;
  return readings.flatMap(({ Sid = '' }, index) =>
    [...Sid].length > sidMax ? [{ pointer: `/${index}/Sid`, code: 'too_long', message }] : [],
  );
}

/** Compared as sent: no case is folded, and no form of Unicode is made another. */
function repeatedSids(readings: readonly StatementReading[]): readonly InputError[] {
  const seen = new Set<string>();
  const errors: InputError[] = [];
  for (const [index, { Sid }] of readings.entries()) {
    if (Sid === undefined || Sid === '') continue;
    if (seen.has(Sid)) {
      errors.push({ pointer: `/${index}/Sid`, code: 'duplicate', message: `\`Sid\` \`${shown(Sid)}\` appears twice` });
    }
    seen.add(Sid);
  }
  return errors;
}

const members: ReadonlySet<string> = new Set(statementMembers);

function checkMembers(statement: object, report: ReportMistake): boolean {
  const unknown = unknownNames(statement, (name) => members.has(name));
  for (const name of unknown)
    report(pointerTo(name), 'unknown_field', `unknown member \`${shown(name)}\` in a statement`);
  return unknown.length === 0;
}

/** The characters that could make a label seem another, or break the line that shows it. */
const unfitForSid = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/u;

function readSid(value: unknown, report: ReportMistake): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'string' && !unfitForSid.test(value)) return value;
  report('/Sid', 'invalid_value', '`Sid` must be a string without controls, line separators and direction marks');
  return undefined;
}

function readEffect(value: unknown, report: ReportMistake): Effect | undefined {
  if (value === 'Allow' || value === 'Deny') return value;
  if (value === undefined) report('/Effect', 'required', '`Effect` is required: `Allow` or `Deny`');
  else report('/Effect', 'invalid_value', '`Effect` must be exactly `Allow` or `Deny`');
  return undefined;
}

function readMode(value: unknown, report: ReportMistake): Mode | undefined {
  if (value === 'report') return value;
  report('/Mode', 'invalid_value', '`Mode` must be exactly `report`; a statement without it is enforced');
  return undefined;
}

function readPatterns(
  member: 'Action' | 'Resource',
  value: unknown,
  report: ReportMistake,
): readonly string[] | undefined {
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

function readPattern(member: 'Action' | 'Resource', value: unknown): string | StatementMistake {
  if (typeof value !== 'string') return ['invalid_type', `a pattern in \`${member}\` must be a string`];
  const pattern = member === 'Action' ? collapseStars(value) : collapseTemplateStars(value);
  const mistake =
    patternMistake(pattern, value) ?? (member === 'Action' ? actionMistake(pattern) : resourceMistake(pattern));
  if (mistake === undefined) return pattern;
  const [code, sentence] = mistake;
  return [code, `${member === 'Action' ? 'action' : 'resource'} pattern \`${shown(value)}\` ${sentence}`];
}

function actionMistake(pattern: string): StatementMistake | undefined {
  if (mayMatchAction(pattern)) return undefined;
  return ['invalid_value', 'matches no action: an action is a verb and an entity, such as `getorder`, `get*` or `*`'];
}

function resourceMistake(pattern: string): StatementMistake | undefined {
  const template = parseTemplate(pattern, true);
  if (!('parts' in template)) return template;
  if (pattern.startsWith('/') || pattern.startsWith('*')) return undefined;
  return ['invalid_value', 'must begin with `/` or `*`'];
}

/** Of what is enforced of policies: this is what they cost to compile, to keep and to decide by. */
export interface PolicyCounts {
  readonly statementCount: number;
  /** Actions, resources, fields and values of conditions. */
  readonly patternCount: number;
}

/** Counts stored statements as they lie there, which costs far less than to compile them. Broken parts count, too. */
export function countPatterns(policies: readonly { readonly statements: unknown }[]): PolicyCounts {
  const all = policies
    .flatMap(({ statements }): readonly unknown[] => (Array.isArray(statements) ? statements : [statements]))
    .filter((one) => !isReportOnly(one));
  return { statementCount: all.length, patternCount: all.reduce((sum: number, one) => sum + patternsOf(one), 0) };
}

function patternsOf(statement: unknown): number {
  if (!isObject(statement)) return 0;
  const { Action, Resource, Condition, Fields } = statement;
  return valuesIn(Action) + valuesIn(Resource) + valuesIn(Fields) + conditionValuesIn(Condition);
}

function conditionValuesIn(condition: unknown): number {
  if (!isObject(condition)) return 0;
  const terms = Object.values(condition).flatMap((keys) => (isObject(keys) ? Object.values(keys) : []));
  return terms.reduce((sum: number, values) => sum + valuesIn(values), 0);
}

function valuesIn(member: unknown): number {
  if (member === undefined) return 0;
  return Array.isArray(member) ? member.length : 1;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
