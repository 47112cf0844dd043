import { isDeepStrictEqual } from 'node:util';
import { describeList, describeMembers, listed } from '../../promotion/port.ts';
import {
  colTypeOf,
  type EntityDefinition,
  type FieldDefinition,
  identityOf,
  lookupOf,
  type OwnerIndexDefinition,
  renamesBetween,
  storedNameOf,
  type UniqueIndexDefinition,
  withRenames,
} from '../../schema/port.ts';
import { describeViews } from './describe-views.ts';

/** What a change of an entity's definition means, a sentence each. */
export function describeDefinition(stood: EntityDefinition, after: EntityDefinition): readonly string[] {
  const before = withRenames(stood, renamesBetween(stood, after));
  const told = ['UpdateParams', 'ownerIndexes', 'parentIndex', 'UniqueIndexes', 'indexes', 'Views', 'checks'];
  return [
    ...describeMembers('', { before, after }, told),
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
      added: (index) => `is new, on ${listed(index.fields)}: it is built from production’s records before it holds`,
      removed: () => 'is taken out: values may stand twice from then on',
      changed: changedUnique,
    }),
    ...describeList({
      what: 'compound index',
      nameOf: ({ fields }) => fields.join(),
      before: before.indexes,
      after: after.indexes,
      added: () => 'is new: it serves lists once it is built from production’s records',
      removed: () => 'is taken out: lists in its order are refused from then on',
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

/** What follows from a rename, or from other aliases. */
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
  const rebuilt = `unique index \`${after.indexName}\` is rebuilt from production’s records before it holds`;
  return sentences.length > 0 ? [...sentences, rebuilt] : [];
}
