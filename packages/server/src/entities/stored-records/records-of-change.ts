import { isDeepStrictEqual } from 'node:util';
import type { InputError } from '@freehold/contract/problem';
import { namesField } from '../../access/port.ts';
import type { ConfigSet } from '../../config/port.ts';
import { Problem } from '../../lib/problem.ts';
import { always } from '../../lib/where.ts';
import { checkLookups, heldSealed, holdingAny, type RecordData, refusedByAny } from '../../records/port.ts';
import {
  type CompiledEntity,
  type CompiledField,
  isFilled,
  narrowing,
  newCheckEffort,
  readValue,
  systemEntity,
} from '../../schema/port.ts';
import type { Scope, Store } from '../../store/port.ts';
import type { WorkspaceOfOrg } from '../../tenancy/port.ts';
import { lookAtRecords, NotedRecords, type RecordExample, type RecordScan } from './look-at-records.ts';

/** A definition that is to take the place of another, and what of it stored records may not meet: fields and checks. */
interface Narrowing {
  readonly orgCode: string;
  readonly config: ConfigSet;
  readonly entity: CompiledEntity;
  readonly fields: readonly string[];
  readonly checks: CompiledEntity['checks'];
}

/** The records found that a definition refuses, as far as they were looked at. */
export interface FailingRecords extends RecordScan {
  readonly would_fail: number;
  readonly examples: readonly FailingRecord[];
}

interface FailingRecord extends RecordExample {
  readonly errors: readonly InputError[];
}

/** The same, and which records each field and each check refuses. */
interface FailuresByPart {
  readonly found: FailingRecords;
  readonly byField: NotedRecords<FailingRecord>;
  readonly byCheck: NotedRecords<FailingRecord>;
}

/** Looks at the records of all workspaces. */
async function failuresByPart(store: Store, narrowing: Narrowing): Promise<FailuresByPart> {
  const all = new NotedRecords<FailingRecord>();
  const [byField, byCheck] = [new NotedRecords<FailingRecord>(), new NotedRecords<FailingRecord>()];
  const { entity, fields, checks } = narrowing;
  const where = checks.length > 0 ? always : refusedByAny(entity, fields);
  const looked = await lookAtRecords(store, { ...narrowing, where }, async (workspace, data) => {
    const failures = await failuresOf(narrowing, workspace, data);
    if (failures.length === 0) return;
    const { id } = data;
    const { tenantCode: tenant_code } = workspace;
    all.note('', { tenant_code, id, errors: failures.map(({ error }) => error) });
    for (const { kind, name, errors } of grouped(failures))
      (kind === 'field' ? byField : byCheck).note(name, { tenant_code, id, errors });
  });
  const { records: would_fail, examples } = all.of('');
  return { found: { would_fail, ...looked, examples }, byField, byCheck };
}

/** Looks at the records of all workspaces. */
export async function failingRecords(store: Store, narrowing: Narrowing): Promise<FailingRecords> {
  return (await failuresByPart(store, narrowing)).found;
}

/** The part of a definition that refuses a record: a field, or a check by its expression. */
interface FailingPart {
  readonly kind: 'field' | 'check';
  readonly name: string;
}

interface Failure extends FailingPart {
  readonly error: InputError;
}

function grouped(failures: readonly Failure[]): readonly (FailingPart & { readonly errors: readonly InputError[] })[] {
  const parts = Map.groupBy(failures, ({ kind, name }) => `${kind} ${name}`);
  return [...parts.values()].flatMap((some) =>
    some.slice(0, 1).map(({ kind, name }) => ({ kind, name, errors: some.map(({ error }) => error) })),
  );
}

async function failuresOf(
  { entity, config, fields: names, checks }: Narrowing,
  workspace: WorkspaceOfOrg,
  data: RecordData,
): Promise<readonly Failure[]> {
  const fields = names.flatMap((name) => entity.fields.get(name) ?? []);
  const sealed = await sealedNames(workspace.scope, { entity, fields, id: data.id });
  // As if the fields had been empty until now: ids in others were asked for when they were written.
  const before = { ...data, ...Object.fromEntries(names.map((name) => [name, undefined])) } as RecordData;
  const lookups = await checkLookups({ workspace, config, entity }, before, data);
  const held = { data, sealed, effort: newCheckEffort() };
  const errors = [...fields.flatMap((field) => valueErrors(entity, field, held)), ...lookups.errors.map(withoutValue)];
  if (errors.length > 0) return errors.map((error) => ({ kind: 'field', name: fieldOf(error), error }));
  return checks.flatMap(({ definition, refuse }) => {
    const error = refuse(data);
    return error === undefined ? [] : [{ kind: 'check', name: definition.cel, error }];
  });
}

function fieldOf({ pointer }: InputError): string {
  return pointer.split('/')[1] ?? '';
}

/** A caller who may change definitions may lack the right to read records: no sentence holds a record's value. */
function withoutValue(error: InputError): InputError {
  const { pointer, code } = error;
  return { pointer, code, message: `field \`${fieldOf(error)}\` names a record that does not exist` };
}

