import { type EntityDefinition, type FieldDefinition, isPlatformField } from './definition.ts';
import type { FieldBehaviour } from './field-types/field-type.ts';
import { fieldTypes } from './field-types/registry.ts';
import { type CompiledKeys, defaultTemplates, mayOverlap, mayStartWith, parseTemplate } from './key-template.ts';

/** A definition made ready to serve requests. Made once per version, never changed. */
export interface CompiledEntity {
  readonly name: string;
  /** The config version it was made from: what the fence of a workspace compares. */
  readonly version: number;
  readonly fields: ReadonlyMap<string, CompiledField>;
  readonly indexes: readonly CompiledIndex[];
  readonly keys: CompiledKeys;
  /** Where the record key is a fixed start and then the id, records are found and listed by it; else by the id index. */
  readonly directSortPrefix: string | undefined;
  readonly idIndexPk: string;
}

export interface CompiledField {
  readonly name: string;
  readonly required: boolean;
  readonly definition: FieldDefinition;
  readonly behaviour: FieldBehaviour;
}

export interface CompiledIndex {
  readonly field: string;
  readonly pk: string;
  readonly encode: NonNullable<FieldBehaviour['encode']>;
}

/** @param definition one that `parseDefinition` accepted; anything else is a fault of ours. */
export function compileEntity(definition: EntityDefinition, version: number): CompiledEntity {
  const name = definition.entityName;
  const fields = definition.UpdateParams.filter((field) => !isPlatformField(field.name)).map(compileField);
  const keys = compileKeys(definition);
  return {
    name,
    version,
    fields: new Map(fields.map((field) => [field.name, field])),
    indexes: [...fields.flatMap((field) => indexOf(name, field)), updatedAtIndex(name)],
    keys,
    directSortPrefix: directSortPrefix(keys),
    idIndexPk: `index#${name};id`,
  };
}

function compileField(definition: FieldDefinition): CompiledField {
  const behaviour = fieldTypes.get(definition.colType ?? 'string')?.behave(definition);
  if (behaviour === undefined || typeof behaviour === 'string')
    throw new TypeError(`field ${definition.name} does not compile`);
  const required = definition.validate === true && definition.required !== false;
  return { name: definition.name, required, definition, behaviour };
}

/** `name` is always sortable, so a field of that name has an index whatever it says. */
function indexOf(entityName: string, field: CompiledField): readonly CompiledIndex[] {
  const { encode } = field.behaviour;
  const wanted = field.definition.index === true || field.name === 'name';
  if (!wanted || encode === undefined) return [];
  return [{ field: field.name, pk: fieldIndexPk(entityName, field.name), encode }];
}

/** `updated_at` is always sortable too. Times are RFC 3339 in UTC, so their texts are in their order. */
function updatedAtIndex(entityName: string): CompiledIndex {
  return { field: 'updated_at', pk: fieldIndexPk(entityName, 'updated_at'), encode: String };
}

function fieldIndexPk(entityName: string, fieldName: string): string {
  return `index#${entityName};field#${fieldName}`;
}

/**
 * Whether records of two entities could get in each other's way: fall on one key, or among the keys that the other
 * entity is listed by.
 */
export function recordsMayMeet(left: CompiledEntity, right: CompiledEntity): boolean {
  if (!mayOverlap(left.keys.pk, right.keys.pk)) return false;
  return mayOverlap(left.keys.sk, right.keys.sk) || mayLieAmong(left, right) || mayLieAmong(right, left);
}

function mayLieAmong(listed: CompiledEntity, other: CompiledEntity): boolean {
  return listed.directSortPrefix !== undefined && mayStartWith(other.keys.sk, listed.directSortPrefix);
}

function compileKeys(definition: Pick<EntityDefinition, 'entityName' | 'baseKeys'>): CompiledKeys {
  const templates = { ...defaultTemplates(definition.entityName), ...definition.baseKeys };
  const pk = parseTemplate(templates.pkTemplate);
  const sk = parseTemplate(templates.skTemplate);
  if (typeof pk === 'string' || typeof sk === 'string')
    throw new TypeError(`the templates of ${definition.entityName} do not compile`);
  return { pk, sk };
}

function directSortPrefix(keys: CompiledKeys): string | undefined {
  const [start, id, rest] = keys.sk.parts;
  if (keys.pk.tokens.some((token) => token !== 'org')) return undefined;
  if (start === undefined || !('literal' in start) || !/[#;]$/.test(start.literal)) return undefined;
  if (id === undefined || !('token' in id) || id.token !== 'id' || rest !== undefined) return undefined;
  return start.literal;
}
