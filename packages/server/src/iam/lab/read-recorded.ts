import { type AttachedPolicy, type CompiledAccess, compilePolicies, countPatterns } from '../../access/port.ts';
import { createYielder } from '../../lib/scheduling/event-loop.ts';
import type { OrgScopes, Workspace } from '../../tenancy/port.ts';
import { findMember } from '../members/member.ts';
import { heldPolicies, rememberingReader } from '../policies/held-policies.ts';
import { describeExcess } from '../policies/resolve-access.ts';
import type { RecordedCaller } from '../recording/decide-again.ts';
import type { DecisionRecorder } from '../recording/decision-recorder.ts';
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
import type { AccessReadDeps } from '../simulation/simulate.ts';

export interface LabDeps extends Pick<AccessReadDeps, 'stores' | 'clock' | 'cursors'> {
  readonly orgScopes: OrgScopes;
  readonly recorder: Pick<DecisionRecorder, 'store'>;
}

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

interface RecordQuery {
  readonly since?: number | undefined;
  readonly limit: number;
  readonly withBlocks?: boolean;
}

/** A recorded call, and the number of calls that it represents. */
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
  { recorder, orgScopes, clock }: Pick<LabDeps, 'recorder' | 'orgScopes' | 'clock'>,
  { orgCode, env, tenantId }: Workspace,
  { since, limit, withBlocks = false }: RecordQuery,
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

/** A member with what the member holds now. */
export interface LabPerson {
  readonly userId: string;
  readonly email: string;
  readonly caller: RecordedCaller;
  readonly held: readonly AttachedPolicy[];
}

/** Each member is read once. */
export class LabPeople {
  readonly #workspace: Workspace;
  readonly #read = rememberingReader();
  readonly #known = new Map<string, LabPerson | undefined>();
  readonly #compiled = new Map<string, CompiledAccess>();

  constructor(workspace: Workspace) {
    this.#workspace = workspace;
  }

  get size(): number {
    return this.#known.size;
  }

  has(userId: string): boolean {
    return this.#known.has(userId);
  }

  /** Undefined for a user who is no member any more. */
  async person(userId: string): Promise<LabPerson | undefined> {
    if (this.#known.has(userId)) return this.#known.get(userId);
    const { tenantId, tenantCode } = this.#workspace;
    const data = (await findMember(this.#workspace, userId))?.data;
    const person =
      data === undefined
        ? undefined
        : {
            userId,
            email: String(data.email),
            caller: { user: { id: userId, email: String(data.email) }, tenant: { id: tenantId, code: tenantCode } },
            held: await heldPolicies(this.#workspace, userId, this.#read),
          };
    this.#known.set(userId, person);
    return person;
  }

  /** Most members hold the same policies. @param kind separates the policies held now from those held in a trial. */
  access(held: readonly AttachedPolicy[], kind = ''): CompiledAccess {
    const key = kind + JSON.stringify(held.map(({ policyId, via }) => [policyId, via]));
    const known = this.#compiled.get(key);
    if (known !== undefined) return known;
    const isTooMuch = describeExcess(countPatterns(held)) !== undefined;
    const access = compilePolicies(isTooMuch ? [] : held);
    this.#compiled.set(key, access);
    return access;
  }
}
