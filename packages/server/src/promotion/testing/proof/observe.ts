/** The way things are, read from everything that the stores hold and by nothing that the platform reads with. */
import assert from 'node:assert/strict';
import { type Environment, orgScopeName } from '../../../tenancy/workspace.ts';
import type { Contents, ModelState, Past } from './model-state.ts';
import { org, type TwoSpaces } from './two-spaces.ts';

type Rows = ReadonlyMap<string, ReadonlyMap<string, string>>;

export async function observe(spaces: TwoSpaces): Promise<ModelState> {
  const test = liveIn(await rowsOf(spaces, 'test'));
  const rows = await rowsOf(spaces, 'prod');
  const prod = liveIn(rows);
  const { live = 0, version = 0 } = parse(rows.get('deploy')?.get('current'));
  const past = pastOf(rows);
  assert.equal(version, past.length, 'the latest release is the noted one');
  const entities = [...(rows.get('entity') ?? [])].map(([name, value]) => ({ name, ...parse(value) }));
  const named = (state: string) => new Set(entities.filter((one) => one.state === state).map(({ name }) => name));
  assert.deepEqual([...named('active')].map((name) => `entity#${name}`).sort(), namesOf(prod), 'who is served');
  return { test, prod, staged: stagedIn(rows), past, live, retired: named('retired'), removing: named('removing') };
}

function namesOf(contents: Contents): readonly string[] {
  return [...contents.keys()].filter((key) => key.startsWith('entity#')).sort();
}

async function rowsOf({ opened }: TwoSpaces, env: Environment): Promise<Rows> {
  const rows = new Map<string, Map<string, string>>();
  for (const { pk, sk, value } of await opened[env].maintenance.scan(orgScopeName(org), undefined, 100_000)) {
    const partition = rows.get(pk) ?? new Map<string, string>();
    rows.set(pk, partition.set(sk, value));
  }
  return rows;
}

/** The members that the tests read of rows of all sorts. */
interface Row {
  readonly version?: number;
  readonly live?: number;
  readonly state?: string;
  readonly change?: string;
  readonly body?: number;
  readonly action?: Past['action'];
  readonly items?: readonly {
    readonly kind: string;
    readonly name: string;
    readonly change: string;
    readonly before?: number;
    readonly after?: number;
  }[];
  readonly restored?: number;
  readonly previous?: number;
}

function parse(value: string | undefined): Row {
  return value === undefined ? {} : (JSON.parse(value) as Row);
}

const apis = ['create', 'get', 'list', 'update', 'delete'];

/** A content under the versions of its parts; what is missing is a fault. */
function contentOf(rows: Rows, key: string, versionOf: (part: string) => number): string {
  const name = key.slice(key.indexOf('#') + 1);
  const parts = key.startsWith('entity#') ? apis.map((api) => `apiname#${api}-${name}`) : [key];
  const bodies = parts.map((part) => {
    const body = rows.get('config;versions')?.get(`${part};version#${versionOf(part)}`);
    assert.ok(body !== undefined, `${part} has no body under ${versionOf(part)}`);
    return JSON.parse(body) as unknown;
  });
  return textOf(bodies.length === 1 ? bodies[0] : bodies);
}

/** The same text for the same content, in whatever order its members stand. */
export function textOf(content: unknown): string {
  return JSON.stringify(content, (_, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1)))
      : value,
  );
}

function liveIn(rows: Rows): Contents {
  const pointers = rows.get('config;active') ?? new Map<string, string>();
  const active = (part: string): number => parse(pointers.get(`${part};version#active`)).version ?? 0;
  const keys = [...pointers.keys()].map((sk) =>
    sk.replace(/;version#active$/, '').replace(/^apiname#[a-z]+-/, 'entity#'),
  );
  const stored = [...new Set(keys)].map((key) => [key, contentOf(rows, key, active)] as const);
  const settings = [...(rows.get('config;settings') ?? [])].map(([name, value]) => {
    const { version = 0, ...content } = parse(value);
    assert.equal(
      contentOf(rows, `settings#${name}`, () => version),
      textOf(content),
      'a setting is what its body is',
    );
    return [`settings#${name}`, textOf(content)] as const;
  });
  return new Map([...stored, ...settings].sort(([left], [right]) => (left < right ? -1 : 1)));
}

function stagedIn(rows: Rows): ModelState['staged'] {
  return new Map(
    [...(rows.get('deploy;staged') ?? [])].map(([key, value]) => {
      const { change, body = 0 } = parse(value);
      return [key, change === 'remove' ? undefined : contentOf(rows, key, () => body)] as const;
    }),
  );
}

function pastOf(rows: Rows): readonly Past[] {
  const snapshots = rows.get('deploy;snapshots') ?? new Map<string, string>();
  const releases = [...(rows.get('deploy;releases') ?? [])];
  const past = releases.map(([sk, value], index): Past => {
    const { version, action = 'activate', items = [], restored, previous } = parse(value);
    assert.deepEqual([version, Number(sk)], [index + 1, index + 1], 'releases follow one another');
    const changes = items.map(({ kind, name, change, before, after }) => {
      const key = `${kind}#${name}`;
      const reported = before === undefined ? 'added' : after === undefined ? 'removed' : 'modified';
      assert.equal(change, reported, `the answer about ${key} in release ${version}`);
      const content = (one: number | undefined) => (one === undefined ? one : contentOf(rows, key, () => one));
      return [key, { before: content(before), after: content(after) }] as const;
    });
    return { action, items: new Map(changes), restored, previous, contents: snapshotOf(rows, snapshots.get(sk)) };
  });
  const made = past.filter(({ contents }) => contents !== undefined).length;
  assert.equal(snapshots.size, made, 'a snapshot goes with its release');
  return past;
}

function snapshotOf(rows: Rows, value: string | undefined): Contents | undefined {
  if (value === undefined) return undefined;
  const bodies = Object.entries(JSON.parse(value) as Record<string, number>);
  return new Map(bodies.map(([key, version]) => [key, contentOf(rows, key, () => version)]));
}
