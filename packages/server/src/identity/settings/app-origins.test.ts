import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createConfigReader } from '../../config/config-reader.ts';
import { openStore } from '../../store/open-store.ts';
import type { Environment } from '../../tenancy/workspace.ts';
import { orgs } from '../org-users/org-directory.ts';
import { type AppOrigins, createAppOrigins } from './app-origins.ts';
import { createOrgSettings, type OrgSettings } from './org-settings.ts';

const auditContext = { at: '', actor: { kind: 'org_user', id: 'builder' }, request_id: '' } as const;

const clock = { now: () => Date.UTC(2026, 10, 21, 9, 30) };
const local = 'http://localhost:3000';

interface Bench {
  readonly origins: AppOrigins;
  readonly settings: Readonly<Record<Environment, OrgSettings>>;
  /** Where pages of the origin may call, of all that can be asked for. */
  allows(orgCode: string, origin: string): Promise<readonly string[]>;
}

async function bench(...codes: readonly string[]): Promise<Bench> {
  const stores = await Promise.all(['platform', 'test', 'prod'].map(() => openStore({ kind: 'memory', clock })));
  const [platform, test, prod] = stores.map(({ store }) => store);
  assert.ok(platform !== undefined && test !== undefined && prod !== undefined);
  const scope = platform.scope('platform');
  for (const code of codes)
    await scope.commit([{ kind: 'put', ...orgs.key(code), value: JSON.stringify({ code }), if: 'absent' }]);
  const configs = {
    test: createConfigReader({ store: test, clock }),
    prod: createConfigReader({ store: prod, clock }),
  };
  const origins = createAppOrigins({ platform: scope, configs, clock });
  return {
    origins,
    settings: {
      test: createOrgSettings({ env: 'test', store: test, configs: configs.test, auditContext }),
      prod: createOrgSettings({ env: 'prod', store: prod, configs: configs.prod, auditContext }),
    },
    allows: async (orgCode, origin) => {
      const asked = [undefined, 'test', 'prod'] as const;
      const answers = await Promise.all(asked.map((env) => origins.isAllowed(orgCode, origin, env)));
      return asked.filter((_, index) => answers[index]).map(String);
    },
  };
}

function domains(value: readonly string[], prod_value?: readonly string[]): object {
  return { group: 'auth', name: 'allowed_domains', value, ...(prod_value === undefined ? {} : { prod_value }) };
}

test('before anything is settled, pages of localhost may call the test environment and no page production', async () => {
  const { allows, settings } = await bench('acme');
  assert.deepEqual(await allows('acme', local), ['undefined', 'test']);
  assert.deepEqual(await allows('acme', 'https://a.example'), []);
  const shown = await Promise.all([settings.test, settings.prod].map((one) => one.list('acme', 'auth')));
  assert.deepEqual(
    shown.map((items) => items.find(({ name }) => name === 'allowed_domains')?.value),
    [['http://localhost'], []],
  );
});

test('a call is held to the list of its own environment, and a preflight, which is of neither, to both', async () => {
  const { allows, settings } = await bench('acme');
  await settings.test.put('acme', domains(['https://test.example']));
  await settings.prod.put('acme', domains(['https://prod.example']));
  assert.deepEqual(await allows('acme', 'https://test.example'), ['undefined', 'test']);
  assert.deepEqual(await allows('acme', 'https://prod.example'), ['undefined', 'prod']);
  assert.deepEqual(await allows('acme', 'https://a.example'), []);
});

test('in production localhost counts only where that was said for production itself', async () => {
  const { allows, settings } = await bench('acme');
  await settings.prod.put('acme', domains(['localhost', 'a.example']));
  assert.deepEqual(await allows('acme', 'https://a.example'), ['undefined', 'prod']);
  assert.deepEqual(await allows('acme', local), ['undefined', 'test']);
  await settings.prod.put('acme', domains(['localhost', 'a.example'], ['localhost']));
  assert.deepEqual(await allows('acme', 'https://a.example'), []);
  assert.deepEqual(await allows('acme', local), ['undefined', 'test', 'prod']);
});

test('what is said for production changes nothing in test', async () => {
  const { allows, settings } = await bench('acme');
  await settings.test.put('acme', domains(['https://test.example'], ['https://prod.example']));
  assert.deepEqual(await allows('acme', 'https://test.example'), ['undefined', 'test']);
  assert.deepEqual(await allows('acme', 'https://prod.example'), []);
});

test('G07: what one org lets in another does not, and an unknown org lets in none', async () => {
  const { allows, settings } = await bench('acme', 'beta');
  await settings.test.put('acme', domains(['https://a.example']));
  assert.deepEqual(await allows('beta', 'https://a.example'), []);
  for (const code of ['absent', 'Acme', '', '__proto__']) assert.deepEqual(await allows(code, local), []);
});

test('who was refused is counted, the last one first', async () => {
  const { origins } = await bench('acme', 'beta');
  for (const origin of ['https://a.example', 'null', 'https://a.example', local])
    await origins.isAllowed('acme', origin, 'test');
  const last_at = '2026-11-21T09:30:00.000Z';
  assert.deepEqual(origins.refused('acme'), [
    { origin: 'https://a.example', count: 2, last_at },
    { origin: 'null', count: 1, last_at },
  ]);
  assert.deepEqual(origins.refused('beta'), []);
});

test('of those who were refused the last hundred are kept, of each org, and no endless text', async () => {
  const { origins } = await bench('acme', 'beta');
  await origins.isAllowed('beta', 'https://beta.example', 'test');
  await origins.isAllowed('acme', `https://${'a'.repeat(400)}.example`, 'test');
  for (let index = 0; index < 150; index++) await origins.isAllowed('acme', `https://a${index}.example`, 'test');
  const kept = origins.refused('acme').map(({ origin }) => origin);
  assert.deepEqual([kept.length, kept.at(0), kept.at(-1)], [100, 'https://a149.example', 'https://a50.example']);
  assert.equal(origins.refused('beta').length, 1);
});

test('G06: invented origins push out no origin that is refused again and again', async () => {
  const { origins } = await bench('acme');
  const real = ['https://app.example', 'https://admin.example'];
  const refuse = async (origin: string) => void (await origins.isAllowed('acme', origin, 'test'));
  const shown = () => origins.refused('acme').map(({ origin }) => origin);
  for (const origin of [...real, ...real]) await refuse(origin);
  for (let index = 0; index < 10_000; index++) await refuse(`https://invented-${index}.example`);
  assert.deepEqual(
    shown().filter((origin) => real.includes(origin)),
    real.toReversed(),
  );
  // One that is new finds a place all the same.
  await refuse('https://new.example');
  assert.equal(shown()[0], 'https://new.example');
  for (let index = 0; index < 50; index++) await refuse(`https://later-${index}.example`);
  assert.ok(shown().includes('https://new.example'));
  assert.equal(shown().length, 100);
});

test('C16: ten thousand orgs that do not exist leave nothing in memory, and ask for no configuration', async () => {
  const { origins, settings } = await bench('acme');
  await settings.test.put('acme', domains(['https://a.example']));
  await origins.isAllowed('acme', 'https://refused.example', 'test');
  for (let index = 0; index < 10_000; index++)
    assert.equal(await origins.isAllowed(`absent${index}`, 'https://a.example', undefined), false);
  assert.deepEqual(origins.refused('nobody0'), []);
  assert.equal(origins.refused('acme').length, 1);
  assert.equal(await origins.isAllowed('acme', 'https://a.example', 'test'), true);
});
