import type { ApiAction, CompiledEntity, ViewDefinition, Views } from '../../schema/port.ts';

/** The names of an entity's schemas, which generated clients take for their types. */
export interface TypeNames {
  readonly record: string;
  readonly create: string;
  readonly update: string;
  readonly page: string;
  readonly expand: string;
  /** By action and view: what a record is shown as. Views that show the same have one schema. */
  readonly views: Readonly<Record<ShowingAction, ReadonlyMap<string, string>>>;
}

/** The actions whose replies show records. */
export const showingActions = ['get', 'list', 'create', 'update'] as const satisfies readonly ApiAction[];
export type ShowingAction = (typeof showingActions)[number];

type NamedEntity = Pick<CompiledEntity, 'name' | 'views'>;
type FreeName = (wanted: string) => string;

/**
 * `order_item` gets `OrderItem`, `OrderItemCreate` and so on. Where a name is taken, by another entity's record or by
 * the document itself, a `_` is put behind it, so no two are the same.
 */
export function* typeNames<E extends NamedEntity>(
  entities: readonly E[],
  taken: readonly string[],
): Generator<{ readonly entity: E; readonly names: TypeNames }> {
  const used = new Set(taken);
  const free: FreeName = (wanted) => {
    let name = wanted;
    while (used.has(name)) name += '_';
    used.add(name);
    return name;
  };
  // All records come first: they keep their names, whatever the other schemas are called.
  const named = entities.map((entity) => ({ entity, record: free(pascalCase(entity.name)) }));
  for (const { entity, record } of named)
    yield {
      entity,
      names: {
        record,
        create: free(`${record}Create`),
        update: free(`${record}Update`),
        page: free(`${record}Page`),
        expand: free(`${record}Expand`),
        views: viewNames(entity, record, free),
      },
    };
}

/** Goes back to one entity name only: a `_` is left out just where the letter behind it shows that it was there. */
export function pascalCase(entityName: string): string {
  const inner = entityName.slice(1).replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return entityName.charAt(0).toUpperCase() + inner;
}

/** The views of an action, the builder's before the generated ones. */
export function viewsOf({ views }: Pick<NamedEntity, 'views'>, action: ShowingAction): Views {
  return { ...views.generated, ...views.own(action) };
}

function viewNames(entity: NamedEntity, record: string, free: FreeName): TypeNames['views'] {
  const known = new Map<string, string>();
  const nameOf = (name: string, view: ViewDefinition): string => {
    if (view === entity.views.generated.default) return record;
    const text = JSON.stringify(view);
    const schemaName = known.get(text) ?? free(record + pascalCase(name));
    known.set(text, schemaName);
    return schemaName;
  };
  const ofAction = (action: ShowingAction): ReadonlyMap<string, string> =>
    new Map(Object.entries(viewsOf(entity, action)).map(([name, view]) => [name, nameOf(name, view)]));
  return { get: ofAction('get'), list: ofAction('list'), create: ofAction('create'), update: ofAction('update') };
}
