/**
 * What recording a decision costs the call that it is about, in CPU of this process.
 *
 * npm run bench:decisions
 *
 * In each round so many gets are authorized with the record on and off, in turns, by a hundred callers. The result is the
 * median of the differences, and its share of the CPU of a whole get, which is given as an argument in µs (33 if left out:
 * the least that one takes). Storing is not in it: it is bounded by the buffer, whatever the calls are.
 */
import { compilePolicies } from '../../access/port.ts';
import { systemConfig } from '../../config/config-set.ts';
import type { ConfigReader } from '../../config/port.ts';
import { createDecisionLog } from '../../iam/port.ts';
import { DecisionBuffer } from '../../iam/recording/decision-buffer.ts';
import type { AppCaller } from '../../identity/port.ts';
import { systemClock } from '../../lib/clock.ts';
import { authorize } from '../pipeline/authorize.ts';
import { CallDecisions } from '../pipeline/observed-decisions.ts';

const rounds = 60;
const gets = 20_000;
const callers = 100;
const id = '01890a5d-ac96-774b-bcce-b302099a8057';

const statements = [{ Effect: 'Allow', Action: ['get*', 'list*'], Resource: ['*'] }];

function callerOf(index: number): AppCaller {
  const access = compilePolicies([{ policyId: 'p', policyName: 'p', via: { kind: 'direct' }, statements }]);
  const workspace = { orgCode: 'acme', env: 'test', tenantId: id, tenantCode: 'main', scope: undefined };
  const claims = { sub: `user ${index}`, email: `${index}@example.com`, org: 'acme', env: 'test', tenant_code: 'main' };
  return { kind: 'user', claims, place: { workspace, access } } as unknown as AppCaller;
}

const all = Array.from({ length: callers }, (_, index) => callerOf(index));
const reader = { current: () => systemConfig } as unknown as ConfigReader;
const deps = { configs: { test: reader, prod: reader }, decisions: createDecisionLog(systemClock) };
const asked = {
  verb: 'get',
  entityName: 'group',
  method: 'GET',
  resource: `/item/group/${id}`,
  params: { entity: 'group', id },
  query: '',
  takesBody: false,
} as const;

async function getOnce(caller: AppCaller, recorder: DecisionBuffer | undefined): Promise<void> {
  const observed = recorder === undefined ? undefined : new CallDecisions(recorder);
  const asking = { caller, requestId: 'r', ip: '127.0.0.1', origin: undefined, time: 1, observed };
  await authorize(deps, asking, asked);
  observed?.note();
}

/** Microseconds of a get. */
async function costOf(recorder: DecisionBuffer | undefined): Promise<number> {
  const before = process.cpuUsage();
  for (let made = 0; made < gets; made++) await getOnce(all[made % callers] ?? callerOf(0), recorder);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / gets;
}

const buffer = new DecisionBuffer();
const differences: number[] = [];
for (let round = 0; round < rounds; round++) {
  const [off, on] = round % 2 === 0 ? [await costOf(undefined), await costOf(buffer)] : [0, await costOf(buffer)];
  const without = round % 2 === 0 ? off : await costOf(undefined);
  if (round >= 10) differences.push(on - without);
}
differences.sort((left, right) => left - right);
const at = (part: number): number => differences[Math.floor(part * differences.length)] ?? 0;
const whole = Number(process.argv[2] ?? 33);
const share = (100 * at(0.5)) / whole;
process.stdout.write(
  `${at(0.5).toFixed(2)} µs of CPU a get (quarters ${at(0.25).toFixed(2)} to ${at(0.75).toFixed(2)}), ` +
    `${share.toFixed(1)} % of one that takes ${whole} µs\n`,
);
