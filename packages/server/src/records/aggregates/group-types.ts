import { type CompiledEntity, fieldNamed, lookupOf } from '../../schema/port.ts';
import { withPlainNames } from '../listing/list-parameters.ts';
import { readAggregateQuery } from './aggregate-query.ts';
import { havingCondition, membersOf } from './group-page.ts';

/** The types, in expressions, of the members that each group of a reply has in its `group` and in its `values`. */
export interface GroupTypes {
  readonly group: ReadonlyMap<string, string>;
  readonly values: ReadonlyMap<string, string>;
}

export interface GroupSource {
  readonly entity: CompiledEntity;
  /** Undefined where its fields are not known. */
  readonly entityNamed: (name: string) => CompiledEntity | undefined;
}

/**
 * Of a question that is not asked yet.
 * @param bound the names of the values that its condition is to read; left out, it is not looked at.
 * @throws Problem `invalid_request`.
 */
export function groupTypes(
  { entity, entityNamed }: GroupSource,
  sent: ReadonlyMap<string, string>,
  bound?: readonly string[],
): GroupTypes {
  const targetOf = (name: string): CompiledEntity | undefined => {
    const definition = fieldNamed(entity, name)?.definition;
    const lookup = definition && lookupOf(definition);
    return lookup && entityNamed(lookup.entity);
  };
  const query = readAggregateQuery({ entity, targetOf }, withPlainNames(sent, entity));
  if (bound !== undefined) havingCondition(entity, query, bound);
  const members = membersOf(query);
  const typesOf = (part: 'group' | 'values') =>
    new Map(members.filter(({ of }) => of === part).map(({ name, type }) => [name, type]));
  return { group: typesOf('group'), values: typesOf('values') };
}
