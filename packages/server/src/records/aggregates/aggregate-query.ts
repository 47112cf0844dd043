import type { InputError } from '@freehold/contract/problem';
import { type OffsetAt, timeZone } from '../../lib/locales.ts';
import { invalidInput } from '../../lib/problem.ts';
import type { MemberType } from '../../lib/where.ts';
import { type CompiledEntity, fieldNamed, platformValues, storedInExpressions } from '../../schema/port.ts';
import type { ExpressionValue } from '../filtering/filter-language.ts';
import { nameIn, parameter } from '../listing/list-parameters.ts';
import { type TimeUnit, units } from './time-buckets.ts';

/** A field of the records, by the name that the entity has for it now. */
export interface FieldTerm {
  readonly field: string;
  /** As it was sent. */
  readonly sent: string;
  readonly type: MemberType;
  /** Its values in conditions. */
  readonly value: ExpressionValue;
}

/** What groups are made by: a field's values, or the parts of time that they are in. */
export interface GroupTerm extends FieldTerm {
  readonly name: string;
  readonly unit: TimeUnit | undefined;
  /** Where the values are those of another record, to which the field points. */
  readonly over?: LookupStep;
}

export interface LookupStep {
  readonly entity: CompiledEntity;
  readonly field: FieldTerm;
}

export type FigureKind = 'sum' | 'avg' | 'min' | 'max' | 'distinct';

/** A figure of each group. */
export type MeasureTerm =
  | { readonly name: string; readonly kind: 'count' }
  | (FieldTerm & { readonly name: string; readonly kind: FigureKind });

/** A member of a group or of its values, by which groups are ordered. */
export interface GroupOrder {
  readonly of: 'group' | 'values';
  readonly at: number;
  readonly descending: boolean;
}

/** What is asked of the records of a list, beside which records these are. */
export interface AggregateQuery {
  readonly groups: readonly GroupTerm[];
  readonly measures: readonly MeasureTerm[];
  readonly having: string | undefined;
  readonly order: readonly GroupOrder[];
  /** Of the times of all buckets. */
  readonly offsetAt: OffsetAt;
  readonly pageSize: number;
  readonly nexttoken: string | undefined;
  /** In one spelling: what a cursor of this query is bound to. */
  readonly canonical: string;
}

const aggregateLimits = { groupTermsMax: 5, measuresMax: 10, pageSizeMax: 1000, pageSizeDefault: 100 } as const;

type AddError = (parameter: AggregateParameter, code: string, message: string) => void;

/** Those that an aggregate takes and a list does not, or takes in another way. */
const ownParameters = [
  'group',
  'measure',
  'having',
  'time_zone',
  'sortby',
  'sortdir',
  'pagesize',
  'nexttoken',
] as const;
type AggregateParameter = (typeof ownParameters)[number];

/** The parameters by which records are chosen. @param parameters with plain names. */
export function choosingParameters(
  entity: CompiledEntity,
  parameters: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  const own = new Set(ownParameters.map((name) => nameIn(entity, name)));
  return new Map([...parameters].filter(([name]) => !own.has(name)));
}

/** An entity, and those that its lookups point to, by the names under which these fields are sent. */
export interface AggregateSource {
  readonly entity: CompiledEntity;
  readonly targetOf: (lookup: string) => CompiledEntity | undefined;
}

/** @param parameters with plain names. @throws Problem `invalid_request` naming all that is wrong. */
export function readAggregateQuery(source: AggregateSource, parameters: ReadonlyMap<string, string>): AggregateQuery {
  const { entity } = source;
  const errors: InputError[] = [];
  const add: AddError = (name, code, message) => {
    errors.push({ pointer: `/${nameIn(entity, name)}`, code, message });
  };
  const sent = (name: AggregateParameter): string | undefined => parameter({ parameters, entity }, name);
  for (const name of ownParameters)
    if (parameters.has(name) && nameIn(entity, name) === name && parameters.has(`$${name}`))
      add(name, 'contradiction', `\`${name}\` and \`$${name}\` are one parameter: send one of them`);
  const groups = readGroups(source, sent('group'), add);
  const measures = readMeasures(entity, sent('measure') ?? 'count', add);
  const zone = sent('time_zone') ?? 'UTC';
  // An offset alone is no time zone: it knows no summer time.
  const offsetAt = /^[A-Za-z]/.test(zone) ? timeZone(zone) : undefined;
  if (offsetAt === undefined)
    add(
      'time_zone',
      'unknown_time_zone',
      `there is no time zone \`${zone.slice(0, 100)}\`: name one such as \`Europe/Berlin\``,
    );
  refuseTwins([...groups, ...measures], add);
  const order = readOrder({ groups, measures }, { sortby: sent('sortby'), sortdir: sent('sortdir') }, add);
  const pageSize = readPageSize(sent('pagesize'), add);
  if (errors.length > 0 || offsetAt === undefined) throw invalidInput('invalid_request', errors);
  const having = sent('having');
  const by = groups.map(({ unit, sent: field }) => [unit ?? null, field]);
  const canonical = JSON.stringify([by, measures.map(({ name }) => name), having ?? null, order, zone]);
  return { groups, measures, having, order, offsetAt, pageSize, nexttoken: sent('nexttoken'), canonical };
}

