import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defineEntity, foundedOrg, manage, type Org } from '../org.ts';
import { assertAccessible } from './accessibility.ts';
import { consolePlatform, openBrowser, skip } from './browser.ts';
import { signInAs } from './console-pages.ts';

const platform = skip === false ? await consolePlatform() : { app: '', management: '' };

const canary = '<img src=x onerror=alert(1)>';

async function contentOf(org: Org, path: string): Promise<unknown> {
  return (await manage(org, 'GET', `/config/${path}`)).body.content;
}

test('a builder makes a logic block in the form that its schema makes, and an event that runs it', {
  skip,
}, async (context) => {
  const { org } = await foundedOrg(platform);
  await defineEntity(org, { entityName: 'order', UpdateParams: [{ name: 'title' }] });
  const page = await (await openBrowser(context, platform)).newPage();
  await signInAs(page, org.builder);
  await page.goto(`/o/${org.code}/test/config/logicblock`);
  await page.getByRole('heading', { name: 'No logic blocks yet' }).waitFor();
  await assertAccessible(page);
  await page.getByRole('button', { name: 'New logic block' }).first().click();
  const save = page.getByRole('button', { name: 'Save the logic block' });
  assert.equal(await save.getAttribute('aria-description'), 'The logic block needs a name.');
  await page.getByRole('textbox', { name: 'Name of the logic block' }).fill('tidy');
  await page.getByRole('textbox', { name: 'Description', exact: true }).first().fill(canary);
  await page.getByRole('combobox', { name: 'Type' }).click();
  await page.getByRole('option', { name: 'get' }).click();
  await page.getByRole('textbox', { name: 'Id' }).fill('1');
  await page.getByRole('textbox', { name: 'Entity' }).fill('order');
  await page.getByRole('textbox', { name: 'Record' }).fill('the first');
  await page.getByRole('textbox', { name: 'Content in JSON' }).getByText('"the first"').waitFor();
  await save.click();
  await page.getByText('/content/steps/0/id').waitFor();
  await page.getByText('wrong', { exact: true }).waitFor();
  await assertAccessible(page);
  await page.getByRole('textbox', { name: 'Id' }).fill('first');
  await save.click();
  await page.getByRole('heading', { name: 'tidy', level: 1 }).waitFor();
  assert.deepEqual(await contentOf(org, 'logicblock/tidy'), {
    name: 'tidy',
    description: canary,
    steps: [{ id: 'first', type: 'get', entity: 'order', record: 'the first' }],
  });
  const idle = { name: 'later', input_schema: { pattern: '^a' }, steps: [{ id: 'one', type: 'transform', value: 1 }] };
  assert.equal(
    (await manage(org, 'POST', '/config/logicblock', { body: { name: 'later', content: idle } })).status,
    201,
  );
  await page.goto(`/o/${org.code}/test/config/logicblock/later`);
  await page.getByText('is not run yet').waitFor();
  const event = {
    entity_name: 'order',
    event_name: 'on_order',
    event_type: 'logicblock',
    event_stage: 'after',
    event_optype: 'create',
    enabled: false,
    destination_config: { logicblock: 'tidy' },
  };
  assert.equal(
    (await manage(org, 'POST', '/config/event', { body: { name: 'on_order', content: event } })).status,
    201,
  );
  await page.goto(`/o/${org.code}/test/config/logicblock/tidy`);
  await page.getByRole('tab', { name: 'References' }).click();
  await page.getByRole('region', { name: 'It refers to' }).getByRole('link', { name: 'order' }).waitFor();
  const remove = page.getByRole('button', { name: 'Remove' });
  assert.equal(await remove.getAttribute('aria-description'), 'The event on_order refers to it.');
  await assertAccessible(page);
  await page.getByRole('region', { name: 'Items that refer to it' }).getByRole('link', { name: 'on_order' }).click();
  await page.getByRole('switch', { name: 'Enabled' }).setChecked(true);
  await page.getByRole('combobox', { name: 'Event type' }).click();
  await page.getByRole('option', { name: 'webhook' }).click();
  await page.getByRole('textbox', { name: 'Url' }).fill('https://example.com/hook');
  await page.getByRole('button', { name: 'Save the event' }).click();
  await page.getByRole('status').getByText('Saved').waitFor();
  await page.getByRole('tab', { name: 'Versions' }).click();
  await page.getByRole('button', { name: 'Compare with the live version' }).click();
  await page.getByRole('list', { name: /^From the live version/ }).waitFor();
  await assertAccessible(page);
  await page.getByRole('button', { name: 'Restore' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Restore', exact: true }).click();
  await page.getByText('restored from version').waitFor();
  assert.deepEqual(await contentOf(org, 'event/on_order'), event);
  await page.getByRole('button', { name: 'Remove' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove the event' }).click();
  await page.getByRole('heading', { name: 'No events yet' }).waitFor();
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
  await conflict.getByText('"min_length": 12').waitFor();
  assert.equal(await length.inputValue(), '16');
  await assertAccessible(page);
  await conflict.getByRole('button', { name: 'Save mine in its place' }).click();
  await page.getByRole('status').getByText('Saved').waitFor();
  assert.deepEqual(await contentOf(org, 'settings/auth.password_login'), {
    value: { enabled: true, allow_signup: true, min_length: 16 },
  });
  await page.getByRole('button', { name: 'Reset to the default' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Reset it' }).click();
  await page.getByRole('row', { name: 'auth.password_login' }).getByText('default', { exact: true }).waitFor();
  await page.goto(`/o/${org.code}/test/config/nothing`);
  await page.getByRole('heading', { name: /nothing here|not found/i }).waitFor();
});
