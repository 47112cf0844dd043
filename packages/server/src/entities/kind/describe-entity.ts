import { isDeepStrictEqual } from 'node:util';
import { describeList, describeMembers, listed } from '../../promotion/port.ts';
import {
  colTypeOf,
  type EntityContent,
  type EntityDefinition,
  type FieldDefinition,
  identityOf,
  lookupOf,
  storedNameOf,
  type ViewDefinition,
  type ViewField,
  type Views,
  widening,
  withNamesOf,
} from '../../schema/port.ts';

type OwnerIndexDefinition = NonNullable<EntityDefinition['ownerIndexes']>[number];
type UniqueIndexDefinition = NonNullable<EntityDefinition['UniqueIndexes']>[number];

/** The effects of a change of an entity's definition, a sentence each. */
export function describeDefinition(previous: EntityDefinition, after: EntityDefinition): readonly string[] {
  const before = withNamesOf(previous, after);
  const warnings = [
    'UpdateParams',
    'ownerIndexes',
    'parentIndex',
    'UniqueIndexes',
    'indexes',
    'aggregates',
    'Views',
    'checks',
  ];
  return [
    ...describeMembers('', { before, after }, warnings),
    ...describeList({
      what: 'field',
      nameOf: ({ name }) => name,
      keyOf: identityOf,
      before: before.UpdateParams,
      after: after.UpdateParams,
      added: (field) => `is new, ${kindOf(field)}`,
      removed: () => 'is taken out; stored values stay hidden',
      changed: changedField,
    }),
    ...describeList({
      what: 'owner index',
      nameOf: ({ ownerFieldName }) => ownerFieldName,
      before: before.ownerIndexes,
      after: after.ownerIndexes,
      added: scopeOf,
    }),
    ...describeParentIndex(before, after),
    ...describeList({
      what: 'unique index',
      nameOf: ({ indexName }) => indexName,
      before: before.UniqueIndexes,
      after: after.UniqueIndexes,
      added: (index) => `is new, on ${listed(index.fields)}: it is built from the records before it holds`,
      removed: () => 'is taken out: values may stand twice from then on',
      changed: changedUnique,
    }),
    ...describeList({
      what: 'compound index',
      nameOf: ({ fields }) => fields.join(),
      before: before.indexes,
      after: after.indexes,
      added: () => 'is new: it serves lists once it is built from the records',
      removed: () => 'is taken out: lists in its order are refused from then on',
    }),
    ...describeList({
      what: 'aggregate',
      nameOf: ({ name }) => name,
      before: before.aggregates,
      after: after.aggregates,
      added: ({ group }) => `is new, by ${listed(group)}: it answers once it is built from the records`,
      removed: () => 'is taken out: its figures are worked out from the records from then on',
    }),
    ...describeList({
      what: 'check',
      nameOf: ({ cel }) => cel,
      before: before.checks,
      after: after.checks,
      added: ({ message }) => `is new: writes that do not meet it are refused with “${message}”`,
      removed: () => 'is taken out: writes are held to it no more',
    }),
    ...describeViews('', { before: before.Views, after: after.Views }),
  ];
}

function kindOf(field: FieldDefinition): string {
  const { validate, required } = field;
  const lookup = lookupOf(field);
  const presence = validate === true && required !== false ? 'required' : 'optional';
  const target = lookup === undefined ? '' : ` that looks up \`${lookup.entity}\``;
  return `${/^[aeio]/.test(presence) ? 'an' : 'a'} ${presence} ${colTypeOf(field)}${target}`;
}

function changedField(before: FieldDefinition, after: FieldDefinition): readonly string[] {
  const label = `field \`${after.name}\``;
  const was = colTypeOf(before);
  const is = colTypeOf(after);
  const renamed = before.name === after.name ? [] : [`field \`${before.name}\` is called \`${after.name}\` now`];
  const type = was === is ? [] : [`${label} is of the type \`${is}\` now, and was of \`${was}\``];
  const isConverted = storedNameOf(before) !== storedNameOf(after);
  const converted = isConverted ? [`the values of ${label} are converted; those from before stay for a rollback`] : [];
  const described = [
    ...(type.length > 0 ? ['colType'] : []),
    ...(isConverted ? ['items', 'convert', 'storedAs'] : []),
    ...namesDescribed(before, after),
  ];
  return [...renamed, ...type, ...converted, ...describeMembers(`${label}: `, { before, after }, described)];
}

