/** Where an org wants its alerts sent. */
import assert from 'node:assert/strict';
import type { Flow, Flows } from './flow.ts';
import { random, type Scene } from './scene.ts';

const path = '/org/alerts/webhook';

interface Webhook {
  readonly url: string;
  readonly secret?: string;
  readonly last_delivery: { readonly id: string; readonly state: string } | null;
}

/** Nobody listens there. */
async function setWebhook({ org }: Scene, url = `http://127.0.0.1:1/${random()}`) {
  return { url, reply: await org.manage('PUT', path, { url }) };
}

async function shown({ org }: Scene): Promise<{ readonly status: number; readonly body: Webhook }> {
  return (await org.manage('GET', path)) as unknown as { readonly status: number; readonly body: Webhook };
}

const set: Flow = {
  route: `PUT ${path}`,
  prepare: async (scene) => {
    const url = `http://127.0.0.1:1/${random()}`;
    const send = async () => (await setWebhook(scene, url)).reply;
    return { send, check: async () => assert.equal((await shown(scene)).body.url, url) };
  },
};

const remove: Flow = {
  route: `DELETE ${path}`,
  prepare: async (scene) => {
    await setWebhook(scene);
    const check = async () => assert.equal((await shown(scene)).status, 404);
    return { send: () => scene.org.manage('DELETE', path), already: 404, check };
  },
};

const tryOut: Flow = {
  route: `POST ${path}/test`,
  prepare: async (scene) => {
    await setWebhook(scene);
    let id = '';
    const send = async () => {
      const reply = await scene.org.manage('POST', `${path}/test`);
      if (reply.status === 202) ({ id } = reply.body);
      return reply;
    };
    const check = async () => {
      const { last_delivery } = (await shown(scene)).body;
      assert.deepEqual([last_delivery?.id, last_delivery?.state], [id, 'failed']);
    };
    return { send, check };
  },
};

export const alertFlows: Flows = {
  'an address for alerts': set,
  'the removal of the address for alerts': remove,
  'a message that is a test': tryOut,
};
