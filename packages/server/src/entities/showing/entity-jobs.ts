/** The background work on entities as jobs. They follow from the states that stand under the entities. */

import type { orgJobsApi } from '@freehold/contract/management/jobs';
import type { ReplyOf } from '@freehold/contract/route';
import { compareBytes } from '../../lib/byte-order.ts';
import { notFound, Problem } from '../../lib/problem.ts';
import { countStoredRecords, entityTag, indexProgress } from '../../records/port.ts';
import {
  apiName,
  type CompiledEntity,
  type EntityDefinition,
  type EntityState,
  type FillState,
  hasFill,
  hasIndex,
  type IndexState,
} from '../../schema/port.ts';
import { orgScopeName } from '../../tenancy/port.ts';
import { changeApi } from '../definition/change-api.ts';
import type { EntityAdminDeps } from '../plan-migration.ts';
import type { Progress } from './show-builds.ts';

export type EntityJob = ReplyOf<typeof orgJobsApi.readEntityJob>;
export type EntityJobPage = ReplyOf<typeof orgJobsApi.listEntityJobs>;

/** The purpose of a job, by the names in the store, which a rename does not change. */
interface Subject {
  readonly entity: string;
  readonly kind: IndexState['kind'] | 'fill';
  /** The config version that asked for it. */
  readonly version: number;
  readonly name: string;
}

interface UnfinishedJob {
  readonly subject: Subject;
  readonly state: EntityJob['state'];
  readonly failed: EntityJob['failed'];
}

export interface JobPageRequest {
  readonly pageSize: number;
  readonly nexttoken?: string | undefined;
}

/**
 * Reads the notes of the entities on the page, and of these the definitions that are not compiled yet.
 * @throws Problem `invalid_cursor`.
 */
export async function listEntityJobs(
  { store, configs }: EntityAdminDeps,
  orgCode: string,
  { pageSize, nexttoken }: JobPageRequest,
): Promise<EntityJobPage> {
  const set = await configs.current(orgCode);
  const after = nexttoken === undefined ? undefined : subjectOf(nexttoken);
  if (nexttoken !== undefined && after === undefined)
    throw new Problem('invalid_cursor', '`nexttoken` is not a cursor of this list: leave it out to start again');
  const found: UnfinishedJob[] = [];
  for (const entity of set.entityNames.toSorted(compareBytes)) {
    if (found.length > pageSize) break;
    const state = set.active(entity)?.state;
    if (state === undefined || (after !== undefined && compareBytes(entity, after.entity) < 0)) continue;
    found.push(...unfinished(entity, state).filter(({ subject }) => after === undefined || isBehind(subject, after)));
  }
  const shown = found.slice(0, pageSize);
  const names = [...new Set(shown.map(({ subject }) => subject.entity))];
  const notes = await indexProgress.readMany(store.scope(orgScopeName(orgCode)), names);
  const progress = new Map(names.map((name, at) => [name, notes[at]?.value]));
  const items: EntityJob[] = [];
  for (const job of shown) {
    const entity = await set.entity(job.subject.entity);
    if (entity !== undefined) items.push(shownJob(job, entity, progress.get(entity.name)));
  }
  const last = shown.at(-1);
  return { items, nexttoken: last !== undefined && found.length > pageSize ? idOf(last.subject) : null };
}

/** A job by its id, with what it is found in. */
interface ShownEntityJob {
  readonly job: EntityJob;
  readonly kind: Subject['kind'];
  readonly entity: CompiledEntity;
  /** Of the definition. */
  readonly version: number;
}

/** @throws Problem `not_found`. */
export async function findEntityJob(
  { store, configs }: EntityAdminDeps,
  orgCode: string,
  id: string,
): Promise<ShownEntityJob> {
  const subject = subjectOf(id);
  const set = await configs.refresh(orgCode);
  const active = subject && set.active(subject.entity);
  const entity = subject && (await set.entity(subject.entity));
  if (subject === undefined || active === undefined || entity === undefined) throw notFound();
  const { state, versions } = active;
  const unfinishedJob = unfinished(subject.entity, state).find((job) => idOf(job.subject) === id);
  if (unfinishedJob === undefined && !isDone(subject, state, entity)) throw notFound();
  const note = await indexProgress.read(store.scope(orgScopeName(orgCode)), subject.entity);
  const job = shownJob(unfinishedJob ?? { subject, state: 'done', failed: [] }, entity, note?.value);
  const isOver = job.state === 'done' || job.state === 'failed';
  const found = { kind: subject.kind, entity, version: versions.create };
  if (!isOver && note !== undefined) return { ...found, job };
  const [total = 0] = await countStoredRecords(store, orgCode, [subject.entity]);
  return { ...found, job: { ...job, done: isOver ? total : 0, total } };
}

/** Fields are filled before indexes are built. */
function unfinished(entity: string, { indexes, fills = [] }: Pick<EntityState, 'indexes' | 'fills'>) {
  const isFilling = fills.some(({ state }) => state === 'filling');
  const jobs = [
    ...fills.map((fill) => fillJob(entity, fill)),
    ...indexes.flatMap((index) => indexJob(entity, index, isFilling)),
  ];
  return jobs.toSorted((left, right) => compareBytes(textOf(left.subject), textOf(right.subject)));
}

