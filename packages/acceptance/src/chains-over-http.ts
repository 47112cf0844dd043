/** A loop that leaves the platform: the webhook of an event calls a hook, whose run makes the record of the event. */
import assert from 'node:assert/strict';
import { type Delivery, deliveries, makeEvent } from './event-receiver.ts';
import { type AppUser, allow, create, defineEntity, definition, list, manage } from './org.ts';

const writesMax = 8;

/** @param hooks the address of the gateway that the webhook calls. */
export async function assertLoopEnds({ org, ...founder }: AppUser, hooks: string): Promise<void> {
  await defineEntity(org, definition('order', [{ name: 'title' }]));
  const event = 'there';
  await makeEvent(org, event, `${hooks}/app/${org.code}/hooks/back?env=test`);
  const { body } = await manage<{ secret: string }>(org, 'POST', `/events/${event}/secret`);
  const secret = { value: body.secret, hosts: [] };
  assert.equal((await manage(org, 'PUT', '/secrets/own', { body: secret })).status, 200);
  const content = {
    ...{ name: 'back', run_as: 'app', policies: [allow('createorder')] },
    hook: { signature: 'standard', secrets: ['own'] },
    steps: [{ id: 'made', type: 'create', entity: 'order', values: { title: '{{ input.data.record.title }}x' } }],
  };
  const made = await manage(org, 'POST', '/config/logicblock', { body: { name: 'back', content } });
  assert.equal(made.status, 201, made.text);
  await create({ org, ...founder }, 'order', { title: '' });
  const isDead = ({ state }: Delivery): boolean => state === 'dead';
  const items = await deliveries(org, '', (found) => found.some(isDead));
  assert.deepEqual(
    items.filter(isDead).map(({ attempts }) => attempts.at(-1)?.answer),
    [`more than ${writesMax} writes came of one another: back → ${event}`],
  );
  assert.equal(items.filter(({ state }) => state === 'delivered').length, writesMax);
  const { items: orders } = await list({ org, ...founder }, 'order');
  const titles = orders.map(({ title }) => title);
  assert.deepEqual(
    titles.toSorted(),
    Array.from({ length: writesMax + 1 }, (_, writes) => 'x'.repeat(writes)),
  );
}
