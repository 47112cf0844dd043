import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem, pointers } from './assert-problem.ts';
import { act, allow, create, defineEntity, definition, deny, foundedOrg, list, memberWith } from './org.ts';
import { platformForTests } from './platform-for-tests.ts';

const gateways = await platformForTests();
const { org, founder } = await foundedOrg(gateways);

const lookup = (name: string, entity: string) => ({ name, colType: 'guid', lookup: { entity } });
const text = (name: string) => ({ name, colType: 'string' });
await defineEntity(org, definition('account', [text('name')]));
await defineEntity(org, definition('customer', [text('name'), lookup('account_id', 'account')]));
await defineEntity(org, definition('ticket', [text('subject'), text('kind'), lookup('customer_id', 'customer')]));
await defineEntity(org, {
  ...definition('comment', [
    text('body'),
    { name: 'owner_id', colType: 'guid' },
    lookup('ticket_id', 'ticket'),
    lookup('author_id', 'customer'),
  ]),
  ownerIndexes: [
    { ownerFieldName: 'owner_id', gpkTemplate: 'org#{org};own#{owner_id}', gskTemplate: '{id}', scopeList: true },
  ],
});
await defineEntity(org, definition('secret', [text('body'), lookup('ticket_id', 'ticket')]));

const account = await create(founder, 'account', { name: 'Acme' });
const customer = await create(founder, 'customer', { name: 'Ann', account_id: account.id });
const ticket = await create(founder, 'ticket', { subject: 'Lamp', kind: 'open', customer_id: customer.id });
const bare = await create(founder, 'ticket', { subject: 'Bare', kind: 'open' });
const comments: { readonly id: string }[] = [];
for (let index = 0; index < 23; index++)
  comments.unshift(
    await create(founder, 'comment', { body: `c${index}`, ticket_id: ticket.id, author_id: customer.id }),
  );

interface Expanded {
  readonly id: string;
  readonly expand: Readonly<Record<string, Expanded & ExpandedPage>>;
}

interface ExpandedPage {
  readonly items: readonly Expanded[];
  readonly nexttoken: string | null;
  readonly partial?: true;
}

type Caller = typeof founder;
const item = async (caller: Caller, path: string) => (await act<Expanded>(caller, 'GET', path)).body;
const idsOf = (page: { readonly items: readonly { readonly id: string }[] } | undefined) =>
  page?.items.map(({ id }) => id);
const everything = 'customer_id.account_id,comment_via_ticket_id.author_id';

test('shows the record that a field refers to, and those that refer to the record, two levels deep', async () => {
  const shown = await item(founder, `/item/ticket/${ticket.id}?expand=${everything}`);
  const { customer_id, comment_via_ticket_id } = shown.expand;
  assert.equal(customer_id?.id, customer.id);
  assert.deepEqual(customer_id?.expand.account_id, await item(founder, `/item/account/${account.id}`));
  assert.deepEqual(
    idsOf(comment_via_ticket_id),
    comments.slice(0, 20).map(({ id }) => id),
  );
  for (const comment of comment_via_ticket_id?.items ?? [])
    assert.deepEqual(comment.expand, { author_id: await item(founder, `/item/customer/${customer.id}`) });
  const [unexpanded] = (await list(founder, 'ticket', `?id=${ticket.id}`)).items;
  const { expand, ...rest } = shown;
  assert.deepEqual(rest, unexpanded);
  assert.ok(expand);
});

test('expands each record of a page, and leaves out what a field without a value refers to', async () => {
  const page = (await act<ExpandedPage>(founder, 'GET', `/list/ticket?expand=${everything}`)).body;
  assert.deepEqual(
    page.items.map(({ id, expand }) => [id, Object.keys(expand), expand.comment_via_ticket_id?.items.length]),
    [
      [bare.id, ['comment_via_ticket_id'], 0],
      [ticket.id, ['customer_id', 'comment_via_ticket_id'], 20],
    ],
  );
});

test('the list goes on from the page of an expansion, with the field as its filter', async () => {
  const shown = await item(founder, `/item/ticket/${ticket.id}?expand=comment_via_ticket_id`);
  const { nexttoken } = shown.expand.comment_via_ticket_id ?? {};
  const rest = await list(founder, 'comment', `?ticket_id=${ticket.id}&nexttoken=${nexttoken}`);
  assert.deepEqual(
    idsOf(rest),
    comments.slice(20).map(({ id }) => id),
  );
  assert.equal(rest.nexttoken, null);
});

test('refuses names that lead nowhere, and more than one reply shows', async () => {
  for (const [expand, codes] of [
    ['nothing', ['unknown_expand']],
    ['subject', ['unknown_expand']],
    ['customer_id,nothing_via_ticket_id', ['unknown_expand']],
    ['customer_id.nothing,other', ['unknown_expand', 'unknown_expand']],
    ['', ['unknown_expand']],
    ['comment_via_ticket_id.author_id.account_id', ['too_deep']],
    [Array.from({ length: 11 }, (_, index) => `f${index}`).join(','), ['too_many']],
    ['customer_id,'.repeat(11).concat('nothing'), ['too_many']],
  ] as const)
    for (const path of [`/item/ticket/${ticket.id}`, '/list/ticket']) {
      const problem = assertProblem(await act(founder, 'GET', `${path}?expand=${expand}`), 'invalid_request');
      assert.deepEqual(
        (problem.errors as readonly { code: string }[]).map(({ code }) => code),
        codes,
      );
      assert.ok(pointers(problem).every((pointer) => pointer === '/expand'));
    }
  for (const path of ['/count/ticket', '/export/ticket'])
    assertProblem(await act(founder, 'GET', `${path}?expand=customer_id`), 'invalid_request');
});