/** The consequences of a rename, or of other aliases. */
function namesDescribed(before: FieldDefinition, after: FieldDefinition): readonly string[] {
  if (before.name !== after.name) return ['name', 'aliases', 'formerNames', 'storedAs'];
  return isDeepStrictEqual(before.aliases, after.aliases) ? [] : ['formerNames'];
}

function scopeOf({ scopeList }: OwnerIndexDefinition): string {
  return scopeList === true ? 'is new: lists show the caller’s own records' : 'is new';
}

function describeParentIndex(
  { parentIndex: before }: EntityDefinition,
  { parentIndex: after }: EntityDefinition,
): readonly string[] {
  if (isDeepStrictEqual(before, after)) return [];
  if (before === undefined) return [`the parent index is new, on \`${after?.parentFieldName}\``];
  if (after === undefined) return [`the parent index on \`${before.parentFieldName}\` is taken out`];
  return describeMembers('the parent index: ', { before, after });
}

function changedUnique(before: UniqueIndexDefinition, after: UniqueIndexDefinition): readonly string[] {
  const sentences = describeMembers(`unique index \`${after.indexName}\`: `, { before, after });
  const rebuilt = `unique index \`${after.indexName}\` is rebuilt from the records before it holds`;
  return sentences.length > 0 ? [...sentences, rebuilt] : [];
}

/** The effects of a change of views, a sentence each. `of` is such as " of `list`", and empty for all actions. */
export function describeViews(
  of: string,
  { before, after }: { readonly before: Views | undefined; readonly after: Views | undefined },
): readonly string[] {
  const whose = of === '' ? 'the entity' : of.trim().slice('of '.length);
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  const sentences = names.flatMap((name) =>
    changedView(`view \`${name}\`${of}`, viewOf(before, name), viewOf(after, name)),
  );
  if (before === undefined && after !== undefined) return [`${whose} has views of its own now`, ...sentences];
  if (before !== undefined && after === undefined) return [...sentences, `${whose} has no views of its own any more`];
  return sentences;
}

function viewOf(views: Views | undefined, name: string): ViewDefinition | undefined {
  return views !== undefined && Object.hasOwn(views, name) ? views[name] : undefined;
}

/** The name of a field in replies. */
function memberOf({ name, as, lookup }: ViewField): string {
  return lookup?.as ?? as ?? name;
}

function changedView(
  label: string,
  before: ViewDefinition | undefined,
  after: ViewDefinition | undefined,
): readonly string[] {
  if (before === undefined)
    return after === undefined ? [] : [`${label} is new: it shows ${listed(after.fields.map(memberOf))}`];
  if (after === undefined) return [`${label} is taken out`];
  if (isDeepStrictEqual(before, after)) return [];
  const was = new Map(before.fields.map((field) => [memberOf(field), field]));
  const is = new Map(after.fields.map((field) => [memberOf(field), field]));
  const gained = [...is.keys()].filter((member) => !was.has(member));
  const lost = [...was.keys()].filter((member) => !is.has(member));
  const changed = [...is].flatMap(([member, field]) => {
    const old = was.get(member);
    return old === undefined ? [] : describeMembers(`${label}: \`${member}\`: `, { before: old, after: field });
  });
  const sentences = [
    ...(gained.length > 0 ? [`${label} shows ${listed(gained)} too`] : []),
    ...(lost.length > 0 ? [`${label} does not show ${listed(lost)} any more`] : []),
    ...changed,
  ];
  return sentences.length > 0 ? sentences : [`${label} shows its fields in another order`];
}

/** The values of existing records that people may see after the change and could not before, a sentence each. */
export function widenedEntity(before: EntityContent, after: EntityContent): readonly string[] {
  const { unsealed, shown, showsAll } = widening(before, after);
  return [
    ...unsealed.map((name) => `field \`${name}\` is not encrypted any more: replies show what is written to it`),
    ...shown.map(({ action, fields }) => `replies of \`${action}\` may show ${listed(fields)}`),
    ...(showsAll ? ['lists show the records of all owners, and not the caller’s own alone'] : []),
  ];
}
