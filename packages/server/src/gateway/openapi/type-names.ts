/** The names of an entity's schemas, which generated clients take for their types. */
export interface TypeNames {
  readonly record: string;
  readonly create: string;
  readonly update: string;
  readonly page: string;
}

/**
 * `order_item` gets `OrderItem`, `OrderItemCreate` and so on. Where a name is taken, by another entity's record or by
 * the document itself, a `_` is put behind it, so no two are the same.
 */
export function withTypeNames<E extends { readonly name: string }>(
  entities: readonly E[],
  taken: readonly string[],
): readonly { readonly entity: E; readonly names: TypeNames }[] {
  const used = new Set(taken);
  const free = (wanted: string): string => {
    let name = wanted;
    while (used.has(name)) name += '_';
    used.add(name);
    return name;
  };
  // All records come first: they keep their names, whatever the other schemas are called.
  const named = entities.map((entity) => ({ entity, record: free(pascalCase(entity.name)) }));
  return named.map(({ entity, record }) => ({
    entity,
    names: { record, create: free(`${record}Create`), update: free(`${record}Update`), page: free(`${record}Page`) },
  }));
}

/** Goes back to one entity name only: a `_` is left out just where the letter behind it shows that it was there. */
export function pascalCase(entityName: string): string {
  const inner = entityName.slice(1).replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return entityName.charAt(0).toUpperCase() + inner;
}
