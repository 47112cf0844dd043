import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { systemClock as clock } from '../../../lib/clock.ts';
import type { OpenedStore } from '../../port.ts';
import { everythingOf } from '../../testing/conformance/store-contents.ts';
import { openStore } from '../../testing/open-store.ts';
import { startTestServer, type TestServer, whyNot } from '../testing/test-server.ts';

const program = join(import.meta.dirname, '..', '..', '..', 'commands', 'copy.ts');
const spaces = ['platform', 'test', 'prod'] as const;
const masterKey = randomBytes(32).toString('hex');
const secrets = { cursor_key: Buffer.alloc(32, 7).toString('base64url') };

interface CommandResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

describe('a platform that is copied between folders and PostgreSQL', { skip: whyNot }, () => {
  const root = mkdtempSync(join(tmpdir(), 'freehold-copy-'));
  let owner: TestServer;
  let server: TestServer;
  before(async () => {
    owner = await startTestServer();
    server = await owner.database('');
  });
  after(async () => {
    await server.stop();
    await owner.stop();
    rmSync(root, { recursive: true });
  });

  const inDatabase = (schema: string) => `${server.url}?schema=${schema}`;

  function copy(from: string, to: string, key: string | undefined = masterKey): Promise<CommandResult> {
    const env = { FROM: from, TO: to, ...(key === '' ? {} : { FREEHOLD_MASTER_KEY: key }) };
    return new Promise((resolve) => {
      const child = execFile(
        process.execPath,
        [program, '--from', 'env:FROM', '--to', 'env:TO'],
        { env },
        (_, stdout, stderr) => resolve({ code: child.exitCode ?? -1, stdout, stderr }),
      );
    });
  }

  async function using<T>(url: string, space: (typeof spaces)[number], work: (opened: OpenedStore) => Promise<T>) {
    const folder = /^sqlite:(.*)$/.exec(url)?.[1];
    const onFatal = (error: unknown) => assert.fail(String(error));
    const opened = await openStore(
      folder === undefined
        ? { kind: 'postgres', url, space, clock }
        : { kind: 'sqlite', path: join(folder, `${space}.db`), clock, onFatal },
    );
    try {
      return await work(opened);
    } finally {
      await opened.store.close();
    }
  }

  /** Everything but what lies under the secrets' own key, which a folder does not have. */
  async function contentsOf(url: string) {
    const all = [];
    for (const space of spaces)
      all.push(
        await using(url, space, async ({ maintenance }) => {
          const { items, ...rest } = await everythingOf(maintenance);
          return { ...rest, items: items.map((each) => each.filter(({ sk }) => sk !== 'secrets')) };
        }),
      );
    return all;
  }

  /** A folder with something in each store, of a platform that people have signed up to. */
  async function folder(name: string): Promise<string> {
    const path = join(root, name);
    mkdirSync(path);
    for (const space of spaces)
      await using(`sqlite:${path}`, space, async ({ store }) => {
        await store.scope('platform').commit([{ kind: 'put', pk: 'p', sk: space, value: 'é😀', if: 'any' }]);
        const target = { pk: 'p', sk: space };
        await store.scope('platform').commit([{ kind: 'put-index', pk: 'index#i', sk: 'k', target }]);
      });
    writeFileSync(join(path, 'secrets.json'), JSON.stringify(secrets), { mode: 0o600 });
    return `sqlite:${path}`;
  }

  test('holds the same everywhere it has been, is found complete when it is copied again, and back in a folder has its secrets', async () => {
    const home = join(root, 'home');
    const stations = [await folder('away'), inDatabase('one'), inDatabase('two'), `sqlite:${home}`];
    const [first = ''] = stations;
    const expected = await contentsOf(first);
    for (const [index, to] of stations.slice(1).entries()) {
      const from = stations[index] ?? '';
      for (const reported of [/\ndone: the target holds/, /\nalready complete: the target holds/]) {
        const { code, stdout, stderr } = await copy(from, to);
        assert.deepEqual([code, stderr], [0, '']);
        assert.match(stdout, reported);
      }
      assert.deepEqual(await contentsOf(to), expected);
    }
    assert.deepEqual(JSON.parse(readFileSync(join(home, 'secrets.json'), 'utf8')), secrets);
    const [kept] = await server.run(`select value from one_platform.items where sk = 'secrets'`);
    assert.match(String(kept?.value), /^\{"sealed":"/);
  });

  test('is refused with another master key or with none, on either side, and no sentence holds one', async () => {
    const from = await folder('sealed');
    assert.equal((await copy(from, inDatabase('sealed'))).code, 0);
    const whole = await contentsOf(inDatabase('sealed'));
    const wrong = randomBytes(32).toString('hex');
    const elsewhere = `sqlite:${join(root, 'unsealed')}`;
    for (const [key, expected] of [
      [wrong, /the secrets in the store do not open with FREEHOLD_MASTER_KEY/],
      ['', /the secrets in the store are encrypted: set FREEHOLD_MASTER_KEY/],
    ] as const)
      for (const [source, target] of [
        [from, inDatabase('sealed')],
        [inDatabase('sealed'), elsewhere],
        [inDatabase('sealed'), inDatabase('nowhere')],
      ] as const) {
        const { code, stderr } = await copy(source, target, key);
        assert.equal(code, 2);
        assert.match(stderr, expected);
        assert.ok(![masterKey, server.url, wrong].some((secret) => stderr.includes(secret)));
      }
    assert.deepEqual(await contentsOf(inDatabase('sealed')), whole);
  });

  test('is not copied over a platform that has run meanwhile, and not from half a copy', async () => {
    const from = await folder('used');
    assert.equal((await copy(from, inDatabase('used'))).code, 0);
    await using(inDatabase('used'), 'platform', ({ store }) =>
      store.scope('platform').commit([{ kind: 'append', pk: 'audit', value: '1' }]),
    );
    const over = await copy(from, inDatabase('used'));
    assert.deepEqual([over.code, over.stdout], [2, '']);
    assert.match(over.stderr, /the target holds something else in `platform`: copy into an empty store/);
    await using(inDatabase('half'), 'platform', ({ maintenance }) =>
      maintenance.load({ name: 'platform', seq: 0, state: 'closed' }, []),
    );
    const half = await copy(inDatabase('half'), `sqlite:${join(root, 'of-half')}`);
    assert.match(half.stderr, /the source is a copy that was cut off/);
  });
});