/** A space behind a comma counts for nothing. */
export function namesIn(sent: string | undefined): readonly string[] {
  return sent?.split(',').map((name) => name.trim()) ?? [];
}

function readGroups(source: AggregateSource, sent: string | undefined, add: AddError): readonly GroupTerm[] {
  const texts = namesIn(sent);
  if (texts.length > aggregateLimits.groupTermsMax)
    add('group', 'too_many', `groups are made by at most ${aggregateLimits.groupTermsMax} fields`);
  return texts.slice(0, aggregateLimits.groupTermsMax).flatMap((text) => {
    const [, unitText, inner] = /^([a-z]+)\((.*)\)$/.exec(text) ?? [];
    const unit = units.find((one) => one === unitText);
    if (unitText !== undefined && unit === undefined) {
      add('group', 'unknown_unit', `\`${unitText.slice(0, 100)}\` is none of ${units.join(', ')}`);
      return [];
    }
    const term = readPath(source, inner ?? text, add);
    if (term === undefined) return [];
    const mistake = unit === undefined ? undefined : unitMistake(term.over?.field ?? term, unit);
    if (mistake !== undefined) add('group', 'wrong_type', mistake);
    const name = term.sent.replace('.', '_');
    return [{ ...term, unit, name: unit === undefined ? name : `${unit}_${name}` }];
  });
}

/** A field, or one of the record that a lookup points to. */
function readPath(
  { entity, targetOf }: AggregateSource,
  text: string,
  add: AddError,
): Pick<GroupTerm, keyof FieldTerm | 'over'> | undefined {
  const addOfGroup = (code: string, message: string): void => add('group', code, message);
  const [, lookup, member] = /^([^.]*)\.(.*)$/.exec(text) ?? [];
  const term = readField(entity, lookup ?? text, addOfGroup);
  if (term === undefined || lookup === undefined || member === undefined) return term;
  const target = targetOf(lookup);
  if (target === undefined) {
    add('group', 'unknown_field', `entity \`${entity.name}\` has no lookup \`${lookup.slice(0, 100)}\``);
    return undefined;
  }
  const field = readField(target, member, addOfGroup);
  return field && { ...term, sent: text, over: { entity: target, field } };
}

function unitMistake({ type, sent }: FieldTerm, unit: TimeUnit): string | undefined {
  if (type !== 'date' && type !== 'datetime') return `field \`${sent}\` holds no times, so it is in no ${unit}`;
  return type === 'date' && unit === 'hour' ? `field \`${sent}\` holds days, which are in no hour` : undefined;
}

const figureKinds = ['sum', 'avg', 'min', 'max', 'distinct'] as const satisfies readonly FigureKind[];

function readMeasures(entity: CompiledEntity, sent: string, add: AddError): readonly MeasureTerm[] {
  const texts = namesIn(sent);
  if (texts.length > aggregateLimits.measuresMax)
    add('measure', 'too_many', `at most ${aggregateLimits.measuresMax} measures are taken at once`);
  return texts.slice(0, aggregateLimits.measuresMax).flatMap((text): readonly MeasureTerm[] => {
    if (text === 'count') return [{ name: 'count', kind: 'count' }];
    const [, before, name = ''] = /^([^:]*):(.*)$/.exec(text) ?? [];
    const kind = figureKinds.find((one) => one === before);
    if (kind === undefined) {
      const known = figureKinds.map((one) => `\`${one}:<field>\``).join(', ');
      add('measure', 'unknown_measure', `\`${text.slice(0, 100)}\` is no measure: take \`count\`, ${known}`);
      return [];
    }
    const field = readField(entity, name, (code, message) => add('measure', code, message), 'measures');
    if (field === undefined) return [];
    const isNumber = field.type === 'integer' || field.type === 'number';
    if (!isNumber && (kind === 'sum' || kind === 'avg'))
      add('measure', 'wrong_type', `field \`${field.sent}\` holds no numbers, so it has no \`${kind}\``);
    return [{ ...field, kind, name: `${kind}_${field.sent}` }];
  });
}

