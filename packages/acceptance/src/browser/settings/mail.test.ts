import assert from 'node:assert/strict';
import { test } from 'node:test';
import { call } from '../../call.ts';
import { assertBecomes } from '../../eventually.ts';
import { assertAccessible } from '../accessibility.ts';
import { consolePlatform, openBrowser, skip } from '../browser.ts';
import { newOrgOn } from '../console-pages.ts';

const platform = skip === false ? await consolePlatform() : { app: '', management: '' };

interface Mails {
  readonly items: readonly { readonly to: string; readonly subject: string; readonly text: string }[];
}

test('an admin writes the text of a mail beside its preview, sends a test, saves it, and takes the platform’s again', {
  skip,
}, async (context) => {
  const page = await (await openBrowser(context, platform)).newPage();
  const { code } = await newOrgOn(page, platform);
  await page.goto(`/o/${code}/test/settings`);
  await page.getByRole('link', { name: 'Mails', exact: true }).click();
  await page.getByRole('table', { name: 'Mails' }).getByText('by the platform').first().waitFor();
  await assertAccessible(page);
  await page.getByRole('link', { name: 'New password', exact: true }).click();
  const preview = page.getByRole('region', { name: 'Preview' });
  await preview.getByText(/^Set a new password for /).waitFor();
  const save = page.getByRole('button', { name: 'Save the text' });
  await assertBecomes(() => save.getAttribute('aria-description'), 'Nothing is changed.');
  await assertAccessible(page);

  await page.getByRole('textbox', { name: 'Subject' }).fill('A key for {{app}}');
  await page.getByRole('textbox', { name: 'Text', exact: true }).fill('Dear {{email}}');
  await preview.getByText('must have the link').first().waitFor();
  await save.click();
  await page.getByText('must have the link').nth(2).waitFor();
  await assertAccessible(page);
  await page.getByRole('textbox', { name: 'Text', exact: true }).fill('Dear {{email}},\n\nuse {{link}}');
  await preview.getByText(/use http:\/\/localhost\/#reset-password=sample/).waitFor();
  await page.getByRole('button', { name: 'Add HTML' }).click();
  await page
    .getByRole('textbox', { name: 'HTML' })
    .fill('<p>{{app}}</p><img src=x onerror=alert(1)><a href="{{link}}">x</a>');
  await preview.getByText('<img src=x onerror=alert(1)>').waitFor();

  await page.getByRole('button', { name: 'Send a test' }).click();
  await page
    .getByRole('status')
    .getByText(/^Sent to /)
    .waitFor();
  const inbox = await call<Mails>('GET', `${platform.management}/inbox`);
  assert.ok(
    inbox.body.items.some(({ subject, text }) => subject.startsWith('[test] A key for ') && text.includes('=sample')),
  );
  await save.click();
  await page.getByRole('status').getByText('Saved').waitFor();
  await page.getByText('Setting mail.reset_password, version').waitFor();
  await assertAccessible(page);

  await page.getByRole('button', { name: 'Use the platform’s text' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Use it' }).click();
  await preview.getByText(/^Set a new password for /).waitFor();
  await save.click();
  await page.getByRole('status').getByText('Saved').waitFor();
  await page.getByRole('link', { name: 'All mails' }).click();
  await assertBecomes(() => page.getByText('your own', { exact: true }).count(), 0);
});
