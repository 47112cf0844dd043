import assert from 'node:assert/strict';
import { test } from 'node:test';
import { generateTypes } from './generate-types.ts';
import { helpDesk } from './testing/help-desk.ts';
import { exportsOf, mistakesIn } from './testing/type-check.ts';

const schema = generateTypes(helpDesk);
const head = `import { createApp, cel } from '@freehold/client';
import type { Schema } from './freehold.d.ts';
const app = createApp<Schema>({ url: 'https://x', org: 'acme', clientId: 'c' });
const tickets = app.entity('ticket');
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const same = <A, B>(..._: Same<A, B> extends true ? [] : [never]) => undefined;
`;

/** By the promise that each of them shows. */
const programs = {
  'a record has each field in its type: what is required is there, what is sealed is not': `
const ticket = await tickets.get('1');
same<typeof ticket.title, string>();
same<typeof ticket.note, string | undefined>();
same<typeof ticket.amount, number | undefined>();
same<typeof ticket.seats, number>();
same<typeof ticket.paid, boolean | undefined>();
same<typeof ticket.due, string | undefined>();
same<typeof ticket.state, 'open' | 'done'>();
same<typeof ticket.labels, readonly string[] | undefined>();
same<typeof ticket.scores, readonly ('a' | 'b')[] | undefined>();
same<typeof ticket.extra, unknown>();
same<typeof ticket.summary, string>();
same<typeof ticket.cost, number | undefined>();
same<typeof ticket.number, number | undefined>();
same<typeof ticket.urgency, number | undefined>();
same<typeof ticket.version, number>();
// @ts-expect-error sealed
ticket.pin;
// @ts-expect-error no field
ticket.tilte;
// @ts-expect-error records are not changed in place
ticket.title = 'x';
// @ts-expect-error no entity
app.entity('tickets');
// @ts-expect-error no entity, but the blocks
app.entity('$blocks');
(await app.entity('user').get('1')).email.at(0);
`,
  'what is written: required and optional on create, `null` clears on update, no value of the platform’s own': `
await tickets.create({ title: 'a', state: 'open' });
await tickets.create({ title: 'a', state: 'open', pin: '1', note: null, tag_ids: ['1'], urgency: 1, extra: { a: [1] } });
// @ts-expect-error a title is missing
await tickets.create({ state: 'open' });
// @ts-expect-error no such state
await tickets.create({ title: 'a', state: 'opened' });
// @ts-expect-error required, so it has no null
await tickets.create({ title: null, state: 'open' });
// @ts-expect-error made by the platform
await tickets.create({ title: 'a', state: 'open', summary: 'x' });
// @ts-expect-error made by the platform
await tickets.create({ title: 'a', state: 'open', number: 1 });
// @ts-expect-error a number
await tickets.create({ title: 'a', state: 'open', amount: '1' });
await tickets.update('1', { amount: null, pin: null }, { ifMatch: 3 });
await tickets.update('1', { ...(await tickets.get('1')), title: 'b' });
// @ts-expect-error required
await tickets.update('1', { title: null });
// @ts-expect-error made by the platform
await tickets.update('1', { cost: 1 });
await app.batch('atomic').create('tag', { label: 'a' }).update('ticket', '1', { paid: true }).delete('tag', '1').send();
// @ts-expect-error a label is missing
app.batch('atomic').create('tag', {});
await app
  .batch('atomic')
  .create('customer', { name: 'a' }, { ref: 'ann' })
  .create('tag', { label: 'b' })
  .create('ticket', { title: 'a', state: 'open', customer_id: { $ref: 'ann' }, tag_ids: [{ $ref: 1 }, '1'] })
  .update('ticket', '1', { customer_id: { $ref: 0 } }, { ref: 'other', ifMatch: 1 })
  .send();
// @ts-expect-error no reference
app.batch('atomic').create('ticket', { title: 'a', state: 'open', customer_id: { ref: 0 } });
// @ts-expect-error one of some values
app.batch('atomic').create('ticket', { title: 'a', state: { $ref: 0 } });
// @ts-expect-error in a batch alone
await tickets.create({ title: 'a', state: 'open', customer_id: { $ref: 0 } });
`,
  'lists take the filters, orders and members that the entity has': `
await tickets.list({
  where: { state: { in: ['open', 'done'] }, amount: { gt: 1 }, title: 'a', labels: { contains: 'x' }, due: { exists: false }, created_at: { gte: 'x' } },
  sort: ['-title', 'customer_id.tier'],
  filter: cel\`amount > \${1}\`,
});
await tickets.count({ where: { urgency: 1 } });
// @ts-expect-error no such state
await tickets.list({ where: { state: 'opened' } });
// @ts-expect-error no field
await tickets.list({ where: { tilte: 'a' } });
// @ts-expect-error not filtered
await tickets.list({ where: { extra: 'a' } });
// @ts-expect-error sealed
await tickets.list({ where: { pin: 'a' } });
// @ts-expect-error no operator
await tickets.list({ where: { amount: { above: 1 } } });
// @ts-expect-error arrays are not compared
await tickets.list({ where: { labels: 'a' } });
// @ts-expect-error numbers do not start with a text
await tickets.list({ where: { amount: { startswith: '1' } } });
const missing = (): string | undefined => undefined;
// @ts-expect-error a condition without a value would match all records
await tickets.list({ where: { customer_id: missing() } });
// @ts-expect-error nor may the owner be missing
await tickets.count({ owner: missing() });
// @ts-expect-error nor an operand
await tickets.list({ where: { amount: { gt: undefined } } });
// @ts-expect-error not sorted
await tickets.list({ sort: 'note' });
// @ts-expect-error no parameter
await tickets.list({ pagesize: 3 });
// @ts-expect-error no member of the view
await tickets.get('1', { fields: ['pin'] });
// @ts-expect-error no view
await tickets.list({ view: 'long' });
const some = await tickets.get('1', { fields: ['title', 'amount'] });
same<typeof some.amount, number | undefined>();
same<typeof some.id, string>();
// @ts-expect-error not chosen
some.note;
`,
  'replies have the shape of their view, of the action’s own where it has one': `
const { items } = await tickets.list({ view: 'short' });
for (const item of items) {
  same<typeof item.name, string>();
  same<typeof item.amount, string | undefined>();
  same<typeof item.paid, number | null | undefined>();
  same<typeof item.edition, number>();
  item.customer?.name.at(0);
  // @ts-expect-error not in the view
  item.title;
}
for await (const item of tickets.each()) {
  same<typeof item, { readonly id: string; readonly title: string }>();
}
const made = await tickets.create({ title: 'a', state: 'open' }, { view: 'compact' });
same<typeof made, { readonly id: string }>();
(await tickets.update('1', {})).note?.at(0);
`,
  'related records have the types of their entities, two levels deep': `
const ticket = await tickets.get('1', { expand: ['customer_id.ticket_via_customer_id', 'tag_ids'] });
const customer = ticket.expand.customer_id;
same<NonNullable<typeof customer>['tier'], 'gold' | 'lead' | undefined>();
const page = customer?.expand.ticket_via_customer_id;
same<NonNullable<typeof page>['items'][number]['title'], string>();
ticket.expand.tag_ids?.[0]?.label.at(0);
for (const one of (await app.entity('customer').list({ expand: ['ticket_via_customer_id'] })).items)
  one.expand.ticket_via_customer_id?.items[0]?.title.at(0);
// @ts-expect-error nothing was expanded
(await tickets.get('1')).expand;
// @ts-expect-error not asked for
ticket.expand.ticket_via_owner_id;
// @ts-expect-error no lookup
await tickets.get('1', { expand: ['title'] });
// @ts-expect-error no lookup of the other entity
await tickets.get('1', { expand: ['customer_id.tag_ids'] });
`,
  'logic blocks take what their schemas say': `
await app.run('closeticket', { id: '1', why: 'done', seats: 2 });
await app.run('ping', { anything: 1 });
await app.run('ping');
// @ts-expect-error no such reason
await app.run('closeticket', { id: '1', why: 'because' });
// @ts-expect-error the id is missing
await app.run('closeticket', {});
// @ts-expect-error no more members
await app.run('closeticket', { id: '1', more: 1 });
// @ts-expect-error no block
await app.run('openticket', {});
`,
  'without types everything is allowed': `
const plain = createApp({ url: 'https://x', org: 'acme', clientId: 'c' });
const record = await plain.entity('anything').create({ any: 1 });
same<typeof record.version, number>();
same<typeof record.other, unknown>();
await plain.entity('anything').list({ where: { a: { gt: 1 }, b: 'x' }, sort: '-c', fields: ['d'], expand: ['e.f'], view: 'g' });
// @ts-expect-error a condition without a value would match all records
await plain.entity('anything').list({ where: { a: undefined } });
// @ts-expect-error nor may the owner be missing
await plain.entity('anything').list({ owner: undefined });
await plain.entity('anything').update('1', { any: null });
await plain.batch('independent').create('anything', { a: 1 }).send();
await plain.run('block', { a: 1 });
`,
};

