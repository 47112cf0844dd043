/** A receiver of webhooks on this machine, and events that send there. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { eventually } from './eventually.ts';
import { manage, type Org } from './org.ts';

export interface Message {
  readonly method: string;
  /** The path and the query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface Receiver {
  readonly url: string;
  readonly messages: readonly Message[];
  /** The answers to the next calls. */
  answer: (reply: ServerResponse, message: Message) => void;
  /** The first messages, once there are so many. */
  arrived(count: number): Promise<readonly Message[]>;
}

export async function startReceiver(t: TestContext): Promise<Receiver> {
  const messages: Message[] = [];
  const server = createServer(async (request, reply) => {
    let body = '';
    for await (const part of request.setEncoding('utf8')) body += part;
    const { method = '', url: path = '', headers } = request;
    const message = { method, path, headers, body };
    messages.push(message);
    receiver.answer(reply, message);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    messages,
    answer: (reply) => void reply.end('thanks'),
    arrived: (count) => eventually(`${count} messages`, () => messages.length >= count && messages.slice(0, count)),
  };
  return receiver;
}

/** An event after writes of orders. */
export function webhookEvent(name: string, url: string, members: object = {}): object {
  const base = { entity_name: 'order', event_name: name, event_type: 'webhook', event_stage: 'after' };
  return { ...base, event_optype: 'create', enabled: true, destination_config: { url }, ...members };
}

export async function makeEvent(org: Org, name: string, url: string, members: object = {}): Promise<void> {
  const body = { name, content: webhookEvent(name, url, members) };
  const { status, text } = await manage(org, 'POST', '/config/event', { body });
  if (status !== 201) throw new Error(text);
}

export interface Delivery {
  readonly id: string;
  readonly event: string;
  readonly record: string;
  readonly state: string;
  readonly tenant_code: string;
  readonly written_at: string;
  readonly count: number;
  readonly attempts: readonly { readonly at: string; readonly status: number | null; readonly answer: string }[];
  readonly next_at: string | null;
}

/** The deliveries of an org, the newest first, once they are as they are waited for. */
export async function deliveries(
  org: Org,
  query = '',
  isAwaited: (items: readonly Delivery[]) => boolean = () => true,
): Promise<readonly Delivery[]> {
  return eventually('deliveries in the awaited states', async () => {
    const { status, text, body } = await manage<{ items: readonly Delivery[] }>(
      org,
      'GET',
      `/events/deliveries${query}`,
    );
    if (status !== 200) throw new Error(text);
    return isAwaited(body.items) && body.items;
  });
}

/** Asks for a delivery once more until its last attempt is over: a receipt is there a moment before. */
export async function sentAgain<T extends { readonly status: number }>(send: () => Promise<T>): Promise<T> {
  return eventually('the end of the last attempt', async () => {
    const reply = await send();
    return reply.status !== 409 && reply;
  });
}
