import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { appApi } from '@freehold/contract/app';
import type { Route } from '@freehold/contract/route';
import { routeTable, tablePath } from '../build/route-table.ts';
import { requestOf } from './caller.ts';
import { createManagement } from './management.ts';

test('the table of routes is that of their descriptions: if not, run `node packages/client/build/route-table.ts`', () => {
  assert.equal(readFileSync(tablePath, 'utf8').replaceAll(/\s+/g, ''), routeTable().replaceAll(/\s+/g, ''));
});

test('a POST of an app is sent again exactly where the platform counts it once, or nothing can come of it twice', () => {
  for (const { method, path, repeats, isRead } of Object.values<Route>(appApi)) {
    if (method !== 'POST') continue;
    const isOnce = typeof repeats !== 'object' || isRead === true || path.endsWith('/login');
    assert.equal(requestOf(method, path.slice('/app/:org'.length), {}).countsOnce, isOnce, path);
  }
});

interface Seen {
  readonly url: string;
  readonly init: RequestInit;
}

function recording() {
  const seen: Seen[] = [];
  const fetch = async (url: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    seen.push({ url: String(url), init });
    return Response.json({ items: [] });
  };
  return { seen, fetch };
}

test('a call has the path, the query and the body of its route, the token and the org', async () => {
  const { seen, fetch } = recording();
  const management = createManagement({ url: 'https://x/', token: () => 'fm_1', org: 'acme', fetch });
  await management.call('listConfigItems', { params: { kind: 'a/b' }, query: { pagesize: 3 } });
  await management.call('defineEntity', { params: { apiname: 'create-x' }, body: { entityName: 'x' } });
  const [read, write] = seen;
  assert.equal(read?.url, 'https://x/config/a%2Fb?pagesize=3');
  assert.deepEqual(read?.init.headers, { accept: 'application/json', authorization: 'Bearer fm_1', 'x-org': 'acme' });
  assert.deepEqual([write?.init.method, write?.init.body], ['POST', '{"entityName":"x"}']);
  assert.ok(new Headers(write?.init.headers).has('idempotency-key'));
});

test('a call that lacks a part of its path, or names no route, is not sent', async () => {
  const { seen, fetch } = recording();
  const management = createManagement({ url: 'https://x', fetch });
  await assert.rejects(management.call('listConfigItems', { params: { kind: '' } }), TypeError);
  // @ts-expect-error no route
  await assert.rejects(management.call('toString'), TypeError);
  // @ts-expect-error the params are missing
  await assert.rejects(management.call('listConfigItems'), TypeError);
  // @ts-expect-error the route has no such parameter
  await management.call('listEntities', { query: { pagesize: 1 } });
  assert.equal(seen.length, 1);
});
