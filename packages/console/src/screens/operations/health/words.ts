import { counted } from '../../../components/words/counted.ts';
import type { Health, Job, Lease, Node, Queue, Server, Store } from './queries.ts';

export interface StateWords {
  readonly title: string;
  readonly sentence: string;
  readonly color: string;
}

/** The state of the whole node. */
export function stateWords({ state, node, stores, servers }: Health): StateWords {
  const down = stores.filter((store) => store.state === 'failed').map(({ space }) => spaceNames[space]);
  if (node.draining)
    return {
      title: 'The node drains',
      sentence: 'It takes no new requests, finishes those under way, and ends.',
      color: 'red',
    };
  if (state === 'unavailable')
    return {
      title: 'The node cannot serve',
      sentence:
        down.length === 0 ? 'It refuses calls with 503.' : `It cannot use ${listed(down)}, and refuses calls with 503.`,
      color: 'red',
    };
  if (state === 'degraded')
    return {
      title: 'The node serves in part',
      sentence: `${counted(servers.length, 'server')} of the stores ${isOrAre(servers.length)} not well.`,
      color: 'orange',
    };
  return {
    title: 'The node is well',
    sentence: 'It serves calls, and every store that it uses answers.',
    color: 'teal',
  };
}

export function nodeWords({ state }: Pick<Node, 'state'>): { readonly word: string; readonly color: string } {
  switch (state) {
    case 'serving':
      return { word: 'serving', color: 'teal' };
    case 'draining':
      return { word: 'draining', color: 'orange' };
    case 'silent':
      return { word: 'not heard of', color: 'red' };
  }
}

export function notWellSentence({ servers_not_well: servers }: Pick<Node, 'servers_not_well'>): string {
  return `It sees ${counted(servers, 'server')} of the stores that ${isOrAre(servers)} not well.`;
}

/** The number of nodes, and which are missing. */
export function listedSentence({ nodes, nodes_listed }: Pick<Health, 'nodes' | 'nodes_listed'>): string {
  if (nodes_listed === 'this_node')
    return 'The other nodes could not be read: the store of the platform does not answer.';
  if (nodes_listed === 'some') return `The first ${nodes.length} nodes. There are more.`;
  const silent = nodes.filter(({ state }) => state === 'silent').length;
  const all = nodes.length === 1 ? 'One node serves the platform.' : `${nodes.length} nodes share the store.`;
  if (silent === 0) return all;
  return `${all} ${counted(silent, 'node')} ${isOrAre(silent)} not heard of: killed, cut off from the store, or with a clock that is late. A node that is killed leaves the list after a day.`;
}

/** A node that has pieces of a kind of work. */
export interface Holder {
  readonly name: string;
  readonly pieces: number;
  /** The end of the last of its leases. */
  readonly until: string;
}

export type HeldBy = ReadonlyMap<string, readonly Holder[]>;

/** By job, which nodes have leases of its work. */
export function heldBy({ nodes, jobs, leases }: Pick<Health, 'nodes' | 'jobs' | 'leases'>): HeldBy {
  const held = new Map<string, Map<string, Holder>>();
  const note = ({ job, node, until }: Pick<Lease, 'job' | 'until'> & { readonly node: string | null }): void => {
    const holders = held.get(job) ?? new Map<string, Holder>();
    held.set(job, holders);
    const name = nodeName(nodes, node);
    const known = holders.get(name);
    const last = known !== undefined && known.until > until ? known.until : until;
    holders.set(name, { name, pieces: (known?.pieces ?? 0) + 1, until: last });
  };
  for (const lease of leases) note(lease);
  for (const { name: job, lease } of jobs)
    if (lease !== null && lease.holder !== 'none' && lease.until !== null)
      note({ job, node: lease.node, until: lease.until });
  return new Map([...held].map(([job, holders]) => [job, [...holders.values()]]));
}

/** Two nodes may have one host. */
function nodeName(nodes: readonly Node[], id: string | null): string {
  if (id === null) return 'a node of an earlier release';
  const found = nodes.find((node) => node.id === id);
  if (found === undefined) return `a node that has ended (${id.slice(0, 8)})`;
  return found.this_node ? 'this node' : `${found.host} (${id.slice(0, 8)})`;
}

/** Of the day, in UTC: leases last for less than a minute. */
export function clockTime(at: string): string {
  return `${at.slice(11, 19)} UTC`;
}

export const spaceNames: Readonly<Record<Store['space'], string>> = {
  platform: 'the store of the platform',
  test: 'the store of test',
  prod: 'the store of production',
};

export function storeSentence({ state, synchronous, servers }: Store): string {
  if (state === 'failed') return 'It cannot serve, or does not answer within 5 seconds.';
  const durable =
    synchronous === 'none'
      ? 'It answers. A write that was answered may be lost by a power cut.'
      : synchronous === 'full'
        ? 'It answers. A write that was answered is on disk.'
        : 'It answers.';
  if (servers === null || (servers.down === 0 && servers.relayed === 0)) return durable;
  return `${durable} Of ${servers.all} servers ${servers.down} ${isOrAre(servers.down)} down and ${servers.relayed} ${isOrAre(servers.relayed)} reached through another.`;
}