test('a reply with other records has no tag', async () => {
  const path = `/item/ticket/${ticket.id}`;
  assert.equal((await act(founder, 'GET', `${path}?expand=customer_id`)).headers.get('etag'), null);
  assert.ok((await act(founder, 'GET', path)).headers.get('etag'));
});

test('a record that the caller may not get is null, and of an entity that they may not list none is shown', async () => {
  const member = await memberWith(founder, [allow(['getticket', 'listticket'])]);
  const shown = await item(member, `/item/ticket/${ticket.id}?expand=${everything},secret_via_ticket_id`);
  const none = { items: [], nexttoken: null };
  assert.deepEqual(shown.expand, { customer_id: null, comment_via_ticket_id: none, secret_via_ticket_id: none });
});

test('shows of records that refer to one what a list shows: the caller’s own, and those that conditions leave', async () => {
  const Condition = { StringEquals: { 'record.body': ['mine'] } };
  const member = await memberWith(founder, [allow(['getticket']), { ...allow('listcomment'), Condition }]);
  const mine = await create(founder, 'comment', { body: 'mine', ticket_id: ticket.id, owner_id: member.id });
  await create(founder, 'comment', { body: 'other', ticket_id: ticket.id, owner_id: member.id });
  await create(founder, 'comment', { body: 'mine', ticket_id: ticket.id, owner_id: founder.id });
  const { expand } = await item(member, `/item/ticket/${ticket.id}?expand=comment_via_ticket_id`);
  assert.deepEqual(idsOf(expand.comment_via_ticket_id), [mine.id]);
});

test('shows no field that the caller may not read, and expands by none', async () => {
  const member = await memberWith(founder, [
    { ...allow(['getticket', 'listticket']), Fields: ['!customer_id'] },
    { ...allow(['getcustomer']), Fields: ['name'] },
    { ...allow(['listsecret']), Fields: ['!ticket_id'] },
    allow(['listcomment', 'browsecomment']),
  ]);
  const secret = await create(founder, 'secret', { body: 's', ticket_id: ticket.id });
  assert.ok(secret);
  const hidden = await item(member, `/item/ticket/${ticket.id}?expand=customer_id,secret_via_ticket_id`);
  assert.deepEqual(hidden.expand, { secret_via_ticket_id: { items: [], nexttoken: null } });
  const own = await create(founder, 'comment', { ticket_id: ticket.id, author_id: customer.id, owner_id: member.id });
  const { expand } = await item(member, `/item/ticket/${ticket.id}?expand=comment_via_ticket_id.author_id`);
  const [shown] = expand.comment_via_ticket_id?.items ?? [];
  assert.equal(shown?.id, own.id);
  const { created_at, updated_at, version, ...fields } = { ...shown?.expand.author_id } as Record<string, unknown>;
  assert.ok(created_at && updated_at && version);
  assert.deepEqual(fields, { name: 'Ann', id: customer.id });
});

test('P08: an expansion says nothing of records that the caller may not see', async () => {
  const Condition = { StringEquals: { 'record.kind': ['open'] } };
  await defineEntity(org, definition('note', [text('kind'), lookup('ticket_id', 'ticket')]));
  await defineEntity(org, definition('link', [lookup('note_id', 'note')]));
  const member = await memberWith(founder, [
    allow(['getticket', 'listlink']),
    { ...allow(['listnote', 'getnote']), Condition },
    { ...deny('listsecret') },
  ]);
  const open = await create(founder, 'note', { kind: 'open', ticket_id: bare.id });
  const page = async () =>
    (
      await act(
        member,
        'GET',
        `/item/ticket/${bare.id}?expand=note_via_ticket_id.link_via_note_id,secret_via_ticket_id`,
      )
    ).text;
  const before = await page();
  assert.ok(before.includes(open.id));
  for (let index = 0; index < 3; index++) await create(founder, 'note', { kind: 'closed', ticket_id: bare.id });
  const closed = await create(founder, 'note', { kind: 'closed' });
  await create(founder, 'secret', { body: 's', ticket_id: bare.id });
  assert.equal(await page(), before);
  const link = await create(founder, 'link', { note_id: closed.id });
  const other = await create(founder, 'link', { note_id: open.id });
  const links = (await act<ExpandedPage>(member, 'GET', '/list/link?expand=note_id')).body.items;
  assert.deepEqual(
    links.map(({ id, expand }) => [id, expand.note_id?.id ?? null]),
    [
      [other.id, open.id],
      [link.id, null],
    ],
  );
});

test('a field that is called `expand` stays a filter and a member, beside `$expand`', async () => {
  await defineEntity(org, definition('plan', [text('expand'), lookup('ticket_id', 'ticket')]));
  const plan = await create(founder, 'plan', { expand: 'all', ticket_id: ticket.id });
  const page = await list(founder, 'plan', '?expand=all&$expand=ticket_id');
  const [shown] = page.items as readonly Readonly<Record<string, unknown>>[];
  assert.equal(shown?.id, plan.id);
  assert.equal(shown?.expand, 'all');
  assert.deepEqual(Object.keys(shown?.$expand ?? {}), ['ticket_id']);
  assert.equal((await list(founder, 'plan', '?expand=none&$expand=ticket_id')).items.length, 0);
});
