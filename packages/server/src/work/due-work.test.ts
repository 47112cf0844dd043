import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openStore } from '../store/testing/open-store.ts';
import { type DueWork, handlingDue, passesAtOnce } from './due-work.ts';
import { WorkQueue } from './work-queue.ts';

/** Two environments with due work in them, and a runner that the test wakes. */
async function workplace() {
  let now = 1_800_000_000_000;
  const clock = { now: () => now };
  const spaces = {
    test: await openStore({ kind: 'memory', clock }),
    prod: await openStore({ kind: 'memory', clock }),
  };
  const errors: unknown[] = [];
  const started: DueWork[] = [];
  const gates = new Map<string, PromiseWithResolvers<void>>();
  const run = (handler?: (work: DueWork) => Promise<void>) => {
    const wait = async (work: DueWork): Promise<void> => {
      started.push(work);
      const gate = Promise.withResolvers<void>();
      gates.set(work.item.sk, gate);
      await gate.promise;
      const { pk, sk } = work.item;
      await work.scope.commit([{ kind: 'remove', pk, sk, if: 'any' }]);
    };
    const pass = handler ?? wait;
    const onError = (error: unknown) => errors.push(error);
    const both = (['test', 'prod'] as const).map((env) => ({ env, ...spaces[env] }));
    const queue = new WorkQueue({ queue: 'automation', spaces: both, clock, onError, atOnce: passesAtOnce });
    const jobs = [
      { name: 'visit', run: pass },
      { name: 'deliver', run: pass, isDelivery: true },
    ] as const;
    queue.begin(handlingDue(jobs, { clock, onError }));
    return queue;
  };
  const give = (
    scope: string,
    name: string,
    { env = 'test', job = 'visit' }: { env?: 'test' | 'prod'; job?: string } = {},
  ) => {
    const due = { at: now, queue: 'automation' } as const;
    const value = JSON.stringify({ job });
    return spaces[env].store.scope(scope).commit([{ kind: 'put', pk: 'due', sk: name, value, if: 'any', due }]);
  };
  const due = async () => (await spaces.test.maintenance.due('automation', now, 1000)).map(({ item }) => item.sk);
  const names = () => started.map(({ item }) => item.sk);
  const end = (name: string) => gates.get(name)?.resolve();
  return {
    spaces,
    errors,
    started,
    names,
    run,
    give,
    due,
    end,
    advance: (milliseconds: number) => (now += milliseconds),
  };
}

/** Waits, a turn of the event loop at a time, until something has come true. */
async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  for (let turns = 0; turns < 1000; turns++) {
    if (await isTrue()) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.fail('it did not come true');
}

async function settle(): Promise<void> {
  for (let turns = 0; turns < 20; turns++) await new Promise((resolve) => setImmediate(resolve));
}

test('K14: whose work it is, the scope alone says', async () => {
  const { spaces, started, run, end } = await workplace();
  const value = JSON.stringify({ job: 'visit', org: 'other', orgCode: 'other', tenantCode: 'other', env: 'prod' });
  const due = { at: 0, queue: 'automation' } as const;
  await spaces.test.store.scope('org#acme-main').commit([{ kind: 'put', pk: 'due', sk: 'a', value, if: 'any', due }]);
  await spaces.prod.store.scope('org#acme').commit([{ kind: 'put', pk: 'due', sk: 'b', value, if: 'any', due }]);
  const runner = run();
  runner.wake();
  await until(() => started.length === 2);
  const places = started.map(({ env, orgCode, tenantCode, scope }) => [env, orgCode, tenantCode, scope.name]);
  assert.deepEqual(places, [
    ['test', 'acme', 'main', 'org#acme-main'],
    ['prod', 'acme', undefined, 'org#acme'],
  ]);
  end('a');
  end('b');
  await runner.close();
});

test('an org has eight visits at a time, and others begin beside them', async () => {
  const { run, give, names, started, due, end, advance, errors } = await workplace();
  for (let index = 0; index < 30; index++) await give('org#slow-main', `slow${String(index).padStart(2, '0')}`);
  await give('org#quick-main', 'quick');
  const runner = run();
  runner.wake();
  await until(() => names().includes('quick'));
  await settle();
  assert.equal(started.length, 9);
  // Waiting work is not looked at again and again.
  assert.equal((await due()).length, 9);
  for (const name of names()) end(name);
  await until(async () => (await due()).length === 0);
  advance(1000);
  runner.wake();
  await until(() => started.length === 17);
  for (const name of names()) end(name);
  for (let turns = 0; turns < 3; turns++) {
    await settle();
    advance(1000);
    runner.wake();
    await settle();
    for (const name of names()) end(name);
  }
  await until(() => started.length === 31);
  await runner.close();
  assert.deepEqual([new Set(names()).size, errors], [31, []]);
});

test('deliveries of an org that do not end hold up nothing else of it', async () => {
  const { run, give, started, names, end } = await workplace();
  for (let index = 0; index < 12; index++) await give('org#acme-main', `deliver${index}`, { job: 'deliver' });
  for (let index = 0; index < 12; index++) await give('org#acme-other', `run${index}`);
  const runner = run();
  runner.wake();
  await until(() => started.length === 16);
  await settle();
  assert.equal(started.length, 16);
  assert.equal(names().filter((name) => name.startsWith('run')).length, 8);
  const closing = runner.close();
  for (const name of names()) end(name);
  await closing;
});

test('a node has 256 visits at a time, and goes on when one ends', async () => {
  const { run, give, started, names, end } = await workplace();
  for (let org = 0; org < 33; org++)
    for (let index = 0; index < 8; index++) await give(`org#org${org}-main`, `${org}.${index}`);
  const runner = run();
  runner.wake();
  await until(() => started.length === 256);
  await settle();
  assert.equal(started.length, 256);
  end(names()[0] ?? '');
  await until(() => started.length === 257);
  const closing = runner.close();
  for (const name of names()) end(name);
  await closing;
  assert.equal(started.length, 257);
});

test('what fails is reported and visited again later, and what cannot be done keeps nothing from being done', async () => {
  const { spaces, run, give, errors, due, advance } = await workplace();
  await give('org#acme-main', 'bad');
  await give('org#acme-main', 'unknown', { job: 'of-a-newer-release' });
  await give('org#gone-main', 'closed');
  await spaces.test.maintenance.setState('org#gone-main', 'closed');
  const handled: string[] = [];
  const runner = run(async ({ scope, item: { pk, sk } }) => {
    handled.push(sk);
    if (sk === 'bad' && handled.length < 3) throw new Error('broken');
    await scope.commit([{ kind: 'remove', pk, sk, if: 'any' }]);
  });
  runner.wake();
  await until(() => errors.length === 1);
  await until(async () => !(await due()).includes('bad'));
  assert.match(String(errors[0]), /broken/);
  await give('org#acme-main', 'good');
  runner.wake();
  await until(async () => !(await due()).includes('good'));
  assert.deepEqual((await due()).toSorted(), ['closed', 'unknown']);
  advance(5000);
  runner.wake();
  await until(() => handled.filter((name) => name === 'bad').length === 2);
  await runner.close();
  assert.deepEqual(handled.toSorted(), ['bad', 'bad', 'closed', 'good']);
  assert.equal(errors.length, 1);
});
