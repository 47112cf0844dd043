/** Earlier configurations can be restored, and the history of production is shown. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { applyPatch } from './apply-patch.ts';
import { assertProblem } from './assert-problem.ts';
import { assertNow } from './moments.ts';
import { act, defineEntity, definition, joinOrg, manage, type Org } from './org.ts';
import { platformForTests } from './platform-for-tests.ts';
import {
  activate,
  change,
  deploy,
  diff,
  entity,
  history,
  names,
  prodFounder,
  provisionedOrg,
  publish,
  type Release,
  removeEntity,
  rollback,
  shownConfig,
  staged,
  tryActivate,
  tryRollback,
} from './promotion.ts';
import { putSetting } from './workspaces.ts';

const gateways = await platformForTests();

/** Three activations; what production was after each. */
async function threeReleases(): Promise<{ readonly org: Org; readonly previous: readonly object[] }> {
  const org = await provisionedOrg(gateways);
  const previous: object[] = [];
  await defineEntity(org, definition('order', [{ name: 'title' }]));
  await defineEntity(org, definition('memo', [{ name: 'text' }]));
  for (const settle of [
    () => putSetting(org, 'acl', 'cache_seconds', 1),
    async () => {
      await change(org, 'create-order', { UpdateParams: [{ name: 'title' }, { name: 'place', index: true }] });
      await change(org, 'list-order', { Views: { short: { fields: [{ name: 'place' }] } } });
      await putSetting(org, 'acl', 'cache_seconds', 2);
    },
    async () => {
      await removeEntity(org, 'memo');
      await defineEntity(org, definition('line', [{ name: 'nr' }]));
    },
  ]) {
    await settle();
    await deploy(org);
    previous.push(await shownConfig(org, 'prod'));
  }
  return { org, previous };
}

test('a rollback makes exactly the configuration before the last activation live again, step by step', async () => {
  const { org, previous } = await threeReleases();
  assert.deepEqual(await rollback(org), { version: 4, restored: 2 });
  assert.deepEqual(await shownConfig(org, 'prod'), previous[1]);
  assert.deepEqual(await rollback(org), { version: 5, restored: 1 });
  assert.deepEqual(await shownConfig(org, 'prod'), previous[0]);
  assertProblem(await tryRollback(org), 'no_previous_version');
  assert.deepEqual(await shownConfig(org, 'prod'), previous[0]);
});

test('every release can be had by its version, also a later one, also by the rollback that made it live', async () => {
  const { org, previous } = await threeReleases();
  assert.deepEqual(await rollback(org, 1), { version: 4, restored: 1 });
  assert.deepEqual(await shownConfig(org, 'prod'), previous[0]);
  assert.deepEqual(await rollback(org, 3), { version: 5, restored: 3 });
  assert.deepEqual(await shownConfig(org, 'prod'), previous[2]);
  assert.deepEqual(await rollback(org, 4), { version: 6, restored: 1 });
  assert.deepEqual(await shownConfig(org, 'prod'), previous[0]);
});

test('one step back is from what is live, not from what came last', async () => {
  const { org, previous } = await threeReleases();
  await rollback(org, 2);
  assert.deepEqual(await rollback(org), { version: 5, restored: 1 });
  await rollback(org, 2);
  await putSetting(org, 'acl', 'cache_seconds', 9);
  await publish(org, [{ kind: 'settings', name: 'acl.cache_seconds' }]);
  assert.equal((await activate(org)).version, 7);
  assert.deepEqual(await rollback(org), { version: 8, restored: 2 });
  assert.deepEqual(await shownConfig(org, 'prod'), previous[1]);
});

test('what a rollback would change is shown before it, back and forward, and is what it then changes', async () => {
  const { org, previous } = await threeReleases();
  const developer = await joinOrg(org, 'developer');
  for (const [version, live] of [
    [1, 3],
    [3, 1],
    [2, 3],
    [4, 2],
  ] as const) {
    const path = `/deploy/history/${version}?compare=live`;
    const { status, body, text } = await manage<Release>(org, 'GET', path, { token: developer.token });
    assert.equal(status, 200, text);
    assert.equal(body.compared?.live, live);
    const wrong = await tryRollback(org, { version, live: version });
    assertProblem(wrong, 'version_mismatch');
    assert.equal((wrong.body as { readonly live?: unknown }).live, live);
    const { body: done } = await tryRollback(org, { version, live });
    const [made] = await history(org);
    assert.equal(made?.version, done.version);
    const sorted = (items: readonly object[] = []) => items.map((item) => JSON.stringify(item)).sort();
    const changed = (made?.diff ?? []).map((one, index) => ({ ...one, change: made?.items[index]?.change }));
    const inOrder = ({ kind, name, change: how, changes, summary, losses }: (typeof changed)[number]) => ({
      kind,
      name,
      change: how,
      changes,
      summary,
      losses,
    });
    assert.deepEqual(sorted(body.compared?.items), sorted(changed.map(inOrder)));
    assert.deepEqual(body.items, (await manage<Release>(org, 'GET', `/deploy/history/${version}`)).body.items);
  }
  assert.deepEqual(await shownConfig(org, 'prod'), previous[0]);
  const same = await manage<Release>(org, 'GET', '/deploy/history/1?compare=live');
  assert.deepEqual(same.body.compared, { live: 1, items: [] });
  assertProblem(await manage(org, 'GET', '/deploy/history/1?compare=test'), 'invalid_request');
  assertProblem(await manage(org, 'GET', '/deploy/history/99?compare=live'), 'not_found');
});

