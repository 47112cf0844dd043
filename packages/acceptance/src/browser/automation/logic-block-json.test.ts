import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertBecomes } from '../../eventually.ts';
import { foundedOrg, manage } from '../../org.ts';
import { assertAccessible } from '../accessibility.ts';
import { consolePlatform, openBrowser, skip } from '../browser.ts';
import { signInAs } from '../console-pages.ts';

const platform = skip === false ? await consolePlatform() : { app: '', management: '' };

const template = '{{ input.title }}';

test('a logic block with a text that is not JSON is neither saved nor tried, and says which input has it', {
  skip,
}, async (context) => {
  const { org } = await foundedOrg(platform);
  const steps = [
    { id: 'text', type: 'transform', value: { kept: 1 } },
    { id: 'last', type: 'transform', value: 'x' },
  ];
  const content = { name: 'greet', steps, returns: { old: true } };
  const made = await manage(org, 'POST', '/config/logicblock', { body: { name: 'greet', content } });
  assert.equal(made.status, 201, made.text);
  const stored = async () => (await manage(org, 'GET', '/config/logicblock/greet')).body.content;
  const page = await (await openBrowser(context, platform)).newPage();
  await signInAs(page, org.builder);
  await page.goto(`/o/${org.code}/test/logic-blocks/greet`);
  const save = page.getByRole('button', { name: 'Save the logic block' });
  const run = page.getByRole('region', { name: 'Try it' }).getByRole('button', { name: 'Run the draft' });
  const returns = page.getByRole('textbox', { name: 'Returns' });
  const assertBlocked = async (label: string) => {
    for (const button of [save, run])
      await assertBecomes(() => button.getAttribute('aria-description'), `The text in “${label}” is not JSON.`);
  };

  await returns.fill(template);
  await page
    .getByText(/needs quotes around it/)
    .first()
    .waitFor();
  await assertBlocked('Returns');
  await assertAccessible(page);
  await save.dispatchEvent('click');
  await assertBecomes(stored, content);
  // Nothing of it is left behind unasked, and all of it can be discarded.
  await page.getByRole('link', { name: 'Runs', exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Stay' }).click();
  await page.getByRole('button', { name: 'Discard the changes' }).click();
  await assertBecomes(() => returns.inputValue(), JSON.stringify({ old: true }, null, 2));
  await assertBecomes(() => save.getAttribute('aria-description'), 'Nothing is changed.');

  // An input of a step that is closed keeps its text, and another step that takes its place does not get it.
  const step = page.getByRole('listitem', { name: 'Step text', exact: true });
  const head = step.getByRole('button', { name: /^1 text/ });
  await head.click();
  await step.getByRole('textbox', { name: 'Value' }).fill('{"kept": ');
  await head.click();
  await step.getByText('wrong', { exact: true }).waitFor();
  await assertBlocked('Value');
  await head.click();
  await assertBecomes(() => step.getByRole('textbox', { name: 'Value' }).inputValue(), '{"kept": ');
  await step.getByRole('button', { name: 'Remove text' }).click();
  await assertBecomes(() => save.getAttribute('aria-description'), null);

  await page.getByRole('textbox', { name: 'Sample input' }).fill('{');
  await assertBecomes(() => run.getAttribute('aria-description'), 'The text in “Sample input” is not JSON.');
  await assertBecomes(() => save.getAttribute('aria-description'), null);
  await returns.fill(JSON.stringify(template));
  await save.click();
  await page.getByRole('status').getByText('Saved').waitFor();
  await assertBecomes(stored, { name: 'greet', steps: steps.slice(1), returns: template });

  await page.getByRole('button', { name: 'Run now' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Input' }).fill('[');
  const begin = dialog.getByRole('button', { name: 'Begin the run' });
  await assertBecomes(() => begin.getAttribute('aria-description'), 'The text in “Input” is not JSON.');
});
