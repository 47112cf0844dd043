/**
 * A field that was renamed is stored under the name that it had before. Above the store everything speaks the name that
 * the field has now, and what the platform stores about fields speaks the stored one: so a rename changes nothing stored.
 */
import { isDeepStrictEqual } from 'node:util';
import { type CompiledConversion, conversionOf, identityOf, newConversionEffort, rootOf } from '../conversion.ts';
import {
  apiNamesOf,
  definitionLimits,
  type EntityDefinition,
  type FieldDefinition,
  type FieldValue,
  type FieldValues,
  type KeyTemplates,
  measuredField,
  namesOf,
  orderedField,
  orderedFieldText,
  storedNameOf,
} from '../definition.ts';
import { reservedTokens } from '../key-template.ts';

/** Maps field names to names in the store and back. Both mappings are injective, and inverse to each other. */
export class StoredNames {
  /** Whether some field is stored under a name that it does not have. */
  readonly areOther: boolean;
  readonly conversions: readonly CompiledConversion[];
  /** The name of the field that is stored so. A stored value that no field has keeps its name, where it is free. */
  readonly inMemory: (stored: string) => string;
  readonly inStore: (name: string) => string;

  /** @param conversions those of the fields, where values are to be read. */
  constructor(
    fields: readonly Pick<FieldDefinition, 'name' | 'storedAs'>[],
    conversions: readonly CompiledConversion[] = [],
  ) {
    this.areOther = fields.some((field) => storedNameOf(field) !== field.name);
    this.conversions = this.areOther ? conversions : [];
    if (!this.areOther) {
      this.inMemory = (stored) => stored;
      this.inStore = (name) => name;
      return;
    }
    const stored = new Map(fields.map((field) => [field.name, storedNameOf(field)]));
    const names = new Map(fields.map((field) => [storedNameOf(field), field.name]));
    this.inMemory = (text) => names.get(text) ?? (stored.has(text) ? unknownMark + text : text);
    this.inStore = (name) => stored.get(name) ?? (name.startsWith(unknownMark) ? name.slice(unknownMark.length) : name);
  }

  /**
   * Values by the names that their fields have, of values by stored names. Where a field has a value from before it was
   * converted, that value is converted, and is there beside the other.
   */
  named<Values extends FieldValues>(values: Values): Values {
    if (!this.areOther) return values;
    const made = this.#convertedValues(values);
    if (made.size === 0) return renamed(values, this.inMemory);
    const members = Object.entries(values).flatMap(([stored, value]) => {
      const member = [this.inMemory(stored), value] as const;
      return [member, ...(made.get(stored) ?? [])];
    });
    return Object.fromEntries(members) as Values;
  }

  /** Values by stored names, of values by the names that their fields have. */
  written<Values extends FieldValues>(values: Values): Values {
    return this.areOther ? renamed(values, this.inStore) : values;
  }

  /** The name of an index as callers know it. Unique indexes, those of words and aggregates have names of their own. */
  indexName({ kind, name }: { readonly kind: string; readonly name: string }): string {
    if (!this.areOther || ['unique', 'search', 'aggregate'].includes(kind)) return name;
    if (kind !== 'compound') return this.inMemory(name);
    const parts = name.split(',').map(orderedField);
    return parts.map((part) => orderedFieldText({ ...part, field: this.inMemory(part.field) })).join(',');
  }

  /** Whether values in memory have an earlier one of the field, which could not be converted. */
  isUnconverted(name: string, values: FieldValues): boolean {
    const former = this.conversions.find((conversion) => conversion.name === name)?.former ?? [];
    return !Object.hasOwn(values, name) && former.some((stored) => Object.hasOwn(values, this.inMemory(stored)));
  }

  /** The names of the fields whose values are converted when they are read, of values by stored names. */
  convertedWhenRead(values: FieldValues): readonly string[] {
    return this.conversions
      .filter(
        ({ stored, former }) => !Object.hasOwn(values, stored) && former.some((one) => Object.hasOwn(values, one)),
      )
      .map(({ name }) => name);
  }

  /** By the stored name of the latest value of each field that is not converted yet: the name of the field and its value. */
  #convertedValues(values: FieldValues): ReadonlyMap<string, readonly (readonly [string, FieldValue])[]> {
    const made = new Map<string, [[string, FieldValue]]>();
    const effort = newConversionEffort();
    for (const { name, stored, former, value } of this.conversions) {
      const latest = Object.hasOwn(values, stored) ? undefined : former.find((one) => Object.hasOwn(values, one));
      const converted = latest === undefined ? undefined : value(values, effort);
      if (latest !== undefined && converted !== undefined) made.set(latest, [[name, converted]]);
    }
    return made;
  }

  /**
   * The names of values in memory that a write leaves out, which gives its field another value: a value that was converted
   * from the field's by a later definition, and once the field is cleared, those that it would be converted from.
   */
  overtaken(
    { hidden, fields }: ConvertibleEntity,
    { before, after }: { readonly before: FieldValues; readonly after: FieldValues },
  ): ReadonlySet<string> {
    const overtaken = new Set<string>();
    for (const { name, former } of this.conversions)
      if (before[name] !== undefined && after[name] === undefined)
        for (const stored of former) overtaken.add(this.inMemory(stored));
    const later = hidden.filter((name) => laterConversion.test(name));
    for (const field of later.length === 0 ? [] : fields.keys()) {
      const stored = this.inStore(field);
      const own = later.filter((name) => rootOf(name) === rootOf(stored) && conversionOf(name) > conversionOf(stored));
      if (own.length > 0 && !isDeepStrictEqual(before[field], after[field]))
        for (const name of own) overtaken.add(name);
    }
    return overtaken;
  }
}

