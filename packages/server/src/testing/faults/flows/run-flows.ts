/** Runs of logic blocks. */
import assert from 'node:assert/strict';
import { type Fixture, random } from '../fixture.ts';
import type { Attempt, Flow, Flows } from './flow.ts';

/** Writes an order and a line of a log, and waits or fails if its input says so. */
const steps = [
  { id: 'make', type: 'create', entity: 'order', values: { code: '{{ input.code }}' } },
  { id: 'say', type: 'script', source: 'console.log(input.code)' },
  { id: 'waits', type: 'condition', if: 'input.waits', else: 'fails' },
  { id: 'pause', type: 'wait', seconds: 86_400 },
  { id: 'fails', type: 'condition', if: 'input.fails' },
  { id: 'no', type: 'raise', status: 422, code: 'no', message: 'no' },
];

async function call(fixture: Fixture, input: object, key = random()): Promise<Awaited<ReturnType<Attempt['send']>>> {
  return fixture.act('POST', '/logicblocks/flow_run', input, { 'idempotency-key': key });
}

/** The block is there from the first of these flows on. */
async function withBlock({ org }: Fixture): Promise<void> {
  const { status } = await org.manage('POST', '/config/logicblock', {
    name: 'flow_run',
    content: { name: 'flow_run', steps },
  });
  assert.ok(status === 201 || status === 409, String(status));
}

const run: Flow = {
  route: 'POST /app/:org/logicblocks/:name',
  prepare: async (fixture) => {
    await withBlock(fixture);
    const [code, key] = [random(), random()];
    const check = async () => assert.equal((await fixture.orders(code)).length, 1);
    return { send: () => call(fixture, { code, waits: false, fails: false }, key), already: 409, check };
  },
};

const runAt: Flow = {
  route: 'POST /app/:org/logicblocks/:name/:path',
  prepare: async (fixture) => {
    await withBlock(fixture);
    const [code, key] = [random(), random()];
    const headers = { 'idempotency-key': key };
    const input = { code, waits: false, fails: false };
    const check = async () => assert.equal((await fixture.orders(code)).length, 1);
    return { send: () => fixture.act('POST', '/logicblocks/flow_run/here', input, headers), already: 409, check };
  },
};

const cancel: Flow = {
  route: 'POST /runs/:id/cancel',
  prepare: async (fixture) => {
    await withBlock(fixture);
    const { run: id } = (await call(fixture, { code: random(), waits: true, fails: false })).body;
    const check = async () => assert.equal((await fixture.org.manage('GET', `/runs/${id}`)).body.state, 'cancelled');
    return { send: () => fixture.org.manage('POST', `/runs/${id}/cancel`), already: 409, check };
  },
};

const retry: Flow = {
  route: 'POST /runs/:id/retry',
  prepare: async (fixture) => {
    await withBlock(fixture);
    const { run: id } = (await call(fixture, { code: random(), waits: false, fails: true })).body;
    const key = random();
    const send = () => fixture.org.manage('POST', `/runs/${id}/retry`, {}, { 'idempotency-key': key });
    const check = async () => assert.equal((await retriesOf(fixture, id)).length, 1);
    return { send, already: 409, check };
  },
};

const started: Flow = {
  route: 'POST /logicblocks/:name/run',
  prepare: async (fixture) => {
    await withBlock(fixture);
    const [code, key] = [random(), random()];
    const [workspace] = (await fixture.act('GET', '/user/tenants')).body.items;
    const tenant_code = workspace?.code;
    const input = { code, waits: false, fails: false };
    const send = () =>
      fixture.org.manage('POST', '/logicblocks/flow_run/run', { tenant_code, input }, { 'idempotency-key': key });
    const check = async () => {
      await fixture.platform.settle();
      assert.equal((await fixture.orders(code)).length, 1);
    };
    return { send, already: 409, check };
  },
};

async function retriesOf({ org }: Fixture, id: string): Promise<readonly unknown[]> {
  const { items } = (await org.manage('GET', '/runs?block=flow_run&pagesize=200')).body;
  return items.filter((item) => (item as unknown as { trigger: { id?: string } }).trigger.id === id);
}

export const runFlows: Flows = {
  'a run of a logic block': run,
  'a run of a logic block with a path': runAt,
  'the end of a run': cancel,
  'a run that is begun again': retry,
  'a run that a builder begins': started,
};
