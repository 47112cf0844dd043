import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CallRules, createGuardedRequest } from '../../lib/network/guarded-request.ts';
import { createChainHeader } from '../chain-header.ts';
import { type ContentOf, type Delivery, webhookDestination } from './destinations.ts';

const content: ContentOf<'webhook'> = {
  ...{ entity_name: 'order', event_name: 'tell', event_stage: 'after', event_optype: 'create', enabled: true },
  ...{ event_type: 'webhook', destination_config: { url: '' } },
};

function deliver(url: string, rules: CallRules) {
  const destination = webhookDestination({
    ...{ request: createGuardedRequest(rules), rules, now: () => 0 },
    ...{ chain: createChainHeader(Buffer.alloc(32)), closing: new AbortController().signal },
  });
  const item = {
    id: 'd1',
    entity: 'order',
    op: 'create',
    at: 0,
    depth: 1,
    chain: [],
    attempts: 0,
    config: 1,
    user: { id: 'u1' },
  };
  const delivery = {
    item,
    record: {},
    before: undefined,
    event: 'tell',
    content: { ...content, destination_config: { url } },
  };
  return destination.deliver(delivery as unknown as Delivery<ContentOf<'webhook'>>, async () => [Buffer.alloc(32)]);
}

test('an address that is never called is given up at once, and one whose name stands for such an address may be another one later', async () => {
  const production = { isDevelopment: false };
  for (const [url, answer] of [
    ['http://localhost:3000/hook', 'the scheme is not allowed'],
    ['https://localhost/hook', 'the address is not public'],
    ['https://app.localhost./hook', 'the address is not public'],
    ['https://10.0.0.1/hook', 'the address is not public'],
    ['https://[::1]/hook', 'the address is not public'],
  ] as const)
    assert.deepEqual(await deliver(url, production), { state: 'refused', status: null, ms: 0, answer }, url);
  const resolve = async () => [{ address: '10.0.0.1', family: 4 }];
  const resolved = await deliver('https://shop.example/hook', { ...production, resolve });
  assert.deepEqual([resolved.state, resolved.answer], ['failed', 'the name resolves to an address that is not public']);
  const local = await deliver('http://localhost:9/hook', { isDevelopment: true });
  assert.equal(local.state, 'failed');
});
