/** Spans as a collector gets them: from the real SDK, by OTLP over HTTP. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { eventually } from './eventually.ts';
import { act, create, defineEntity, definition, foundedOrg } from './org.ts';
import { platformOf } from './platform-for-tests.ts';

interface Span {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly attributes: readonly { readonly key: string; readonly value: { readonly stringValue?: string } }[];
}

interface Sent {
  readonly resourceSpans: readonly { readonly scopeSpans: readonly { readonly spans: readonly Span[] }[] }[];
}

const sdk = join(import.meta.dirname, 'traces-sdk.ts');

/** A collector on this machine, as far as it takes spans. */
async function startCollector(): Promise<{
  readonly url: string;
  readonly find: (which: (span: Span) => boolean) => Promise<Span>;
}> {
  const spans: Span[] = [];
  const server = createServer(async (request, response) => {
    assert.deepEqual([request.method, request.url], ['POST', '/v1/traces']);
    const { resourceSpans } = (await json(request)) as Sent;
    spans.push(...resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans: some }) => some)));
    response.setHeader('Content-Type', 'application/json').end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  after(() => server.close());
  const find = (which: (span: Span) => boolean): Promise<Span> => eventually('a span', () => spans.find(which));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, find };
}

test('a call and its commit arrive at a collector, in the trace that the caller names', {
  timeout: 300_000,
}, async (t) => {
  const collector = await startCollector();
  const platform = await platformOf(t, {
    nodeFlags: ['--import', sdk],
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url },
  });
  const { org, founder } = await foundedOrg(platform);
  await defineEntity(org, definition('note', [{ name: 'title' }]));
  await create(founder, 'note', { title: 'before' });
  const [traceId, spanId] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7'];
  const headers = { traceparent: `00-${traceId}-${spanId}-01` };
  const made = await act(founder, 'POST', '/create/note', { body: { title: 'traced' }, headers });
  assert.equal(made.status, 201, made.text);
  const call = await collector.find((span) => span.traceId === traceId && span.name.startsWith('POST '));
  assert.deepEqual([call.name, call.parentSpanId], ['POST /app/:org/create/:entity', spanId]);
  const attribute = (key: string) => call.attributes.find((one) => one.key === key)?.value.stringValue;
  assert.equal(attribute('freehold.org'), org.code);
  assert.equal(attribute('freehold.request_id'), made.headers.get('x-request-id'));
  const commit = await collector.find((span) => span.traceId === traceId && span.name === 'store.commit');
  assert.equal(commit.parentSpanId, call.spanId);
  assert.doesNotMatch(platform.stderr(), /another copy/);
});

test('a start says so where the SDK came with another copy of the API', async (t) => {
  for (const [version, words] of [
    ['1.0.4', 'no span of the platform reaches it'],
    ['1.999.0', 'spans of the platform reach it'],
  ]) {
    const place = `Symbol.for("opentelemetry.js.api.1")`;
    const span = '{isRecording:()=>false,end(){}}';
    const trace = `{getTracer:()=>({startSpan:()=>(${span})})}`;
    const preload = `data:text/javascript,globalThis[${place}]={version:"${version}",trace:${trace}}`;
    const platform = await platformOf(t, { nodeFlags: ['--import', preload] });
    const line =
      platform
        .stderr()
        .split('\n')
        .find((each) => each.includes('another copy')) ?? '';
    assert.deepEqual([JSON.parse(line).level, line.includes(words ?? '')], [40, true], line);
  }
});
