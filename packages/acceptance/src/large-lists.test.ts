/** Lists of logic blocks at the size that the documentation promises. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem, pointers } from './assert-problem.ts';
import { guidePage, guideShell } from './guide-shell.ts';
import { act, defineEntity, definition, foundedOrg, manage } from './org.ts';
import { type Example, runExamples } from './page-examples.ts';
import { platformOfFile } from './platform-for-tests.ts';
import { csv, type ImportResult, transfer } from './transfer-calls.ts';

const platform = await platformOfFile();
const { org, founder } = await foundedOrg(platform);
await defineEntity(
  org,
  definition('invoice', [
    { name: 'number' },
    { name: 'customer' },
    { name: 'amount', colType: 'number' },
    { name: 'status', index: true },
    { name: 'fields' },
  ]),
);
const rows = Array.from({ length: 3000 }, (_, at) => `2026-${10_000 + at},Customer ${at % 40} Limited,${at}.5,paid,a`);
const body = ['number,customer,amount,status,fields', ...rows].join('\n');
const imported = await transfer<ImportResult>(founder, '/import/invoice', { method: 'POST', body, headers: csv });
assert.equal(imported.body.created, rows.length, imported.text);

const paid = {
  ...{ id: 'paid', type: 'list', entity: 'invoice', all: true },
  filters: [{ field: 'status', op: 'eq', value: 'paid' }],
};

async function run(list: object, returns: unknown) {
  const content = { name: 'sum', steps: [list, { id: 'pause', type: 'wait', seconds: 1 }], returns };
  const draft = { tenant_code: 'main', content };
  return manage<{ returns?: unknown; error?: { code: string; message: string } }>(org, 'POST', '/logicblocks/test', {
    body: draft,
  });
}

test('a list keeps of each record the fields that it names, and no others', async () => {
  const count = ['{{ steps.paid.count }}', '{{ steps.paid.has_more }}', '{{ steps.paid.items[0] }}'];
  const list = { ...paid, sortby: 'created_at', sortdir: 'asc', fields: ['customer', 'amount'] };
  const { body } = await run(list, count);
  assert.deepEqual(body.returns, [3000, false, { customer: 'Customer 0 Limited', amount: 0.5 }]);
  const named = await run(
    { ...list, all: false, pagesize: 1, fields: ['fields', 'version', 'id'] },
    '{{ steps.paid.items[0] }}',
  );
  assert.deepEqual(Object.keys(named.body.returns as object).sort(), ['fields', 'id', 'version']);
});

test('a run keeps a whole list of 3,000 records by two of their fields, and is refused all of them', async () => {
  const block = async (name: string, list: object) => {
    const content = {
      name,
      steps: [
        list,
        { id: 'note', type: 'create', entity: 'invoice', values: { number: '{{ string(steps.paid.count) }}' } },
      ],
      returns: '{{ steps.paid.count }}',
    };
    const { status, text } = await manage(org, 'POST', '/config/logicblock', { body: { name, content } });
    assert.equal(status, 201, text);
    return act<unknown>(founder, 'POST', `/logicblocks/${name}`);
  };
  assert.equal((await block('some', { ...paid, fields: ['customer', 'amount'] })).body, 3000);
  const refused = assertProblem(await block('whole', paid), 'block_failed');
  assert.deepEqual([refused.detail, refused.step], ['a step may give at most 524288 characters', 'paid']);
});

test('a field that the entity does not have is refused with its place', async () => {
  const content = { name: 'wrong', steps: [{ ...paid, fields: ['customer', 'none'] }] };
  const reply = await manage(org, 'POST', '/config/logicblock', { body: { name: 'wrong', content } });
  assert.deepEqual(pointers(assertProblem(reply, 'unknown_field')), ['/content/steps/0/fields/1']);
});

/** Commands of this test behind those of the page. */
function further(commands: string, text: string): Example {
  return { line: 0, language: 'sh', commands: `${commands}\n`, reply: { format: 'text', text: `${text}\n` } };
}

test('the recipe of a nightly report adds up 4,000 orders, and refuses to report on one more', async () => {
  const [setUp] = guidePage('docs/recipes/nightly-report.md', platform);
  assert.ok(setUp !== undefined);
  const order = (from: number, to: number) =>
    `{ echo status,customer,amount; seq ${from} ${to} | awk '{ print "paid,Customer " $1 % 50 " and Daughters Limited," $1 ".25" }'; }`;
  const report = (
    state: string,
  ) => `curl -s $M/logicblocks/report/run -H "$BUILDER" -H "$JSON" -o /dev/null -d '{"tenant_code": "main"}'
until curl -s "$M/runs?block=report&state=${state}" -H "$BUILDER" | grep -q '"block":"report"'; do sleep 0.1; done`;
  const import_ = (from: number, to: number) =>
    `${order(from, to)} | curl -s $A/import/order -H "$ADMIN" -H 'Content-Type: text/csv' -o /dev/null --data-binary @-`;
  // Three orders are those of the page.
  await runExamples(
    [
      setUp,
      further(
        `${import_(4, 4000)}\n${report('done')}\ncurl -s "$M/inbox?to=boss@$ORG.example" | grep -o '"subject":"[^"]*"'`,
        '"subject":"4000 paid orders"',
      ),
      further(
        `${import_(4001, 4001)}\n${report('failed')}\ncurl -s "$M/runs?block=report&state=failed" -H "$BUILDER" | grep -o '"code":"[^"]*"'`,
        '"code":"too_many"',
      ),
    ],
    guideShell(platform),
  );
});
