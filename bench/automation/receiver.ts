/**
 * A receiver of webhooks in a process of its own, which does as little as it can: it counts. Its parent sends `hold` or
 * `release` by IPC, or `usage`, which is answered with a `ReceiverUsage`, or `arrived`, which is answered with `Arrived`. What
 * arrives while it holds is answered later.
 */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReceiverUsage {
  /** Different deliveries, by `webhook-id`, and all calls. */
  readonly deliveries: number;
  readonly calls: number;
  readonly cpuMicroseconds: number;
}

/** By record: when it came first, in milliseconds since the epoch. */
export type Arrived = readonly (readonly [record: string, at: number])[];

const arrived = new Map<string, number>();
const ids = new Set<string>();
let calls = 0;
let held: ServerResponse[] | undefined;

const server = createServer((request, reply) => {
  calls += 1;
  ids.add(String(request.headers['webhook-id']));
  const at = Date.now();
  // The record comes first in the data.
  request.on('data', (part: Buffer) => {
    const record = /"record":\{"id":"([^"]+)"/.exec(part.toString('latin1'))?.[1];
    if (record !== undefined && !arrived.has(record)) arrived.set(record, at);
  });
  if (held === undefined) reply.writeHead(200, { 'content-length': 2 }).end('ok');
  else held.push(reply);
});

process.on('message', (word: string) => {
  if (word === 'hold') held = [];
  else if (word === 'release') {
    for (const reply of held ?? []) reply.writeHead(200, { 'content-length': 2 }).end('ok');
    held = undefined;
  } else if (word === 'arrived') {
    process.send?.([...arrived] satisfies Arrived);
  } else if (word === 'usage') {
    const { user, system } = process.cpuUsage();
    process.send?.({ deliveries: ids.size, calls, cpuMicroseconds: user + system } satisfies ReceiverUsage);
  }
});

server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
