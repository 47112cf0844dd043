import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CallTrace } from '../gateway/call-trace.ts';
import { systemClock } from '../lib/clock.ts';
import { createErrorLog, type ShownError } from './error-log.ts';
import { createErrorNotes, noRequest } from './note-errors.ts';

const fault = { name: 'Error', code: null, message: 'x', place: null };
const failed = { ...noRequest, kind: 'request', status: 500, problem: 'internal_error', job: null, fault } as const;
const all = { requestId: undefined, pageSize: 100, nexttoken: undefined };

function each(log: ReturnType<typeof createErrorLog>): readonly ShownError[] {
  const items: ShownError[] = [];
  for (let nexttoken: string | undefined; ; ) {
    const page = log.list({ ...all, nexttoken });
    items.push(...page.items);
    if (page.nexttoken === null) return items;
    nexttoken = page.nexttoken;
  }
}

test('the last 500 of each kind are kept, and others are counted', () => {
  const log = createErrorLog(systemClock);
  for (let id = 0; id < 600; id++) log.add({ ...failed, request_id: `f${id}` });
  for (let id = 0; id < 2000; id++) log.add({ ...failed, request_id: `u${id}`, status: 503, problem: 'unavailable' });
  for (let id = 0; id < 700; id++) log.add({ ...noRequest, job: `j${id}`, fault });
  const ids = each(log).map(({ request_id, job }) => request_id ?? job);
  const lastOf = (kind: string, count: number) => Array.from({ length: 500 }, (_, at) => `${kind}${count - 1 - at}`);
  assert.deepEqual(ids, [...lastOf('j', 700), ...lastOf('u', 2000), ...lastOf('f', 600)]);
  assert.equal(log.list(all).dropped, 1800);
  assert.ok(each(log).every(({ times, at, first_at }) => times === 1 && at === first_at));
  assert.equal(log.list({ ...all, requestId: 'f599' }).items.length, 1);
  assert.equal(log.list({ ...all, requestId: 'f99' }).items.length, 0);
});

test('the same work that fails by the same fault is one entry, with a count, its first and its last time', () => {
  let now = 0;
  const log = createErrorLog({ ...systemClock, now: () => now });
  log.add({ ...failed, request_id: 'a request' });
  for (now = 1; now <= 1000; now++) for (const job of ['usage', 'jobs']) log.add({ ...noRequest, job, fault });
  log.add({ ...noRequest, job: 'usage', fault: { ...fault, code: 'ENOSPC' } });
  log.add({ ...noRequest, job: 'usage', fault });
  const time = (milliseconds: number) => new Date(milliseconds).toISOString();
  assert.deepEqual(
    each(log).map(({ job, fault, times, first_at, at }) => [job, fault?.code, times, first_at, at]),
    [
      ['usage', null, 1001, time(1), time(1001)],
      ['usage', 'ENOSPC', 1, time(1001), time(1001)],
      ['jobs', null, 1000, time(1), time(1000)],
      [null, null, 1, time(0), time(0)],
    ],
  );
  assert.equal(log.list(all).dropped, 0);
  const { nexttoken } = log.list({ ...all, pageSize: 1 });
  assert.equal(log.list({ ...all, nexttoken: nexttoken ?? '' }).items.length, 3);
  // Each of the errors that an entry represents is counted when the entry goes.
  for (let id = 0; id < 500; id++) log.add({ ...noRequest, job: `j${id}`, fault });
  assert.equal(log.list(all).dropped, 2002);
});

test('an entry has a bound, whatever was sent or said', () => {
  const log = createErrorLog(systemClock);
  const long = 'a\ud83d\ude00'.repeat(100_000);
  const texts = { request_id: long, method: long, route: long, problem: long, org: long, job: long };
  log.add({ ...failed, ...texts, fault: { name: long, code: long, message: long, place: long } });
  const [error] = log.list(all).items;
  assert.ok(JSON.stringify(error).length < 3000);
  assert.ok(JSON.stringify(error).isWellFormed());
});

