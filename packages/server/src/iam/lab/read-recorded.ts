import type { Clock } from '../../lib/clock.ts';
import { createYielder } from '../../lib/scheduling/event-loop.ts';
import type { Workspace } from '../../tenancy/port.ts';
import {
  type Day,
  dayMilliseconds,
  dayOf,
  eachRecorded,
  type RecordedCall,
  type RecordedDecision,
  readDays,
  recordedDaysMax,
} from '../recording/recorded-rows.ts';
import type { LabDeps } from './lab-deps.ts';

/** The recorded decisions of a workspace that an answer rests on, those of the latest day first. */
export interface Recorded {
  readonly since: string;
  readonly decisions: readonly DayDecision[];
  /** Calls of the org that found no room in the record. */
  readonly not_recorded: number;
  /** Whether there are more than were read, and earlier ones. */
  readonly truncated: boolean;
}

export interface DayDecision extends RecordedDecision {
  readonly day: Day;
}

interface AskedRecord {
  readonly since?: number | undefined;
  readonly limit: number;
  readonly withBlocks?: boolean;
}

/** A recorded call, and for how many it stands. */
export interface WeightedCall {
  readonly decision: DayDecision;
  readonly call: RecordedCall;
  readonly calls: number;
}

/**
 * @param since by the day: what is recorded is counted by days.
 * @param withBlocks those of logic blocks that run by policies of their own too.
 */
export async function readRecorded(
  { recorder, orgScopes, clock }: Pick<LabDeps, 'recorder' | 'orgScopes'> & { readonly clock: Clock },
  { orgCode, env, tenantId }: Workspace,
  { since, limit, withBlocks = false }: AskedRecord,
): Promise<Recorded> {
  await recorder.store({ orgCode, env });
  const now = clock.now();
  const oldest = now - recordedDaysMax * dayMilliseconds;
  const from = dayOf(Math.min(Math.max(since ?? oldest, oldest), now));
  const scope = orgScopes(orgCode)[env];
  const decisions: DayDecision[] = [];
  let samples = 0;
  let truncated = false;
  const pause = createYielder({ org: orgCode, workspace: 'builders' });
  for await (const rows of eachRecorded(scope, tenantId, from)) {
    await pause();
    for (const { sk, value } of rows) {
      if (value.is_of_block === true && !withBlocks) continue;
      samples += value.samples.length;
      if (samples > limit) truncated = true;
      else decisions.push({ ...value, day: sk.slice(0, from.length) });
    }
    if (truncated) break;
  }
  const { not_recorded } = await readDays(scope, from);
  return { since: `${from}T00:00:00.000Z`, decisions, not_recorded, truncated };
}

/** The calls of a row are shared out among its samples. */
export function weightedCalls(decision: DayDecision): readonly WeightedCall[] {
  const { samples, calls } = decision;
  const each = Math.floor(calls / samples.length);
  return samples.map((call, index) => ({
    ...{ decision, call },
    calls: index === 0 ? calls - each * (samples.length - 1) : each,
  }));
}