export function memorySentence({ resident_bytes, workers }: Health['node']): string {
  const heap = workers[0]?.heap_used_bytes ?? null;
  const whole = `It uses ${sizeOf(resident_bytes)} of memory`;
  return heap === null ? `${whole}.` : `${whole}, ${sizeOf(heap)} of it for objects of JavaScript.`;
}

export function serverSentence({ state, why }: Server): string {
  const because = why === null ? '' : ` ${capital(why)}.`;
  switch (state) {
    case 'down':
      return `It does not answer.${because}`;
    case 'unsafe':
      return `It may lose writes that were answered.${because}`;
    case 'relayed':
      return `It is reached only through another server.${because}`;
  }
}

const queueNames: Readonly<Record<Queue['queue'], string>> = {
  work: 'Background jobs',
  automation: 'Automation',
  expire: 'What expires',
};

export type QueueRow = Pick<Queue, 'space' | 'queue'> & { readonly state: Queue | undefined };

const spaces = ['platform', 'test', 'prod'] as const;

/** All queues of the platform; a queue that could not be read has no state. */
export function queueRows(queues: readonly Queue[]): readonly QueueRow[] {
  const kinds = Object.keys(queueNames) as readonly Queue['queue'][];
  const stateOf = (request: Pick<Queue, 'space' | 'queue'>) =>
    queues.find(({ space, queue }) => space === request.space && queue === request.queue);
  return spaces
    .flatMap((space) => kinds.map((queue) => ({ space, queue })))
    .map((request) => ({ ...request, state: stateOf(request) }));
}

/** Whether the holders of a job are known: leases lie in its queues. */
export function areHoldersKnown({ queue: requested }: Pick<Job, 'queue'>, queues: readonly Queue[]): boolean {
  return queues.filter(({ queue }) => queue === requested).length === spaces.length;
}

export function queueName({ space, queue }: Pick<Queue, 'space' | 'queue'>): string {
  return `${queueNames[queue]}, ${space === 'prod' ? 'production' : space}`;
}

export function queueSentence({ due, more }: Pick<Queue, 'due' | 'more'>): string {
  if (due === 0) return 'Nothing waits.';
  return more
    ? `More than ${due} pieces of work wait.`
    : `${counted(due, 'piece of work waits', 'pieces of work wait')}.`;
}

/** What a kind of work in the background is; an unknown kind is called by its name. */
const jobNames: Readonly<Record<string, string>> = {
  'purge-entity': 'Removes the records of a removed entity',
  'maintain-entity': 'Fills new fields, builds and erases indexes',
  'align-workspace': 'Completes the suspension of a workspace',
  'close-workspace': 'Closes a workspace that is removed',
  'purge-workspace': 'Removes the data of a removed workspace',
  'apply-template': 'Applies a workspace template',
  'remove-record': 'Removes a record with all that depends on it',
  'person-data': 'Collects, erases or merges the data of a person',
  'deliver-webhook': 'Sends alerts to orgs',
  expiry: 'Removes what has expired',
  schedules: 'Keeps the times of schedules',
  schedule: 'Begins runs at their times',
  lane: 'Sends events',
  retry: 'Sends events again',
  run: 'Goes on with runs of logic blocks',
};

export function jobName(name: string): string {
  return Object.hasOwn(jobNames, name) ? (jobNames[name] ?? name) : capital(name.replaceAll('-', ' '));
}

export function jobSentence({ running, runs, failures, lease }: Job): string {
  const now = running === 0 ? 'Rests' : `Runs now${running === 1 ? '' : `, ${running} at a time`}`;
  const ran = runs === 0 ? 'did not run yet' : `ran ${counted(runs, 'time')}`;
  const failed = failures === 0 ? '' : `, of which ${failures} failed`;
  const held = lease?.holder === 'another_node' ? ' Another node has its turn.' : '';
  return `${now}; ${ran}${failed}.${held}`;
}

const units = ['bytes', 'KB', 'MB', 'GB', 'TB'] as const;

export function sizeOf(bytes: number): string {
  let [value, unit] = [bytes, 0];
  while (value >= 1000 && unit < units.length - 1) [value, unit] = [value / 1000, unit + 1];
  return `${unit === 0 ? value : value.toFixed(value < 10 ? 1 : 0)} ${units[unit]}`;
}

interface Failure {
  readonly name: string;
  readonly code: string | null;
  readonly message: string | null;
}

export function failureSentence({ name, code, message }: Failure): string {
  const named = code === null ? name : `${name} ${code}`;
  return message === null ? `${named}; the log of the node has its sentence` : `${named}: ${message}`;
}

function isOrAre(count: number): string {
  return count === 1 ? 'is' : 'are';
}

function listed(parts: readonly string[]): string {
  return new Intl.ListFormat('en').format(parts);
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
