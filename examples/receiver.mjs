/**
 * Another system, for the examples in docs/: it answers the first calls of each path with 503, and what comes after
 * with 200 and an id of its own. A key that it has handled has the answer of then.
 *
 *   node examples/receiver.mjs FAILURES
 *
 * It prints its address, shows at GET /calls/{path} which calls of a path it got, and ends after ten minutes at most.
 */
import { createServer } from 'node:http';

const failures = Number(process.argv[2] ?? 0);
/** @type {{ path: string, key: string, status: number }[]} */
const calls = [];
/** @type {Map<string, string>} */
const ids = new Map();

const server = createServer(async (request, reply) => {
  for await (const _part of request);
  const { url: path = '/', headers } = request;
  if (request.method === 'GET') {
    reply.end(JSON.stringify(calls.filter((call) => `/calls${call.path}` === path)));
    return;
  }
  const key = String(headers['webhook-id'] ?? headers['idempotency-key']);
  const isDown = calls.filter((call) => call.path === path).length < failures;
  calls.push({ path, key, status: isDown ? 503 : 200 });
  if (!isDown && !ids.has(key)) ids.set(key, `erp-${ids.size + 1}`);
  reply.writeHead(isDown ? 503 : 200, { 'content-type': 'application/json' });
  reply.end(JSON.stringify(isDown ? { error: 'down for a moment' } : { id: ids.get(key) }));
});

server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (address !== null && typeof address === 'object') console.log(`http://127.0.0.1:${address.port}`);
});
setTimeout(() => process.exit(), 600_000);
