/** What is delivered after writes of records. A crew gets nothing yet, so what is meant for it has ended at once. */
import assert from 'node:assert/strict';
import { type Fixture, type Item, type OrgCalls, random } from '../fixture.ts';
import type { Flow, Flows } from './flow.ts';

interface EventSetup {
  readonly org: OrgCalls;
  readonly entity: string;
  readonly event: string;
}

/** In an org that wants no alerts. */
async function madeEvent({ newOrg }: Fixture): Promise<EventSetup> {
  const org = await newOrg();
  const [entity, event, crew] = [`e${random()}`, `e${random()}`, `c${random()}`];
  const agents = [{ name: 'a', prompt: 'Say hello.', model: 'small' }];
  const made = async (path: string, body: unknown): Promise<void> => {
    const { status } = await org.manage('POST', path, body);
    assert.ok(status < 300, `${path} ${status}`);
  };
  await made(`/api/create-${entity}`, { entityName: entity, UpdateParams: [{ name: 'title' }] });
  await made('/config/crew', { name: crew, content: { name: crew, status: 'active', agents } });
  const content = {
    ...{ entity_name: entity, event_name: event, event_type: 'crew', event_stage: 'after', event_optype: 'create' },
    ...{ enabled: true, destination_config: { crew } },
  };
  await made('/config/event', { name: event, content });
  return { org, entity, event };
}

/** A delivery that has ended. */
async function ended(fixture: Fixture): Promise<Pick<EventSetup, 'org' | 'event'> & { readonly id: string }> {
  const { org, entity, event } = await madeEvent(fixture);
  const { token } = await org.signIn();
  assert.equal((await org.as(token)('POST', `/create/${entity}`, { title: 'a' })).status, 201);
  await fixture.platform.settle();
  const [delivery] = await deliveriesOf(org, event);
  assert.equal(delivery?.state, 'dead');
  return { org, event, id: delivery.id };
}

async function deliveriesOf(org: OrgCalls, event: string): Promise<readonly Item[]> {
  return (await org.manage('GET', `/events/deliveries?event=${event}`)).body.items;
}

const again: Flow = {
  route: 'POST /events/deliveries/:id/redeliver',
  prepare: async (fixture) => {
    const { org, event, id } = await ended(fixture);
    const check = async () =>
      assert.deepEqual(
        (await deliveriesOf(org, event)).map((one) => one.id),
        [id],
      );
    return {
      send: () => org.manage('POST', `/events/deliveries/${id}/redeliver`),
      already: 409,
      check,
    };
  },
};

const manyAgain: Flow = {
  route: 'POST /events/deliveries/redeliver',
  prepare: async (fixture) => {
    const { org, event, id } = await ended(fixture);
    const check = async () =>
      assert.deepEqual(
        (await deliveriesOf(org, event)).map((one) => one.id),
        [id],
      );
    return { send: () => org.manage('POST', '/events/deliveries/redeliver', { event, state: 'dead' }), check };
  },
};

const secret: Flow = {
  route: 'POST /events/:name/secret',
  prepare: async (fixture) => {
    const { org, event } = await madeEvent(fixture);
    const check = async () => assert.equal((await org.manage('GET', `/events/${event}/secret`)).status, 200);
    return { send: () => org.manage('POST', `/events/${event}/secret`), check };
  },
};

const paused: Flow = {
  route: 'POST /events/:name/pause',
  prepare: async (fixture) => {
    const { org, event } = await madeEvent(fixture);
    const check = async () => assert.deepEqual(await pausedIn(org), [event]);
    return { send: () => org.manage('POST', `/events/${event}/pause`), check };
  },
};

const resumed: Flow = {
  route: 'POST /events/:name/resume',
  prepare: async (fixture) => {
    const { org, event } = await madeEvent(fixture);
    assert.equal((await org.manage('POST', `/events/${event}/pause`)).status, 204);
    const check = async () => assert.deepEqual(await pausedIn(org), []);
    return { send: () => org.manage('POST', `/events/${event}/resume`), check };
  },
};

async function pausedIn(org: OrgCalls): Promise<readonly string[]> {
  const { items } = (await org.manage('GET', '/events/state')).body;
  return items.filter((item) => 'paused' in item).map(({ name }) => name);
}

export const eventFlows: Flows = {
  'a delivery sent again': again,
  'deliveries sent again': manyAgain,
  'the secret of an event': secret,
  'an event that is paused': paused,
  'an event that is resumed': resumed,
};