test('a cursor of another node, or of an earlier start, is refused', () => {
  const log = createErrorLog({ ...systemClock, now: () => 1000 });
  for (let id = 0; id < 3; id++) log.add(failed);
  const { nexttoken } = log.list({ ...all, pageSize: 2 });
  assert.equal(log.list({ ...all, nexttoken: nexttoken ?? '' }).items.length, 1);
  const other = createErrorLog({ ...systemClock, now: () => 2000 });
  for (const token of [nexttoken ?? '', '', '1000-', 'x', `${'9'.repeat(20)}-1`])
    assert.throws(() => other.list({ ...all, nexttoken: token }), { code: 'invalid_cursor' });
});

const trace: CallTrace = {
  ...{ requestId: 'r', method: 'GET', target: '/secret?a=b', startedAt: 0, route: '/x/:id', org: 'acme', env: 'test' },
  ...{ principal: 'p', builder: undefined, traceId: undefined, problem: undefined, replyHeaders: undefined },
  compressed: undefined,
};
const end = { isWhole: true, milliseconds: 1 };

test('a call that failed is noted before its answer leaves, with the fault that it met, and once', () => {
  const log = createErrorLog(systemClock);
  const notes = createErrorNotes(log);
  const faults: unknown[] = [];
  const onFault = notes.noting((error) => faults.push(error));
  const { answering, ended } = notes.callsOf('app');
  answering(trace, 200);
  answering({ ...trace, problem: 'not_found' }, 404);
  answering({ ...trace, route: '/readyz', problem: 'unavailable' }, 503);
  assert.deepEqual(each(log), []);
  const error = new Error('the disk is full');
  onFault(error, 'r');
  answering({ ...trace, requestId: 'other' }, 200);
  assert.deepEqual([faults, each(log)], [[error], []]);
  answering(trace, 500);
  ended(trace, { ...end, status: 500 });
  const [noted, ...others] = each(log);
  assert.deepEqual(others, []);
  assert.deepEqual([noted?.route, noted?.org, noted?.status], ['/x/:id', 'acme', 500]);
  assert.equal(noted?.fault?.message, 'the disk is full');
  assert.ok(!JSON.stringify(noted).includes('secret'));
  answering({ ...trace, problem: 'unavailable' }, 503);
  assert.deepEqual([each(log)[0]?.problem, each(log)[0]?.fault], ['unavailable', null]);
});

test('a call whose answer was cut off, or never came, is noted at its end', () => {
  for (const status of [200, undefined]) {
    const log = createErrorLog(systemClock);
    const notes = createErrorNotes(log);
    const { answering, ended } = notes.callsOf('app');
    if (status !== undefined) answering(trace, status);
    notes.noting(() => undefined)(new Error('the disk is full'), 'r');
    for (let times = 0; times < 2; times++) ended(trace, { ...end, status, isWhole: false });
    assert.deepEqual(
      each(log).map((noted) => [noted.status, noted.fault?.message]),
      [[status ?? null, 'the disk is full']],
    );
  }
});

test('what fails in the background is noted with its job', () => {
  const log = createErrorLog(systemClock);
  const notes = createErrorNotes(log);
  const onFault = notes.noting(() => undefined);
  const error = new Error('the disk is full');
  notes.failedIn('purge', error);
  onFault(error);
  onFault(new Error('another'));
  assert.deepEqual(
    each(log).map(({ kind, job, request_id }) => [kind, job, request_id]),
    [
      ['background', null, null],
      ['background', 'purge', null],
    ],
  );
});

test('work that is no job is named too, and a job within it by its own name', () => {
  const log = createErrorLog(systemClock);
  const notes = createErrorNotes(log);
  const faults: unknown[] = [];
  const { onFault, within } = notes.handlers((error) => faults.push(error));
  // A store that is away throws the same error to each.
  const away = new Error('the store is away');
  within('usage')(away);
  notes.failedIn('purge', away);
  within('jobs')(away);
  within('jobs')(away);
  within('mail')('no error');
  onFault(away);
  assert.deepEqual(
    each(log).map(({ job }) => job),
    [null, null, 'jobs', 'purge', 'usage'],
  );
  assert.equal(faults.length, 5);
});
