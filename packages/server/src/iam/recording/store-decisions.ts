import { hash } from 'node:crypto';
import { type ConfigReader, type SettingType, settingOf } from '../../config/port.ts';
import { timestamp } from '../../lib/clock.ts';
import { wrong } from '../../lib/unknown-names.ts';
import type { Change } from '../../store/port.ts';
import type { Environment, OrgScopes } from '../../tenancy/port.ts';
import { decisiveStatement, describeDecision } from '../decisions/describe-decision.ts';
import { explainAgain, reportsAgain } from './decide-again.ts';
import type { BufferedDecision, BufferedOrg } from './decision-buffer.ts';
import {
  type Day,
  type DecisionPlace,
  dayOf,
  expiryOf,
  type RecordedDecision,
  type RecordedReport,
  readDays,
  recordedDays,
  recordedDecisions,
} from './recorded-rows.ts';

export interface StoreDecisionsDeps {
  readonly configs: Readonly<Record<Environment, ConfigReader>>;
  readonly orgScopes: OrgScopes;
  /** Names this start of this process, as no other start is named. */
  readonly node: string;
  readonly rowsPerDay?: number;
}

/** Of an org in an environment: seven days of them are fewer than what one replay looks at. */
const rowsPerDayMax = 700;
const rowsPerCommit = 200;

/** Adds to the rows of the day what was decided since the last time, in few commits. @returns whether it is recorded at all. */
export async function storeDecisions(
  deps: StoreDecisionsDeps,
  { orgCode, env, decisions, left }: BufferedOrg,
  { now, pause }: { readonly now: number; readonly pause: () => Promise<void> | undefined },
): Promise<boolean> {
  const config = await deps.configs[env].current(orgCode);
  if (!settingOf(config, env, recordDecisions)) return false;
  const day = dayOf(now);
  const waiting = new Map<string, UnstoredDecision>();
  for (const decision of decisions) {
    await pause();
    const waits = waitingOf(decision, { day, node: deps.node });
    if (waits === undefined) continue;
    const alike = waiting.get(keyOf(waits.place));
    waiting.set(keyOf(waits.place), alike === undefined ? waits : { ...waits, value: added(alike.value, waits.value) });
  }
  const all = [...waiting.values()];
  const tally = { not_recorded: left };
  for (let at = 0; at === 0 || at < all.length; at += rowsPerCommit) {
    await storeSome(deps, { orgCode, env, day, tally }, all.slice(at, at + rowsPerCommit));
    tally.not_recorded = 0;
  }
  return true;
}

interface UnstoredDecision {
  readonly place: DecisionPlace;
  readonly value: RecordedDecision;
}

interface OrgDay extends Pick<BufferedOrg, 'orgCode' | 'env'> {
  readonly day: Day;
  readonly tally: { readonly not_recorded: number };
}

async function storeSome(
  { orgScopes, node, rowsPerDay = rowsPerDayMax }: StoreDecisionsDeps,
  { orgCode, env, day, tally }: OrgDay,
  waiting: readonly UnstoredDecision[],
): Promise<void> {
  const scope = orgScopes(orgCode)[env];
  const due = expiryOf(day);
  const [[own], all, known] = await Promise.all([
    recordedDays.readMany(scope, [{ day, node }]),
    readDays(scope, day, day),
    recordedDecisions.readMany(
      scope,
      waiting.map(({ place }) => place),
    ),
  ]);
  let added_ = 0;
  let notRecorded = tally.not_recorded;
  const changes: Change[] = [];
  for (const [index, { place, value }] of waiting.entries()) {
    const before = known[index]?.value;
    if (before === undefined && all.rows + added_ >= rowsPerDay) {
      notRecorded += value.calls;
      continue;
    }
    if (before === undefined) added_ += 1;
    const whole = before === undefined ? value : added(before, value);
    changes.push(recordedDecisions.put(place, whole, { if: 'any', due }));
  }
  const { rows = 0, not_recorded = 0 } = own?.value ?? {};
  const counted = { rows: rows + added_, not_recorded: not_recorded + notRecorded };
  if (changes.length === 0 && notRecorded === 0) return;
  await scope.commit([...changes, recordedDays.put({ day, node }, counted, { if: 'any', due })]);
}

