/** Steps that ask for figures of groups of records. */
import type { InputError } from '@freehold/contract/problem';
import { type ValueType, withoutExpressions } from '../../expressions/port.ts';
import { type JsonSchema, text } from '../../lib/json-schema.ts';
import { Problem } from '../../lib/problem.ts';
import { type GroupSource, type GroupTypes, groupTypes } from '../../records/port.ts';
import { someText } from './kind-content.ts';
import type { FieldCondition } from './shared-content.ts';

export interface AggregateContent {
  readonly type: 'aggregate';
  readonly entity: string;
  readonly filters?: readonly FieldCondition[];
  readonly group?: string;
  readonly measure?: string;
  /** A condition on the names of a group, in which expressions stand for values. */
  readonly having?: string;
  readonly sortby?: string;
  readonly sortdir?: string;
  readonly pagesize?: number;
  readonly time_zone?: string;
  /** The pages behind the first one, too. */
  readonly all?: boolean;
}

/** Its types depend on these, so they are no templates. */
function termList(pattern: string, description: string): JsonSchema {
  return { ...text, minLength: 1, maxLength: 1000, pattern, description };
}

export const aggregateMembers = {
  group: termList(
    '^[A-Za-z0-9_(),.]+$',
    'fields, also over a lookup, or parts of time such as `month(created_at)`, with commas between them',
  ),
  measure: termList(
    '^[A-Za-z0-9_:,]+$',
    '`count`, `sum:<field>`, `avg:`, `min:`, `max:`, `distinct:`, with commas between them',
  ),
  having: someText(1000),
  sortby: termList('^[A-Za-z0-9_,]+$', 'names of the groups and of their values, with commas between them'),
  sortdir: termList(
    '^(asc|desc)(,(asc|desc))*$',
    '`asc` or `desc`, one for all names or one for each, with commas between them',
  ),
  pagesize: { type: 'integer', minimum: 1, maximum: 1000 },
  time_zone: someText(200),
} as const satisfies Readonly<Record<string, JsonSchema>>;

/** A query about the records that the filters choose. */
export interface AggregateQuestion {
  /** As a request has them. With their marks, since an entity may have fields of these names. */
  readonly parameters: ReadonlyMap<string, string>;
  /** The expressions in the condition, as templates, by the names in place of their values. */
  readonly values: Readonly<Record<string, string>>;
}

/** @param step whose time zone is left out here, since it may be a template. */
export function aggregateQuestion(step: AggregateContent): AggregateQuestion {
  const { group, measure, having = '', sortby, sortdir, all, pagesize = all === true ? 1000 : undefined } = step;
  const values: Record<string, string> = {};
  const condition = withoutExpressions(having, (source) => {
    const name = `_${Object.keys(values).length + 1}`;
    values[name] = `{{${source}}}`;
    // As long as it was, so that mistakes keep their places.
    return name.padEnd(source.length + 4);
  });
  const sent = {
    $group: group,
    $measure: measure,
    // The compiler of templates names their faults.
    $having: typeof condition === 'string' ? condition : '',
    sortby,
    sortdir,
    pagesize,
  };
  const parameters = Object.entries(sent).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [[name, String(value)] as const],
  );
  return { parameters: new Map(parameters), values };
}

/** @param pointer that of the step. */
export function aggregateErrors(step: AggregateContent, source: GroupSource, pointer: string): readonly InputError[] {
  const { values } = aggregateQuestion(step);
  const types = typesOfGroups(step, source, Object.keys(values));
  if (!(types instanceof Problem)) return [];
  const errors = types.details.errors ?? [];
  return errors.map((error) => ({ ...error, pointer: `${pointer}${error.pointer.replace(/^\/\$/, '/')}` }));
}

/** @param bound as that of {@link groupTypes}. */
function typesOfGroups(step: AggregateContent, source: GroupSource, bound?: readonly string[]): GroupTypes | Problem {
  const { parameters } = aggregateQuestion(step);
  const zone = step.time_zone;
  const sent = zone === undefined || zone.includes('{{') ? parameters : new Map([...parameters, ['$time_zone', zone]]);
  try {
    return groupTypes(source, sent, bound);
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
}

/** The value that a step leaves, as later expressions see it. */
export function aggregateType(step: AggregateContent, source: GroupSource): ValueType {
  const types = typesOfGroups(step, source);
  if (types instanceof Problem) return 'dyn';
  const member = (of: ReadonlyMap<string, string>): ValueType => ({ kind: 'fields', types: of });
  const item: ValueType = {
    kind: 'fields',
    types: new Map([
      ['group', member(types.group)],
      ['values', member(types.values)],
    ]),
  };
  return {
    kind: 'fields',
    types: new Map<string, ValueType>([
      ['items', { kind: 'list', of: item }],
      ['count', 'int'],
      ['has_more', 'bool'],
      ['partial', 'bool'],
    ]),
  };
}
