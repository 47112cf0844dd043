import { useQueries } from '@tanstack/react-query';
import { usePlace } from '../../../api/session.ts';
import { definitionOf } from '../../entities/definition.ts';
import { entityQuery } from '../../entities/queries.ts';
import { entitiesIn } from './action-patterns.ts';
import type { ConditionField } from './condition-keys.ts';

/** Of more entities the list of fields would be too long to choose from. */
const entitiesMax = 5;

/** The fields of the entities that a statement is about, for pickers. */
export function useFields(actions: readonly string[], entities: readonly string[]): readonly ConditionField[] {
  const { env } = usePlace();
  const names = entitiesIn(actions, entities);
  const own = names.filter((name) => entities.includes(name));
  const definitions = useQueries({
    queries: (names.length > entitiesMax ? [] : own).map((name) => entityQuery(env, name)),
  });
  const fields = definitions.flatMap(({ data }) =>
    data === undefined ? [] : (definitionOf(data.create).UpdateParams ?? []),
  );
  const known = [
    ...fields.map(({ name, colType = 'string', enumValues }): ConditionField => ({ name, colType, enumValues })),
    ...names.flatMap((name) => systemFields[name] ?? []),
  ];
  return [...new Map(known.map((field) => [field.name, field])).values()];
}

const texts = (...names: readonly string[]): readonly ConditionField[] =>
  names.map((name) => ({ name, colType: 'string' }));

/** Those of the entities of access control, which no builder defines. */
const systemFields: Readonly<Record<string, readonly ConditionField[]>> = {
  aclpolicy: texts('name', 'statements'),
  group: texts('name', 'acl_policies'),
  user: texts('email', 'fn', 'ln', 'picture', 'role', 'status'),
  useraclpolicy: texts('user_id', 'acl_policy_id'),
  usergroup: texts('user_id', 'group_id'),
  userrole: texts('name'),
};