/** The fields of which the record has a sealed value beside it, where some of those asked for may have one. */
async function sealedNames(
  scope: Scope,
  request: { readonly entity: CompiledEntity; readonly fields: readonly CompiledField[]; readonly id: string },
): Promise<readonly string[]> {
  if (!request.fields.some(({ behaviour }) => behaviour.isSecret === true)) return [];
  return Object.keys(await heldSealed(scope, request.entity, request.id)).map(request.entity.stored.inMemory);
}

interface HeldRecord {
  readonly data: RecordData;
  /** The fields of which a sealed value lies beside it. */
  readonly sealed: readonly string[];
  readonly effort: ReturnType<typeof newCheckEffort>;
}

function valueErrors(
  entity: CompiledEntity,
  { name, required, definition, behaviour }: CompiledField,
  { data, sealed, effort }: HeldRecord,
): readonly InputError[] {
  const pointer = `/${name}`;
  const value = behaviour.isSecret === true ? undefined : data[name];
  if (value === undefined && entity.stored.isUnconverted(name, data)) {
    const message = `field \`${name}\`: its conversion gives no value of its type`;
    return [{ pointer, code: 'not_converted', message }];
  }
  if (value === undefined) {
    if (!required || sealed.includes(name) || isFilled(entity.definition, definition)) return [];
    return [{ pointer, code: 'required', message: `field \`${name}\` is required` }];
  }
  const read = readValue(behaviour, definition.validate === true, value, effort);
  if ('problems' in read)
    return read.problems.map((problem) => ({
      pointer: pointer + (problem.pointer ?? ''),
      code: problem.code,
      message: `field \`${name}\` ${problem.message}`,
    }));
  // A value stays as it is stored, so it must be in the one form that filters and indexes know.
  if (isDeepStrictEqual(read.value, value)) return [];
  return [
    { pointer, code: 'other_form', message: `field \`${name}\` is stored in a form that the change does not accept` },
  ];
}

interface DefinitionStep {
  readonly orgCode: string;
  readonly config: ConfigSet;
  readonly before: CompiledEntity;
  readonly after: CompiledEntity;
}

/** The records that contradict the definition that is to come; undefined where none can. */
async function findFailing(
  store: Store,
  { orgCode, config, before, after }: DefinitionStep,
): Promise<FailuresByPart | undefined> {
  const { fields, checks } = narrowing(before, after);
  if (fields.length + checks.length === 0) return undefined;
  return failuresByPart(store, { orgCode, config, entity: after, fields, checks });
}

/** Whether some record fails, or not all could be looked at. */
function isContradicted({ would_fail, complete }: FailingRecords): boolean {
  return would_fail > 0 || !complete;
}

/** The way a definition is refused that records contradict, or that too many would have to be looked at for. */
function failingProblem(entityName: string, found: FailingRecords, more: object = {}): Problem {
  const reported = `${sentence(entityName, found)}: \`force=true\` makes the change anyway`;
  return new Problem('conflict', reported, { ...found, ...more });
}

function sentence(entityName: string, { would_fail, checked, complete }: FailingRecords): string {
  const some = complete ? `all ${checked} records` : `the first ${checked} records, which are not all`;
  return `the change of \`${entityName}\` is stricter than the stored definition: of ${some}, ${would_fail} would fail`;
}

/** A change of a definition, and the fields whose stored values it loses. */
interface LosingStep extends DefinitionStep {
  readonly lost: readonly string[];
  /** Names of removed fields that fields have now, where policies are looked at too. */
  readonly revived?: readonly string[];
}

/** The objections of records to a change, policies among them: each is undefined where they cannot have it. */
export interface RecordsOfChange {
  readonly failing: FailuresByPart | undefined;
  readonly held: HeldValues | undefined;
  readonly revived: RevivedNames | undefined;
}

export async function lookAtChange(store: Store, step: LosingStep): Promise<RecordsOfChange> {
  const { orgCode, before, lost, revived = [] } = step;
  return {
    failing: await findFailing(store, step),
    held: await heldValues(store, { orgCode, entity: before, names: lost }),
    revived: await revivedByPolicies(store, { orgCode, entityName: before.name, revived }),
  };
}

export function wouldFail({ failing }: RecordsOfChange): boolean {
  return failing !== undefined && isContradicted(failing.found);
}

export function wouldLose({ held }: RecordsOfChange): boolean {
  return held !== undefined && isHeld(held);
}

/**
 * @throws Problem `conflict` where records would fail or lose values, or policies be revived, or too many would have to be
 * looked at to know.
 */
export function refuseChange(entityName: string, records: RecordsOfChange): void {
  const problem = refusalOf(entityName, records);
  const { revived } = records;
  if (revived === undefined || !isRevived(revived)) {
    if (problem !== undefined) throw problem;
    return;
  }
  const sentence = revivedSentence(revived);
  const { names: would_revive, ...looked } = revived;
  if (problem === undefined)
    throw new Problem('conflict', `${sentence}; \`force=true\` makes the change anyway`, { would_revive, ...looked });
  throw new Problem('conflict', `${problem.message}; ${sentence}`, { ...problem.details, would_revive });
}

