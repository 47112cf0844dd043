/** The most frequent values of fields, over all records of a list. */
import type { InputError } from '@freehold/contract/problem';
import { invalidInput, Problem } from '../../lib/problem.ts';
import type { CompiledEntity } from '../../schema/port.ts';
import type { AuthorizedCall } from '../caller-access.ts';
import { nameIn, parameter, withPlainNames } from '../listing/list-parameters.ts';
import { scopeToCaller } from '../listing/list-scope.ts';
import { isReadable } from '../record-policy.ts';
import type { RecordRuntime } from '../record-runtime.ts';
import { type AggregateQuery, choosingParameters, type FieldTerm, namesIn, readField } from './aggregate-query.ts';
import { aggregateBounds, type MeasuredGroups, type MeasuringDeps, type PartialReason } from './aggregate-run.ts';
import { orderedGroups, type ShownGroup, shownGroups } from './group-page.ts';
import { measureGroups } from './measure-groups.ts';

const facetLimits = { fieldsMax: 5, valuesMax: 50 } as const;

/** @param sent the parameters of a list. */
export function wantsFacets(sent: ReadonlyMap<string, string>): boolean {
  return sent.has('facets') || sent.has('$facets');
}

interface FacetsDeps {
  readonly runtime: Pick<RecordRuntime, 'query'>;
  /** Those of an aggregate; all fields share the time. */
  readonly measuring?: MeasuringDeps;
}

const measuringOfServer: MeasuringDeps = { bounds: aggregateBounds, elapsed: () => performance.now() };

/**
 * The members that facets add to the reply of a list, each with a comma before it; nothing without `facets`, and behind
 * the first page.
 * @param sent the parameters of the list. @throws Problem `invalid_request`.
 */
export async function facetsText(
  { runtime, measuring = measuringOfServer }: FacetsDeps,
  call: AuthorizedCall,
  sent: ReadonlyMap<string, string>,
): Promise<string> {
  const { entity } = call;
  const parameters = withPlainNames(sent, entity);
  const fields = readFacets(call, parameters);
  if (fields.length === 0 || parameter({ parameters, entity }, 'nexttoken') !== undefined) return '';
  const choosing = choosingParameters(entity, withoutShowing(entity, parameters));
  const list = scopeToCaller(call, await runtime.query(call, choosing, 'aggregate'));
  const startedAt = measuring.elapsed();
  const texts: string[] = [];
  let partial: PartialReason | 'values' | undefined;
  for (const field of fields) {
    const { bounds, elapsed } = measuring;
    const milliseconds = Math.max(0, bounds.milliseconds - (elapsed() - startedAt));
    if (milliseconds === 0 && texts.length > 0) {
      partial ??= 'time';
      texts.push(`${JSON.stringify(field.sent)}:[]`);
      continue;
    }
    const query = queryOf(field);
    const measured = await measureFacet({ bounds: { ...bounds, milliseconds }, elapsed }, call, { list, query });
    partial ??= measured === undefined ? 'values' : measured.partial;
    const groups = measured === undefined ? [] : orderedGroups(query.order, shownGroups(query, measured).groups);
    const values = groups.slice(0, facetLimits.valuesMax);
    texts.push(`${JSON.stringify(field.sent)}:[${values.map(valueText).join()}]`);
  }
  return `,"facets":{${texts.join()}}${partial === undefined ? '' : `,"facets_partial":"${partial}"`}`;
}

/** The fields of `facets`, each of which the caller may read in every record. @throws Problem `invalid_request`. */
function readFacets({ entity, rows }: AuthorizedCall, parameters: ReadonlyMap<string, string>): readonly FieldTerm[] {
  const texts = namesIn(parameter({ parameters, entity }, 'facets'));
  const errors: InputError[] = [];
  const add = (code: string, message: string): void => {
    errors.push({ pointer: '/facets', code, message });
  };
  if (texts.length > facetLimits.fieldsMax) add('too_many', `facets are of at most ${facetLimits.fieldsMax} fields`);
  const fields = texts.slice(0, facetLimits.fieldsMax).flatMap((text, at) => {
    const field = readField(entity, text, add, 'facets');
    if (field === undefined) return [];
    if (texts.indexOf(text) < at) add('duplicate', `\`facets\` names \`${field.sent}\` twice`);
    if (!isReadable(rows?.sureFields, field.field))
      add(
        'not_readable',
        `\`facets\` takes no field \`${field.sent}\` here, since the caller may not read it in every record`,
      );
    return [field];
  });
  if (errors.length > 0) throw invalidInput('invalid_request', errors);
  return fields;
}

/** Those that choose no records, but say what a list shows of them. */
const showing = ['facets', 'view', 'expand', 'fields', 'total', 'explain'] as const;

function withoutShowing(entity: CompiledEntity, parameters: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const names = new Set(showing.map((name) => nameIn(entity, name)));
  return new Map([...parameters].filter(([name]) => !names.has(name)));
}

/** The records of each value, the most frequent value first. */
function queryOf(field: FieldTerm): AggregateQuery {
  return {
    groups: [{ ...field, unit: undefined, name: field.sent }],
    measures: [{ name: 'count', kind: 'count' }],
    having: undefined,
    order: [
      { of: 'values', at: 0, descending: true },
      { of: 'group', at: 0, descending: false },
    ],
    offsetAt: () => 0,
    pageSize: facetLimits.valuesMax,
    nexttoken: undefined,
    canonical: '',
  };
}

/** Undefined where a field has too many values. */
async function measureFacet(
  ...[deps, call, question]: Parameters<typeof measureGroups>
): Promise<MeasuredGroups | undefined> {
  try {
    return await measureGroups(deps, call, question);
  } catch (error) {
    const isTooMany = error instanceof Problem && error.details.errors?.some(({ code }) => code === 'too_many_groups');
    if (isTooMany !== true) throw error;
    return undefined;
  }
}

function valueText({ group, values }: ShownGroup): string {
  return JSON.stringify({ value: group[0] ?? null, count: Number(values[0]) });
}
