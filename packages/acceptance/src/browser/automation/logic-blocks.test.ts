import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { assertBecomes, eventually } from '../../eventually.ts';
import { allow, create, defineEntity, foundedOrg, joinOrg, list, manage, newEmail, type Org } from '../../org.ts';
import { deploy, prodFounder, provision } from '../../promotion.ts';
import { founderOf, multiOrg } from '../../workspaces.ts';
import { assertAccessible } from '../accessibility.ts';
import { consolePlatform, openBrowser, skip } from '../browser.ts';
import { retype, signInAs } from '../console-pages.ts';

const platform = skip === false ? await consolePlatform() : { app: '', management: '' };

const canary = '<img src=x onerror=alert(1)>';

async function contentOf(org: Org, name: string): Promise<unknown> {
  return (await manage(org, 'GET', `/config/logicblock/${name}`)).body.content;
}

async function put(org: Org, name: string, content: object): Promise<void> {
  const reply = await manage(org, 'POST', '/config/logicblock', { body: { name, content: { name, ...content } } });
  assert.equal(reply.status, 201, reply.text);
}

async function addStep(page: Page, to: string, type: string): Promise<void> {
  await page.getByRole('button', { name: `Add to ${to}`, exact: true }).click();
  await page.getByRole('menuitem', { name: type }).first().click();
}

const step = (page: Page, id: string) => page.getByRole('listitem', { name: `Step ${id}`, exact: true });

