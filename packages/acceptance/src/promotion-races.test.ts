/** Those who deploy at once, and those who call meanwhile, see one configuration or another, never a mix. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Reply } from './call.ts';
import { eventually } from './eventually.ts';
import { type AppUser, act, create, defineEntity, definition, manage, type Org } from './org.ts';
import { platformForTests } from './platform-for-tests.ts';
import {
  activate,
  change,
  deploy,
  diff,
  history,
  prodFounder,
  provisionedOrg,
  publish,
  rollback,
  shownConfig,
  staged,
  tryActivate,
  tryChange,
  tryPublish,
  tryRollback,
} from './promotion.ts';

const gateways = await platformForTests();

/** Fields and views of two entities that have to fit each other, in a first and a second state. */
const states = ['red', 'blue'] as const;
type State = (typeof states)[number];

async function paint(org: Org, state: State): Promise<void> {
  for (const name of ['one', 'two']) {
    await change(org, `list-${name}`, { Views: { colour: { fields: [{ name: 'id' }] } } });
    await exchangeField(org, `create-${name}`, state);
    await change(org, `list-${name}`, { Views: { colour: { fields: [{ name: state, as: 'colour' }] } } });
  }
}

/** A field of an earlier state comes back once its values are erased, which takes a moment. */
async function exchangeField(org: Org, apiName: string, name: State): Promise<void> {
  await eventually(`the erasure of the former values of ${name}`, async () => {
    const reply = await tryChange(org, apiName, { UpdateParams: [{ name }] });
    if (reply.status === 409 && reply.text.includes('still being erased')) return false;
    assert.equal(reply.status, 200, reply.text);
    return true;
  });
}

/** An org whose production was red first and is blue now: releases 1 and 2. */
async function paintedOrg(): Promise<{ readonly org: Org; readonly user: AppUser }> {
  const org = await provisionedOrg(gateways);
  for (const name of ['one', 'two']) await defineEntity(org, definition(name, [{ name: 'red' }]));
  for (const state of states) {
    await paint(org, state);
    await deploy(org);
  }
  return { org, user: await prodFounder(org) };
}

/** Which of the two configurations an answer was made by; every part of it has to agree. */
function stateOf(reply: Reply<unknown>): State | 'mixed' {
  if (reply.status !== 200 && reply.status !== 201) return 'mixed';
  const seen = states.filter((state) => reply.text.includes(`"${state}"`));
  return seen.length === 1 && seen[0] !== undefined ? seen[0] : 'mixed';
}

/** One commit of two records, both of the same colour: it stands under one configuration and fails under the other. */
function makeBoth(user: AppUser, state: State) {
  const operations = ['one', 'two'].map((entity) => ({ action: 'create', entity, data: { [state]: state } }));
  return act(user, 'POST', '/batch', { body: { mode: 'atomic', operations } });
}

test('E10: while configurations flip, no answer mixes two of them', async () => {
  const { org, user } = await paintedOrg();
  const record = await create(user, 'one', { blue: 'blue' });
  await rollback(org, 1);
  await create(user, 'one', { red: 'red' });
  let isOver = false;
  const seen = new Map<string, number>();
  const note = (what: string) => seen.set(what, (seen.get(what) ?? 0) + 1);
  const untilOver = async (turn: () => Promise<void>) => {
    while (!isOver) await turn();
  };
  const readers = [
    // What a record shows is by the definition, whichever record it is.
    untilOver(async () => {
      const { body, status } = await act(user, 'GET', `/item/one/${record.id}`);
      assert.equal(status, 200);
      note(`item ${Object.hasOwn(body, 'blue') ? 'blue' : 'red'}`);
    }),
    // The endpoint catalog and the config of production, made of five configs.
    untilOver(async () => {
      const shown = await manage(org, 'GET', '/api/entity?entityName=two&env=prod');
      note(`config ${stateOf(shown)}`);
    }),
    untilOver(async () => {
      const shown = await act(user, 'GET', '/openapi.json');
      note(`document ${stateOf(shown)}`);
    }),
    // The view of list names a field of create: with one of them old there is no such field.
    untilOver(async () => {
      const listed = await act(user, 'GET', '/list/one?view=colour');
      assert.equal(listed.status, 200, listed.text);
      note('list');
    }),
    untilOver(async () => {
      const [red, blue] = [await makeBoth(user, 'red'), await makeBoth(user, 'blue')];
      for (const reply of [red, blue]) assert.ok([200, 400].includes(reply.status), reply.text);
      note('batch');
    }),
  ];
  for (let flip = 0; flip < 40; flip++) {
    const version = flip % 2 === 0 ? 2 : 1;
    assert.equal((await rollback(org, version)).restored, version);
  }
  isOver = true;
  await Promise.all(readers);
  assert.deepEqual(
    [...seen.keys()].filter((what) => what.endsWith('mixed')),
    [],
  );
  for (const what of ['item red', 'item blue', 'config red', 'config blue', 'list', 'batch'])
    assert.ok((seen.get(what) ?? 0) > 0, `${what} was never seen`);
  const counts = await Promise.all(['one', 'two'].map((name) => act<{ count: number }>(user, 'GET', `/count/${name}`)));
  assert.equal(counts[0]?.body.count, (counts[1]?.body.count ?? 0) + 2, 'of each batch both records or none');
});

