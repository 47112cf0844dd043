import { recordRoutes } from '@freehold/contract/app/records';
import type { ApiAction, CompiledEntity, ViewDefinition, Views } from '../../schema/port.ts';

/** The names of an entity's operations and schemas, which generated clients take for functions and types. */
export interface TypeNames {
  /** In the name of each operation, behind its action. */
  readonly called: string;
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
 * `order_item` gets `OrderItem`, `OrderItemCreate` and so on. Where a name is taken, by an operation, by another
 * entity's record or by the document itself, a number is put behind it, so that no two are the same to a generator.
 * @param taken the names of other operations and schemas of the document.
 */
export function* typeNames<E extends NamedEntity>(
  entities: readonly E[],
  taken: readonly string[],
): Generator<{ readonly entity: E; readonly names: TypeNames }> {
  const names = new FreeNames(taken);
  const free: FreeName = (wanted) => names.take(wanted, (name) => [name]);
  // Operations come first, and then the records: they keep their names, whatever the other schemas are called.
  const called = entities.map(({ name }) => names.take(pascalCase(name), operationNames));
  const records = entities.map(({ name }) => free(pascalCase(name)));
  for (const [at, entity] of entities.entries()) {
    const { [at]: record = '' } = records;
    yield {
      entity,
      names: {
        called: called[at] ?? '',
        record,
        create: free(`${record}Create`),
        update: free(`${record}Update`),
        page: free(`${record}Page`),
        expand: free(`${record}Expand`),
        views: viewNames(entity, record, free),
      },
    };
  }
}

function operationNames(called: string): readonly string[] {
  return Object.keys(recordRoutes).map((action) => action + called);
}

class FreeNames {
  readonly #taken: Set<string>;
  /** The number that the last one of a name got. */
  readonly #numbers = new Map<string, number>();

  constructor(taken: readonly string[]) {
    this.#taken = new Set(taken.map(bareName));
  }

  /** @param made what is made of a name; all of that is taken with it. */
  take(wanted: string, made: (name: string) => readonly string[]): string {
    const isFree = (name: string) => made(name).every((one) => !this.#taken.has(bareName(one)));
    let name = wanted;
    if (!isFree(name)) {
      const bare = bareName(wanted);
      let number = this.#numbers.get(bare) ?? 1;
      while (!isFree(name)) name = wanted + ++number;
      this.#numbers.set(bare, number);
    }
    for (const one of made(name)) this.#taken.add(bareName(one));
    return name;
  }
}

/**
 * Two names with the same one are the same name in some generated client: generators write operations and schemas in
 * their own case, make types of both, and name files after them.
 */
function bareName(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
}

/** Goes back to one entity name only: a `_` is left out just where the letter behind it shows that it was there. */
function pascalCase(entityName: string): string {
  const inner = entityName.slice(1).replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return entityName.charAt(0).toUpperCase() + inner;
}

/** The views of an action, the builder's before the generated ones. */
export function viewsOf({ views }: Pick<NamedEntity, 'views'>, action: ShowingAction): Views {
  return { ...views.generated, ...views.own(action) };
}

/** The view by which a document shows the replies of the action: the requested view, where the action has it. */
export function viewOf(names: TypeNames, action: ShowingAction, view: string): string {
  return names.views[action].has(view) ? view : 'default';
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
