/** Hooks of logic blocks. */
import assert from 'node:assert/strict';
import { signedHeaders } from '../../../lib/network/signature.ts';
import { type Fixture, random } from '../fixture.ts';
import type { Flow, Flows } from './flow.ts';

const name = 'flow_hook';
const secret = 'a secret of this hook';

/** The hook is there from the first of these flows on. */
async function withHook({ org }: Fixture): Promise<void> {
  const policies = [{ Effect: 'Allow', Action: ['createorder'], Resource: ['/create/order'] }];
  const content = {
    ...{ name, run_as: 'app', policies, hook: { signature: 'standard', secrets: [name] } },
    steps: [{ id: 'make', type: 'create', entity: 'order', values: { code: '{{ input.code }}' } }],
  };
  const { status } = await org.manage('POST', '/config/logicblock', { name, content });
  assert.ok(status === 201 || status === 409, String(status));
  assert.equal((await org.manage('PUT', `/secrets/${name}`, { value: secret, hosts: [] })).status, 200);
  assert.equal((await org.manage('PUT', `/hooks/${name}`, { paused: false })).status, 200);
}

const message: Flow = {
  route: 'POST /app/:org/hooks/:name',
  prepare: async (fixture) => {
    await withHook(fixture);
    const [id, code] = [random(), random()];
    const body = JSON.stringify({ code });
    const send = () => {
      const headers = { ...signedHeaders([Buffer.from(secret)], { id, body }, fixture.platform.now()) };
      return fixture.org.call('POST', `/hooks/${name}?env=test`, body, headers);
    };
    const check = async () => {
      await fixture.platform.settle();
      assert.equal((await fixture.orders(code)).length, 1);
    };
    return { send, check };
  },
};

const change: Flow = {
  route: 'PUT /hooks/:name',
  prepare: async (fixture) => {
    await withHook(fixture);
    const check = async () => {
      const items: readonly unknown[] = (await fixture.org.manage('GET', '/hooks')).body.items;
      assert.deepEqual(
        items.map((item) => (item as { readonly paused: boolean }).paused),
        [true],
      );
    };
    return { send: () => fixture.org.manage('PUT', `/hooks/${name}`, { paused: true }), check };
  },
};

export const hookFlows: Flows = { 'a message to a hook': message, 'a change of a hook': change };
