import {
  definitionLimits,
  type FieldDefinition,
  isPlatformField,
  orderedField,
  orderedFieldText,
  ownerDefaults,
} from '../definition.ts';
import type { FieldType } from '../field-types/field-type.ts';
import { behaviourOf, fieldTypeOf, fieldTypes } from '../field-types/registry.ts';
import { claimTokens, type KeyTemplate, parseTemplate, reservedTokens } from '../key-template.ts';
import { type AddError, type DefinitionPart, isObject, partsOf, refuseUnknownMembers } from './members.ts';

/** Checks `ownerIndexes`, `parentIndex` and `UniqueIndexes` against the catalog. */
export function checkIndexes(
  input: Readonly<Record<string, unknown>>,
  fields: readonly FieldDefinition[],
  add: AddError,
): void {
  const catalog: IndexCatalog = {
    fields: new Map(fields.filter(({ name }) => !isPlatformField(name)).map((field) => [field.name, field])),
    indexable: indexableNames(fields),
  };
  const { ownerIndexes, parentIndex, UniqueIndexes } = input;
  if (ownerIndexes !== undefined) checkOwnerIndexes(ownerIndexes, catalog, add);
  if (parentIndex !== undefined) checkParentIndex(parentIndex, catalog, add);
  if (UniqueIndexes !== undefined) checkUniqueIndexes(UniqueIndexes, catalog, add);
}

interface IndexCatalog {
  readonly fields: ReadonlyMap<string, FieldDefinition>;
  readonly indexable: readonly string[];
}

const ownerIndexesMax = 5;
const uniqueIndexesMax = 10;
const uniqueFieldsMax = 5;

/** An index that groups records by the value of one field. */
interface Grouping {
  readonly what: string;
  readonly member: string;
  readonly isFit: (type: FieldType) => boolean;
  readonly platformField?: string;
  readonly otherMembers: readonly string[];
}

const ownerGrouping: Grouping = {
  what: 'an owner index',
  member: 'ownerFieldName',
  // An owner is named by the id of a user, which is also what fills the field that a create leaves out.
  isFit: ({ mayNameOwner }) => mayNameOwner === true,
  platformField: 'created_by',
  otherMembers: ['scopeList', 'default'],
};

const parentGrouping: Grouping = {
  what: '`parentIndex`',
  member: 'parentFieldName',
  isFit: ({ mayNameParent }) => mayNameParent === true,
  otherMembers: [],
};

function checkOwnerIndexes(input: unknown, catalog: IndexCatalog, add: AddError): void {
  const owners = new Set<unknown>();
  let isScoped = false;
  const place = { name: 'ownerIndexes', pointer: '/ownerIndexes', max: ownerIndexesMax };
  for (const part of partsOf(input, place, add)) {
    const { item, pointer } = part;
    const owner = checkGrouping(part, { grouping: ownerGrouping, catalog }, add);
    if (owner !== undefined && owners.has(owner))
      add(`${pointer}/ownerFieldName`, 'duplicate', `field \`${owner}\` has an owner index already`);
    owners.add(owner);
    if (item.scopeList !== undefined && typeof item.scopeList !== 'boolean')
      add(`${pointer}/scopeList`, 'wrong_type', '`scopeList` must be `true` or `false`');
    if (item.default !== undefined && !ownerDefaults.some((name) => name === item.default))
      add(`${pointer}/default`, 'not_in_enum', `\`default\` must be one of ${ownerDefaults.join(', ')}`);
    if (item.default === 'none' && owner === ownerGrouping.platformField)
      add(
        `${pointer}/default`,
        'contradiction',
        `every record has \`${owner}\`, so its \`default\` cannot be \`none\``,
      );
    if (item.scopeList !== true) continue;
    if (isScoped) add(`${pointer}/scopeList`, 'duplicate', '`scopeList` may be true on one owner index only');
    isScoped = true;
  }
}

