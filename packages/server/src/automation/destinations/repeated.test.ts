import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Problem } from '../../lib/problem.ts';
import type { MailAnswer } from '../../mail/mailer.ts';
import { openBench, type RecordBench } from '../../testing/record-bench.ts';
import { storedRuns } from '../runs/run-rows.ts';
import type { AutomationWork } from '../runs/runs.ts';
import { noMeter } from '../testing/no-meter.ts';
import { type Delivery, type InsideDeps, logicBlockDestination, mailDestination } from './destinations.ts';

function deliveryOf<Type extends Delivery>({ workspace, newId, clock }: RecordBench, content: object): Type {
  const item = {
    id: newId(),
    at: clock.now(),
    op: 'create',
    entity: 'order',
    user: { id: newId() },
    depth: 1,
    chain: [],
  };
  const delivered = { item, record: {}, before: undefined, event: 'tell', content, orgCode: 'acme' };
  return {
    ...delivered,
    config: { entity: async () => undefined },
    workspace: async () => workspace,
  } as unknown as Type;
}

function depsOf({ clock }: RecordBench, work: Partial<AutomationWork>, more: Partial<InsideDeps> = {}): InsideDeps {
  const onError = (error: unknown) => assert.fail(String(error));
  return { work: work as AutomationWork, meter: noMeter, now: () => clock.now(), onError, ...more };
}

test('a delivery that is sent again starts no second run, also where its run is forgotten', async (context) => {
  const bench = await openBench(context, 'memory');
  const { scope } = bench.workspace;
  let started = 0;
  const start: AutomationWork['start'] = async ({ id }, along = []) => {
    started += 1;
    await scope.commit([{ kind: 'put', ...storedRuns.key(id), value: '{}', if: 'absent' }, ...along]);
    await scope.commit([{ kind: 'remove', ...storedRuns.key(id), if: 'present' }]);
    return { id, isNew: true };
  };
  const delivery = deliveryOf(bench, { event_type: 'logicblock', destination_config: { logicblock: 'b' } });
  const { deliver } = logicBlockDestination(depsOf(bench, { start }));
  const keys = async () => [];
  for (let time = 0; time < 2; time += 1) assert.equal((await deliver(delivery as never, keys)).state, 'delivered');
  assert.equal(started, 1);
});

test('mails that are sent at once are no more than the plan has, and those that are refused count', async (context) => {
  const bench = await openBench(context, 'memory');
  let counted = 0;
  const check = (): void => {
    if (counted >= 3) throw new Problem('plan_limit_exceeded', 'no more mails');
  };
  const add = (): void => {
    counted += 1;
  };
  const meter = { ...noMeter, check, add };
  const sent = Promise.withResolvers<MailAnswer>();
  let requestCount = 0;
  const deliverMail = () => {
    requestCount += 1;
    return sent.promise;
  };
  const mail = { event_type: 'mail', destination_config: { to: 'a@b.example', subject: 's', text: 't' } };
  const { deliver } = mailDestination(depsOf(bench, { mail: { deliver: deliverMail } }, { meter }));
  const all = Array.from({ length: 10 }, () => deliver(deliveryOf(bench, mail) as never, async () => []));
  setImmediate(() => sent.resolve({ permanent: true, code: 'EENVELOPE 550' }));
  const answers = (await Promise.all(all)).map(({ answer }) => answer);
  assert.deepEqual([requestCount, counted, answers.filter((one) => one === 'plan_limit_exceeded').length], [3, 3, 7]);
});