function refusalOf(entityName: string, records: RecordsOfChange): Problem | undefined {
  const { failing, held } = records;
  const loss = held !== undefined && isHeld(held) ? held : undefined;
  if (failing !== undefined && isContradicted(failing.found)) {
    const complete = failing.found.complete && loss?.complete !== false;
    return failingProblem(entityName, failing.found, loss === undefined ? {} : { would_lose: loss.fields, complete });
  }
  return loss === undefined ? undefined : losingProblem(loss);
}

function losingProblem(loss: HeldValues): Problem {
  const { fields, checked, complete, holders } = loss;
  const names = fields.map(({ name }) => `\`${name}\``).join(', ');
  const message = `the values of ${names} would be lost: ${heldSentence(loss)}; \`force=true\` makes the change anyway`;
  return new Problem('conflict', message, { would_lose: fields, checked, complete, examples: holders.of('').examples });
}

interface GoingFields {
  readonly orgCode: string;
  readonly entity: CompiledEntity;
  readonly names: readonly string[];
}

/** The number of records that have a value of each field, as far as they were looked at. */
export interface HeldValues extends RecordScan {
  readonly fields: readonly { readonly name: string; readonly records: number }[];
  /** By field the records that have a value of it; under no name those that have one of any. */
  readonly holders: NotedRecords;
}

/** Undefined where the fields have no values of their own. */
export async function heldValues(
  store: Store,
  { orgCode, entity, names }: GoingFields,
): Promise<HeldValues | undefined> {
  const own = names.filter((name) => entity.fields.get(name)?.behaviour.compute === undefined);
  if (own.length === 0) return undefined;
  const holders = new NotedRecords();
  const where = holdingAny(entity, own);
  const looked = await lookAtRecords(store, { orgCode, entity, where }, async ({ scope, tenantCode }, data) => {
    const sealed = entity.stored.named(await heldSealed(scope, entity, data.id));
    const held = own.filter((name) => Object.hasOwn(data, name) || Object.hasOwn(sealed, name));
    if (held.length > 0) for (const name of ['', ...held]) holders.note(name, { tenant_code: tenantCode, id: data.id });
  });
  return { fields: own.map((name) => ({ name, records: holders.of(name).records })), holders, ...looked };
}

/** Whether some record has a value, or not all could be looked at. */
export function isHeld({ fields, complete }: HeldValues): boolean {
  return !complete || fields.some(({ records }) => records > 0);
}

/** Which fields have values in how many records. */
export function heldSentence({ fields, checked, complete }: HeldValues): string {
  const some = complete ? `all ${checked} records` : `the first ${checked} records, which are not all`;
  const counts = fields.filter(({ records }) => records > 0).map(({ name, records }) => `${records} have \`${name}\``);
  return `of ${some}, ${counts.length > 0 ? counts.join(', ') : 'none has a value'}`;
}

/** A name of a removed field that a field has now, and the policies that name it: they would be about that field. */
export interface RevivedName {
  readonly name: string;
  readonly policies: number;
  readonly examples: readonly RecordExample[];
}

interface RevivedNames extends RecordScan {
  /** Those that some policy names. */
  readonly names: readonly RevivedName[];
}

/** Looks at the policies of all workspaces. Undefined where no name is revived. */
async function revivedByPolicies(
  store: Store,
  {
    orgCode,
    entityName,
    revived,
  }: { readonly orgCode: string; readonly entityName: string; readonly revived: readonly string[] },
): Promise<RevivedNames | undefined> {
  if (revived.length === 0) return undefined;
  const noted = new NotedRecords();
  const looked = await lookAtRecords(
    store,
    { orgCode, entity: systemEntity('aclpolicy') },
    async ({ tenantCode }, { id, statements }) => {
      for (const field of revived)
        if (namesField(statements, { entityName, field })) noted.note(field, { tenant_code: tenantCode, id });
    },
  );
  const names = revived.map((name): RevivedName => {
    const { records: policies, examples } = noted.of(name);
    return { name, policies, examples };
  });
  return { names: names.filter(({ policies }) => policies > 0), ...looked };
}

/** Whether policies name such a field, or not all could be looked at. */
export function isRevived({ names, complete }: RevivedNames): boolean {
  return names.length > 0 || !complete;
}

function revivedSentence({ names, checked, complete }: RevivedNames): string {
  const some = complete ? `all ${checked} policies` : `the first ${checked} policies, which are not all`;
  const counts = names.map(({ name, policies }) => `${policies} name \`${name}\``);
  const listed = counts.length > 0 ? counts.join(', ') : 'none names it';
  return `a field gets the name of a removed one, and policies that name it would apply to it: of ${some}, ${listed}`;
}
