import { identityOf } from '../conversion.ts';
import { type EntityDefinition, type KeyTemplates, orderedField, orderedFieldText } from '../definition.ts';
import { reservedTokens } from '../key-template.ts';

/** Names that fields have, by the names that they had. */
export type Renames = ReadonlyMap<string, string>;

/** What fields of a definition are called in another one: a field is the same where its values were first stored under the same name. */
export function renamesBetween(before: EntityDefinition, after: EntityDefinition): Renames {
  const names = new Map(after.UpdateParams.map((field) => [identityOf(field), field.name]));
  return new Map(
    before.UpdateParams.flatMap((field) => {
      const name = names.get(identityOf(field));
      return name === undefined || name === field.name ? [] : [[field.name, name] as const];
    }),
  );
}

/**
 * What a definition says of keys and indexes, by other names of its fields. Views and expressions stay as they are: they
 * may name a field by an alias, and say how it is shown.
 */
export function withRenames(definition: EntityDefinition, renames: Renames): EntityDefinition {
  if (renames.size === 0) return definition;
  const { baseKeys, ownerIndexes, parentIndex, UniqueIndexes, indexes } = definition;
  const nameOf = (name: string): string => renames.get(name) ?? name;
  const ordered = (part: string): string => {
    const { field, descending } = orderedField(part);
    return orderedFieldText({ field: nameOf(field), descending });
  };
  const keyed = <Templates extends Partial<Record<TemplateName, string>>>(item: Templates): Templates => {
    const entries = Object.entries(item).map(([member, value]) =>
      templateNames.some((name) => name === member) ? [member, renamedTemplate(value, renames)] : [member, value],
    );
    return Object.fromEntries(entries) as Templates;
  };
  return {
    ...definition,
    ...(baseKeys && { baseKeys: keyed<KeyTemplates>(baseKeys) }),
    ...(ownerIndexes && {
      ownerIndexes: ownerIndexes.map((index) => keyed({ ...index, ownerFieldName: nameOf(index.ownerFieldName) })),
    }),
    ...(parentIndex && {
      parentIndex: keyed({ ...parentIndex, parentFieldName: nameOf(parentIndex.parentFieldName) }),
    }),
    ...(UniqueIndexes && {
      UniqueIndexes: UniqueIndexes.map((index) => ({ ...index, fields: index.fields.map(nameOf) })),
    }),
    ...(indexes && { indexes: indexes.map(({ fields }) => ({ fields: fields.map(ordered) })) }),
  };
}

const templateNames = ['pkTemplate', 'skTemplate', 'gpkTemplate', 'gskTemplate'] as const;
type TemplateName = (typeof templateNames)[number];

/** A token of the workspace never stands for a field. */
function renamedTemplate(template: string, renames: Renames): string {
  return template.replace(/\{([^{}]*)\}/g, (whole, token: string) => {
    const name = reservedTokens.includes(token) ? undefined : renames.get(token);
    return name === undefined ? whole : `{${name}}`;
  });
}

/** Whether keys or groups of records are made of the field. */
export function isInTemplate(definition: EntityDefinition, name: string): boolean {
  const { baseKeys, ownerIndexes = [], parentIndex } = definition;
  const texts = [baseKeys, ...ownerIndexes, parentIndex].flatMap((item) => Object.values(item ?? {}));
  return texts.some((text) => typeof text === 'string' && text.includes(`{${name}}`));
}
