/** Where an org wants its alerts sent. */
import assert from 'node:assert/strict';
import { type Fixture, random } from '../fixture.ts';
import type { Flow, Flows } from './flow.ts';

const path = '/org/alerts/webhook';

interface Webhook {
  readonly url: string;
  readonly secret?: string;
  readonly last_delivery: { readonly id: string; readonly state: string } | null;
}

/** No process listens there. */
async function setWebhook({ org }: Fixture, url = `http://127.0.0.1:1/${random()}`) {
  return { url, reply: await org.manage('PUT', path, { url }) };
}

async function shown({ org }: Fixture): Promise<{ readonly status: number; readonly body: Webhook }> {
  return (await org.manage('GET', path)) as unknown as { readonly status: number; readonly body: Webhook };
}

const tryOut: Flow = {
  route: `POST ${path}/test`,
  prepare: async (fixture) => {
    await setWebhook(fixture);
    let id = '';
    const send = async () => {
      const reply = await fixture.org.manage('POST', `${path}/test`);
      if (reply.status === 202) ({ id } = reply.body);
      return reply;
    };
    const check = async () => {
      const { last_delivery } = (await shown(fixture)).body;
      assert.deepEqual([last_delivery?.id, last_delivery?.state], [id, 'failed']);
    };
    return { send, check };
  },
};

const percents: Flow = {
  route: 'PUT /org/alerts',
  prepare: async ({ org }) => {
    const requested = [1 + (Number.parseInt(random(), 16) % 99), 100];
    const send = () => org.manage('PUT', '/org/alerts', { percents: requested });
    const check = async () => {
      const body = (await org.manage('GET', '/observability')).body as unknown as { alert_percents: readonly number[] };
      assert.deepEqual(body.alert_percents, requested);
    };
    return { send, check };
  },
};

export const alertFlows: Flows = {
  'the shares of a limit at which an org is warned': percents,
  'a message that is a test': tryOut,
};
