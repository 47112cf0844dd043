import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Health, Node, Store } from './queries.ts';
import {
  areHoldersKnown,
  heldBy,
  jobName,
  jobSentence,
  listedSentence,
  memorySentence,
  queueRows,
  queueSentence,
  sizeOf,
  stateWords,
  storeSentence,
} from './words.ts';

const at = '2026-11-26T22:00:00.000Z';
const store: Store = {
  space: 'prod',
  state: 'ok',
  engine: 'sqlite',
  synchronous: 'full',
  data_bytes: 1,
  index_bytes: null,
  log_bytes: 1,
  sizes_unknown: null,
  servers: null,
  last_failure: null,
};
const worker = {
  name: 'main',
  state: 'serving',
  since: at,
  failures: 0,
  event_loop_delay: null,
  heap_used_bytes: null,
} as const;
const node: Node = {
  ...{ id: '0197aaaa-1111', this_node: true, state: 'serving', host: 'alpha', version: '0', node_version: '26' },
  ...{ data_version: 9, started_at: at, heard_at: at, workers: { all: 1, serving: 1 }, resident_bytes: 1 },
  ...{ listens: { app: '0.0.0.0:4000', management: '0.0.0.0:4001', metrics: null }, event_loop_delay: null },
  ...{ jobs_running: 0, job_failures: 0, servers_not_well: 0 },
};
const other: Node = { ...node, id: '0198bbbb-2222', this_node: false, host: 'beta' };
const well: Health = {
  at,
  state: 'ok',
  nodes: [node],
  nodes_listed: 'all',
  node: {
    id: node.id,
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
  leases: [],
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
  };
  assert.equal(stateWords(partly).sentence, '1 server of the stores is not well.');
  assert.equal(stateWords({ ...well, node: { ...well.node, draining: true } }).title, 'The node drains');
});

test('stores, memory, queues and jobs are told in sentences', () => {
  assert.match(storeSentence({ ...store, synchronous: 'none' }), /may be lost by a power cut/);
  assert.match(storeSentence({ ...store, servers: { all: 4, down: 1, relayed: 0 } }), /Of 4 servers 1 is down/);
  const used = { ...well.node, resident_bytes: 200e6 };
  assert.equal(memorySentence(used), 'It uses 200 MB of memory.');
  const reported = { ...used, workers: [{ ...worker, heap_used_bytes: 80e6 }] };
  assert.equal(memorySentence(reported), 'It uses 200 MB of memory, 80 MB of it for objects of JavaScript.');
  assert.equal(queueSentence({ due: 1, more: false }), '1 piece of work waits.');
  assert.equal(queueSentence({ due: 100, more: true }), 'More than 100 pieces of work wait.');
  const job = { name: 'expiry', queue: 'expire', running: 0, runs: 3, failures: 1, last_run_at: at } as const;
  const shown = {
    ...job,
    last_failure: null,
    due: null,
    lease: { holder: 'another_node', node: null, until: at },
  } as const;
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

test('the list of nodes says how many there are, and what it may mean that one is not heard of', () => {
  assert.equal(listedSentence(well), 'One node serves the platform.');
  assert.equal(listedSentence({ nodes: [node, other], nodes_listed: 'all' }), '2 nodes share the store.');
  const silent: Node = { ...other, state: 'silent' };
  assert.match(
    listedSentence({ nodes: [node, silent], nodes_listed: 'all' }),
    /^2 nodes share the store\. 1 node is not heard of: killed,/,
  );
  assert.match(listedSentence({ nodes: [node], nodes_listed: 'this_node' }), /could not be read/);
  assert.match(listedSentence({ nodes: [node], nodes_listed: 'some' }), /There are more/);
});

test('the holders of work are told by their host, each once for a job', () => {
  const lease = { space: 'test', queue: 'work', job: 'purge-entity', until: at } as const;
  const expiry = { name: 'expiry', queue: 'expire', running: 0, runs: 0, failures: 0, last_run_at: null } as const;
  const later = '2026-11-26T22:00:09.000Z';
  const held = heldBy({
    nodes: [node, other],
    leases: [
      { ...lease, node: other.id },
      { ...lease, node: other.id, until: later },
      { ...lease, node: node.id },
      { ...lease, node: 'gone-long-ago', job: 'run' },
    ],
    jobs: [
      { ...expiry, last_failure: null, due: null, lease: { holder: 'another_node', node: null, until: at } },
      { ...expiry, name: 'idle', last_failure: null, due: null, lease: { holder: 'none', node: null, until: null } },
    ],
  });
  assert.deepEqual(
    [...held],
    [
      [
        'purge-entity',
        [
          { name: 'beta (0198bbbb)', pieces: 2, until: later },
          { name: 'this node', pieces: 1, until: at },
        ],
      ],
      ['run', [{ name: 'a node that has ended (gone-lon)', pieces: 1, until: at }]],
      ['expiry', [{ name: 'a node of an earlier release', pieces: 1, until: at }]],
    ],
  );
});

test('a queue that could not be read has a row of unknown state, and the holders of its jobs are not known', () => {
  const read = (['platform', 'test'] as const).map(
    (space) => ({ space, queue: 'work', due: 0, more: false, oldest_due_at: null }) as const,
  );
  const rows = queueRows(read);
  assert.deepEqual([rows.length, rows.filter(({ state }) => state !== undefined).length], [9, 2]);
  assert.equal(areHoldersKnown({ queue: 'work' }, read), false);
  const [one] = read;
  assert.ok(one !== undefined && areHoldersKnown({ queue: 'work' }, [...read, { ...one, space: 'prod' }]));
});
