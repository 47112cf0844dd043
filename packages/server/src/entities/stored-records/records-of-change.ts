import { namesField } from '../../access/port.ts';
import { Problem } from '../../lib/problem.ts';
import { readSealed, sealedKey } from '../../records/port.ts';
import { type CompiledEntity, namedValues, systemEntity } from '../../schema/port.ts';
import type { Store } from '../../store/port.ts';
import {
  type DefinitionStep,
  type FailuresByPart,
  failingProblem,
  findFailing,
  isContradicted,
} from './failing-records.ts';
import { type Looked, lookAtRecords, NotedRecords, type RecordExample } from './look-at-records.ts';

/** A change of a definition, and the fields whose stored values it loses. */
interface LosingStep extends DefinitionStep {
  readonly lost: readonly string[];
  /** Names of removed fields that fields have now, where policies are looked at too. */
  readonly revived?: readonly string[];
}

/** What records have against a change, policies among them: each is undefined where they cannot have it. */
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

/** Fields that go, and the entity as its records were written until now. */
interface GoingFields {
  readonly orgCode: string;
  readonly entity: CompiledEntity;
  readonly names: readonly string[];
}

/** How many records have a value of each field, as far as they were looked at. */
export interface HeldValues extends Looked {
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
  const looked = await lookAtRecords(store, { orgCode, entity }, async ({ scope, tenantCode }, data) => {
    const [item] = entity.hasSealed ? await scope.get([sealedKey(entity.name, data.id)]) : [];
    const sealed = namedValues(entity.stored, readSealed(item?.value));
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
  /** Some of the policies. */
  readonly examples: readonly RecordExample[];
}

interface RevivedNames extends Looked {
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
  const told = counts.length > 0 ? counts.join(', ') : 'none names it';
  return `a field gets the name of a removed one, and policies that name it would apply to it: of ${some}, ${told}`;
}
