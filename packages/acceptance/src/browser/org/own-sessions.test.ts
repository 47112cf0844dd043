import { test } from 'node:test';
import { call } from '../../call.ts';
import { assertBecomes } from '../../eventually.ts';
import { manage, password, signUp } from '../../org.ts';
import { assertAccessible } from '../accessibility.ts';
import { consolePlatform, openBrowser, skip } from '../browser.ts';
import { signInAs } from '../console-pages.ts';

const platform = skip === false ? await consolePlatform() : { app: '', management: '' };

test('a builder sees with what each session is used, ends one, and then all others', { skip }, async (context) => {
  const org = await signUp(platform);
  const login = async () => {
    const body = { email: org.builder.email, password };
    return (await call<{ token: string }>('POST', `${platform.management}/auth/login`, { body })).body.token;
  };
  const isAlive = async (token: string) => (await manage(org, 'GET', '/auth/me', { token })).status === 200;
  const [command, lost] = [await login(), await login()];
  const headers = { 'user-agent': 'freehold-cli' };
  await manage(org, 'GET', '/auth/me', { token: command, headers });
  const page = await (await openBrowser(context, platform)).newPage();
  await signInAs(page, org.builder);
  await page.goto(`/o/${org.code}/test/account`);
  const sessions = page.getByRole('table', { name: 'Sessions' });
  await sessions.getByRole('row', { name: /^Chrome on Linux this session/ }).waitFor();
  await sessions.getByRole('row', { name: /^Command line/ }).waitFor();
  await assertAccessible(page);
  await page.getByRole('button', { name: `End the session of Command line in ${org.code}` }).click();
  await sessions.getByRole('row', { name: /^Command line/ }).waitFor({ state: 'detached' });
  await assertBecomes(() => isAlive(command), false);
  await assertBecomes(() => isAlive(lost), true);
  await page.getByRole('button', { name: 'End all others' }).click();
  const dialog = page.getByRole('dialog', { name: 'End all other sessions' });
  await dialog.getByText('2 other sessions end at once').waitFor();
  await assertAccessible(page);
  await dialog.getByRole('button', { name: 'End them' }).click();
  await dialog.waitFor({ state: 'detached' });
  await assertBecomes(() => isAlive(lost), false);
  await assertBecomes(() => sessions.getByRole('row').count(), 2);
  await page.getByRole('button', { name: 'End all others' }).waitFor({ state: 'detached' });
});
