import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertBecomes } from '../../eventually.ts';
import { manage, newEmail, signUp } from '../../org.ts';
import { withOperator } from '../../plans.ts';
import { addApp, ask, isSession, logInBuilder } from '../../second-factor-calls.ts';
import { assertAccessible } from '../accessibility.ts';
import { consolePlatform, openBrowser, skip } from '../browser.ts';
import { operateAt } from './operator-pages.ts';

const platform = skip === false ? await consolePlatform(withOperator) : { app: '', management: '' };

test('an operator resets the second factors of an account in two orgs, by its address, with a reason', {
  skip,
}, async (context) => {
  const page = await (await openBrowser(context, platform)).newPage();
  const [org, second] = [await signUp(platform), await signUp(platform)];
  const { email, token } = org.builder;
  const invited = await manage<{ code: string }>(second, 'POST', '/org/users', { body: { email, role: 'developer' } });
  const joined = await ask(platform, 'POST', '/auth/accept-invitation', {
    body: { code: invited.body.code, password: 'correct horse battery', name: 'Ben Builder' },
  });
  assert.equal(joined.status, 200, joined.text);
  await addApp(platform, token);

  await operateAt(page, '/orgs');
  await page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'Accounts' }).click();
  const form = page.getByRole('region', { name: 'A builder who has lost all second factors' });
  const open = form.getByRole('button', { name: 'Reset the second factors' });
  await open.hover();
  await page.getByRole('tooltip').getByText('Type the email address of the account first.').waitFor();
  await form.getByLabel('Email address of the account').fill(` ${email} `);
  await assertAccessible(page);
  await form.getByLabel('Reason').fill('Lost the phone; <b>known</b> by voice.');
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: `Reset the second factors of ${email}` });
  await dialog.getByText('Every session of the account ends, in all of its orgs.').waitFor();
  await dialog.getByText('keep the reason: Lost the phone; <b>known</b> by voice.').waitFor();
  const confirm = dialog.getByRole('button', { name: 'Reset the second factors' });
  await dialog.getByRole('textbox').fill(email.slice(1));
  await assertBecomes(() => confirm.getAttribute('aria-disabled'), 'true');
  await assertAccessible(page);
  assert.ok(await isSession(platform, token), 'nothing is done before it is confirmed');
  await dialog.getByRole('textbox').fill(email);
  await confirm.click();

  const done = page.getByRole('status').filter({ hasText: `${email} has no second factor any more` });
  for (const { code } of [org, second]) await done.getByRole('link', { name: code }).waitFor();
  await assertBecomes(() => form.getByLabel('Reason').inputValue(), '');
  await assertAccessible(page);
  await assertBecomes(() => isSession(platform, token), false);
  assert.equal((await logInBuilder(platform, email, { org: org.code })).status, 200);
  await done.getByRole('link', { name: 'The entry in your audit log' }).click();
  await page.waitForURL(/\/operations\/audit\?what=second_factor\./);
  await page.getByText('The operator removed the second factors of an account.').click();
  await page.getByText('Lost the phone; <b>known</b> by voice.').waitFor();
});

test('an address without an account or without a factor is refused where the reset was confirmed', {
  skip,
}, async (context) => {
  const page = await (await openBrowser(context, platform)).newPage();
  const { builder } = await signUp(platform);
  await operateAt(page, '/accounts');
  for (const [email, refusal] of [
    [newEmail('absent'), 'There is no account of this address.'],
    [builder.email, 'The account has no second factor.'],
  ] as const) {
    await page.getByLabel('Email address of the account').fill(email);
    await page.getByLabel('Reason').fill('Lost the phone.');
    await page.getByRole('button', { name: 'Reset the second factors' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox').fill(email);
    await dialog.getByRole('button', { name: 'Reset the second factors' }).click();
    await dialog.getByRole('alert').getByText(refusal).waitFor();
    await assertAccessible(page);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    await assertBecomes(() => page.getByLabel('Email address of the account').inputValue(), email);
  }
});
