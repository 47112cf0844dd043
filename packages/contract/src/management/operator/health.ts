import { Type } from '@sinclair/typebox';
import { reply, route } from '../../route.ts';
import { count, named, oneOf, orNull, text, time } from '../../schema.ts';

const space = oneOf(['platform', 'test', 'prod']);

const failure = {
  at: time,
  name: Type.String({ description: 'The class of the error.' }),
  code: orNull(text, { description: 'The code of a system or database error.' }),
  message: orNull(text, {
    description: 'The sentence of an error that the platform raised, without anything that was sent. Null for others.',
  }),
};

const milliseconds = Type.Number({ minimum: 0 });

const Worker = Type.Object({
  name: Type.String({ description: '`main`, or one of several workers, such as `worker 2`.' }),
  state: oneOf(['starting', 'serving', 'ended'], { description: 'A worker that has ended is replaced after a pause.' }),
  since: Type.String({ format: 'date-time', description: 'The time since which it is in this state.' }),
  failures: Type.Integer({ minimum: 0, description: 'How many times it has failed and was replaced.' }),
  event_loop_delay: orNull(Type.Object({ p50_ms: milliseconds, p99_ms: milliseconds, max_ms: milliseconds }), {
    description: 'The delay of the event loop since the last scrape of `/metrics`, else since the start.',
  }),
  heap_used_bytes: orNull(count),
});

const Store = Type.Object({
  space,
  state: oneOf(['ok', 'failed'], { description: '`failed`: it cannot serve, or does not answer within 5 s.' }),
  engine: text,
  synchronous: orNull(oneOf(['full', 'none']), { description: '`full`: a write that was answered is on disk.' }),
  data_bytes: orNull(count, { description: 'The size of the database file; null on a database server.' }),
  log_bytes: orNull(count, { description: 'The size of the write-ahead log; null on a database server.' }),
  servers: orNull(Type.Object({ all: count, down: count, relayed: count }), {
    description: 'If several servers keep the data.',
  }),
  last_failure: orNull(Type.Object({ call: text, ...failure }), {
    description: 'The last failed call of the store since this node started; conflicts are none.',
  }),
});

const Server = Type.Object({
  server: Type.String({ description: 'Host and port.' }),
  state: oneOf(['down', 'unsafe', 'relayed'], {
    description: 'It does not answer, its settings may lose writes, or it is reached only through another server.',
  }),
  since: time,
  why: orNull(text),
});

const Queue = Type.Object({
  space,
  queue: oneOf(['work', 'automation', 'expire']),
  due: Type.Integer({ minimum: 0, description: 'How many pieces of work are due and not taken, up to the bound.' }),
  more: Type.Boolean({ description: 'Whether there are more: 100 are counted, 20 of `expire`.' }),
  oldest_due_at: orNull(time),
});

const Job = Type.Object({
  name: text,
  queue: oneOf(['work', 'automation', 'expire']),
  running: Type.Integer({ minimum: 0, description: 'On this node, now.' }),
  runs: Type.Integer({ minimum: 0, description: 'On this node, since it started.' }),
  failures: Type.Integer({ minimum: 0, description: 'On this node, since it started.' }),
  last_run_at: orNull(time, { description: 'The end of the last run on this node.' }),
  last_failure: orNull(Type.Object(failure)),
  due: orNull(count, {
    description: 'Among the pieces of work that were counted in its queue; null if they cannot be counted.',
  }),
  lease: orNull(Type.Object({ holder: oneOf(['this_node', 'another_node', 'none']), until: orNull(time) }), {
    description:
      'Of work that one node does at a time. Null for other work: each piece has a lease of its own, which names no node.',
  }),
});

export const PlatformHealth = named(
  'PlatformHealth',
  Type.Object({
    at: time,
    state: oneOf(['ok', 'degraded', 'unavailable'], {
      description:
        '`unavailable`: a store cannot serve, or the node drains. `degraded`: a server of a store or a worker is down.',
    }),
    node: Type.Object(
      {
        version: text,
        node_version: Type.String({ description: 'Of Node.js.' }),
        data_version: count,
        started_at: time,
        draining: Type.Boolean(),
        resident_bytes: count,
        workers: Type.Array(Worker),
      },
      { description: 'The node that answers. Nodes do not register themselves, so other nodes are not listed.' },
    ),
    stores: Type.Array(Store),
    servers: Type.Array(Server, {
      description: 'The servers of the stores that are not well, as this node sees them.',
    }),
    queues: Type.Array(Queue, { description: 'A queue that cannot be read is left out.' }),
    jobs: Type.Array(Job),
  }),
);

export const platformHealthApi = {
  readPlatformHealth: route({
    method: 'GET',
    path: '/platform/health',
    access: 'operator',
    tag: 'platform',
    summary: 'This node with its workers, its stores and their servers, and the work in the background',
    replies: { 200: reply('The present state, also of a node that is not ready.', PlatformHealth) },
    problems: ['rate_limited'],
  }),
};