test('E05: an activation and a rollback at once come one after the other', async () => {
  for (let round = 0; round < 5; round++) {
    const { org } = await paintedOrg();
    const blue = await shownConfig(org, 'prod');
    await paint(org, 'red');
    await publish(org);
    const [activated, rolledBack] = await Promise.all([tryActivate(org), tryRollback(org)]);
    for (const reply of [activated, rolledBack]) assert.ok([200, 409].includes(reply.status), reply.text);
    const releases = (await history(org)).toReversed();
    assert.equal(releases.length, 2 + [activated, rolledBack].filter(({ status }) => status === 200).length);
    assert.deepEqual(
      releases.map(({ version }) => version),
      releases.map((_, at) => at + 1),
    );
    const last = releases.at(-1);
    // After the rollback production is what the release that it restored made it, else what was activated.
    const live = await shownConfig(org, 'prod');
    const isBlue = JSON.stringify(live) === JSON.stringify(blue);
    const expectsBlue = last?.action === 'rollback' && last.restored === 2;
    assert.equal(isBlue, expectsBlue);
    assert.equal(releases.filter((release) => release.live && release.action === 'activate').length, 1);
  }
});

test('E05: what is published while an activation runs is live or staged afterwards, never both or neither', async () => {
  for (let round = 0; round < 5; round++) {
    const { org } = await paintedOrg();
    await paint(org, 'red');
    await publish(org);
    await change(org, 'create-one', { UpdateParams: [{ name: 'red' }, { name: `round${round}` }] });
    const [activated, published] = await Promise.all([tryActivate(org), tryPublish(org)]);
    assert.equal(activated.status, 200, activated.text);
    assert.equal(published.status, 201, published.text);
    const isLive = JSON.stringify(await shownConfig(org, 'prod')).includes(`round${round}`);
    const isStaged = (await staged(org)).items.some(({ name }) => name === 'one');
    assert.notEqual(isLive, isStaged);
    if (isStaged) await activate(org);
    assert.deepEqual(await diff(org), []);
  }
});

test('E05: of activations, rollbacks, publications and withdrawals at once each is refused or done, and they add up', async () => {
  const { org } = await paintedOrg();
  await paint(org, 'red');
  await publish(org);
  const asks: (() => Promise<Reply<unknown>>)[] = [
    () => tryActivate(org),
    () => tryRollback(org),
    () => tryPublish(org),
    () => manage(org, 'DELETE', '/deploy/staged'),
    () => tryRollback(org, { version: 1 }),
  ];
  const replies = await Promise.all(asks.flatMap((ask) => [ask(), ask(), ask()]));
  for (const reply of replies) assert.ok([200, 201, 204, 409].includes(reply.status), reply.text);
  const releases = (await history(org)).toReversed();
  const switches = replies.filter(({ status }) => status === 200);
  assert.equal(releases.length, 2 + switches.length);
  assert.deepEqual(
    releases.map(({ version }) => version),
    releases.map((_, at) => at + 1),
  );
  // Each release begins where the one before it ended.
  const live = await shownConfig(org, 'prod');
  const last = releases.at(-1)?.version ?? 0;
  await deploy(org).catch(() => undefined);
  if ((await history(org)).length > last) await rollback(org);
  assert.deepEqual(await shownConfig(org, 'prod'), live);
});