/** @param plain those that take fields of the entity itself alone. */
export function readField(
  entity: CompiledEntity,
  sent: string,
  add: (code: string, message: string) => void,
  plain?: 'facets' | 'measures',
): FieldTerm | undefined {
  const field = fieldNamed(entity, sent);
  const platform = Object.entries(platformValues).find(([name]) => name === sent)?.[1];
  if (field === undefined && platform === undefined) {
    const more = sent.includes('(') ? 'part of time' : sent.includes('.') ? 'field over a lookup' : undefined;
    const refusal = plain && more ? `${plain} take no ${more}, as in` : `entity \`${entity.name}\` has no field`;
    add('unknown_field', `${refusal} \`${sent.slice(0, 100)}\``);
    return undefined;
  }
  const isSecret = field?.behaviour.isSecret === true;
  const value = field === undefined ? platform : isSecret ? undefined : storedInExpressions(field.definition);
  const type = value && memberTypeOf(value);
  if (value !== undefined && type !== undefined) return { field: field?.name ?? sent, sent, type, value };
  add('not_measurable', `field \`${sent}\` holds no plain values: it is an array, \`json\` or encrypted`);
  return undefined;
}

const memberTypes: ReadonlyMap<string, MemberType> = new Map([
  ['string', 'text'],
  ['int', 'integer'],
  ['double', 'number'],
  ['bool', 'boolean'],
]);

/** Undefined for values that are no plain ones. */
function memberTypeOf({ type, write }: ExpressionValue): MemberType | undefined {
  if (type !== 'google.protobuf.Timestamp') return memberTypes.get(type);
  return write?.(new Date(0)) === '1970-01-01' ? 'date' : 'datetime';
}

function refuseTwins(terms: readonly (GroupTerm | MeasureTerm)[], add: AddError): void {
  for (const [at, term] of terms.entries()) {
    if (terms.findIndex(({ name }) => name === term.name) === at) continue;
    add('unit' in term ? 'group' : 'measure', 'duplicate', `\`${term.name}\` is the name of two members of the reply`);
  }
}

function readOrder(
  { groups, measures }: Pick<AggregateQuery, 'groups' | 'measures'>,
  { sortby, sortdir }: { readonly sortby: string | undefined; readonly sortdir: string | undefined },
  add: AddError,
): readonly GroupOrder[] {
  const [names, directions] = [namesIn(sortby), namesIn(sortdir)];
  const isKnown = directions.every((one) => one === 'asc' || one === 'desc');
  if (!isKnown || (directions.length > 1 && directions.length !== names.length))
    add(
      'sortdir',
      'wrong_type',
      '`sortdir` must be `asc` or `desc`, one for all names or one for each, with commas between them',
    );
  // Without a name, it is the order of the groups that is turned around.
  if (sortby === undefined) return groups.map((_, at) => ({ of: 'group', at, descending: directions[0] === 'desc' }));
  return names.flatMap((name, place): readonly GroupOrder[] => {
    const descending = (directions[place] ?? directions[0]) === 'desc';
    const group = groups.findIndex((one) => one.name === name);
    const measure = measures.findIndex((one) => one.name === name);
    if (names.indexOf(name) < place) add('sortby', 'duplicate', `\`sortby\` names \`${name.slice(0, 100)}\` twice`);
    if (group >= 0) return [{ of: 'group', at: group, descending }];
    if (measure >= 0) return [{ of: 'values', at: measure, descending }];
    const known = [...groups, ...measures].map((one) => `\`${one.name}\``).join(', ');
    add('sortby', 'unknown_name', `\`${name.slice(0, 100)}\` is no member of the reply, which has ${known}`);
    return [];
  });
}

function readPageSize(sent: string | undefined, add: AddError): number {
  const { pageSizeMax, pageSizeDefault } = aggregateLimits;
  if (sent === undefined) return pageSizeDefault;
  const size = /^\d{1,4}$/.test(sent) ? Number(sent) : 0;
  if (size >= 1 && size <= pageSizeMax) return size;
  add('pagesize', 'wrong_type', `\`pagesize\` must be a whole number from 1 to ${pageSizeMax}`);
  return pageSizeDefault;
}
