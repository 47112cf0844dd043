/** The expansions of lists and records, compared with the plainest reading of them: look at every record there is. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { storeKinds } from '../../store/testing/open-test-store.ts';
import { thinned } from '../../store/testing/quick.ts';
import { listQuery, type Node, openBench, user } from '../../testing/record-bench.ts';
import type { AuthorizedCall, CallerAccess } from '../caller-access.ts';
import { scopeToCaller } from '../listing/list-scope.ts';
import { newScan } from '../listing/walking/record-walk.ts';
import { presentationOf } from '../present-records.ts';
import type { RecordData } from '../record.ts';
import { type FieldNames, isReadable, type RecordPolicy } from '../record-policy.ts';
import { presentExpanded } from './expand-records.ts';
import { readExpand } from './expand-tree.ts';

const lookup = (name: string, entity: string) => {
  const id = { colType: 'guid', lookup: { entity, onDelete: 'setnull' as const } };
  return arrays.includes(name) ? { name, colType: 'array', items: id } : { name, ...id };
};

/** Some lookups are arrays. */
const arrays: readonly string[] = ['tag_ids', 'liker_ids'];

const references = {
  account: {},
  tag: { account_id: 'account' },
  customer: { account_id: 'account', boss_id: 'customer' },
  ticket: { customer_id: 'customer', parent_id: 'ticket', tag_ids: 'tag' },
  comment: { ticket_id: 'ticket', author_id: 'customer', liker_ids: 'customer' },
} as const;

type EntityName = keyof typeof references;
const entityNames = Object.keys(references) as EntityName[];

/** Comments are listed by their owner: some of them are another's. */
const another = user.replace(/.$/, '2');

async function define({ admin }: Node): Promise<void> {
  for (const entityName of entityNames) {
    const lookups = Object.entries(references[entityName]).map(([name, entity]) => lookup(name, entity));
    const owners = {
      ownerFieldName: 'owner_id',
      gpkTemplate: 'org#{org};o#{owner_id}',
      gskTemplate: '{id}',
      scopeList: true,
    };
    await admin.define('acme', {
      entityName,
      UpdateParams: [{ name: 'rank', colType: 'integer' }, { name: 'owner_id', colType: 'guid' }, ...lookups],
      ...(entityName === 'comment' ? { ownerIndexes: [owners] } : {}),
    });
  }
}

/** The way a caller may do one thing with the records of one entity. */
interface Rule {
  /** Records with these ranks, of ten; all ten are a refusal without looking. */
  readonly hidden: readonly number[];
  /** Fields that are hidden, and in records with which ranks. */
  readonly fields: readonly string[];
  readonly ranks: readonly number[];
}

/** By verb and entity. Without one everything is allowed. */
type Rules = Readonly<Record<string, Rule>>;

const rankOf = ({ rank }: RecordData): number => Number(rank) % 10;

function fieldsBy({ fields, ranks }: Rule, data: RecordData): FieldNames | undefined {
  return ranks.includes(rankOf(data)) ? { has: (name) => !fields.includes(name) } : undefined;
}

function policyOf(rule: Rule): RecordPolicy {
  const refuse = () => assert.fail('nothing is refused');
  return {
    isNone: rule.hidden.length === 10,
    judge: (data) => (rule.hidden.includes(rankOf(data)) ? undefined : { fields: fieldsBy(rule, data) }),
    steps: () => 0,
    sureFields: rule.ranks.length === 0 ? undefined : { has: (name) => !rule.fields.includes(name) },
    possibleFields: undefined,
    equalities: [],
    missing: refuse,
    denied: refuse,
  };
}

function accessBy(rules: Rules): CallerAccess {
  return {
    rows: ({ verb, entity }) => {
      const rule = rules[`${verb} ${entity.name}`];
      return rule === undefined ? undefined : policyOf(rule);
    },
    rowsOfBody: () => undefined,
    assertAllowed: () => undefined,
  };
}

/** All records, as they were created. */
type Everything = Readonly<Record<EntityName, readonly RecordData[]>>;

/** Some record of the entity that is referred to, by a number; none where there is none. */
type Link = (entityName: EntityName, at: number) => string | undefined;

async function fill(node: Node, seeds: readonly (readonly number[])[]): Promise<Everything> {
  const all: Record<EntityName, RecordData[]> = { account: [], tag: [], customer: [], ticket: [], comment: [] };
  const link: Link = (entityName, at) => all[entityName][at % (all[entityName].length + 1)]?.id;
  const shares = { account: 2, tag: 4, customer: 4, ticket: 3, comment: seeds.length - 13 };
  let next = 0;
  for (const entityName of entityNames)
    for (let count = 0; count < shares[entityName]; count++) {
      const [rank = 0, ...places] = seeds[next++] ?? [];
      const links = Object.entries(references[entityName]).flatMap(([name, target], index) => {
        const at = places[index] ?? 0;
        const id = link(target, at);
        if (!arrays.includes(name)) return id === undefined ? [] : [[name, id]];
        // In no order, and some of them twice.
        const ids = [id, ...places.map((one) => link(target, one + at))].filter((one) => one !== undefined);
        return at === 0 ? [] : [[name, ids]];
      });
      const body = { rank, owner_id: rank % 5 === 0 ? another : user, ...Object.fromEntries(links) };
      const { data, version } = await node.runtime.create(await node.call(entityName), body);
      all[entityName].push({ ...data, version });
    }
  return all;
}