function checkParentIndex(input: unknown, catalog: IndexCatalog, add: AddError): void {
  if (isObject(input))
    checkGrouping({ item: input, pointer: '/parentIndex' }, { grouping: parentGrouping, catalog }, add);
  else add('/parentIndex', 'wrong_type', '`parentIndex` must be an object');
}

/** The field that records are grouped by, if it may be. */
function checkGrouping(
  part: DefinitionPart,
  { grouping, catalog }: { readonly grouping: Grouping; readonly catalog: IndexCatalog },
  add: AddError,
): string | undefined {
  const { what, member, otherMembers } = grouping;
  refuseUnknownMembers(part, { what, known: [member, 'gpkTemplate', 'gskTemplate', ...otherMembers] }, add);
  const field = readGroupField(part, { grouping, catalog }, add);
  const partition = readTemplate(part, 'gpkTemplate', add);
  if (partition !== undefined) {
    requireWorkspace(part, 'gpkTemplate', add);
    if (field !== undefined)
      checkPartition(part, { partition, placeholders: substitutesOf(field, grouping, catalog) }, add);
  }
  const sort = readTemplate(part, 'gskTemplate', add);
  const known = [...reservedTokens, 'id', 'created_at', ...catalog.indexable];
  for (const token of sort?.tokens ?? [])
    if (!known.includes(token))
      add(
        `${part.pointer}/gskTemplate`,
        'unknown_token',
        `\`gskTemplate\` names \`{${token}}\`, which is neither an indexable field nor \`id\` or \`created_at\``,
      );
  return field;
}

function readGroupField(
  { item, pointer }: DefinitionPart,
  { grouping, catalog }: { readonly grouping: Grouping; readonly catalog: IndexCatalog },
  add: AddError,
): string | undefined {
  const { member, isFit, platformField } = grouping;
  const at = `${pointer}/${member}`;
  const name = item[member];
  if (typeof name !== 'string') {
    add(at, 'wrong_type', `\`${member}\` must be the name of a field`);
    return undefined;
  }
  if (name === platformField) return name;
  const field = catalog.fields.get(name);
  if (field === undefined)
    add(at, 'unknown_field', `\`${member}\` names \`${name.slice(0, 100)}\`, which is not a field`);
  else if (!isFit(fieldTypeOf(field)))
    add(at, 'unfit_field', `\`${member}\` must name a field of colType ${colTypesThat(isFit)}`);
  else if (reservedTokens.includes(name))
    add(at, 'unfit_field', `\`${member}\` cannot name \`${name}\`: in a template this name means the workspace`);
  else return name;
  return undefined;
}

function colTypesThat(isFit: Grouping['isFit']): string {
  return [...fieldTypes.values()].flatMap((type) => (isFit(type) ? [type.colType] : [])).join(', ');
}

/** The tokens that stand for the field: its own name, and for an owner `user_id`, where that is no other field's name. */
function substitutesOf(field: string, grouping: Grouping, catalog: IndexCatalog): readonly string[] {
  return grouping === ownerGrouping && !catalog.fields.has('user_id') ? [field, 'user_id'] : [field];
}

function checkPartition(
  { pointer }: DefinitionPart,
  { partition, placeholders }: { readonly partition: KeyTemplate; readonly placeholders: readonly string[] },
  add: AddError,
): void {
  const at = `${pointer}/gpkTemplate`;
  for (const token of partition.tokens)
    if (!reservedTokens.includes(token) && !placeholders.includes(token))
      add(
        at,
        'unknown_token',
        `\`gpkTemplate\` cannot name \`{${token}}\`: an index key is derived from the record alone, and a list must know it`,
      );
  if (!partition.tokens.some((token) => placeholders.includes(token)))
    add(at, 'missing_token', `\`gpkTemplate\` must name the field that it is for: \`{${placeholders[0]}}\``);
}

const indexName = /^[A-Za-z][A-Za-z0-9_-]{0,62}$/;

