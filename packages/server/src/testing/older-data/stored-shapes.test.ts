/** What is stored keeps its shape, or the data has another version. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { isOfAudit } from '../../audit/audit-entry.ts';
import { systemClock } from '../../lib/clock.ts';
import { loadSecrets } from '../../people/secrets.ts';
import { createSecretsInMemory } from '../../people/testing/secrets-in-memory.ts';
import { dataVersion } from '../../store/data-version.ts';
import { startFaultyPlatform } from '../faults/faulty-platform.ts';
import { type Fixture, setUpFixture } from '../faults/fixture.ts';
import { everyFlow } from '../faults/flows/every-flow.ts';
import { fill } from './fill.ts';
import { noteChained, noteChange, type Shapes, shapeOf, textOf } from './stored-shape.ts';

const shapes: Shapes = new Map();
const { fetch } = globalThis;
/** Work that a call has woken comes to its end before the next call, so that each state in which it leaves data is seen. */
globalThis.fetch = async (...args) => {
  const answer = await fetch(...args);
  await platform.rest();
  return answer;
};

const platform = await startFaultyPlatform((changes, place) => {
  for (const change of changes) noteChange(shapes, place, change);
});
let isClosed = false;
after(async () => {
  if (!isClosed) await platform.close();
});

async function storeEverything(): Promise<void> {
  await platform.register();
  await fill(platform, platform.now);
  await platform.settle();
  const fixture = await setUpFixture(platform);
  // A test of the flows sees to it that each writing route has one.
  for (const flow of everyFlow) {
    const { send, check } = await flow.prepare(fixture);
    await send();
    await platform.settle();
    await check();
  }
  await recordDecisions(fixture);
  for (const [space, { maintenance }] of Object.entries(platform.stores))
    for (const { name: scope } of await maintenance.scopes(undefined, 1000))
      for (const item of await maintenance.scan(scope, undefined, 10_000))
        if (isOfAudit(item)) noteChained(shapes, { space, scope }, { ...item, sk: item.sk.replace(/^[\d-]+$/, '+') });
  // What it has recorded of decisions is stored when it ends.
  isClosed = true;
  await platform.close();
}

/** Of calls whose statements ask for the call, and of a statement that is only reported: they are stored when they are asked for. */
async function recordDecisions({ act, org, founder }: Fixture): Promise<void> {
  const all = { Action: ['countorder'], Resource: ['*'] };
  const statements = [
    { Sid: 'Try', Effect: 'Deny', ...all, Mode: 'report' },
    { Effect: 'Deny', ...all, Condition: { StringEquals: { 'request.queryParameters.code': 'none' } } },
  ];
  const policy = await act('POST', '/create/aclpolicy', { name: 'tried', statements });
  const link = { user_id: founder.id, acl_policy_id: policy.body.id };
  assert.equal((await act('POST', '/create/useraclpolicy', link)).status, 201);
  const headers = { origin: 'http://localhost:3000' };
  assert.equal((await act('GET', '/count/order?code=one', undefined, headers)).status, 200);
  const policies = [
    { Sid: 'All', Effect: 'Allow', Action: ['*'], Resource: ['*'] },
    { Sid: 'Try', Effect: 'Deny', Action: ['*'], Resource: ['*'], Mode: 'report' },
  ];
  const content = { name: 'tries', steps: [{ id: 'all', type: 'list', entity: 'order' }], run_as: 'app', policies };
  assert.equal((await org.manage('POST', '/config/logicblock', { name: 'tries', content })).status, 201);
  const ran = await act('POST', '/logicblocks/tries', {});
  assert.equal(ran.status, 200, JSON.stringify(ran.body));
  assert.equal((await org.manage('GET', '/acl/reported?tenant_code=main')).status, 200);
}

const path = join(import.meta.dirname, 'shapes.txt');

test('everything that is stored has the shape that is written down for the version of the data', async () => {
  await storeEverything();
  const secrets = shapeOf(await loadSecrets(createSecretsInMemory(), systemClock));
  const found = `data version ${dataVersion}\n${textOf(shapes)}secrets = ${secrets}\n`;
  if (found === readFileSync(path, 'utf8')) return;
  const aside = join(mkdtempSync(join(tmpdir(), 'freehold-shapes-')), 'shapes.txt');
  writeFileSync(aside, found);
  const [was, is] = [readFileSync(path, 'utf8').split('\n'), found.split('\n')];
  const gone = was.filter((line) => !is.includes(line)).map((line) => `- ${line}`);
  const come = is.filter((line) => !was.includes(line)).map((line) => `+ ${line}`);
  assert.fail(
    `data of version ${dataVersion} has another shape than what is stored. Where the code has changed: raise the version, add a ` +
      'migration, and make the data as it was a fixture (testing/older-data/README.md). Where only the flows store more, nothing ' +
      `of that is needed. Then put ${aside} in the place of shapes.txt\n${[...gone, ...come].join('\n')}`,
  );
});

/** Partitions in the table of keys, as the architecture tells of them. */
function documentedPartitions(): readonly string[] {
  const text = readFileSync(join(import.meta.dirname, '..', '..', '..', '..', '..', 'docs', 'architecture.md'), 'utf8');
  const table = /## Keys\n(.*?)\n## /s.exec(text)?.[1] ?? '';
  const cells = table.split('\n').flatMap((line) => line.split('|')[2] ?? []);
  return cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name));
}

test('the flows store something in each partition that the table of keys tells of', () => {
  const reported = documentedPartitions();
  assert.ok(reported.length > 50, String(reported.length));
  const stored = [...shapes.keys()].map((name) => name.split(' | ')[1] ?? '');
  const openingText = (name: string) => name.split(/[;#{…]/)[0] ?? '';
  const missing = reported.filter((name) => !stored.some((pk) => pk.startsWith(openingText(name))));
  assert.deepEqual(missing.toSorted(), unstored);
});

/** Those of deliveries that wait, and of alerts about a plan: no flow leaves one. */
const unstored = ['event-done', 'event-text', 'held;{event}', 'plan-alert'];
