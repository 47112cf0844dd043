import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { test } from 'node:test';
import {
  type Context,
  context,
  propagation,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { beginTrace } from '../gateway/call-trace.ts';
import { watchCommitSpan, watchSpans } from './spans.ts';

interface RecordedSpan {
  name: string;
  readonly parent: SpanContext | undefined;
  readonly attributes: Record<string, unknown>;
  status: number | undefined;
  ends: number;
}

const reported: RecordedSpan[] = [];

/** The least that an SDK is: it keeps its spans, and goes along with what is awaited. */
function loadSdk(): void {
  const storage = new AsyncLocalStorage<Context>();
  context.setGlobalContextManager({
    active: () => storage.getStore() ?? ROOT_CONTEXT,
    with: (active, work, self, ...args) => storage.run(active, () => work.apply(self, args)),
    bind: (_active, target) => target,
    enable: () => assert.fail(),
    disable: () => assert.fail(),
  });
  propagation.setGlobalPropagator({
    inject: () => undefined,
    fields: () => ['traceparent'],
    extract: (active, carrier: Readonly<Record<string, string>>) => {
      const [, traceId = '', spanId = ''] = carrier.traceparent?.split('-') ?? [];
      return traceId === '' ? active : trace.setSpanContext(active, { traceId, spanId, traceFlags: 1 });
    },
  });
  const tracer: Tracer = {
    startSpan: (name, _options, parent = context.active()) => spanOf(name, trace.getSpanContext(parent)),
    startActiveSpan: () => assert.fail(),
  };
  trace.setGlobalTracerProvider({ getTracer: () => tracer });
}

function spanOf(name: string, parent: SpanContext | undefined): Span {
  const one: RecordedSpan = { name, parent, attributes: {}, status: undefined, ends: 0 };
  reported.push(one);
  const own = { traceId: parent?.traceId ?? 'new', spanId: `span ${reported.length}`, traceFlags: 1 };
  const span: Span = {
    spanContext: () => own,
    isRecording: () => true,
    updateName: (now) => {
      one.name = now;
      return span;
    },
    setAttribute: (key, value) => span.setAttributes({ [key]: value }),
    setAttributes: (attributes) => {
      Object.assign(one.attributes, attributes);
      return span;
    },
    setStatus: ({ code }) => {
      one.status = code;
      return span;
    },
    end: () => {
      one.ends += 1;
    },
    addEvent: () => span,
    addLink: () => span,
    addLinks: () => span,
    recordException: () => assert.fail(),
  };
  return span;
}

const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const commit = { name: 'commit', scope: 'org#acme', changes: [] } as const;

test('without an SDK the work is done and nothing is recorded', async () => {
  const spans = watchSpans();
  const call = beginTrace('r', { method: 'GET', traceparent });
  assert.equal(await spans.during(call, { traceparent }, () => watchCommitSpan(commit, async () => 7)), 7);
  spans.ended(call, { status: 200, isWhole: true, milliseconds: 1 });
  assert.deepEqual(reported, []);
});

test('a call is a span of the trace it names, and its commits lie within it; failures are recorded by class', async () => {
  loadSdk();
  const spans = watchSpans();
  const call = beginTrace('r-1', { method: 'POST', traceparent });
  const fails = new TypeError('a text that may name anybody');
  await spans.during(call, { traceparent }, async () => {
    await Promise.resolve();
    await watchCommitSpan(commit, async () => undefined);
    await watchCommitSpan({ name: 'get', scope: 'org#acme' }, async () => undefined);
    await assert.rejects(
      watchCommitSpan(commit, async () => Promise.reject(fails)),
      fails,
    );
  });
  Object.assign(call, {
    route: '/app/:org/create/:entity',
    org: 'acme',
    env: 'test',
    principal: 'p',
    problem: 'conflict',
  });
  spans.ended(call, { status: 503, isWhole: true, milliseconds: 1 });
  const [request, good, bad] = reported;
  assert.equal(reported.length, 3);
  assert.deepEqual(
    reported.map(({ ends }) => ends),
    [1, 1, 1],
  );
  assert.equal(request?.name, 'POST /app/:org/create/:entity');
  assert.deepEqual([request?.parent?.spanId, request?.status], ['b7ad6b7169203331', SpanStatusCode.ERROR]);
  assert.deepEqual(request?.attributes, {
    'http.request.method': 'POST',
    'http.route': '/app/:org/create/:entity',
    'http.response.status_code': 503,
    'freehold.request_id': 'r-1',
    'freehold.org': 'acme',
    'freehold.env': 'test',
    'freehold.principal': 'p',
    'freehold.problem': 'conflict',
  });
  assert.deepEqual([good?.name, good?.parent?.spanId, good?.status], ['store.commit', 'span 1', undefined]);
  assert.deepEqual([bad?.parent?.spanId, bad?.status], ['span 1', SpanStatusCode.ERROR]);
});
