/** What two platforms are asked alternately: orgs with records of several owners, and the calls of one kind of user. */
import { makeEvent } from '../../packages/acceptance/src/event-receiver.ts';
import {
  type AppUser,
  allow,
  appUrl,
  defineEntity,
  definition,
  foundedOrg,
  grant,
  leaveWith,
  list,
  type Org,
  type Statement,
  signIn,
  withCondition,
} from '../../packages/acceptance/src/org.ts';
import type { Gateways } from '../../packages/acceptance/src/platform.ts';
import type { Request } from '../measure.ts';
import { send } from '../orders.ts';

/** By what the user may act: a condition on each record, or the action alone. */
export const ruleNames = ['row', 'actions'] as const;
export type RuleName = (typeof ruleNames)[number];

export const workNames = ['get', 'list', 'create', 'update', 'mix'] as const;
export type WorkName = (typeof workNames)[number];

export interface Extent {
  /** Of all orgs together. */
  readonly records: number;
  readonly orgs: number;
  /** Of the user: one allows the work, the others share single records with it by their paths. */
  readonly statements: number;
  /** For creates. */
  readonly events: number;
}

/** A user and the ids of its records. */
interface Share {
  readonly user: AppUser;
  readonly ids: readonly string[];
}

/** The calls of one kind of work, in random order over all orgs. */
export type Work = (name: WorkName, calls: number) => readonly Request[];

const entity = 'ticket';
const owners = 10;
const listed = 20;
const pageSize = 200;
const atOnce = 8;
const statementsOfPolicy = 50;

/** Founds and fills the orgs. @param event members of the contents of their events. */
export async function prepareWork(
  gateways: Gateways,
  rules: readonly RuleName[],
  extent: Extent,
  event: object = {},
): Promise<ReadonlyMap<RuleName, Work>> {
  const shares = new Map<RuleName, Share[]>(rules.map((rule) => [rule, []]));
  let left = extent.orgs;
  const worker = async (): Promise<void> => {
    while (left-- > 0)
      for (const [rule, share] of await filledOrg(gateways, rules, extent, event)) shares.get(rule)?.push(share);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return new Map([...shares].map(([rule, all]) => [rule, workOf(all)]));
}

async function filledOrg(
  gateways: Gateways,
  rules: readonly RuleName[],
  { records, orgs, statements, events }: Extent,
  event: object,
): Promise<readonly (readonly [RuleName, Share])[]> {
  const { org, founder } = await foundedOrg(gateways);
  const fields = [
    { name: 'title', validate: true, maxlength: 100 },
    { name: 'status', index: true },
    { name: 'amount', colType: 'number', validate: true, min: 0 },
    { name: 'note' },
    { name: 'user_id', colType: 'guid' },
  ];
  const owned = { ownerFieldName: 'user_id', gpkTemplate: 'org#{org};owner#{user_id}', gskTemplate: 'ticket#{id}' };
  await defineEntity(org, { ...definition(entity, fields), ownerIndexes: [{ ...owned, scopeList: true }] });
  const users: (readonly [RuleName, AppUser])[] = [];
  for (const rule of rules) {
    const user = await signIn(org);
    await leaveWith(founder, user, []);
    for (const policy of policiesOf(rule, statements)) await grant(founder, user, policy);
    users.push([rule, user]);
  }
  const count = Math.max(Math.ceil(records / orgs), owners * (listed + 1));
  const ownerAt = (index: number): string => users[index % owners]?.[1].id ?? guid(index % owners);
  await send(founder, `/import/${entity}`, rows(count, ownerAt));
  if (events > 0) await addEvents(org, events, event);
  return Promise.all(users.map(async ([rule, user]) => [rule, { user, ids: await idsOf(user) }] as const));
}

/** Where nothing listens, so that what they send waits. */
const nowhere = 'http://127.0.0.1:9/';

async function addEvents(org: Org, events: number, members: object): Promise<void> {
  await defineEntity(org, definition('other', [{ name: 'title' }]));
  for (let nr = 0; nr < events; nr++)
    await makeEvent(org, `on-create-${nr}`, nowhere, { entity_name: entity, ...members });
}

function policiesOf(rule: RuleName, count: number): readonly (readonly Statement[])[] {
  const actions = ['get', 'list', 'update', 'create'].map((verb) => `${verb}${entity}`);
  const own = { StringEquals: { 'record.user_id': '$' + '{user.id}' } };
  const all = Array.from({ length: count - 1 }, (_, index) =>
    allow(actions.slice(0, 3), `/*/${entity}/${guid(index)}`),
  );
  all.push(rule === 'row' ? withCondition(allow(actions), own) : allow(actions));
  return Array.from({ length: Math.ceil(count / statementsOfPolicy) }, (_, index) =>
    all.slice(index * statementsOfPolicy, (index + 1) * statementsOfPolicy),
  );
}

function guid(index: number): string {
  return `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;
}

function* rows(count: number, ownerAt: (index: number) => string): Generator<string> {
  yield 'title,status,amount,note,user_id\n';
  for (let index = 0; index < count; index++) {
    const { title, status, amount, note } = ticket(index);
    yield `${title},${status},${amount},${note},${ownerAt(index)}\n`;
  }
}

function ticket(index: number) {
  return {
    title: `Ticket number ${index}`,
    status: `status-${index % 5}`,
    amount: 100 + index / 4,
    note: 'Please leave it with the neighbours when no one answers the door.',
  };
}

async function idsOf(user: AppUser): Promise<readonly string[]> {
  const ids: string[] = [];
  let next: string | null = '';
  while (next !== null) {
    const page = await list(user, entity, `?pagesize=${pageSize}${next}`);
    ids.push(...page.items.map(({ id }) => id));
    next = page.nexttoken === null ? null : `&nexttoken=${encodeURIComponent(page.nexttoken)}`;
  }
  return ids;
}

type KindName = Exclude<WorkName, 'mix'>;

/** Of twenty calls of the mix. */
const mixed: readonly KindName[] = (['get', 'list', 'update', 'create'] as const).flatMap((kind, index) =>
  Array<KindName>([14, 3, 2, 1][index] ?? 0).fill(kind),
);

function workOf(shares: readonly Share[]): Work {
  const any = <Item>(items: readonly Item[]): Item => items[Math.floor(Math.random() * items.length)] as Item;
  const request = (kind: KindName): Request => {
    const { user, ids } = any(shares);
    const number = Math.floor(Math.random() * 1e6);
    const requests = {
      get: { method: 'GET', path: `/item/${entity}/${any(ids)}`, status: 200 },
      list: { method: 'GET', path: `/list/${entity}?pagesize=${listed}`, status: 200 },
      create: { method: 'POST', path: `/create/${entity}`, status: 201, body: JSON.stringify(ticket(number)) },
      update: { method: 'PUT', path: `/update/${entity}/${any(ids)}`, status: 200, body: `{"amount":${number}}` },
    } as const satisfies Record<KindName, Omit<Request, 'token'>>;
    const { path, ...rest } = requests[kind];
    const url = new URL(appUrl(user.org, path));
    return { ...rest, path: url.pathname + url.search, token: user.token };
  };
  return (name, calls) => Array.from({ length: calls }, () => request(name === 'mix' ? any(mixed) : name));
}
