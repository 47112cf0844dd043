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

const loopDelay = Type.Object({ p50_ms: milliseconds, p99_ms: milliseconds, max_ms: milliseconds });

const Worker = Type.Object({
  name: Type.String({ description: '`main`.' }),
  state: oneOf(['serving']),
  since: Type.String({ format: 'date-time', description: 'The start of the node.' }),
  failures: Type.Integer({ minimum: 0, description: '0.' }),
  event_loop_delay: orNull(loopDelay, {
    description: 'The delay of the event loop since the last scrape of `/metrics`, else since the start.',
  }),
  heap_used_bytes: orNull(count),
});

const address = orNull(Type.String({ description: 'Host and port.' }));

const Node = Type.Object({
  id: Type.String({ description: 'Names the process from its start to its end; leases name their holder by it.' }),
  this_node: Type.Boolean({ description: 'Whether it is the node that answers.' }),
  state: oneOf(['serving', 'draining', 'silent'], {
    description: '`silent`: nothing was heard of it for 60 s. A node that ends in order leaves the list.',
  }),
  host: Type.String({ description: 'The name of its machine or container.' }),
  listens: Type.Object({ app: address, management: address, metrics: address }),
  version: text,
  node_version: Type.String({ description: 'Of Node.js.' }),
  data_version: count,
  started_at: time,
  heard_at: Type.String({ format: 'date-time', description: 'The time, by its own clock, of what it says here.' }),
  workers: Type.Object({ all: count, serving: count }, { description: 'The threads that take requests: one.' }),
  resident_bytes: count,
  event_loop_delay: orNull(loopDelay),
  jobs_running: count,
  job_failures: Type.Integer({ minimum: 0, description: 'Since it started.' }),
  servers_not_well: Type.Integer({ minimum: 0, description: 'Servers of the stores, as this node sees them.' }),
});

const Store = Type.Object({
  space,
  state: oneOf(['ok', 'failed'], { description: '`failed`: it cannot serve, or does not answer within 5 s.' }),
  engine: text,
  synchronous: orNull(oneOf(['full', 'none']), { description: '`full`: a write that was answered is on disk.' }),
  data_bytes: orNull(count, {
    description: 'The size of the database file, or of the tables on a database server. At most 30 s old.',
  }),
  index_bytes: orNull(count, { description: 'Of the indexes on a database server; a file has them in `data_bytes`.' }),
  log_bytes: orNull(count, { description: 'The size of the write-ahead log; null on a database server.' }),
  sizes_unknown: orNull(text, { description: 'Why the sizes are not known.' }),
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
  lease: orNull(
    Type.Object({
      holder: oneOf(['this_node', 'another_node', 'none']),
      node: orNull(text, { description: 'The id of the holder; null for a node of an earlier release.' }),
      until: orNull(time),
    }),
    { description: 'Of work that one node does at a time. Null for other work, whose pieces have `leases`.' },
  ),
});

const Lease = Type.Object({
  space,
  queue: oneOf(['work', 'automation']),
  job: text,
  node: Type.String({ description: 'The id of the node that is at it, or was when it died.' }),
  until: Type.String({
    format: 'date-time',
    description: 'The time at which another node takes over if it was not renewed.',
  }),
});

export const PlatformHealth = named(
  'PlatformHealth',
  Type.Object({
    at: time,
    state: oneOf(['ok', 'degraded', 'unavailable'], {
      description: '`unavailable`: a store cannot serve, or the node drains. `degraded`: a server of a store is down.',
    }),
    node: Type.Object(
      {
        id: text,
        version: text,
        node_version: Type.String({ description: 'Of Node.js.' }),
        data_version: count,
        started_at: time,
        draining: Type.Boolean(),
        resident_bytes: count,
        workers: Type.Array(Worker, { description: 'The threads that take requests: one.' }),
      },
      { description: 'The node that answers, as it is now.' },
    ),
    nodes: Type.Array(Node, {
      description:
        'All nodes, the node that answers first. Others as they said within the last 20 s. An embedded store has one node.',
    }),
    nodes_listed: oneOf(['all', 'some', 'this_node'], {
      description: '`some`: 100 are listed, and there are more. `this_node`: the others could not be read.',
    }),
    stores: Type.Array(Store),
    servers: Type.Array(Server, {
      description: 'The servers of the stores that are not well, as this node sees them.',
    }),
    queues: Type.Array(Queue, { description: 'A queue that cannot be read is left out.' }),
    jobs: Type.Array(Job),
    leases: Type.Array(Lease, {
      description:
        'Pieces of work that nodes are at, at most 50 of a queue. None are looked for in a queue with `more` due than are counted.',
    }),
  }),
);

export const platformHealthApi = {
  readPlatformHealth: route({
    method: 'GET',
    path: '/platform/health',
    access: 'operator',
    tag: 'platform',
    summary: 'The health of the platform',
    description: 'All nodes, the stores and their servers, and the work in the background.',
    replies: { 200: reply('The present state, also of a node that is not ready.', PlatformHealth) },
    problems: ['rate_limited'],
  }),
};
