import type { IncomingHttpHeaders } from 'node:http';
import {
  context,
  ProxyTracerProvider,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import type { CallTrace, CallWatch } from '../gateway/call-trace.ts';
import type { Intercept } from '../store/intercepted-store.ts';

/**
 * Spans of OpenTelemetry, for an operator who has loaded an SDK into the process before the platform. Attributes follow
 * the semantic conventions for HTTP servers, and hold no text of a request.
 */
const tracer = trace.getTracer('freehold');

/** Whether there is an SDK that takes spans. */
export function isTraced(): boolean {
  const provider = trace.getTracerProvider();
  return !(provider instanceof ProxyTracerProvider) || provider.getDelegateTracer('freehold') !== undefined;
}

type SpanWatch = Pick<CallWatch, 'during' | 'ended'>;

/** A span for each call of a gateway, in the trace that its headers name. */
export function watchSpans(): SpanWatch {
  const spans = new WeakMap<CallTrace, Span>();
  return {
    during: (call, headers, work) => {
      const parent = propagation.extract(ROOT_CONTEXT, headers satisfies IncomingHttpHeaders);
      const span = tracer.startSpan(call.method, { kind: SpanKind.SERVER }, parent);
      if (!span.isRecording()) return work();
      spans.set(call, span);
      return context.with(trace.setSpan(parent, span), work);
    },
    ended: (call, { status }) => {
      const span = spans.get(call);
      if (span === undefined) return;
      if (call.route !== undefined) span.updateName(`${call.method} ${call.route}`);
      span.setAttributes(attributesOf(call));
      if (status !== undefined) span.setAttribute('http.response.status_code', status);
      if (status === undefined || status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    },
  };
}

function attributesOf({
  method,
  route,
  requestId,
  problem,
  org,
  env,
  principal,
}: CallTrace): Readonly<Record<string, string>> {
  return {
    'http.request.method': method,
    'freehold.request_id': requestId,
    ...(route === undefined ? {} : { 'http.route': route }),
    ...(problem === undefined ? {} : { 'freehold.problem': problem }),
    ...(org === undefined ? {} : { 'freehold.org': org }),
    ...(env === undefined ? {} : { 'freehold.env': env }),
    ...(principal === undefined ? {} : { 'freehold.principal': principal }),
  };
}

/** A span for each commit, within that of the call that makes it. */
export const watchCommitSpan: Intercept = async ({ name }, call) => {
  if (name !== 'commit') return call();
  const span = tracer.startSpan('store.commit');
  try {
    return await call();
  } catch (error) {
    // Its message names scopes, and so orgs and people: only the class is recorded.
    span.setStatus({ code: SpanStatusCode.ERROR, message: error instanceof Error ? error.name : 'unknown' });
    throw error;
  } finally {
    span.end();
  }
};

/** The place in which every copy of the API package keeps an SDK's registration: one for each major version. */
const place = /^opentelemetry\.js\.api\.\d+$/;

/**
 * Warnings where an SDK has registered with another copy of `@opentelemetry/api` than the platform's. A copy sees
 * registrations with an equal or newer one of its major version, and not with an older one.
 */
export function warnOfApiCopies(): readonly string[] {
  return Object.getOwnPropertySymbols(globalThis)
    .filter((symbol) => place.test(symbol.description ?? ''))
    .map((symbol) => Object.entries(Reflect.get(globalThis, symbol) ?? {}))
    .flatMap((members) => {
      const { version, trace } = Object.fromEntries(members);
      if (trace === undefined || trace instanceof ProxyTracerProvider) return [];
      const what = isTraced() ? reported : lost;
      return [`the OpenTelemetry SDK came with another copy of \`@opentelemetry/api\` (${version}): ${what}`];
    });
}

const reported = 'spans of the platform reach it, since that copy is not the older one';
const lost =
  'no span of the platform reaches it. Install an SDK in the folder of the platform, where both share one copy, or one with a newer copy';
