import { anyOf, arrayOf, type JsonSchema, objectOf, orNull, schemaReference, text } from '../../../lib/json-schema.ts';
import { backwardName } from '../../../records/port.ts';
import { apiNamesOf, type CompiledEntity, isLookupList, lookupOf } from '../../../schema/port.ts';
import { nameOf, partial } from '../list-parameters.ts';
import type { Parameter } from '../operation.ts';
import { queryParameter } from '../parameters.ts';
import type { TypeNames } from '../type-names.ts';

/** By what the records of an entity can be expanded. */
export interface DocumentedExpansion {
  readonly name: string;
  /** The name is an alias of the field, or made of one. */
  readonly isAlias: boolean;
  /** `elements` are those that an array of lookups refers to. */
  readonly direction: 'forward' | 'elements' | 'backward';
  /** The schema of each record that is shown; undefined where the other entity is not described. */
  readonly shown: string | undefined;
}

/** A lookup by one of the names of its field. */
export interface DocumentedReference {
  readonly entity: string;
  readonly field: string;
  readonly isAlias: boolean;
}

/** The lookups of each entity, by the entity that they refer to, and the schemas that show its records. */
export interface DocumentedLookups {
  readonly referring: ReadonlyMap<string, readonly DocumentedReference[]>;
  readonly names: ReadonlyMap<string, TypeNames>;
}

export function documentedExpansions(
  { name: entityName, fields }: CompiledEntity,
  { referring, names }: DocumentedLookups,
): readonly DocumentedExpansion[] {
  const forward = [...fields.values()].flatMap(({ definition }): readonly DocumentedExpansion[] => {
    const lookup = lookupOf(definition);
    if (lookup === undefined) return [];
    const direction = isLookupList(definition) ? 'elements' : 'forward';
    const shown = names.get(lookup.entity)?.views.get.get('default');
    return apiNamesOf(definition).map((name, at) => ({ name, isAlias: at > 0, direction, shown }));
  });
  const backward = (referring.get(entityName) ?? []).map(
    (reference): DocumentedExpansion => ({
      name: backwardName(reference),
      isAlias: reference.isAlias,
      direction: 'backward',
      shown: names.get(reference.entity)?.views.list.get('default'),
    }),
  );
  return [...forward, ...backward];
}

/** @param entity that of a list, whose fields may have the name of the parameter. */
export function expandParameter(expansions: readonly DocumentedExpansion[], entity?: CompiledEntity): Parameter {
  const some = expansions
    .filter(({ isAlias }) => !isAlias)
    .slice(0, namedMax)
    .map((one) => `\`${one.name}\``);
  const examples = some.length === 0 ? '' : ` Among them: ${some.join(', ')}.`;
  return queryParameter(
    nameOf('expand', entity),
    text,
    `Other records to show with each record, at most 10, with commas between them: lookups, and \`{entity}_via_{field}\` of entities that refer to this one. A dot leads to a second level.${examples}`,
  );
}

const namedMax = 20;

/** What a record has in its member `expand`. */
export function expandSchema(expansions: readonly DocumentedExpansion[]): JsonSchema {
  const members = expansions.map(({ name, isAlias, direction, shown }) => {
    const record = shown === undefined ? { type: 'object' } : schemaReference(shown);
    const schema = shownSchemas[direction](record);
    return [name, isAlias ? { ...schema, deprecated: true } : schema];
  });
  const schema = objectOf(
    Object.fromEntries(members),
    expansions.map(({ name }) => name),
  );
  return { ...schema, description: 'What the request asked for with `expand`.' };
}

const shownSchemas: Readonly<Record<DocumentedExpansion['direction'], (record: JsonSchema) => JsonSchema>> = {
  forward: forwardSchema,
  elements: (record) => orNull(arrayOf(forwardSchema(record))),
  backward: pageSchema,
};

/** A record that is not the caller's to get is `null`; of one for which there was no room the id alone is shown. */
function forwardSchema(record: JsonSchema): JsonSchema {
  return anyOf([record, schemaReference('RecordId'), { type: 'null' }]);
}

function pageSchema(record: JsonSchema): JsonSchema {
  return objectOf({ items: arrayOf(record), nexttoken: orNull(text), partial }, ['partial']);
}