test('what is live already, and what never was, is not rolled back to', async () => {
  const { org, previous } = await threeReleases();
  assertProblem(await tryRollback(org, { version: 3 }), 'conflict');
  assertProblem(await tryRollback(org, { version: 4 }), 'not_found');
  await rollback(org);
  for (const version of [2, 4]) assertProblem(await tryRollback(org, { version }), 'conflict');
  assert.deepEqual(await shownConfig(org, 'prod'), previous[1]);
  assert.equal((await history(org)).length, 4);
});

test('before the first activation there is nothing to go back to', async () => {
  const org = await provisionedOrg(gateways);
  assertProblem(await tryRollback(org), 'no_previous_version');
  assertProblem(await tryRollback(org, { version: 1 }), 'not_found');
  await defineEntity(org, definition('order', [{ name: 'title' }]));
  await deploy(org);
  assertProblem(await tryRollback(org), 'no_previous_version');
});

test('a rollback leaves what is staged, and test as it is; the difference tells how to get forward again', async () => {
  const { org } = await threeReleases();
  await change(org, 'create-order', {
    UpdateParams: [{ name: 'title' }, { name: 'place', index: true }, { name: 'more' }],
  });
  const before = await shownConfig(org, 'test');
  await publish(org);
  await rollback(org);
  assert.deepEqual(names((await staged(org)).items), ['entity order']);
  assert.deepEqual(names(await diff(org)), ['entity line', 'entity memo', 'entity order']);
  assert.deepEqual(await shownConfig(org, 'test'), before);
  await deploy(org);
  assert.deepEqual(await diff(org), []);
});

test('E04: a rollback and the way forward again leave nothing that differs', async () => {
  const { org } = await threeReleases();
  await rollback(org);
  await deploy(org);
  assert.deepEqual(await diff(org), []);
  assertProblem(await tryActivate(org), 'conflict');
});

test('a rollback, a write and the way forward lose nothing of a record', async () => {
  const org = await provisionedOrg(gateways);
  await defineEntity(org, definition('order', [{ name: 'title' }]));
  await deploy(org);
  const severity = { name: 'severity', index: true };
  await change(org, 'create-order', { UpdateParams: [{ name: 'title' }, severity] });
  await deploy(org);
  const founder = await prodFounder(org);
  const made = await act(founder, 'POST', '/create/order', { body: { title: 'a', severity: 'high' } });
  assert.equal(made.status, 201, made.text);
  const { id } = made.body as { id: string };
  await rollback(org, 1);
  const written = await act(founder, 'PUT', `/update/order/${id}`, { body: { title: 'b' } });
  assert.equal(written.status, 200, written.text);
  for (const shown of ['', '?view=default'])
    assert.ok(!(await act(founder, 'GET', `/item/order/${id}${shown}`)).text.includes('severity'));
  assertProblem(await act(founder, 'GET', '/list/order?severity=high'), 'invalid_request');
  assert.ok(!(await act(founder, 'GET', '/export/order?format=csv')).text.includes('severity'));
  await rollback(org, 2);
  const { title, severity: back } = (await act(founder, 'GET', `/item/order/${id}`)).body as Record<string, unknown>;
  assert.deepEqual({ title, back }, { title: 'b', back: 'high' });
});

test('the history tells of every activation and rollback: who, when, why, which items and what of them', async () => {
  const org = await provisionedOrg(gateways);
  const was = definition('order', [{ name: 'title' }]);
  const is = definition('order', [{ name: 'title', index: true }]);
  await defineEntity(org, was);
  await deploy(org, { note: 'the first' });
  await change(org, 'create-order', { UpdateParams: is.UpdateParams });
  await deploy(org);
  await manage(org, 'POST', '/deploy/rollback', { body: { note: 'it was slow' } });
  const actor = { kind: 'org_user', id: (await manage<{ user: { id: string } }>(org, 'GET', '/auth/me')).body.user.id };
  const [third, second, first] = await history(org);
  const facts = ({ version, action, actor: by, note, live, restored, previous, items }: Release) => ({
    version,
    action,
    by,
    note,
    live,
    restored,
    previous,
    items,
  });
  assert.ok(first !== undefined && second !== undefined && third !== undefined);
  const common = { by: actor, restored: undefined, previous: undefined, note: undefined };
  assert.deepEqual(facts(first), {
    ...common,
    version: 1,
    action: 'activate',
    note: 'the first',
    live: true,
    items: [{ ...entity('order'), change: 'added' }],
  });
  assert.deepEqual(facts(second), {
    ...common,
    version: 2,
    action: 'activate',
    previous: 1,
    live: false,
    items: [{ ...entity('order'), change: 'modified' }],
  });
  assert.deepEqual(facts(third), {
    ...common,
    version: 3,
    action: 'rollback',
    restored: 1,
    note: 'it was slow',
    live: true,
    items: [{ ...entity('order'), change: 'modified' }],
  });
  assert.ok(first.at <= second.at && second.at <= third.at);
  assertNow(third.at);
  const [old, recent] = [was, is].map((definition) => ({ definition, views: {} }));
  assert.deepEqual(applyPatch(undefined, first.diff[0]?.changes ?? []), old);
  assert.deepEqual(applyPatch(old, second.diff[0]?.changes ?? []), recent);
  assert.deepEqual(applyPatch(recent, third.diff[0]?.changes ?? []), old);
  assert.ok(third.diff.every(({ summary }) => summary.length > 0));
  for (const release of [first, second, third])
    assert.deepEqual((await manage(org, 'GET', `/deploy/history/${release.version}`)).body, release);
});

