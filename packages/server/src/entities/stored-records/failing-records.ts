import { isDeepStrictEqual } from 'node:util';
import type { InputError } from '@freehold/contract/problem';
import type { ConfigSet } from '../../config/port.ts';
import { Problem } from '../../lib/problem.ts';
import { checkLookups, type RecordData, readSealed, sealedKey } from '../../records/port.ts';
import {
  type CheckEffort,
  type CompiledCheck,
  type CompiledEntity,
  type CompiledField,
  isFilled,
  isUnconverted,
  newCheckEffort,
  readValue,
} from '../../schema/port.ts';
import type { Scope, Store } from '../../store/port.ts';
import type { WorkspaceOfOrg } from '../../tenancy/port.ts';
import { narrowedFields, newChecks } from '../definition/narrowed-fields.ts';
import { type Looked, lookAtRecords, NotedRecords, type RecordExample } from './look-at-records.ts';

/** A definition that is to take the place of another, and what of it stored records may not meet: fields and checks. */
interface Narrowing {
  readonly orgCode: string;
  readonly config: ConfigSet;
  readonly entity: CompiledEntity;
  readonly fields: readonly string[];
  readonly checks: readonly CompiledCheck[];
}

/** What was found of records that a definition refuses, as far as they were looked at. */
export interface FailingRecords extends Looked {
  readonly would_fail: number;
  readonly examples: readonly FailingRecord[];
}

interface FailingRecord extends RecordExample {
  readonly errors: readonly InputError[];
}

/** The same, and which records each field and each check refuses. */
export interface FailuresByPart {
  readonly found: FailingRecords;
  readonly byField: NotedRecords<FailingRecord>;
  readonly byCheck: NotedRecords<FailingRecord>;
}

/** Looks at the records of all workspaces. */
async function failuresByPart(store: Store, narrowing: Narrowing): Promise<FailuresByPart> {
  const all = new NotedRecords<FailingRecord>();
  const [byField, byCheck] = [new NotedRecords<FailingRecord>(), new NotedRecords<FailingRecord>()];
  const looked = await lookAtRecords(store, narrowing, async (workspace, data) => {
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

/** What of a definition refuses a record: a field, or a check by its expression. */
interface Part {
  readonly kind: 'field' | 'check';
  readonly name: string;
}

interface Failure extends Part {
  readonly error: InputError;
}

function grouped(failures: readonly Failure[]): readonly (Part & { readonly errors: readonly InputError[] })[] {
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

/** Who may change definitions need not be one who may read records: no sentence holds what a record does. */
function withoutValue(error: InputError): InputError {
  const { pointer, code } = error;
  return { pointer, code, message: `field \`${fieldOf(error)}\` names a record that does not exist` };
}

/** The fields of which the record has a sealed value beside it, where some of those asked for may have one. */
async function sealedNames(
  scope: Scope,
  asked: { readonly entity: CompiledEntity; readonly fields: readonly CompiledField[]; readonly id: string },
): Promise<readonly string[]> {
  if (!asked.fields.some(({ behaviour }) => behaviour.isSecret === true)) return [];
  const [item] = await scope.get([sealedKey(asked.entity.name, asked.id)]);
  return Object.keys(readSealed(item?.value)).map(asked.entity.stored.inMemory);
}

interface HeldRecord {
  readonly data: RecordData;
  /** The fields of which a sealed value lies beside it. */
  readonly sealed: readonly string[];
  readonly effort: CheckEffort;
}

function valueErrors(
  entity: CompiledEntity,
  { name, required, definition, behaviour }: CompiledField,
  { data, sealed, effort }: HeldRecord,
): readonly InputError[] {
  const pointer = `/${name}`;
  const value = behaviour.isSecret === true ? undefined : data[name];
  if (value === undefined && isUnconverted(entity.stored, name, data)) {
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

export interface DefinitionStep {
  readonly orgCode: string;
  readonly config: ConfigSet;
  readonly before: CompiledEntity;
  readonly after: CompiledEntity;
}

/** The records that contradict the definition that is to come; undefined where none can. */
export async function findFailing(
  store: Store,
  { orgCode, config, before, after }: DefinitionStep,
): Promise<FailuresByPart | undefined> {
  const [fields, checks] = [narrowedFields(before, after), newChecks(before, after)];
  if (fields.length + checks.length === 0) return undefined;
  return failuresByPart(store, { orgCode, config, entity: after, fields, checks });
}

/** Whether some record fails, or not all could be looked at. */
export function isContradicted({ would_fail, complete }: FailingRecords): boolean {
  return would_fail > 0 || !complete;
}

/** How a definition is refused that records contradict, or that too many would have to be looked at for. */
export function failingProblem(entityName: string, found: FailingRecords, more: object = {}): Problem {
  const told = `${sentence(entityName, found)}: \`force=true\` makes the change anyway`;
  return new Problem('conflict', told, { ...found, ...more });
}

function sentence(entityName: string, { would_fail, checked, complete }: FailingRecords): string {
  const some = complete ? `all ${checked} records` : `the first ${checked} records, which are not all`;
  return `the change of \`${entityName}\` is stricter than the stored definition: of ${some}, ${would_fail} would fail`;
}