/** The expansion of a page or a field, in the plainest way. */
class PlainExpand {
  readonly #all: Everything;
  readonly #rules: Rules;

  constructor(all: Everything, rules: Rules) {
    this.#all = all;
    this.#rules = rules;
  }

  /** A record as its reader sees it; undefined where it is not theirs. */
  seen(verb: 'get' | 'list', entityName: EntityName, data: RecordData): RecordData | undefined {
    const rule = this.#rules[`${verb} ${entityName}`];
    if (rule === undefined) return data;
    if (rule.hidden.includes(rankOf(data))) return undefined;
    const fields = fieldsBy(rule, data);
    return Object.fromEntries(Object.entries(data).filter(([name]) => isReadable(fields, name))) as RecordData;
  }

  list(entityName: EntityName, field: string, id: string): readonly RecordData[] {
    const rule = this.#rules[`list ${entityName}`];
    if (rule !== undefined && (rule.hidden.length === 10 || (rule.ranks.length > 0 && rule.fields.includes(field))))
      return [];
    return this.#all[entityName]
      .filter((data) => [data[field]].flat().includes(id) && (entityName !== 'comment' || data.owner_id === user))
      .flatMap((data) => this.seen('list', entityName, data) ?? [])
      .sort((a, b) => (a.id < b.id ? 1 : -1));
  }

  expanded(entityName: EntityName, seen: RecordData, paths: readonly string[]): object {
    const names = [...new Set(paths.map((path) => path.split('.')[0] ?? ''))];
    if (names.length === 0) return seen;
    const expand = names.flatMap((name) => {
      const inner = paths.flatMap((path) => (path.startsWith(`${name}.`) ? [path.slice(name.length + 1)] : []));
      const [from, field] = name.split('_via_');
      if (field !== undefined) {
        const found = this.list(from as EntityName, field, seen.id);
        const items = found.slice(0, 20).map((data) => this.expanded(from as EntityName, data, inner));
        return [[name, { items, nexttoken: found.length > 20 }]];
      }
      const id = seen[name];
      if (id === undefined) return [];
      const target = (references[entityName] as Readonly<Record<string, EntityName>>)[name] ?? 'account';
      const shownBy = (held: unknown): object | null => {
        const one = this.#all[target].find((data) => data.id === held);
        const shown = one && this.seen('get', target, one);
        return shown === undefined ? null : this.expanded(target, shown, inner);
      };
      return [[name, Array.isArray(id) ? id.map(shownBy) : shownBy(id)]];
    });
    return { ...seen, expand: Object.fromEntries(expand) };
  }
}

const paths: Readonly<Record<EntityName, readonly string[]>> = {
  account: [
    'customer_via_account_id',
    'customer_via_account_id.ticket_via_customer_id',
    'customer_via_account_id.boss_id',
    'tag_via_account_id.ticket_via_tag_ids',
  ],
  tag: ['account_id', 'ticket_via_tag_ids.customer_id', 'ticket_via_tag_ids.tag_ids'],
  customer: [
    'account_id',
    'boss_id.account_id',
    'customer_via_boss_id',
    'ticket_via_customer_id.comment_via_ticket_id',
    'comment_via_liker_ids.liker_ids',
  ],
  ticket: [
    'customer_id.account_id',
    'customer_id.comment_via_author_id',
    'comment_via_ticket_id.author_id',
    'ticket_via_parent_id',
    'parent_id.tag_ids',
    'tag_ids.account_id',
  ],
  comment: [
    'ticket_id.customer_id',
    'author_id',
    'liker_ids.boss_id',
    'liker_ids.comment_via_liker_ids',
    'ticket_id.comment_via_ticket_id',
  ],
};

const ranks = fc.uniqueArray(fc.nat(9), { maxLength: 4 });
const rule: fc.Arbitrary<Rule> = fc.record({
  hidden: fc.oneof({ weight: 4, arbitrary: ranks }, { weight: 1, arbitrary: fc.constant([...Array(10).keys()]) }),
  fields: fc.subarray(['customer_id', 'ticket_id', 'author_id', 'account_id', 'tag_ids', 'liker_ids', 'rank']),
  ranks,
});
const rules: fc.Arbitrary<Rules> = fc
  .uniqueArray(fc.tuple(fc.constantFrom('get', 'list'), fc.constantFrom(...entityNames), rule), {
    maxLength: 5,
    selector: ([verb, name]) => `${verb} ${name}`,
  })
  .map((ofAll) => Object.fromEntries(ofAll.map(([verb, name, one]) => [`${verb} ${name}`, one])));
