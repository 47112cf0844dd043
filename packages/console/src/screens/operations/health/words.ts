import type { Health, Job, Queue, Server, Store, Worker } from './queries.ts';

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
  if (state === 'degraded') {
    const ended = node.workers.filter((worker) => worker.state !== 'serving').length;
    const parts = [
      ...(servers.length === 0
        ? []
        : [`${counted(servers.length, 'server')} of the stores ${isOrAre(servers.length)} not well`]),
      ...(ended === 0 ? [] : [`${counted(ended, 'worker')} ${isOrAre(ended)} not serving`]),
    ];
    return { title: 'The node serves in part', sentence: `${capital(listed(parts))}.`, color: 'orange' };
  }
  return {
    title: 'The node is well',
    sentence: 'It serves calls, and every store that it uses answers.',
    color: 'teal',
  };
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

export function workerSentence({ state, failures }: Worker): string {
  const before = failures === 0 ? '' : ` It failed ${counted(failures, 'time')} before.`;
  switch (state) {
    case 'starting':
      return `It is starting.${before}`;
    case 'serving':
      return `It serves.${before}`;
    case 'ended':
      return `It has ended, and is replaced after a pause.${before}`;
  }
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

export function queueName({ space, queue }: Queue): string {
  return `${queueNames[queue]}, ${space === 'prod' ? 'production' : space}`;
}

export function queueSentence({ due, more }: Pick<Queue, 'due' | 'more'>): string {
  if (due === 0) return 'Nothing waits.';
  return more
    ? `More than ${due} pieces of work wait.`
    : `${counted(due, 'piece')} of work ${due === 1 ? 'waits' : 'wait'}.`;
}

/** What a kind of work in the background is; an unknown kind is called by its name. */
const jobNames: Readonly<Record<string, string>> = {
  'purge-entity': 'Removes the records of a removed entity',
  'maintain-entity': 'Fills new fields, builds and erases indexes',
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

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
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