function fillJob(entity: string, { field, id, state, failed }: FillState): UnfinishedJob {
  const message = 'the record got no value';
  return {
    subject: { entity, kind: 'fill', version: id, name: field },
    state: state === 'failed' ? 'failed' : 'running',
    failed: (failed?.examples ?? []).map((one) => ({ ...one, entity, code: 'validation_failed', message })),
  };
}

function indexJob(
  entity: string,
  { kind, name, id, state, duplicates = [] }: IndexState,
  isFilling: boolean,
): readonly UnfinishedJob[] {
  const subject: Subject = { entity, kind, version: id, name };
  if (state === 'building') return [{ subject, state: isFilling ? 'queued' : 'running', failed: [] }];
  if (state !== 'failed') return [];
  const failed = duplicates.flatMap(({ tenant_code, ids: [first, second] }) =>
    [
      [first, second],
      [second, first],
    ].map(([id = '', other = '']) => ({
      tenant_code,
      entity,
      id,
      code: 'unique_violation',
      message: `the record \`${other}\` has the same values`,
    })),
  );
  return [{ subject, state, failed }];
}

function isDone({ kind, version, name }: Subject, state: EntityState, { definition }: CompiledEntity): boolean {
  const { indexes, fills = [] } = state;
  if (kind !== 'fill')
    return indexes.some((one) => one.kind === kind && one.name === name && one.id === version && one.state === 'ready');
  return version <= state.version && fills.every(({ field }) => field !== name) && hasFill(definition, name);
}

function shownJob(
  { subject, state, failed }: UnfinishedJob,
  entity: CompiledEntity,
  note: Progress | undefined,
): EntityJob {
  const { kind, name } = subject;
  const { stored, fields } = entity;
  const field = kind === 'fill' ? stored.inMemory(name) : undefined;
  const isConversion = field !== undefined && fields.get(field)?.definition.convert !== undefined;
  const isUnder = state === 'running' && note !== undefined;
  return {
    id: idOf(subject),
    kind: kind === 'fill' ? (isConversion ? ('conversion' as const) : kind) : ('index' as const),
    state: state === 'running' && note === undefined ? ('queued' as const) : state,
    done: isUnder ? note.done : 0,
    total: state === 'failed' ? 0 : (note?.total ?? 0),
    failed,
    entity: entity.name,
    name: kind === 'fill' ? stored.inMemory(name) : stored.indexName({ kind, name }),
  };
}

function isBehind(subject: Subject, other: Subject): boolean {
  return subject.entity !== other.entity || compareBytes(textOf(subject), textOf(other)) > 0;
}

/** The name comes last: that of an index may hold any character. */
function textOf({ entity, kind, version, name }: Subject): string {
  return [entity, kind, version, name].join(';');
}

function idOf(subject: Subject): string {
  return Buffer.from(textOf(subject)).toString('base64url');
}

const kinds: readonly Subject['kind'][] = [
  'aggregate',
  'compound',
  'field',
  'fill',
  'owner',
  'parent',
  'search',
  'unique',
];

/** Undefined for what is no id of a job. */
function subjectOf(id: string): Subject | undefined {
  const [entity = '', named, version, ...name] = Buffer.from(id, 'base64url').toString().split(';');
  const kind = kinds.find((one) => one === named);
  if (kind === undefined || version === undefined) return undefined;
  const subject: Subject = { entity, kind, version: Number(version), name: name.join(';') };
  return idOf(subject) === id ? subject : undefined;
}

/**
 * Ends the build of an index by taking the index out of the definition, for which it is built.
 * @throws Problem `not_found`; `conflict` for other jobs; `version_mismatch` where the definition was changed meanwhile.
 */
export async function cancelEntityJob(deps: EntityAdminDeps, orgCode: string, id: string): Promise<EntityJob> {
  const found = await findEntityJob(deps, orgCode, id);
  const { job, entity, version } = found;
  if (job.state === 'done') throw new Problem('conflict', 'the job is over');
  const body = withoutIndex(entity.definition, found);
  if (body === undefined) throw new Problem('conflict', howToEnd(job));
  await changeApi(deps, orgCode, { api: apiName('create', entity.name), body, ifMatch: [entityTag(version)] });
  return { ...job, state: 'cancelled' };
}

/** The change of a definition that takes out no more than this index; undefined where there is none. */
function withoutIndex(definition: EntityDefinition, { kind, job: { name } }: ShownEntityJob): object | undefined {
  const { UpdateParams, UniqueIndexes = [], indexes = [], aggregates = [] } = definition;
  if (kind === 'unique') return { UniqueIndexes: UniqueIndexes.filter(({ indexName }) => indexName !== name) };
  if (kind === 'aggregate') return { aggregates: aggregates.filter((one) => one.name !== name) };
  if (kind === 'compound') return { indexes: indexes.filter(({ fields }) => fields.join() !== name) };
  const field = kind === 'field' ? UpdateParams.find((one) => one.name === name) : undefined;
  return field === undefined || hasIndex({ ...field, index: false })
    ? undefined
    : { UpdateParams: [{ name, index: false }] };
}

function howToEnd({ kind, entity, name }: EntityJob): string {
  const put = `by \`PUT /api/create-${entity}\``;
  if (kind === 'index')
    return `index \`${name}\` belongs to what the definition says of its entity: change that ${put}`;
  if (kind === 'fill') return `field \`${name}\` is filled as long as the definition says by what: change that ${put}`;
  return `field \`${name}\` is read by its new type already: convert it back, or to another type, ${put}`;
}
