/** Definitions at the bounds of what one may hold. */

interface Field {
  readonly name: string;
  readonly [hint: string]: unknown;
}

export interface Definition {
  readonly entityName: string;
  readonly UpdateParams: readonly Field[];
  readonly [part: string]: unknown;
}

const bytesMax = 64 * 1024;
/** As large as a pattern may be; a text of 1,000 characters is the longest that it is held against. */
const pattern = '(a{1,30}b?){3}c';

/** A field of each kind that costs something, two hundred together, and every index that there may be. */
export const largestDefinition: Definition = {
  entityName: 'wide',
  UpdateParams: Array.from({ length: 200 }, (_, index) => wideField(index)),
  UniqueIndexes: Array.from({ length: 10 }, (_, index) => ({
    indexName: `u${index}`,
    fields: [0, 1, 2, 3, 4].map((field) => `f${field + index}`),
    ignoreCase: true,
  })),
  ownerIndexes: Array.from({ length: 5 }, (_, index) => ({
    ownerFieldName: `f${20 + index}`,
    gpkTemplate: `org#{org};owner${index}#{f${20 + index}}`,
    gskTemplate: 'wide#{id}',
  })),
  indexes: Array.from({ length: 4 }, (_, index) => ({
    fields: [0, 1, 2, 3].map((field) => `-f${4 * index + field}`),
  })),
  parentIndex: { parentFieldName: 'f30', gpkTemplate: 'org#{org};parent#{f30}', gskTemplate: 'wide#{id}' },
};

function wideField(index: number): Field {
  const name = `f${index}`;
  if (index < 20) return { name, colType: 'string', index: true, search: true, default: name };
  if (index < 100) return { name, colType: 'string', search: true };
  if (index < 130) return { name, colType: 'string', validate: true, required: false, pattern };
  if (index === 130)
    return { name, colType: 'array', validate: true, required: false, items: { colType: 'string', pattern } };
  if (index < 150) return { name, colType: 'array', items: { colType: 'url' } };
  if (index < 170) return { name, colType: 'array', items: { colType: 'email' } };
  if (index < 190) return { name, colType: 'json' };
  return { name, colType: 'encrypted' };
}

/** As many views of as many fields as 64 KB hold. */
export const viewedDefinition: Definition = withViews({
  entityName: 'viewed',
  UpdateParams: Array.from({ length: 200 }, (_, index) => ({ name: `v${index}` })),
});

/** Texts of any length, of the caller's choice. */
export const noteDefinition: Definition = {
  entityName: 'note',
  UpdateParams: [
    { name: 'title', index: true },
    { name: 'note', search: true },
    { name: 'meta', colType: 'json' },
    { name: 'tags', colType: 'array', items: { colType: 'string' } },
    { name: 'parent_id', colType: 'guid', lookup: { entity: 'note' } },
  ],
  Views: {
    deep: { fields: [{ name: 'id' }, { name: 'note' }, { name: 'parent_id', lookup: { view: 'deep', as: 'parent' } }] },
  },
};

/** Records that refer to many others, and to which many others refer. */
export const linkedDefinition: Definition = {
  entityName: 'linked',
  UpdateParams: Array.from({ length: 4 }, (_, index) => ({
    name: `l${index}`,
    colType: 'array',
    items: { colType: 'guid', lookup: { entity: 'linked', onDelete: 'setnull' } },
  })),
};

/** As many ids as such a record takes, of those that there are. */
export function fullLinks(ids: readonly string[]): Readonly<Record<string, readonly string[]>> {
  const elements = Array.from({ length: 100 }, (_, index) => ids[index % ids.length] ?? '');
  return Object.fromEntries(linkedDefinition.UpdateParams.map(({ name }) => [name, elements]));
}

/** One of the five hundred entities of an org. */
export function manyDefinition(index: number): Definition {
  return withViews({
    entityName: `many${index}`,
    UpdateParams: Array.from({ length: 200 }, (_, field) => ({ name: `v${field}` })),
  });
}

function withViews(definition: Definition): Definition {
  const fields = definition.UpdateParams.map(({ name }) => ({ name }));
  const room = bytesMax - 1000 - JSON.stringify(definition).length;
  const size = JSON.stringify(fields).length + 20;
  const count = Math.min(20, Math.floor(room / size));
  // Each another one, since views that are alike are described once.
  const views = Array.from({ length: count }, (_, index) => [`view${index}`, { fields: fields.slice(index) }]);
  return { ...definition, Views: Object.fromEntries(views) };
}