test('a builder makes a logic block of steps, moves them by the keyboard, tries it, saves it and runs it', {
  skip,
}, async (context) => {
  const { org, founder } = await foundedOrg(platform);
  await defineEntity(org, { entityName: 'order', UpdateParams: [{ name: 'title' }] });
  const page = await (await openBrowser(context, platform)).newPage();
  await signInAs(page, org.builder);
  await page.getByRole('link', { name: 'Logic blocks' }).click();
  await page.getByRole('heading', { name: 'No logic blocks yet' }).waitFor();
  await assertAccessible(page);
  await page.getByRole('button', { name: 'New logic block' }).click();
  const save = page.getByRole('button', { name: 'Save the logic block' });
  await assertBecomes(() => save.getAttribute('aria-description'), 'The logic block needs a name.');
  await page.getByRole('textbox', { name: 'Name of the logic block' }).fill('greet');

  await addStep(page, 'steps', 'raise');
  await page.getByRole('textbox', { name: 'Message' }).fill('no title');
  await page.getByRole('textbox', { name: 'Code' }).fill('none');
  await addStep(page, 'steps', 'create');
  const made = step(page, 'create');
  await made.getByRole('textbox', { name: 'Entity' }).fill('order');
  await made.getByRole('button', { name: 'Add to values' }).click();
  await made.getByRole('textbox', { name: 'Name 1' }).fill('title');
  await made.getByRole('textbox', { name: 'Value of title' }).fill('{{ input.title }}');
  await addStep(page, 'steps', 'condition');
  await step(page, 'condition').getByRole('textbox', { name: 'If' }).fill('input.title == ""');
  await step(page, 'condition').getByRole('textbox', { name: 'Else' }).fill('create');
  await assertAccessible(page);

  // The keyboard moves the step that has the focus, which it keeps.
  const head = step(page, 'condition').getByRole('button', { expanded: true });
  await head.focus();
  await page.keyboard.press('Alt+ArrowUp');
  await page.keyboard.press('Alt+ArrowUp');
  await page.getByText('Step condition is now 1 of 3.').waitFor();
  await step(page, 'condition').locator('button[aria-expanded=true]:focus').waitFor();
  const ids = async () =>
    await page
      .getByRole('listitem', { name: /^Step / })
      .locator('button[aria-expanded]')
      .allInnerTexts();
  await assertBecomes(
    async () => (await ids()).map((text) => /\w+/.exec(text.replace(/^\d+\s*/, ''))?.[0]),
    ['condition', 'raise', 'create'],
  );

  // What is typed in the form shows in the JSON.
  const json = page.getByRole('textbox', { name: 'Logic block in JSON' });
  await json.getByText('"no title"').waitFor();

  const tried = page.getByRole('region', { name: 'Try it' });
  await tried.getByRole('textbox', { name: 'Sample input' }).fill(JSON.stringify({ title: canary }));
  await tried.getByRole('button', { name: 'Run the draft' }).click();
  await tried.getByText('It came to its end').waitFor();
  const created = tried.getByRole('listitem').filter({ hasText: 'create' });
  await created.getByText('made up').waitFor();
  await created.getByRole('button').click();
  await created.getByRole('region', { name: 'Input of create' }).getByText(canary).waitFor();
  await assertBecomes(async () => (await list(founder, 'order')).items, []);
  await assertAccessible(page);

  await save.click();
  await page.getByRole('heading', { name: 'greet', level: 1 }).waitFor();
  await assertBecomes(() => contentOf(org, 'greet'), {
    name: 'greet',
    steps: [
      { id: 'condition', type: 'condition', if: 'input.title == ""', else: 'create' },
      { id: 'raise', type: 'raise', status: 400, code: 'none', message: 'no title' },
      { id: 'create', type: 'create', entity: 'order', values: { title: '{{ input.title }}' } },
    ],
  });

  await page.getByRole('button', { name: 'Run now' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Input' }).fill('{"title": "Lamp"}');
  await assertAccessible(page);
  await dialog.getByRole('button', { name: 'Begin the run' }).click();
  await page.getByRole('heading', { name: 'Run of greet', level: 1 }).waitFor();
  await page.getByText('Done', { exact: true }).waitFor();
  await assertBecomes(async () => (await list(founder, 'order')).items.length, 1);
  await page.getByRole('link', { name: 'greet', exact: true }).click();
  await page.getByRole('heading', { name: 'greet', level: 1 }).waitFor();
});

test('a builder says what is done where a step is refused, and sees in the run which steps and passes were', {
  skip,
}, async (context) => {
  const { org } = await foundedOrg(platform);
  await defineEntity(org, { entityName: 'order', UpdateParams: [{ name: 'title' }] });
  await put(org, 'each', {
    steps: [
      {
        ...{ id: 'all', type: 'loop', over: ['none', 'nothing'], max: 5 },
        steps: [{ id: 'read', type: 'get', entity: 'order', record: '{{ steps.all.item }}' }],
      },
      { id: 'made', type: 'create', entity: 'order', values: { title: '{{ string(steps.all.failed) }}' } },
    ],
  });
  const page = await (await openBrowser(context, platform)).newPage();
  await signInAs(page, org.builder);
  await page.goto(`/o/${org.code}/test/logic-blocks/each`);
  const all = step(page, 'all');
  await all.getByRole('button', { expanded: false }).first().click();
  const way = all.getByRole('combobox', { name: 'On error' });
  await assertBecomes(() => way.inputValue(), 'The run ends');
  await way.click();
  await page.getByRole('option', { name: 'Go on at a later step' }).click();
  await all.getByRole('textbox', { name: 'Later step' }).fill('nowhere');
  const save = page.getByRole('button', { name: 'Save the logic block' });
  await save.click();
  await all.getByText('goto names nowhere, which is no later step').waitFor();
  await assertAccessible(page);
  await way.click();
  await page.getByRole('option', { name: 'Do other steps, then the next pass' }).click();
  await addStep(page, 'steps after an error of all', 'transform');
  await step(page, 'transform').getByRole('textbox', { name: 'Value' }).fill('{{ errors.all.code }}');
  await assertAccessible(page);
  await save.click();
  await page.getByRole('status').getByText('Saved').waitFor();
  const [loop] = ((await contentOf(org, 'each')) as { steps: readonly { on_error?: unknown }[] }).steps;
  assert.deepEqual(loop?.on_error, { steps: [{ id: 'transform', type: 'transform', value: '{{ errors.all.code }}' }] });

  await page.getByRole('button', { name: 'Run now' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Begin the run' }).click();
  await page.getByText('Done', { exact: true }).waitFor();
  await page.getByText('2 passes failed').waitFor();
  await page.getByText('failed, the run went on').first().waitFor();
  await assertAccessible(page);
  await page.goto(`/o/${org.code}/test/runs`);
  await page.getByRole('table', { name: 'Runs' }).getByText('2 passes failed').waitFor();
});

test('errors stand at their steps, also within others, and what is not saved is not left unasked', {
  skip,
}, async (context) => {
  const { org } = await foundedOrg(platform);
  await put(org, 'each', {
    description: canary,
    steps: [
      {
        ...{ id: 'all', type: 'loop', over: '{{ input.list }}', max: 5 },
        steps: [{ id: 'one', type: 'transform', value: { kept: 1 } }],
      },
      {
        id: 'both',
        type: 'parallel',
        branches: [[{ id: 'a', type: 'set', values: { x: 1 } }], [{ id: 'b', type: 'wait', seconds: 1 }]],
      },
    ],
  });
  const page = await (await openBrowser(context, platform)).newPage();
  await signInAs(page, org.builder);
  await page.goto(`/o/${org.code}/test/logic-blocks`);
  await page.getByText(canary).waitFor();
  await assertAccessible(page);
  await page.getByRole('link', { name: 'each', exact: true }).click();
  const all = step(page, 'all');
  await step(page, 'both')
    .getByText('both', { exact: true })
    .dragTo(all.getByText('all', { exact: true }));
  await page.getByText('Step both is now 1 of 2.').waitFor();
  await all.getByRole('button', { expanded: false }).first().click();
  await addStep(page, 'steps within it', 'get');
  const get = step(page, 'get');
  await get.getByRole('textbox', { name: 'Id' }).fill('Wrong Id');
  await page.getByRole('button', { name: 'Save the logic block' }).click();
  await all.getByText('wrong', { exact: true }).first().waitFor();
  await step(page, 'Wrong Id')
    .getByText(/lower-case letter/)
    .first()
    .waitFor();
  await assertAccessible(page);

  // The errors of a trial stand there too, and go once it is not refused any more.
  await step(page, 'Wrong Id').getByRole('textbox', { name: 'Id' }).fill('get');
  const tried = page.getByRole('region', { name: 'Try it' });
  await tried.getByRole('button', { name: 'Run the draft' }).click();
  await tried.getByText(/^step get, entity: /).waitFor();
  await all.getByText('wrong', { exact: true }).first().waitFor();
  await get.getByRole('textbox', { name: 'Entity' }).and(page.locator('[aria-invalid=true]')).waitFor();
  await assertAccessible(page);
  await get.getByRole('button', { name: 'Remove get' }).click();
  await tried.getByRole('textbox', { name: 'Sample input' }).fill('{"list": []}');
  await tried.getByRole('button', { name: 'Run the draft' }).click();
  await tried.getByText('It came to its end').waitFor();

  await page.getByRole('link', { name: 'Runs', exact: true }).click();
  const guard = page.getByRole('dialog');
  await guard.getByText('is not saved').waitFor();
  await guard.getByRole('button', { name: 'Stay' }).click();
  await assertBecomes(() => new URL(page.url()).pathname, `/o/${org.code}/test/logic-blocks/each`);

  // A text that is no content leaves the form as it was.
  const json = page.getByRole('textbox', { name: 'Logic block in JSON' });
  await retype(json, '{"steps": 1}');
  await page.getByText('must be a list of objects').waitFor();
  await retype(json, '{"name": "each", "steps": [{"id": "now", "type": "transform", "value": {"kept": 2}}]}');
  await step(page, 'now').getByRole('button').first().click();
  await page.getByRole('textbox', { name: 'Value' }).fill('{"kept": 3}');
  await page.getByRole('button', { name: 'Save the logic block' }).click();
  await page.getByRole('status').getByText('Saved').waitFor();
  await assertBecomes(() => contentOf(org, 'each'), {
    name: 'each',
    steps: [{ id: 'now', type: 'transform', value: { kept: 3 } }],
  });
  await page.getByRole('button', { name: 'Remove', exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove the logic block' }).click();
  await page.getByRole('heading', { name: 'No logic blocks yet' }).waitFor();
  await page.goto(`/o/${org.code}/test/logic-blocks/each`);
  await page.getByRole('heading', { name: 'There is no such logic block here' }).waitFor();
  await assertAccessible(page);
});

test('a block is tried and run in a workspace that there is, also where none is called main', {
  skip,
}, async (context) => {
  const org = await multiOrg(platform);
  const codes: string[] = [];
  for (const name of ['Harbour', 'Lumen']) codes.push((await founderOf(org, name)).tenantCode);
  const first = codes.toSorted()[0] ?? '';
  await put(org, 'greet', { steps: [{ id: 'text', type: 'transform', value: 'hello' }] });
  const page = await (await openBrowser(context, platform)).newPage();
  await signInAs(page, org.builder);
  await page.goto(`/o/${org.code}/test/logic-blocks/greet`);
  const tried = page.getByRole('region', { name: 'Try it' });
  await tried.getByRole('button', { name: 'Run the draft' }).click();
  await tried.getByText('It came to its end').waitFor();
  await assertBecomes(() => tried.getByRole('combobox', { name: 'Workspace' }).inputValue(), first);
  await tried.getByRole('combobox', { name: 'Workspace' }).fill('');
  const run = tried.getByRole('button', { name: 'Run the draft' });
  await assertBecomes(() => run.getAttribute('aria-description'), 'Name a workspace first.');
  await page.getByRole('button', { name: 'Run now' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Begin the run' }).click();
  await page.getByRole('heading', { name: 'Run of greet', level: 1 }).waitFor();
  await page.getByText(first, { exact: true }).waitFor();
});

test('runs are found by filters in the address, followed, cancelled, and retried from a step', {
  skip,
}, async (context) => {
  const { org, founder } = await foundedOrg(platform);
  await defineEntity(org, { entityName: 'order', UpdateParams: [{ name: 'title' }] });
  const make = (id: string) => ({ id, type: 'create', entity: 'order', values: { title: `${id} ${canary}` } });
  const gone = { id: 'gone', type: 'delete', entity: 'order', record: '{{ input.record }}' };
  const no = { id: 'no', type: 'raise', status: 409, code: 'refused', message: canary };
  await put(org, 'fails', { steps: [make('one'), gone, make('two'), no] });
  await put(org, 'waits', { steps: [make('one'), { id: 'rest', type: 'wait', seconds: 86_400 }] });
  const begin = async (name: string, input: object = {}) => {
    const body = { tenant_code: 'main', input };
    const started = await manage<{ run: string }>(org, 'POST', `/logicblocks/${name}/run`, { body });
    assert.equal(started.status, 202, started.text);
    return started.body.run;
  };
  const page = await (await openBrowser(context, platform)).newPage();
  await signInAs(page, org.builder);
  await page.getByRole('link', { name: 'Runs', exact: true }).click();
  await page.getByRole('heading', { name: 'No runs yet' }).waitFor();
  await assertAccessible(page);
  const { id: record } = await create(founder, 'order', { title: 'old' });
  await begin('fails', { record });
  const ended = await begin('waits');
  await page.getByRole('button', { name: 'Refresh' }).click();
  await page.getByRole('row', { name: /fails/ }).getByText('Failed').waitFor();
  await page.getByRole('row', { name: /waits/ }).getByText('Waiting').waitFor();
  await assertAccessible(page);
  // The list follows runs that are not over by itself.
  assert.equal((await manage(org, 'POST', `/runs/${ended}/cancel`)).status, 204);
  await page.getByRole('row', { name: /waits/ }).getByText('Cancelled').waitFor();
  await begin('waits');

  await page.getByRole('combobox', { name: 'State' }).click();
  await page.getByRole('option', { name: 'Waiting' }).click();
  await page.getByRole('row', { name: /fails/ }).waitFor({ state: 'detached' });
  await assertBecomes(() => page.url(), /state=waiting/);
  await page.reload();
  await page.getByRole('link', { name: /^waits, waiting/ }).click();
  await page.getByRole('heading', { name: 'Run of waits', level: 1 }).waitFor();
  await page.getByText('Steps that only compute are left out').waitFor();
  await page.getByRole('button', { name: 'Cancel the run' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel it' }).click();
  await page.getByText('Cancelled', { exact: true }).waitFor();

  await page.goto(`/o/${org.code}/test/runs/01890a5d-ac96-774b-bcce-b302099a8057`);
  await page.getByRole('heading', { name: 'This run is not known here' }).waitFor();
  await page.goto(`/o/${org.code}/test/runs?since=1h`);
  const block = page.getByRole('combobox', { name: 'Logic block' });
  await block.pressSequentially('fail');
  await page.getByRole('option', { name: 'fails' }).waitFor();
  await assertBecomes(() => page.url().includes('block='), false);
  await block.pressSequentially('s');
  await block.press('Enter');
  await page.getByRole('row', { name: /waits/ }).first().waitFor({ state: 'detached' });
  await assertBecomes(() => page.url(), /block=fails/);
  await page.getByRole('link', { name: /^fails, failed/ }).click();
  await page.getByText('It failed at the step no').waitFor();
  await page.getByText(`${canary} (refused)`).waitFor();
  const deleted = page.getByRole('button', { name: 'Retry from here: gone' });
  await assertBecomes(() => deleted.getAttribute('aria-description'), /cannot be deleted again/);
  await assertAccessible(page);
  await page.getByRole('button', { name: 'Retry from here: two' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('list', { name: 'Steps that are done again' }).getByText('two (create)').waitFor();
  await assertAccessible(page);
  await dialog.getByRole('button', { name: 'Do them again' }).click();
  await page.getByText('A retry of').waitFor();
  await page.getByText('It failed at the step no').waitFor();
  const titles = (await list(founder, 'order')).items.map(({ title }) => String(title).slice(0, 3)).toSorted();
  assert.deepEqual(titles, ['one', 'one', 'one', 'two', 'two']);
  await page.getByRole('link', { name: 'an earlier run' }).click();
  const retry = page.getByRole('button', { name: 'Retry', exact: true });
  await page.getByRole('link', { name: 'a later run' }).waitFor();
  await assertBecomes(() => retry.getAttribute('aria-description'), 'It was retried already.');
});

/** The hour in Berlin twelve hours from now: not while the tests run, and none that a change of the clocks leaves out. */
const hour = new Date().getUTCHours() < 12 ? '16' : '04';

test('a schedule is read in words, paused, resumed and run now', { skip }, async (context) => {
  const { org, founder } = await foundedOrg(platform);
  await defineEntity(org, { entityName: 'order', UpdateParams: [{ name: 'title' }] });
  const page = await (await openBrowser(context, platform)).newPage();
  await signInAs(page, org.builder);
  await page.getByRole('link', { name: 'Schedules' }).click();
  await page.getByRole('heading', { name: 'No schedules yet' }).waitFor();
  await assertAccessible(page);
  await put(org, 'nightly', {
    run_as: 'app',
    policies: [allow('createorder', '/create/order')],
    schedule: { cron: `30 ${hour} * * 1-5`, timezone: 'Europe/Berlin', missed: 'once' },
    steps: [{ id: 'made', type: 'create', entity: 'order', values: { title: 'by the app' } }],
  });
  // A schedule is there a moment after its block.
  const schedules = async () => (await manage<{ items: unknown[] }>(org, 'GET', '/schedules')).body.items;
  await eventually('the schedule', async () => (await schedules()).length > 0);
  await page.reload();
  const card = page.getByRole('region', { name: 'nightly' });
  await card.getByText(`At ${hour}:30 on Monday to Friday`).waitFor();
  await card.getByText('in Europe/Berlin').waitFor();
  await assertBecomes(() => card.getByRole('listitem').count(), 5);
  await card.getByText(`${hour}:30 (`).first().waitFor();
  await assertAccessible(page);
  await card.getByRole('button', { name: 'Pause nightly' }).click();
  // Without a network the call fails at once, and is not made later unseen.
  await page.context().setOffline(true);
  await page.getByRole('dialog').getByRole('button', { name: 'Pause it' }).click();
  await page.getByRole('dialog').getByRole('alert').waitFor();
  await page.context().setOffline(false);
  await page.getByRole('dialog').getByRole('button', { name: 'Pause it' }).click();
  await card.getByText('Paused', { exact: true }).waitFor();
  await card.getByRole('button', { name: 'Resume nightly' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Resume it' }).click();
  await card.getByText('Paused', { exact: true }).waitFor({ state: 'detached' });
  await page.goto(`/o/${org.code}/test/logic-blocks`);
  await page
    .getByRole('row', { name: /nightly/ })
    .getByText(`At ${hour}:30 on Monday to Friday, Europe/Berlin`)
    .waitFor();
  await page.goto(`/o/${org.code}/test/schedules`);
  await card.getByRole('button', { name: 'Run now: nightly' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Begin the run' }).click();
  await page.getByRole('heading', { name: 'Run of nightly', level: 1 }).waitFor();
  await page.getByText('Done', { exact: true }).waitFor();
  await assertBecomes(async () => (await list(founder, 'order')).items.length, 1);
});

test('in production blocks are read alone, and only admins begin, change and pause what runs', {
  skip,
}, async (context) => {
  const { org } = await foundedOrg(platform);
  await defineEntity(org, { entityName: 'order', UpdateParams: [{ name: 'title' }] });
  const steps = [{ id: 'made', type: 'create', entity: 'order', values: { title: canary } }];
  const policies = [allow('createorder', '/create/order')];
  const schedule = { cron: '0 3 1 1 *', timezone: 'UTC', missed: 'skip' };
  await put(org, 'yearly', { run_as: 'app', policies, schedule, steps });
  await put(org, 'called', { steps });
  await provision(org);
  await prodFounder(org);
  await deploy(org);
  const email = newEmail('developer');
  await joinOrg(org, 'developer', email);
  const watched = await openBrowser(context, platform);
  const page = await watched.newPage();
  await signInAs(page, { email });
  const reasonOf = async (name: string, of: Page) =>
    await of.getByRole('button', { name }).first().getAttribute('aria-description');
  await page.goto(`/o/${org.code}/prod/logic-blocks/yearly`);
  await page.getByRole('button', { name: 'Save the logic block' }).waitFor();
  await assertBecomes(() => reasonOf('Save the logic block', page), /^Production changes by deploys only/);
  await assertBecomes(() => page.getByRole('button', { name: 'Add to steps' }).count(), 0);
  await assertBecomes(() => page.getByRole('region', { name: 'Try it' }).count(), 0);
  await assertBecomes(() => reasonOf('Run now', page), /^Only an admin/);
  await assertAccessible(page);
  await page.goto(`/o/${org.code}/prod/schedules`);
  await page.getByRole('region', { name: 'yearly' }).getByText('At 03:00 on day 1 of the month in January').waitFor();
  await assertBecomes(() => reasonOf('Pause yearly', page), /^Only an admin/);

  const admin = await (await openBrowser(context, platform)).newPage();
  await signInAs(admin, org.builder);
  await admin.goto(`/o/${org.code}/prod/logic-blocks/called`);
  await admin.getByRole('button', { name: 'Run now' }).waitFor();
  await assertBecomes(() => reasonOf('Run now', admin), /rights of its caller/);
  await admin.goto(`/o/${org.code}/prod/schedules`);
  await admin.getByRole('button', { name: 'Run now: yearly' }).click();
  await admin.getByRole('dialog').getByRole('button', { name: 'Begin the run' }).click();
  await admin.getByRole('heading', { name: 'Run of yearly', level: 1 }).waitFor();
  await admin.getByText('Done', { exact: true }).waitFor();
  await admin.getByText('Values are shown in the test environment only.').waitFor();
  assert.ok(!(await admin.content()).includes('onerror'));
  await assertAccessible(admin);
});
