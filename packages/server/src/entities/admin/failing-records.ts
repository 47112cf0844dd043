import { setImmediate } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { InputError } from '@freehold/contract/problem';
import type { Scope, Store } from '../../store/port.ts';
import type { CompiledEntity, CompiledField } from '../compile-entity.ts';
import type { ConfigSet } from '../config-set.ts';
import { type CheckEffort, newCheckEffort, readValue } from '../field-types/field-type.ts';
import { nextRecords } from '../next-records.ts';
import type { RecordData } from '../record.ts';
import { sealedKey } from '../record-changes.ts';
import { directPartition } from '../record-keys.ts';
import { checkLookups } from '../references/lookup-checks.ts';
import { readSealed } from '../sealed-values.ts';
import { orgScopeName, workspaceScopeName } from '../workspace.ts';
import { workspaceRows } from '../workspace-directory.ts';

/** A definition that is to take the place of another, and the fields whose stored values it may refuse. */
export interface Narrowing {
  readonly orgCode: string;
  readonly config: ConfigSet;
  readonly entity: CompiledEntity;
  readonly fields: readonly string[];
}

/** What was found of records that a definition refuses, as far as they were looked at. */
export interface FailingRecords {
  readonly would_fail: number;
  readonly checked: number;
  /** Whether all records were looked at. */
  readonly complete: boolean;
  readonly examples: readonly FailingRecord[];
}

interface FailingRecord {
  readonly tenant_code: string;
  readonly id: string;
  readonly errors: readonly InputError[];
}

/** How much is looked at: records, among which each workspace counts as one, and what their texts come to. */
export const lookBudget = { records: 10_000, characters: 16 * 1024 * 1024 } as const;

const examplesMax = 5;

/** Looks at the records of all workspaces. Other requests are served between any two of them. */
export async function failingRecords(store: Store, narrowing: Narrowing): Promise<FailingRecords> {
  const examples: FailingRecord[] = [];
  const seen = { looks: 0, characters: 0, checked: 0, failing: 0 };
  const isSpent = (): boolean => seen.looks >= lookBudget.records || seen.characters >= lookBudget.characters;
  const found = (complete: boolean): FailingRecords => ({
    would_fail: seen.failing,
    checked: seen.checked,
    complete,
    examples,
  });
  for await (const { code } of workspaceRows(store.scope(orgScopeName(narrowing.orgCode)))) {
    if (isSpent()) return found(false);
    seen.looks += 1;
    const place = {
      orgCode: narrowing.orgCode,
      tenantCode: code,
      scope: store.scope(workspaceScopeName(narrowing.orgCode, code)),
    };
    for await (const text of recordTexts(narrowing.entity, place)) {
      if (isSpent()) return found(false);
      seen.looks += 1;
      seen.checked += 1;
      seen.characters += text.length;
      const data = JSON.parse(text) as RecordData;
      const errors = await errorsOf(narrowing, place, data);
      if (errors.length > 0) seen.failing += 1;
      if (errors.length > 0 && examples.length < examplesMax) examples.push({ tenant_code: code, id: data.id, errors });
      await setImmediate();
    }
  }
  return found(true);
}

interface Place {
  readonly orgCode: string;
  readonly tenantCode: string;
  readonly scope: Scope;
}

const readAtOnce = { limit: 200, bytesMax: 1024 * 1024 } as const;

async function* recordTexts(entity: CompiledEntity, workspace: Place): AsyncGenerator<string> {
  const partition = directPartition(entity, workspace);
  let after: string | undefined;
  for (;;) {
    const records = await nextRecords(workspace.scope, entity, { ...readAtOnce, partition, after });
    if (records.length === 0) return;
    for (const { item } of records) yield item.value;
    after = records.at(-1)?.place;
  }
}

async function errorsOf(
  { entity, config, fields: names }: Narrowing,
  workspace: Place,
  data: RecordData,
): Promise<readonly InputError[]> {
  const fields = names.flatMap((name) => entity.fields.get(name) ?? []);
  const sealed = await sealedNames(workspace.scope, { entity, fields, id: data.id });
  // As if the fields had been empty until now: ids in others were asked for when they were written.
  const before = { ...data, ...Object.fromEntries(names.map((name) => [name, undefined])) } as RecordData;
  const lookups = await checkLookups({ workspace, config, entity }, before, data);
  const held = { data, sealed, effort: newCheckEffort() };
  return [...fields.flatMap((field) => valueErrors(field, held)), ...lookups.errors.map(withoutValue)];
}

/** Who may change definitions need not be one who may read records: no sentence holds what a record does. */
function withoutValue({ pointer, code }: InputError): InputError {
  return { pointer, code, message: `field \`${pointer.slice(1)}\` names a record that is not there` };
}

/** The fields of which the record has a sealed value beside it, where some of those asked for may have one. */
async function sealedNames(
  scope: Scope,
  asked: { readonly entity: CompiledEntity; readonly fields: readonly CompiledField[]; readonly id: string },
): Promise<readonly string[]> {
  if (!asked.fields.some(({ behaviour }) => behaviour.isSecret === true)) return [];
  const [item] = await scope.get([sealedKey(asked.entity.name, asked.id)]);
  return Object.keys(readSealed(item?.value));
}

interface HeldRecord {
  readonly data: RecordData;
  /** The fields of which a sealed value lies beside it. */
  readonly sealed: readonly string[];
  readonly effort: CheckEffort;
}

function valueErrors(
  { name, required, definition, behaviour }: CompiledField,
  { data, sealed, effort }: HeldRecord,
): readonly InputError[] {
  const pointer = `/${name}`;
  const value = behaviour.isSecret === true ? undefined : data[name];
  if (value === undefined) {
    if (!required || sealed.includes(name)) return [];
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
  return [{ pointer, code: 'other_form', message: `field \`${name}\` is stored in another form than it would be now` }];
}
