import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertBecomes } from '../eventually.ts';
import { defineEntity, foundedOrg, manage, type Org } from '../org.ts';
import { assertAccessible } from './accessibility.ts';
import { consolePlatform, openBrowser, skip } from './browser.ts';
import { assertSeen, retype, signInAs } from './console-pages.ts';

const platform = skip === false ? await consolePlatform() : { app: '', management: '' };

const canary = '<img src=x onerror=alert(1)>';

const event = {
  entity_name: 'order',
  event_name: 'on_order',
  event_type: 'logicblock',
  event_stage: 'after',
  event_optype: 'create',
  enabled: false,
  destination_config: { logicblock: 'tidy' },
};

async function contentOf(org: Org, path: string): Promise<unknown> {
  return (await manage(org, 'GET', `/config/${path}`)).body.content;
}

test('a builder makes an event in the form that its schema makes, and what it refers to leads there and back', {
  skip,
}, async (context) => {
  const { org } = await foundedOrg(platform);
  await defineEntity(org, { entityName: 'order', UpdateParams: [{ name: 'title' }] });
  const tidy = { name: 'tidy', steps: [{ id: 'first', type: 'get', entity: 'order', record: 'the first' }] };
  assert.equal(
    (await manage(org, 'POST', '/config/logicblock', { body: { name: 'tidy', content: tidy } })).status,
    201,
  );
  const page = await (await openBrowser(context, platform)).newPage();
  await signInAs(page, org.builder);
  await page.goto(`/o/${org.code}/test/config/event`);
  await page.getByRole('heading', { name: 'No events yet' }).waitFor();
  await assertBecomes(() => page.getByRole('tab', { name: 'Logic blocks' }).count(), 0);
  await assertAccessible(page);
  await page.getByRole('button', { name: 'New event' }).first().click();
  const save = page.getByRole('button', { name: 'Save the event' });
  await assertBecomes(() => save.getAttribute('aria-description'), 'The event needs a name.');
  await page.getByRole('textbox', { name: 'Name of the event' }).fill('on_order');
  const json = page.getByRole('textbox', { name: 'Content in JSON' });
  await retype(json, JSON.stringify({ ...event, event_optype: 'made' }));
  await save.click();
  await page.getByText('/content/event_optype').waitFor();
  await assertAccessible(page);
  await page.getByRole('combobox', { name: 'Event optype' }).click();
  await page.getByRole('option', { name: 'create', exact: true }).click();
  await json.getByText('"create"').waitFor();
  await save.click();
  await page.getByRole('heading', { name: 'on_order', level: 1 }).waitFor();
  await assertBecomes(() => contentOf(org, 'event/on_order'), event);
  await page.getByRole('tab', { name: 'References' }).click();
  await page.getByRole('region', { name: 'It refers to' }).getByRole('link', { name: 'tidy' }).click();
  await page.getByRole('heading', { name: 'tidy', level: 1 }).waitFor();
  await assertBecomes(() => page.url(), /\/logic-blocks\/tidy$/);
  await page.getByRole('tab', { name: 'References' }).click();
  await page.getByRole('region', { name: 'It refers to' }).getByRole('link', { name: 'order' }).waitFor();
  const remove = page.getByRole('button', { name: 'Remove' });
  await assertBecomes(() => remove.getAttribute('aria-description'), 'The event on_order refers to it.');
  await assertAccessible(page);
  await page.getByRole('region', { name: 'Items that refer to it' }).getByRole('link', { name: 'on_order' }).click();
  await page.getByRole('switch', { name: 'Enabled' }).setChecked(true);
  await page.getByRole('combobox', { name: 'Event type' }).click();
  await page.getByRole('option', { name: 'webhook' }).click();
  await page.getByRole('textbox', { name: 'Url' }).fill('http://localhost:3000/hook');
  await page.getByRole('button', { name: 'Add destination in production' }).click();
  const live = page.getByRole('group', { name: 'Destination in production' });
  await live.getByRole('textbox', { name: 'Url' }).fill('http://example.com/hook');
  await page.getByRole('button', { name: 'Save the event' }).click();
  await live.getByText('must be an https address').waitFor();
  await live.getByRole('textbox', { name: 'Url' }).fill('https://example.com/hook');
  await assertAccessible(page);
  await page.getByRole('button', { name: 'Save the event' }).click();
  await page.getByRole('status').getByText('Saved').waitFor();
  const saved = (await contentOf(org, 'event/on_order')) as { readonly prod_destination_config?: unknown };
  assert.deepEqual(saved.prod_destination_config, { url: 'https://example.com/hook' });
  await page.getByRole('tab', { name: 'Versions' }).click();
  await page.getByRole('button', { name: 'Compare with the live version' }).click();
  await page.getByRole('list', { name: /^From the live version/ }).waitFor();
  await assertAccessible(page);
  await page.getByRole('button', { name: 'Restore' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Restore', exact: true }).click();
  await page.getByText('restored from version').waitFor();
  await assertBecomes(() => contentOf(org, 'event/on_order'), event);
  await page.getByRole('button', { name: 'Remove' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove the event' }).click();
  await page.getByRole('heading', { name: 'No events yet' }).waitFor();
});

test('the addresses that logic blocks had among the configuration lead to their screens', {
  skip,
}, async (context) => {
  const { org } = await foundedOrg(platform);
  const steps = [{ id: 'one', type: 'transform', value: 1 }];
  const later = { name: 'later', description: canary, input_schema: { pattern: '^a' }, steps };
  assert.equal(
    (await manage(org, 'POST', '/config/logicblock', { body: { name: 'later', content: later } })).status,
    201,
  );
  const page = await (await openBrowser(context, platform)).newPage();
  await signInAs(page, org.builder);
  await page.goto(`/o/${org.code}/test/config/logicblock`);
  await page.getByRole('heading', { name: 'Logic blocks', level: 1 }).waitFor();
  await page.getByRole('link', { name: 'later' }).waitFor();
  await page.getByText(canary).waitFor();
  await page.goto(`/o/${org.code}/test/config/logicblock/later?tab=versions`);
  await page.getByText('is not run yet').waitFor();
  await page.getByText('live in test').waitFor();
  await assertBecomes(() => page.url(), /\/logic-blocks\/later\?tab=versions$/);
  await page.goto(`/o/${org.code}/test/new-config/logicblock`);
  await page.getByRole('heading', { name: 'New logic block', level: 1 }).waitFor();
  await assertBecomes(() => page.url(), /\/new-logic-block$/);
});

test('a setting is set, kept against a change by another builder, and gets its default back', {
  skip,
}, async (context) => {
  const { org } = await foundedOrg(platform);
  const page = await (await openBrowser(context, platform)).newPage();
  await signInAs(page, org.builder);
  await page.goto(`/o/${org.code}/test/config`);
  await page.getByRole('row', { name: 'auth.password_login' }).getByText('default', { exact: true }).waitFor();
  await assertAccessible(page);
  await page.getByRole('link', { name: 'auth.password_login' }).click();
  const length = page.getByRole('textbox', { name: 'Min length' });
  await length.fill('14');
  const save = page.getByRole('button', { name: 'Save the setting' });
  await save.click();
  await page.getByRole('tab', { name: 'Versions' }).waitFor();
  const path = '/config/settings/auth.password_login';
  const theirs = { value: { enabled: true, allow_signup: false, min_length: 12 } };
  assert.equal((await manage(org, 'PUT', path, { body: theirs })).status, 200);
  await length.fill('16');
  await save.click();
  const conflict = page.getByRole('alert').filter({ hasText: 'It was changed since you opened it' });
  await assertSeen(conflict);
  await conflict.getByText('"min_length": 12').waitFor();
  await assertBecomes(() => length.inputValue(), '16');
  await assertAccessible(page);
  await conflict.getByRole('button', { name: 'Save mine in its place' }).click();
  await page.getByRole('status').getByText('Saved').waitFor();
  await assertBecomes(() => contentOf(org, 'settings/auth.password_login'), {
    value: { enabled: true, allow_signup: true, min_length: 16 },
  });
  const dialog = page.getByRole('dialog');
  await page.getByRole('button', { name: 'Reset to the default' }).click();
  const later = { group: 'auth', name: 'password_login', value: { min_length: 18 } };
  assert.equal((await manage(org, 'PUT', '/org/settings', { body: later })).status, 200);
  await dialog.getByRole('button', { name: 'Reset it' }).click();
  await dialog.getByRole('alert').getByText('It was changed since you opened it. Nothing is taken away.').waitFor();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Reset to the default' }).click();
  await dialog.getByRole('button', { name: 'Reset it' }).click();
  await page.getByRole('row', { name: 'auth.password_login' }).getByText('default', { exact: true }).waitFor();
  await page.goto(`/o/${org.code}/test/config/nothing`);
  await page.getByRole('heading', { name: /nothing here|not found/i }).waitFor();
});

test('content is saved again and again behind a proxy that weakens tags', { skip }, async (context) => {
  const { org } = await foundedOrg(platform);
  await defineEntity(org, { entityName: 'order', UpdateParams: [{ name: 'title' }] });
  const tidy = { name: 'tidy', steps: [{ id: 'one', type: 'transform', value: 1 }] };
  for (const [kind, name, content] of [
    ['logicblock', 'tidy', tidy],
    ['event', 'on_order', event],
  ] as const) {
    const made = await manage(org, 'POST', `/config/${kind}`, { body: { name, content } });
    assert.equal(made.status, 201, made.text);
  }
  const page = await (await openBrowser(context, platform)).newPage();
  let weakened = 0;
  await page.route('**/config/event/**', async (route) => {
    const response = await route.fetch();
    const { etag, ...headers } = response.headers();
    if (etag !== undefined) weakened += 1;
    await route.fulfill({ response, headers: etag === undefined ? headers : { ...headers, etag: `W/${etag}` } });
  });
  await signInAs(page, org.builder);
  await page.goto(`/o/${org.code}/test/config/event/on_order`);
  const enabled = page.getByRole('switch', { name: 'Enabled' });
  for (const isOn of [true, false, true]) {
    await enabled.setChecked(isOn);
    await page.getByRole('button', { name: 'Save the event' }).click();
    await assertBecomes(() => contentOf(org, 'event/on_order'), { ...event, enabled: isOn });
    await page.getByRole('status').getByText('Saved').waitFor();
  }
  assert.ok(weakened >= 3);
});