test('what test has become since changes nothing of the history', async () => {
  const { org } = await threeReleases();
  const reported = await history(org);
  await change(org, 'create-order', { UpdateParams: [{ name: 'place' }, { name: 'other' }] });
  await removeEntity(org, 'line');
  await publish(org);
  await manage(org, 'DELETE', '/deploy/staged');
  assert.deepEqual(await history(org), reported);
});

test('the pages of the history hold every release once, the latest first, for the org that they were given to', async () => {
  const { org } = await threeReleases();
  for (const version of [1, 2, 3]) await rollback(org, version);
  const seen: number[] = [];
  let query = '?pagesize=4';
  let token: string | null = null;
  do {
    const page = await manage<{ items: readonly Release[]; nexttoken: string | null }>(
      org,
      'GET',
      `/deploy/history${query}`,
    );
    assert.equal(page.status, 200, page.text);
    seen.push(...page.body.items.map(({ version }) => version));
    token = page.body.nexttoken;
    if (token !== null) {
      query = `?pagesize=1&nexttoken=${encodeURIComponent(token)}`;
      const other = await provisionedOrg(gateways);
      assertProblem(await manage(other, 'GET', `/deploy/history${query}`), 'invalid_cursor');
    }
  } while (token !== null);
  assert.deepEqual(seen, [6, 5, 4, 3, 2, 1]);
});

test('a page of the history ends at a bound of its size, however many releases are asked for', async () => {
  const org = await provisionedOrg(gateways);
  const block = (letter: string) => {
    const filters = [{ field: 'email', op: 'in', value: Array.from({ length: 20 }, () => letter.repeat(990)) }];
    const steps = Array.from({ length: 12 }, (_, index) => ({
      id: `s${index}`,
      type: 'list',
      entity: 'user',
      filters,
    }));
    return { name: 'much', steps };
  };
  const made = await manage(org, 'POST', '/config/logicblock', { body: { name: 'much', content: block('0') } });
  assert.equal(made.status, 201, made.text);
  await deploy(org);
  for (const letter of ['1', '2', '3', '4', '5', '6', '7']) {
    assert.equal((await manage(org, 'PUT', '/config/logicblock/much', { body: block(letter) })).status, 200);
    await deploy(org);
  }
  const pages: (readonly number[])[] = [];
  for (let token: string | null = ''; token !== null; ) {
    const query: string = token === '' ? '' : `&nexttoken=${encodeURIComponent(token)}`;
    const page = await manage<{ items: readonly Release[]; nexttoken: string | null }>(
      org,
      'GET',
      `/deploy/history?pagesize=200${query}`,
    );
    assert.ok(page.text.length < 2_000_000, `${page.text.length} characters`);
    pages.push(page.body.items.map(({ version }) => version));
    token = page.body.nexttoken;
  }
  assert.ok(pages.length > 1);
  assert.deepEqual(pages.flat(), [8, 7, 6, 5, 4, 3, 2, 1]);
});

test('rollbacks are in the log, and refused ones are not', async () => {
  const { org } = await threeReleases();
  const developer = await joinOrg(org, 'developer');
  await tryRollback(org, { version: 3 });
  await manage(org, 'POST', '/deploy/rollback', { token: developer.token });
  await rollback(org, 1);
  const log = await manage<{ items: Record<string, unknown>[] }>(org, 'GET', '/audit?action=deploy.rolled_back');
  assert.deepEqual(
    log.body.items.map(({ target, env, detail }) => [target, env, detail]),
    [[{ kind: 'release', id: '4' }, 'prod', { restored: 1, items: 4 }]],
  );
});

test('a token that was given before a switch serves what is live after it', async () => {
  const { org } = await threeReleases();
  const user = await prodFounder(org);
  assert.equal((await act(user, 'GET', '/list/line')).status, 200);
  await rollback(org);
  assertProblem(await act(user, 'GET', '/list/line'), 'not_found');
  assert.equal((await act(user, 'GET', '/list/memo')).status, 200);
  const first = await act<{ nexttoken: string | null }>(user, 'GET', '/list/order?pagesize=1');
  assert.equal(first.status, 200);
});
