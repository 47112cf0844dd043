/**
 * Loaded into the platform (`--import`) by `npm run bench -- decisions`: answers the message `record` with what recording costs
 * a get in this process, and each other message with the CPU that the process has used.
 *
 * In each round so many gets are authorized with the record on and off, in turns, by a hundred callers; what is between the
 * two is the cost. Storing is not in it: it is bounded by the buffer, whatever the calls are.
 */
import { compilePolicies } from '../../access/port.ts';
import { systemConfig } from '../../config/config-set.ts';
import type { ConfigReader } from '../../config/port.ts';
import { createDecisionLog } from '../../iam/decisions/decision-log.ts';
import type { DecisionRecorder } from '../../iam/port.ts';
import { startDecisionRecorder } from '../../iam/recording/decision-recorder.ts';
import { systemClock } from '../../lib/clock.ts';
import type { AppCaller } from '../../people/port.ts';
import { authorize } from '../authorize.ts';
import { CallDecisions } from '../recorded-calls.ts';

const rounds = 40;
const warmUpRounds = 10;
const gets = 20_000;
const callers = 100;
const id = '01890a5d-ac96-774b-bcce-b302099a8057';

const own = { StringEquals: { 'record.user_id': '$\u007buser.id}' } };
const rules = {
  actions: [{ Effect: 'Allow', Action: ['getgroup', 'listgroup'], Resource: ['*'] }],
  row: [{ Effect: 'Allow', Action: ['getgroup', 'listgroup'], Resource: ['*'], Condition: own }],
} as const;

const reader = { current: () => systemConfig } as unknown as ConfigReader;
const configs = { test: reader, prod: reader };
const deps = { configs, decisions: createDecisionLog(systemClock) };
const request = {
  action: 'getgroup',
  verb: 'get',
  entityName: 'group',
  method: 'GET',
  resource: `/item/group/${id}`,
  params: { entity: 'group', id },
  query: '',
  takesBody: false,
} as const;

/** A caller, and a record that it may get. */
interface Getting {
  readonly caller: AppCaller;
  readonly record: { readonly id: string; readonly user_id: string };
}

function gettingOf(statements: readonly object[], index: number): Getting {
  const access = compilePolicies([{ policyId: 'p', policyName: 'p', via: { kind: 'direct' }, statements }]);
  const workspace = { orgCode: 'acme', env: 'test', tenantId: id, tenantCode: 'main', scope: undefined };
  const sub = `user ${index}`;
  const claims = { sub, email: `${index}@example.com`, org: 'acme', env: 'test', tenant_code: 'main' };
  const caller = { kind: 'user', claims, place: { workspace, access } } as unknown as AppCaller;
  return { caller, record: { id, user_id: sub } };
}

async function getOnce({ caller, record }: Getting, recorder: DecisionRecorder | undefined): Promise<void> {
  const recording = recorder === undefined ? undefined : new CallDecisions(recorder);
  const requester = { caller, requestId: 'r', ip: '127.0.0.1', origin: undefined, time: 1, recording };
  const { rows } = await authorize(deps, requester, request);
  rows?.judge(record as never);
  recording?.note();
}

/** Microseconds of a get. */
async function costOf(all: readonly Getting[], recorder: DecisionRecorder | undefined): Promise<number> {
  const before = process.cpuUsage();
  for (let made = 0; made < gets; made++) {
    const one = all[made % callers];
    if (one !== undefined) await getOnce(one, recorder);
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / gets;
}

/** The cost of recording a get, in microseconds of each round. */
async function differences(statements: readonly object[], recorder: DecisionRecorder): Promise<readonly number[]> {
  const all = Array.from({ length: callers }, (_, index) => gettingOf(statements, index));
  const found: number[] = [];
  for (let round = 0; round < warmUpRounds + rounds; round++) {
    const costs = { on: 0, off: 0 };
    const order = round % 2 === 0 ? (['off', 'on'] as const) : (['on', 'off'] as const);
    for (const one of order) costs[one] = await costOf(all, one === 'on' ? recorder : undefined);
    if (round >= warmUpRounds) found.push(costs.on - costs.off);
  }
  return found;
}

/** By the rule of the callers. */
export type RecordingCosts = Readonly<Record<keyof typeof rules, readonly number[]>>;

async function measureRecording(): Promise<RecordingCosts> {
  const orgScopes = (): never => {
    throw new TypeError('nothing is stored here');
  };
  const recorder = startDecisionRecorder({ configs, orgScopes, clock: systemClock, onError: () => undefined });
  const costs = {
    actions: await differences(rules.actions, recorder),
    row: await differences(rules.row, recorder),
  };
  await recorder.close();
  return costs;
}

process.on('message', (question) => {
  if (question === 'record') {
    void measureRecording().then((costs) => process.send?.(costs));
    return;
  }
  const { user, system } = process.cpuUsage();
  process.send?.({ cpuMicroseconds: user + system });
});
process.channel?.unref();