const wrongPrograms = [
  'const title: number = (await tickets.get("1")).title;',
  '// @ts-expect-error nothing is wrong\nconst title = 1;',
];

const all = [...Object.values(programs), ...wrongPrograms];
const found = mistakesIn({
  'freehold.d.ts': schema,
  ...Object.fromEntries(all.map((program, nr) => [`program${nr}.ts`, `${head}${program}`])),
});

function mistakes(program: string): readonly string[] {
  const own = `program${all.indexOf(program)}.ts(`;
  return found.filter((line) => line.startsWith(own) || !/^program\d+\.ts\(/.test(line));
}

for (const [what, program] of Object.entries(programs)) test(what, () => assert.deepEqual(mistakes(program), []));

test('a wrong program is found', () => {
  assert.deepEqual(
    wrongPrograms.map((program) => mistakes(program).length),
    [1, 1],
  );
});

test('the same definitions give the same text, in whichever order they come', () => {
  const { entities, logicBlocks = [] } = helpDesk;
  const other = { entities: entities.toReversed(), logicBlocks: logicBlocks.toReversed() };
  assert.equal(generateTypes(other), schema);
  assert.equal(generateTypes(helpDesk), schema);
});

test('Q02: names and descriptions that try to leave their place stay names and comments', () => {
  const texts = [
    '*/ export const canary = 1; /*',
    `\`\${globalThis.canary = 1}\``,
    `\${canary()}`,
    `'"; throw canary; "`,
    'two\nlines\r\nand \u2028 three \u2029 more',
    '__proto__',
    '@ts-expect-error',
    '// @ts-ignore\n@ts-expect-error',
    '@deprecated',
    '/// <reference path="canary.d.ts" />',
    '\u0000\u0007\ud800\ufeff',
    '*',
    '/',
    '',
    '}; export interface Canary {',
    'constructor',
  ];
  const definition = JSON.parse(
    JSON.stringify({
      entityName: 'hostile',
      UpdateParams: texts.map((text, index) => ({
        name: `field${index}`,
        colType: 'enum',
        enumValues: texts,
        description: text,
      })),
      Views: Object.fromEntries(texts.map((text) => [text, { fields: [{ name: 'field1', as: text }] }])),
    }),
  );
  const block = {
    name: texts[0] ?? '',
    input_schema: { properties: Object.fromEntries(texts.map((t) => [t, { enum: texts }])) },
  };
  const entities = [{ entityName: 'hostile', create: definition }];
  const text = generateTypes({ entities, logicBlocks: [block] });
  const names = texts.map((name) => ({
    entityName: name,
    create: { UpdateParams: texts.map((field) => ({ name: field })) },
  }));
  const others = generateTypes({ entities: names });
  for (const made of [text, others]) assert.deepEqual(exportsOf(made), ['export InterfaceDeclaration Schema']);
  const seen = `import type { Schema } from './freehold.d.ts';
export type Seen = Schema;
`;
  const values = `import type { Schema } from './freehold.d.ts';
export const state: Schema['hostile']['record']['field0'] = ${JSON.stringify(texts[2])};
export const view = (shown: Schema['hostile']['views']['__proto__']) => shown['__proto__']?.at(0);
// @ts-expect-error another text
export const other: Schema['hostile']['record']['field0'] = 'other';
`;
  const wrong = mistakesIn({
    ...{ 'fields/freehold.d.ts': text, 'fields/seen.ts': seen, 'fields/values.ts': values },
    ...{ 'names/freehold.d.ts': others, 'names/seen.ts': seen },
  });
  assert.deepEqual(wrong, []);
});
