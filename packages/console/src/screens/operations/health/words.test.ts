import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Health, Store } from './queries.ts';
import { jobName, jobSentence, queueSentence, sizeOf, stateWords, storeSentence, workerSentence } from './words.ts';

const at = '2026-11-26T22:00:00.000Z';
const store: Store = {
  space: 'prod',
  state: 'ok',
  engine: 'sqlite',
  synchronous: 'full',
  data_bytes: 1,
  log_bytes: 1,
  servers: null,
  last_failure: null,
};
const worker = {
  name: 'worker 2',
  state: 'serving',
  since: at,
  failures: 0,
  event_loop_delay: null,
  heap_used_bytes: null,
} as const;
const well: Health = {
  at,
  state: 'ok',
  node: {
    version: '0',
    node_version: '26',
    data_version: 9,
    started_at: at,
    draining: false,
    resident_bytes: 1,
    workers: [worker],
  },
  stores: [store],
  servers: [],
  queues: [],
  jobs: [],
};

test('the state of a node names what is not well', () => {
  assert.equal(stateWords(well).title, 'The node is well');
  const failed: Health = { ...well, state: 'unavailable', stores: [{ ...store, state: 'failed' }] };
  assert.equal(stateWords(failed).sentence, 'It cannot use the store of production, and refuses calls with 503.');
  const server = { server: 'db:5432', state: 'down', since: at, why: null } as const;
  const partly: Health = {
    ...well,
    state: 'degraded',
    servers: [server],
    node: { ...well.node, workers: [{ ...worker, state: 'ended', failures: 1 }] },
  };
  assert.equal(stateWords(partly).sentence, '1 server of the stores is not well and 1 worker is not serving.');
  assert.equal(stateWords({ ...well, node: { ...well.node, draining: true } }).title, 'The node drains');
});

test('stores, workers, queues and jobs are told in sentences', () => {
  assert.match(storeSentence({ ...store, synchronous: 'none' }), /may be lost by a power cut/);
  assert.match(storeSentence({ ...store, servers: { all: 4, down: 1, relayed: 0 } }), /Of 4 servers 1 is down/);
  assert.equal(workerSentence({ ...worker, failures: 2 }), 'It serves. It failed 2 times before.');
  assert.equal(queueSentence({ due: 1, more: false }), '1 piece of work waits.');
  assert.equal(queueSentence({ due: 100, more: true }), 'More than 100 pieces of work wait.');
  const job = { name: 'expiry', queue: 'expire', running: 0, runs: 3, failures: 1, last_run_at: at } as const;
  const shown = { ...job, last_failure: null, due: null, lease: { holder: 'another_node', until: at } } as const;
  assert.equal(jobSentence(shown), 'Rests; ran 3 times, of which 1 failed. Another node has its turn.');
  assert.equal(jobName('never-heard-of'), 'Never heard of');
  assert.equal(jobName('constructor'), 'Constructor');
});

test('sizes have the unit in which they are read', () => {
  assert.deepEqual([0, 999, 1000, 12_345, 1_234_567_890].map(sizeOf), [
    '0 bytes',
    '999 bytes',
    '1.0 KB',
    '12 KB',
    '1.2 GB',
  ]);
});