function keyOf({ tenantId, name }: DecisionPlace): string {
  return `${tenantId} ${name}`;
}

function waitingOf(
  decision: BufferedDecision,
  { day, node }: { readonly day: Day; readonly node: string },
): UnstoredDecision | undefined {
  const { access, place, userId, email, common, rest, outcome, isOfBlock, calls, samples } = decision;
  const shape = common + rest;
  const action = decision.action.toLowerCase();
  const user = { id: userId, email };
  const caller = { user, tenant: { id: place.tenantId, code: place.tenantCode } };
  const [first] = samples;
  const described =
    first === undefined
      ? undefined
      : describeDecision(explainAgain(access, { caller, action, call: first }, { stepsLeft: 0 }));
  const decisive =
    described === undefined || !isSame(described.decision, outcome) ? undefined : decisiveStatement(described);
  const { policy_id, Sid } = decisive ?? {};
  const reports = samples.flatMap((call) =>
    reportsAgain(access, { caller, action, call }, outcome).map(
      ({ policyId, policyName, index, Sid: sid, Effect, would = 'deny' }): RecordedReport => ({
        ...{ policy_id: policyId, policy: policyName, index, Effect, would },
        ...(sid === undefined ? {} : { Sid: sid }),
        ...{ calls: calls / samples.length, last_at: call.at },
      }),
    ),
  );
  if (isOfBlock && reports.length === 0) return undefined;
  const value: RecordedDecision = {
    ...{ user_id: user.id, action, shape, outcome },
    ...(policy_id === undefined ? {} : { policy_id }),
    ...(Sid === undefined ? {} : { Sid }),
    ...(isOfBlock ? { is_of_block: true } : {}),
    ...{ calls, last_at: timestamp(decision.lastAt), samples, reports: merged([], reports) },
  };
  const block = isOfBlock ? reports.map(({ policy }) => policy).slice(0, 1) : [];
  const kind = [user.id, action, shape, outcome, policy_id, decisive?.index, ...block];
  const alike = hash('sha256', JSON.stringify(kind), 'hex');
  return { place: { tenantId: place.tenantId, day, name: `${node}#${alike.slice(0, 32)}` }, value };
}

function isSame(decided: string, recorded: string): boolean {
  return decided === recorded || (decided === 'undecided' && recorded === 'allowed');
}

const samplesMax = 2;
const reportsMax = 20;

/** The later calls take the place of samples, so that these are of the whole day. */
function added(before: RecordedDecision, after: RecordedDecision): RecordedDecision {
  return {
    ...after,
    calls: before.calls + after.calls,
    last_at: before.last_at > after.last_at ? before.last_at : after.last_at,
    samples: [...before.samples.slice(0, samplesMax - 1), ...after.samples.slice(-1)].slice(-samplesMax),
    reports: merged(before.reports, after.reports),
  };
}

function merged(before: readonly RecordedReport[], after: readonly RecordedReport[]): readonly RecordedReport[] {
  const all = new Map<string, RecordedReport>();
  for (const one of [...before, ...after]) {
    const key = JSON.stringify([one.policy_id, one.policy_id === '' ? one.policy : '', one.index, one.Sid, one.would]);
    const known = all.get(key);
    const calls = one.calls + (known?.calls ?? 0);
    all.set(key, {
      ...one,
      calls,
      last_at: known !== undefined && known.last_at > one.last_at ? known.last_at : one.last_at,
    });
  }
  return [...all.values()].slice(0, reportsMax);
}

export const recordDecisions: SettingType<boolean> = {
  key: 'acl.record_decisions',
  description:
    'Whether samples of the decisions about calls are kept for seven days, so that a change of policies can be tried on them.',
  byDefault: true,
  schema: { type: 'boolean' },
  parse: (input) => (typeof input === 'boolean' ? { value: input } : wrong('must be `true` or `false`')),
};
