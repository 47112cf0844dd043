import type { RecordAction } from '@freehold/contract/app/records';
import { systemEntityNames } from '@freehold/contract/system-entities';
import { jsonlType } from '../../../api/headers/file-format.ts';
import {
  type CompiledEntity,
  type CompiledField,
  type FieldValue,
  fieldTypeOf,
  isPlatformMade,
  newCheckEffort,
  type Projection,
  readValue,
} from '../../../schema/port.ts';
import { isNeeded } from '../entity-schemas.ts';
import type { OperationExample } from '../operation.ts';
import type { ShowingAction } from '../type-names.ts';
import type { DocumentedView } from '../view-schemas.ts';
import { recordedExamples } from './recorded-examples.ts';

type Values = Readonly<Record<string, FieldValue>>;

/** Examples of the requests and replies of an entity's operations, with a record made from its definition. */
export function entityExamples({ entity, view }: DocumentedView): Readonly<Record<RecordAction, OperationExample>> {
  const fields = shownFields(entity);
  const values = valuesOf(entity, fields);
  const sent = fields.filter(({ behaviour }) => !isPlatformMade(behaviour)).map(({ name }) => name);
  const changed = sent.slice(0, changedMax);
  const record = (action: ShowingAction) => shownAs(projectionOf(entity, action, view), values);
  const create = only(values, sent);
  const isWhole =
    [...entity.fields.values()].every((field) => !isNeeded(entity, field) || field.name in create) &&
    Buffer.byteLength(JSON.stringify(create)) <= bytesMax;
  return {
    create: { ...(isWhole ? { request: create } : {}), replies: { 201: record('create') } },
    get: { replies: { 200: record('get') } },
    update: { request: only(values, changed), replies: { 200: record('update') } },
    delete: { replies: { 202: removalJob } },
    list: { replies: { 200: { items: [record('list')], nexttoken: null } } },
    count: { replies: { 200: { count: 1 } } },
    aggregate: {
      replies: {
        200: { items: [{ group: { day_created_at: '2026-01-31' }, values: { count: 1 } }], nexttoken: null },
      },
    },
    import: {
      ...(isWhole ? { request: [create] } : {}),
      replies: { 200: importResult },
      replyTexts: { 200: { [jsonlType]: importLines } },
    },
    export: { replies: { 200: [record('list')] } },
  };
}

/** The number of characters that the values of a record have at most, but for those without which none is made. */
const charactersMax = 400;
const changedMax = 2;
/** A body that needs more has no example. */
const bytesMax = 2048;

const id = '01900000-0000-7000-8000-000000000001';
const actor = '01900000-0000-7000-8000-000000000002';
const at = '2026-01-31T09:30:00.000Z';
const ofPlatform = { id, created_at: at, updated_at: at, created_by: actor, updated_by: actor, version: 1 };

const removalJob = recordedExamples('app')['GET /app/:org/jobs/:id']?.replies?.[200];
const importCounts = { rows: 2, created: 2, updated: 0, failed: 0 };
const importResult = { ...importCounts, errors: [], ignored: [], dry_run: false };
/** To a caller who asks for the progress. */
const importLines = [{ progress: importCounts }, { result: importResult }]
  .map((line) => `${JSON.stringify(line)}\n`)
  .join('');

/** The needed fields, and others as long as there is room. Of a field whose checks refuse the example of its type nothing is shown. */
function shownFields(entity: CompiledEntity): readonly CompiledField[] {
  const all = [...entity.fields.values()];
  let charactersLeft = charactersMax;
  return all
    .toSorted((one, other) => Number(isNeeded(entity, other)) - Number(isNeeded(entity, one)))
    .filter((field) => {
      const value = exampleValue(entity, field);
      if (value === undefined || (field.behaviour.isSecret === true && !isNeeded(entity, field))) return false;
      charactersLeft -= JSON.stringify(value).length + field.name.length;
      return charactersLeft >= 0 || isNeeded(entity, field);
    });
}

function valuesOf(entity: CompiledEntity, fields: readonly CompiledField[]): Values {
  const made = fields.flatMap((field) => {
    const value = exampleValue(entity, field);
    return value === undefined ? [] : [[field.name, value] as const];
  });
  return Object.fromEntries(made);
}

function exampleValue(entity: CompiledEntity, { name, definition, behaviour }: CompiledField): FieldValue | undefined {
  if (behaviour.isNumbered === true) return 1;
  const ofAccess = systemEntityNames.includes(entity.name) ? accessValues[name] : undefined;
  const example = ofAccess ?? definition.default ?? fieldTypeOf(definition).example?.(definition);
  if (example === undefined) return undefined;
  const read = readValue(behaviour, definition.validate === true, example, newCheckEffort());
  return 'value' in read ? read.value : undefined;
}

/** Of fields that the rules of access control read. */
const accessValues: Readonly<Record<string, unknown>> = {
  email: 'ann@example.com',
  statements: [{ Sid: 'Readers', Effect: 'Allow', Action: ['listorder'], Resource: ['/list/order'] }],
  acl_policies: ['01900000-0000-7000-8000-000000000003'],
};

/** As a reply shows the record by the view that the document describes. */
function projectionOf(entity: CompiledEntity, action: ShowingAction, view: string): Projection {
  const projection = entity.views.of(action, view) ?? entity.views.of(action, 'default');
  return projection === undefined || projection === 'stored' ? entity.views.whole() : projection;
}

function shownAs(projection: Projection, values: Values): Readonly<Record<string, unknown>> {
  let charactersLeft = 2 * charactersMax;
  const record = { data: { ...values, ...ofPlatform }, version: ofPlatform.version };
  const members = projection.flatMap((member): (readonly [string, unknown])[] => {
    const value = 'entity' in member ? lookedUp(record.data, member.field) : member.read(record);
    if (value === undefined) return [];
    charactersLeft -= JSON.stringify(value).length + member.as.length;
    return charactersLeft >= 0 || Object.hasOwn(ofPlatform, member.field) ? [[member.as, value]] : [];
  });
  return Object.fromEntries(members);
}

/** As a record is shown that lies too deep. */
function lookedUp(data: Values, field: string): { readonly id: FieldValue } | undefined {
  const value = data[field];
  return value === undefined || value === null ? undefined : { id: value };
}

function only(values: Values, names: readonly string[]): Values {
  return Object.fromEntries(Object.entries(values).filter(([name]) => names.includes(name)));
}