function checkUniqueIndexes(input: unknown, catalog: IndexCatalog, add: AddError): void {
  const names = new Set<unknown>();
  const place = { name: 'UniqueIndexes', pointer: '/UniqueIndexes', max: uniqueIndexesMax };
  for (const part of partsOf(input, place, add)) {
    const { item, pointer } = part;
    refuseUnknownMembers(part, { what: 'a unique index', known: ['indexName', 'fields', 'ignoreCase'] }, add);
    if (typeof item.indexName !== 'string' || !indexName.test(item.indexName))
      add(
        `${pointer}/indexName`,
        'invalid_name',
        '`indexName` must be a letter and then at most 62 of `A-Z`, `a-z`, `0-9`, `_`, `-`',
      );
    else if (names.has(item.indexName))
      add(`${pointer}/indexName`, 'duplicate', `unique index \`${item.indexName}\` is defined twice`);
    names.add(item.indexName);
    checkUniqueFields(part, catalog, add);
    if (item.ignoreCase !== undefined && typeof item.ignoreCase !== 'boolean')
      add(`${pointer}/ignoreCase`, 'wrong_type', '`ignoreCase` must be `true` or `false`');
  }
}

function checkUniqueFields({ item, pointer }: DefinitionPart, catalog: IndexCatalog, add: AddError): void {
  const { fields } = item;
  const at = `${pointer}/fields`;
  if (!Array.isArray(fields) || fields.length === 0 || fields.length > uniqueFieldsMax) {
    add(at, 'wrong_type', `\`fields\` must be a list of 1 to ${uniqueFieldsMax} names of fields`);
    return;
  }
  for (const [index, name] of fields.entries()) {
    if (typeof name !== 'string') add(`${at}/${index}`, 'wrong_type', 'the name of a field must be a string');
    else if (!catalog.fields.has(name))
      add(`${at}/${index}`, 'unknown_field', `\`${name.slice(0, 100)}\` is not a field`);
    else if (fields.indexOf(name) < index) add(`${at}/${index}`, 'duplicate', `field \`${name}\` is named twice`);
    else if (!catalog.indexable.includes(name))
      add(`${at}/${index}`, 'not_indexable', `field \`${name}\`: its colType cannot be indexed`);
  }
}

/** The platform's own fields that the records of a compound index can be in the order of. */
const platformOrders = ['created_at', 'updated_at'];

export function checkCompoundIndexes(input: unknown, fields: readonly FieldDefinition[], add: AddError): void {
  const known = new Set([...fields.map(({ name }) => name), ...platformOrders]);
  const indexable = new Set([...indexableNames(fields), ...platformOrders]);
  const served = new Map<string, string>();
  const place = { name: 'indexes', pointer: '/indexes', max: definitionLimits.compoundIndexesMax };
  for (const part of partsOf(input, place, add)) {
    refuseUnknownMembers(part, { what: 'an index', known: ['fields'] }, add);
    const order = readOrder(part, { known, indexable }, add);
    if (order === undefined) continue;
    const reverse = order.map((one) => ({ ...one, descending: !one.descending }));
    const other = served.get(textOf(order)) ?? served.get(textOf(reverse));
    if (other !== undefined) add(`${part.pointer}/fields`, 'duplicate', `the index \`${other}\` serves this order`);
    served.set(textOf(order), textOf(order));
  }
}

type IndexOrder = readonly ReturnType<typeof orderedField>[];

function textOf(order: IndexOrder): string {
  return order.map(orderedFieldText).join(',');
}

interface IndexableNames {
  readonly known: ReadonlySet<string>;
  readonly indexable: ReadonlySet<string>;
}

