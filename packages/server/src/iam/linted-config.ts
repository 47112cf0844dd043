import { routeActions } from '@freehold/contract/route-actions';
import { systemEntityNames } from '@freehold/contract/system-entities';
import { lintStatements } from '../access/port.ts';
import { type ConfigSet, itemKey } from '../config/port.ts';
import { fieldTypeOf, lookupOf } from '../schema/port.ts';

type LintedEntity = Parameters<typeof lintStatements>[1]['entities'][number];

/** Findings for the author of statements, in an app that has these entities and logic blocks. */
export function lintPolicy(
  statements: unknown,
  entities: readonly LintedEntity[],
  blocks: readonly string[],
): ReturnType<typeof lintStatements> {
  return lintStatements(statements, { entities, blocks, systemEntities: systemEntityNames, routes: routeActions });
}

/** The logic blocks of an org, by their names. */
export function lintBlocks({ items }: ConfigSet): readonly string[] {
  const prefix = itemKey({ kind: 'logicblock', name: '' });
  return [...items.keys()].flatMap((key) => (key.startsWith(prefix) ? [key.slice(prefix.length)] : []));
}

/** The entities of an org, and those that every org has, as far as policies may name them. */
export async function lintEntities(
  config: Pick<ConfigSet, 'entityNames' | 'entity'>,
): Promise<readonly LintedEntity[]> {
  const names = [...new Set([...config.entityNames, ...systemEntityNames])];
  const entities = await Promise.all(names.map((name) => config.entity(name)));
  return entities
    .filter((entity) => entity !== undefined)
    .map(({ name, fields, naming }) => {
      const namesOf = (field: string): readonly string[] => naming?.byName.get(field) ?? [field];
      const lists = [...fields.values()].filter(({ definition }) => fieldTypeOf(definition).isList === true);
      return {
        name,
        fields: new Set([...fields.keys()].flatMap(namesOf)),
        lists: new Set(lists.flatMap((field) => namesOf(field.name))),
        renamed: [...new Set(naming?.byName.values())].filter((names) => names.length > 1),
        references: [...fields.values()].flatMap(({ name: field, definition }) => {
          const lookup = lookupOf(definition);
          return lookup === undefined ? [] : [{ field, entity: lookup.entity }];
        }),
      };
    });
}
