import { Problem } from '../../lib/problem.ts';
import type { Store } from '../../store/port.ts';
import type { FailuresByPart } from './failing-records.ts';
import { type DefinitionStep, failingProblem, findFailing, isContradicted } from './find-failing.ts';
import { type HeldValues, heldSentence, heldValues, isHeld } from './held-values.ts';
import { isRevived, type RevivedNames, revivedByPolicies, revivedSentence } from './revived-names.ts';

/** A change of a definition, and the fields whose stored values it loses. */
export interface LosingStep extends DefinitionStep {
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