/** No name of a field begins with it: a value that the definition does not know never gets among those of its fields. */
const unknownMark = '@';

interface ConvertibleEntity {
  /** The names in memory of values that the definition does not know. */
  readonly hidden: readonly string[];
  readonly fields: ReadonlyMap<string, unknown>;
}

/** The way a value is called in memory that a definition stored which this one does not know. */
const laterConversion = /^[^@]+@[0-9]+$/;

function renamed<Values extends FieldValues>(values: Values, nameOf: (name: string) => string): Values {
  const named: Record<string, FieldValues[string]> = {};
  // No field can have the name of a built-in member.
  for (const name of Object.keys(values)) named[nameOf(name)] = values[name];
  return named as Values;
}

/** The stored name of each field, by each name that callers have for it. */
export function storedByName(fields: readonly FieldDefinition[]): ReadonlyMap<string, string> {
  return new Map(fields.flatMap((field) => apiNamesOf(field).map((name) => [name, storedNameOf(field)] as const)));
}

/**
 * Of an expression or a template: which of its words are names of fields that are stored under other ones. The same text
 * reads the same values under two definitions where this is the same.
 */
export function renamedIn(text: string, fields: readonly FieldDefinition[]): readonly string[] {
  const stored = storedByName(fields.filter((field) => storedNameOf(field) !== field.name));
  if (stored.size === 0) return [];
  const words = new Set(text.match(/[A-Za-z][A-Za-z0-9_]*/g));
  return [...words].flatMap((word) => {
    const name = stored.get(word);
    return name === undefined || name === word ? [] : [`${word} ${name}`];
  });
}

/** By the name under which a field was first stored: names that it had, and that its definition does not list. */
export type RenamedNames = Readonly<Record<string, readonly string[]>>;

/** The names known once a catalog has taken the place of another one. */
export function nextNames(
  known: RenamedNames,
  before: readonly FieldDefinition[],
  after: readonly FieldDefinition[],
): RenamedNames {
  const [was, is] = [before, after].map((fields) => new Map(fields.map((field) => [identityOf(field), field])));
  const next = [...new Set([...Object.keys(known), ...(was?.keys() ?? [])])].map((stored) => {
    const [old, field] = [was?.get(stored), is?.get(stored)];
    const listed = field === undefined ? [stored] : namesOf(field);
    const names = new Set([...(known[stored] ?? []), ...(old === undefined ? [] : namesOf(old))]);
    return [
      stored,
      [...names].filter((name) => !listed.includes(name)).slice(-definitionLimits.formerNamesMax),
    ] as const;
  });
  return Object.fromEntries(next.filter(([, names]) => names.length > 0));
}

/** The fields with all that is known of their names, but for what is a name of another field now. */
export function withKnownNames(
  fields: readonly FieldDefinition[],
  known: RenamedNames = {},
): readonly FieldDefinition[] {
  if (Object.keys(known).length === 0) return fields;
  const owned = new Set(fields.flatMap(namesOf));
  return fields.map((field) => {
    const names = (known[identityOf(field)] ?? []).filter((name) => !owned.has(name));
    return names.length === 0 ? field : { ...field, formerNames: [...(field.formerNames ?? []), ...names] };
  });
}

/** Names that fields have, by the names that they had. */
type Renames = ReadonlyMap<string, string>;

/** The keys and indexes of a definition, with the names that its fields have in another one. */
export function withNamesOf(definition: EntityDefinition, other: EntityDefinition): EntityDefinition {
  return withRenames(definition, renamesBetween(definition, other));
}

/** Fields' names in another definition: a field is the same where its values were first stored under one name. */
function renamesBetween(before: EntityDefinition, after: EntityDefinition): Renames {
  const names = new Map(after.UpdateParams.map((field) => [identityOf(field), field.name]));
  return new Map(
    before.UpdateParams.flatMap((field) => {
      const name = names.get(identityOf(field));
      return name === undefined || name === field.name ? [] : [[field.name, name] as const];
    }),
  );
}

/**
 * The keys and indexes of a definition, by other names of its fields. Views and expressions stay as they are: they may
 * name a field by an alias, and say how it is shown.
 */
export function withRenames(definition: EntityDefinition, renames: Renames): EntityDefinition {
  if (renames.size === 0) return definition;
  const { baseKeys, ownerIndexes, parentIndex, UniqueIndexes, indexes, aggregates } = definition;
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
    ...(aggregates && {
      aggregates: aggregates.map(({ name, group, measures }) => ({
        name,
        group: group.map(nameOf),
        measures: measures.map((measure) => renamedMeasure(measure, nameOf)),
      })),
    }),
  };
}

function renamedMeasure(measure: string, nameOf: (name: string) => string): string {
  const field = measuredField(measure);
  return field === undefined ? measure : measure.slice(0, -field.length) + nameOf(field);
}

const templateNames = ['pkTemplate', 'skTemplate', 'gpkTemplate', 'gskTemplate'] as const;
type TemplateName = (typeof templateNames)[number];

/** A token of the workspace never means a field. */
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
