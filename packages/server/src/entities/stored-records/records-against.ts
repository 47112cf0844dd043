import type { ConfigSet } from '../../config/port.ts';
import { Problem } from '../../lib/problem.ts';
import { type CompiledEntity, lookupOf } from '../../schema/port.ts';
import type { Store } from '../../store/port.ts';
import { nameUnder, narrowedFields, newChecks, overwrittenFields } from '../definition/narrowed-fields.ts';
import type { EntityStep } from '../plan-migration.ts';
import { type FailingRecords, failingRecords } from './failing-records.ts';
import { type HeldValues, heldSentence, heldValues, isHeld, lookAtChange, refuseChange } from './records-of-change.ts';

export type { FailingRecords };

/** What the records of an entity have against its next definition; undefined where they cannot have anything. */
export async function recordsAgainst(
  store: Store,
  { orgCode, config }: { readonly orgCode: string; readonly config: ConfigSet },
  { before, after, returns }: EntityStep,
): Promise<FailingRecords | undefined> {
  if (before === undefined || after === undefined) return undefined;
  const fields = [...new Set([...narrowedFields(before, after), ...(returns ? lookupFields(after) : [])])];
  const checks = newChecks(before, after);
  if (fields.length + checks.length === 0) return undefined;
  return failingRecords(store, { orgCode, config, entity: after, fields, checks });
}

/** The fields that records may have and that are hidden once the step is made. */
export function fieldsToHide({ before, after }: EntityStep): readonly string[] {
  if (before === undefined || after === undefined) return [];
  const names = [...before.fields.keys()];
  return names.filter((name) => !after.fields.has(nameUnder(after, before, name)));
}

/** How many records have values of fields that are hidden once the step is made; undefined where none may have. */
export async function recordsToHide(store: Store, orgCode: string, step: EntityStep): Promise<ToldValues | undefined> {
  return step.before === undefined ? undefined : told(store, orgCode, step.before, fieldsToHide(step));
}

/** How many records have values that the step loses, since their fields take values of another making; undefined where none may. */
export async function recordsToLose(
  store: Store,
  orgCode: string,
  { before, after }: EntityStep,
): Promise<ToldValues | undefined> {
  if (before === undefined || after === undefined) return undefined;
  return told(store, orgCode, before, overwrittenFields(before, after));
}

async function told(
  store: Store,
  orgCode: string,
  entity: CompiledEntity,
  names: readonly string[],
): Promise<ToldValues | undefined> {
  if (names.length === 0) return undefined;
  const held = await heldValues(store, { orgCode, entity, names });
  if (held === undefined || !isHeld(held)) return undefined;
  return { ...held, sentence: heldSentence(held) };
}

export interface ToldValues extends HeldValues {
  readonly sentence: string;
}

/** While the entity was not served, nothing protected the records that its own refer to. */
function lookupFields({ fields }: CompiledEntity): readonly string[] {
  return [...fields.values()].flatMap(({ name, definition }) => (lookupOf(definition) === undefined ? [] : [name]));
}

/** The configuration as it will be: for who looks at what is stored before the switch. */
export function setAfter(set: ConfigSet, steps: readonly EntityStep[]): ConfigSet {
  const after = new Map(steps.map((step) => [step.name, step.after]));
  return { ...set, entity: async (name) => (after.has(name) ? after.get(name) : set.entity(name)) };
}

interface FailingEntity {
  readonly name: string;
  readonly problem: Problem;
}

/** Every entity whose records contradict what is to come, or lose values, or cannot all be looked at, with how that is refused. */
export async function* failingEntities(
  store: Store,
  { orgCode, set }: { readonly orgCode: string; readonly set: ConfigSet },
  steps: readonly EntityStep[],
): AsyncGenerator<FailingEntity> {
  const config = setAfter(set, steps);
  for (const { name, before, after } of steps) {
    if (before === undefined || after === undefined) continue;
    try {
      const change = { orgCode, config, before, after, lost: overwrittenFields(before, after) };
      refuseChange(name, await lookAtChange(store, change));
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem;
      yield { name, problem };
    }
  }
}
