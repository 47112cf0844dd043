/** A receiver of events that fails often, and the ledger of what it was sent. */
import { hash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One call, in the order of their arrival. */
export interface Arrival {
  /** `webhook-id`. */
  readonly id: string;
  /** The path, by which events are distinguished. */
  readonly event: string;
  /** `order.create`, … */
  readonly type: string;
  readonly record: string;
  readonly version: number;
  /** SHA-256 of the body. */
  readonly body: string;
  /** Whether the answer was a 2xx. */
  readonly isTaken: boolean;
}

export interface FlakyReceiver {
  readonly url: string;
  readonly arrivals: readonly Arrival[];
  close(): void;
}

/** Of the calls that may fail, these do: with a 500, or without an answer. */
const failing = 0.4;
/** More failures than these would have a delivery wait for minutes. */
const failuresMax = 2;

/** @param chance from 0 up to 1. */
export async function startFlakyReceiver(chance: () => number): Promise<FlakyReceiver> {
  const arrivals: Arrival[] = [];
  const failures = new Map<string, number>();
  const server = createServer(async (request, reply) => {
    let body = '';
    try {
      for await (const part of request.setEncoding('utf8')) body += part;
    } catch {
      // The platform was killed amid the request: this is no arrival.
      return;
    }
    const { type, data } = JSON.parse(body) as { type: string; data: { record: { id: string; version: number } } };
    const id = String(request.headers['webhook-id']);
    const failed = failures.get(id) ?? 0;
    const isTaken = failed >= failuresMax || chance() >= failing;
    const { id: record, version } = data.record;
    arrivals.push({ id, event: request.url ?? '', type, record, version, body: hash('sha256', body), isTaken });
    if (isTaken) return void reply.end('thanks');
    failures.set(id, failed + 1);
    if (chance() < 0.5) reply.writeHead(500).end('try later');
    else request.socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    arrivals,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
