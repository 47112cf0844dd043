/** Times in the zones and words of people, in templates and scripts; and not in what is stored or found. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem, pointers } from './assert-problem.ts';
import { act, defineEntity, definition, foundedOrg, manage } from './org.ts';
import { platformForTests } from './platform-for-tests.ts';

const gateways = await platformForTests();
const { org, founder } = await foundedOrg(gateways);
await defineEntity(org, definition('visit', [{ name: 'starts', colType: 'datetime', index: true }, { name: 'title' }]));

async function block(name: string, steps: readonly object[], returns: unknown) {
  const content = { name, steps, returns };
  return manage(org, 'POST', '/config/logicblock', { body: { name, content } });
}

async function run(name: string, input: object = {}): Promise<unknown> {
  const reply = await act<unknown>(founder, 'POST', `/logicblocks/${name}`, { body: input });
  assert.equal(reply.status, 200, reply.text);
  return reply.body;
}

const summer = '2026-07-01T22:30:00Z';
const winter = '2026-01-01T22:30:00Z';

test('a template reads a time in a zone, in the words of a locale', async () => {
  const at = 'timestamp(input.at)';
  const returns = {
    hours: `{{ ${at}.getHours("Europe/Berlin") }}`,
    day: `{{ ${at}.getDayOfWeek("Europe/Berlin") }}`,
    text: `On {{ formatTime(${at}, "EEEE, d. MMMM yyyy, HH:mm", input.zone, "de-DE") }}`,
  };
  const made = await block('when', [{ id: 'late', type: 'condition', if: `${at}.getHours(input.zone) < 5` }], returns);
  assert.equal(made.status, 201, made.text);
  const zone = 'Asia/Tokyo';
  assert.deepEqual(await run('when', { at: summer, zone }), {
    hours: 0,
    day: 4,
    text: 'On Donnerstag, 2. Juli 2026, 07:30',
  });
  assert.deepEqual(await run('when', { at: winter, zone }), {
    hours: 23,
    day: 4,
    text: 'On Freitag, 2. Januar 2026, 07:30',
  });
  const unknown = await act(founder, 'POST', '/logicblocks/when', { body: { at: summer, zone: 'Asia/Tokio' } });
  assert.equal(assertProblem(unknown, 'block_failed').detail, 'an expression names a time zone that there is not');
});

test('a zone or a locale that there is not is refused when the block is defined, with its place', async () => {
  for (const [text, message] of [
    ['{{ now.getHours("Europe/Berln") }}', 'at character 17: there is no time zone `Europe/Berln`'],
    ['{{ formatTime(now, "yyyy", "UTC", "de_DE") }}', 'at character 35: there is no locale `de_DE`'],
  ] as const) {
    const refused = await block('wrong', [{ id: 'a', type: 'transform', value: text }], null);
    const problem = assertProblem(refused, 'validation_failed');
    assert.deepEqual([pointers(problem), problem.errors?.[0]?.message], [['/content/steps/0/value'], message]);
  }
});

test('a script writes a time as it is asked to, and throws where it asks for what is not there', async () => {
  const source = `const at = new Date(input.at);
return [at.toLocaleString('de-DE', { timeZone: 'Asia/Tokyo' }),
  new Intl.NumberFormat('de-DE', { style: 'currency', currency: 'EUR' }).format(1234.5)];`;
  assert.equal((await block('texts', [{ id: 'made', type: 'script', source }], '{{ steps.made }}')).status, 201);
  assert.deepEqual(await run('texts', { at: '2026-07-01T10:00:00Z' }), ['1.7.2026, 19:00:00', '1.234,50\u00a0€']);
  const wrong = 'return 1;\n'.replace(
    'return 1',
    "return new Date(0).toLocaleString('de-DE', { timeZone: 'Nowhere' })",
  );
  assert.equal((await block('throws', [{ id: 'made', type: 'script', source: wrong }], null)).status, 201);
  const problem = assertProblem(await act(founder, 'POST', '/logicblocks/throws'), 'block_failed');
  assert.match(problem.detail, /^the script failed at line 1$/);
});

test('formulas, checks and filters read no time zone', async () => {
  const define = (more: object) =>
    manage(org, 'POST', '/api/create-visit', {
      body: {
        entityName: 'visit',
        UpdateParams: [{ name: 'starts', colType: 'datetime' }, { name: 'title' }],
        ...more,
      },
    });
  const message = /`getHours` reads time zones, which only templates do/;
  const formula = {
    name: 'hour',
    colType: 'formula',
    formula: { cel: 'starts.getHours("Europe/Berlin")', type: 'integer' },
  };
  const other = await manage(org, 'POST', '/api/create-slot', {
    body: { entityName: 'slot', UpdateParams: [{ name: 'starts', colType: 'datetime' }, formula] },
  });
  assert.match(other.text, message);
  const checks = [{ cel: 'starts.getHours("Europe/Berlin") < 12', message: 'no' }];
  assert.match((await define({ checks })).text, message);
  const filter = encodeURIComponent('starts.getHours("Europe/Berlin") < 12');
  const listed = await act(founder, 'GET', `/list/visit?filter=${filter}`);
  assert.match(assertProblem(listed, 'invalid_request').detail, message);
});