function readOrder(
  { item, pointer }: DefinitionPart,
  { known, indexable }: IndexableNames,
  add: AddError,
): IndexOrder | undefined {
  const { fields } = item;
  const at = `${pointer}/fields`;
  const max = definitionLimits.compoundFieldsMax;
  if (!Array.isArray(fields) || fields.length < 2 || fields.length > max) {
    add(
      at,
      'wrong_type',
      `\`fields\` must be a list of 2 to ${max} names of fields, each perhaps with \`-\` before it`,
    );
    return undefined;
  }
  const order: ReturnType<typeof orderedField>[] = [];
  for (const [index, part] of fields.entries()) {
    const refuse = (code: string, message: string): void => add(`${at}/${index}`, code, message);
    if (typeof part !== 'string') {
      refuse('wrong_type', 'the name of a field must be a string');
      continue;
    }
    const one = orderedField(part);
    const shown = one.field.slice(0, 100);
    if (!known.has(one.field)) refuse('unknown_field', `\`${shown}\` is not a field`);
    else if (!indexable.has(one.field)) refuse('not_indexable', `field \`${shown}\`: its colType cannot be indexed`);
    else if (order.some(({ field }) => field === one.field)) refuse('duplicate', `field \`${shown}\` is named twice`);
    else order.push(one);
  }
  return order.length === fields.length ? order : undefined;
}

/** Checks `baseKeys`: the templates of the records' keys. */
export function checkBaseKeys(input: unknown, fields: readonly FieldDefinition[], add: AddError): void {
  if (!isObject(input)) {
    add('/baseKeys', 'wrong_type', '`baseKeys` must be an object');
    return;
  }
  const part = { item: input, pointer: '/baseKeys' };
  refuseUnknownMembers(part, { what: '`baseKeys`', known: ['pkTemplate', 'skTemplate'] }, add);
  const known = new Set<string>([...claimTokens, ...indexableNames(fields)]);
  const cleared = fields.filter(({ lookup }) => lookup?.onDelete === 'setnull').map(({ name }) => name);
  for (const member of ['pkTemplate', 'skTemplate'] as const) {
    const template = readTemplate(part, member, add);
    const refuse = (code: string, message: string): void =>
      add(`/baseKeys/${member}`, code, `\`${member}\` ${message}`);
    for (const token of template?.tokens ?? []) {
      if (!known.has(token)) refuse('unknown_token', `names an unknown token \`{${token}}\``);
      else if (cleared.includes(token))
        refuse('contradiction', `names \`{${token}}\`, which \`setnull\` would take from records`);
    }
    if (template !== undefined && member === 'pkTemplate') requireWorkspace(part, member, add);
  }
}

function readTemplate({ item, pointer }: DefinitionPart, member: string, add: AddError): KeyTemplate | undefined {
  const source = item[member];
  const at = `${pointer}/${member}`;
  if (typeof source !== 'string' || source === '' || source.length > 256) {
    add(at, 'wrong_type', `\`${member}\` must be a string of 1 to 256 characters`);
    return undefined;
  }
  const template = parseTemplate(source);
  if (typeof template !== 'string') return template;
  add(at, 'invalid_template', `\`${member}\` ${template}`);
  return undefined;
}

const workspaceStart = 'org#{org};';

/** The name of a partition must name the workspace first. */
function requireWorkspace({ item, pointer }: DefinitionPart, member: string, add: AddError): void {
  const source = String(item[member]);
  if (source.startsWith(workspaceStart) && source.length > workspaceStart.length) return;
  const message = `\`${member}\` must begin with \`${workspaceStart}\`, so that it stays in the workspace`;
  add(`${pointer}/${member}`, 'outside_workspace', message);
}

/** The builder's own fields whose values have an order and a text, and so can be part of keys. */
function indexableNames(fields: readonly FieldDefinition[]): readonly string[] {
  return fields.filter((field) => !isPlatformField(field.name) && isIndexable(field)).map((field) => field.name);
}

function isIndexable(field: FieldDefinition): boolean {
  const behaviour = behaviourOf(field);
  return typeof behaviour === 'object' && behaviour.encode !== undefined;
}