const question = fc.constantFrom(...entityNames).chain((entityName) =>
  fc.record({
    entityName: fc.constant(entityName),
    requests: fc.subarray([...paths[entityName]], { minLength: 1 }),
    rules,
  }),
);
const seeds = fc.array(fc.array(fc.nat(9), { minLength: 3, maxLength: 3 }), { minLength: 90, maxLength: 150 });

for (const kind of storeKinds)
  test(`shows what the caller could get and list, and nothing else (${kind})`, async (context) => {
    const bench = await openBench(context, kind);
    await define(bench.node());
    let workspaces = 0;
    await fc.assert(
      fc.asyncProperty(seeds, fc.array(question, { minLength: 5, maxLength: 10 }), async (graph, questions) => {
        const workspace = bench.workspaceOf(`w${++workspaces}`);
        const plain = bench.node();
        const node: Node = { ...plain, call: (name, options) => plain.call(name, { workspace, ...options }) };
        const all = await fill(node, graph);
        for (const one of questions) await answersPlainly(node, all, one);
      }),
      { numRuns: thinned(kind === 'memory' ? 40 : 8), endOnFailure: true },
    );
  });

interface Question {
  readonly entityName: EntityName;
  readonly requests: readonly string[];
  readonly rules: Rules;
}

async function answersPlainly(node: Node, all: Everything, { entityName, requests, rules }: Question): Promise<void> {
  const expected = new PlainExpand(all, rules);
  const call: AuthorizedCall = { ...(await node.call(entityName)), access: accessBy(rules) };
  const expansions = await readExpand(call, requests.join(','));
  const presentation = presentationOf(call, 'get');
  const rule = rules[`get ${entityName}`];
  const rows = rule === undefined ? undefined : policyOf(rule);
  const seenOnes = all[entityName].flatMap((data) => expected.seen('get', entityName, data) ?? []);
  const items = await Promise.all(
    all[entityName]
      .filter((data) => rows === undefined || rows.judge(data) !== undefined)
      .map(async ({ id }) => (await node.runtime.get({ ...call, rows }, id)) ?? assert.fail('it is there')),
  );
  // However slow the store is.
  const scan = newScan(() => 0);
  const texts = await presentExpanded(node.runtime, call, { presentation, expansions, items, scan });
  assert.equal(texts.length, seenOnes.length);
  for (const [index, seen] of seenOnes.entries()) {
    const shown = await withPagesFollowed({ node, call, expected }, JSON.parse(texts[index] ?? ''));
    assert.deepEqual(shown, expected.expanded(entityName, seen, requests));
  }
}

interface Following {
  readonly node: Node;
  readonly call: AuthorizedCall;
  readonly expected: PlainExpand;
}

interface ShownRecord {
  readonly id: string;
  readonly expand?: Readonly<Record<string, ShownRecord | readonly (ShownRecord | null)[] | ShownPage | null>>;
}

interface ShownPage {
  readonly items: readonly ShownRecord[];
  readonly nexttoken: string | null;
}

/** Goes on from each page as a client does, finds the rest, and shows in place of its token whether there was any. */
async function withPagesFollowed(following: Following, shown: ShownRecord): Promise<object> {
  if (shown.expand === undefined) return shown;
  const members: (readonly [string, unknown])[] = [];
  for (const [name, value] of Object.entries(shown.expand)) {
    if (value === null) members.push([name, null]);
    else if (isList(value)) {
      const elements = [];
      for (const one of value) elements.push(one === null ? null : await withPagesFollowed(following, one));
      members.push([name, elements]);
    } else if ('id' in value) members.push([name, await withPagesFollowed(following, value)]);
    else {
      const items = [];
      for (const item of value.items) items.push(await withPagesFollowed(following, item));
      const rest = await restOf(following, { holder: shown.id, name, page: value });
      members.push([name, { ...value, items, nexttoken: rest.length > 0 }]);
    }
  }
  return { ...shown, expand: Object.fromEntries(members) };
}

function isList(value: object): value is readonly (ShownRecord | null)[] {
  return Array.isArray(value);
}

interface HeldPage {
  readonly holder: string;
  readonly name: string;
  readonly page: ShownPage;
}

async function restOf(
  { node, call, expected }: Following,
  { holder, name, page }: HeldPage,
): Promise<readonly string[]> {
  const [from = '', field = ''] = name.split('_via_');
  const ofOthers = await node.call(from);
  const rows = call.access.rows({ verb: 'list', entity: ofOthers.entity });
  const listing = { ...ofOthers, access: call.access, rows };
  const operator = arrays.includes(field) ? { [`${field}_op`]: 'contains' } : {};
  const rest: string[] = [];
  let { nexttoken } = page;
  while (nexttoken !== null) {
    const query = scopeToCaller(listing, listQuery(listing, { [field]: holder, ...operator, nexttoken }));
    const more = await node.runtime.list(listing, query);
    rest.push(...more.items.map(({ value }) => (JSON.parse(value) as RecordData).id));
    nexttoken = more.nexttoken;
  }
  const all = expected.list(from as EntityName, field, holder).map(({ id }) => id);
  assert.deepEqual([...page.items.map(({ id }) => id), ...rest], all);
  return rest;
}
