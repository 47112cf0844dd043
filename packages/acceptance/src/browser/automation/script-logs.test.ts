import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertBecomes } from '../../eventually.ts';
import { act, defineEntity, foundedOrg, manage } from '../../org.ts';
import { assertAccessible } from '../accessibility.ts';
import { consolePlatform, openBrowser, skip } from '../browser.ts';
import { signInAs } from '../console-pages.ts';

const platform = skip === false ? await consolePlatform() : { app: '', management: '' };

const canary = '<img src=x onerror=alert(1)>';

test('a builder reads what a script wrote, while the block is tried and in a run that failed', {
  skip,
}, async (context) => {
  const { org, founder } = await foundedOrg(platform);
  await defineEntity(org, { entityName: 'order', UpdateParams: [{ name: 'title' }] });
  const source = 'for (let at = 0; at < 52; at++) console.log("line", at, input.text); throw new Error("no")';
  const steps = [
    { id: 'make', type: 'create', entity: 'order', values: { title: 'one' } },
    { id: 'says', type: 'script', source },
  ];
  const block = { name: 'says', content: { name: 'says', steps } };
  assert.equal((await manage(org, 'POST', '/config/logicblock', { body: block })).status, 201);
  const page = await (await openBrowser(context, platform)).newPage();
  await signInAs(page, org.builder);
  await page.goto(`/o/${org.code}/test/logic-blocks/says`);
  const tried = page.getByRole('region', { name: 'Try it' });
  await tried.getByRole('textbox', { name: 'Sample input' }).fill(JSON.stringify({ text: canary }));
  await tried.getByRole('button', { name: 'Run the draft' }).click();
  await tried.getByText('It was refused at the step says').waitFor();
  // The step that failed is open, so that its last lines are seen at once.
  const log = tried.getByRole('list', { name: 'Log of says' });
  await log.getByText(`line 49 ${canary}`).waitFor();
  await log.getByText('Uncaught at line 1: no').waitFor();
  await assertBecomes(() => log.getByRole('listitem').count(), 51);
  await tried.getByText('2 lines more were not kept.').waitFor();
  await assertAccessible(page);

  const call = await act<{ readonly run: string }>(founder, 'POST', '/logicblocks/says', { body: { text: canary } });
  assert.equal(call.status, 422, call.text);
  await page.goto(`/o/${org.code}/test/runs/${call.body.run}`);
  await page.getByText('It failed at the step says').waitFor();
  await page.getByRole('list', { name: 'Log of says' }).getByText(`line 0 ${canary}`).waitFor();
  await page.getByText(/51 lines of log/).waitFor();
  await assertAccessible(page);
});
