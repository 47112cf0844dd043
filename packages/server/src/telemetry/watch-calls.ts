import { type CallEnd, type CallTrace, type CallWatch, unwatched } from '../gateway/call-trace.ts';
import type { Clock } from '../lib/clock.ts';
import type { Histogram, Metrics } from './metrics.ts';
import { isTraced, watchSpans } from './spans.ts';

interface WatchCallsDeps {
  /** Undefined where the log takes no such lines. */
  readonly log: CallLog | undefined;
  readonly metrics: ReturnType<CallMetrics>;
  /** Notes those that failed. */
  readonly errors: Pick<CallWatch, 'answering' | 'ended'>;
}

/** Watches the calls of a gateway. */
export function watchCalls({ log, metrics, errors }: WatchCallsDeps): CallWatch {
  const spans = isTraced() ? watchSpans() : unwatched;
  return {
    during: spans.during,
    answering: errors.answering,
    ended: (trace, end) => {
      spans.ended(trace, end);
      metrics.ended(trace, end);
      errors.ended(trace, end);
      if (log !== undefined && !isProbe(trace)) log(trace, end);
    },
    refused: metrics.refused,
  };
}

/** Called every few seconds by the monitoring system, so log lines would be noise. */
function isProbe({ route }: CallTrace): boolean {
  return route === '/healthz' || route === '/readyz' || route === '/metrics';
}

/** Writes down that a call has ended. */
export type CallLog = (trace: CallTrace, end: CallEnd) => void;

/**
 * One line of JSON for each call. Put together by hand, since the logger takes three times as long for it. Nothing
 * needs to be escaped: routes, ids, codes, problems and environments are texts that the platform has made.
 */
export function createCallLog(gateway: 'app' | 'management', clock: Clock, write: (line: string) => void): CallLog {
  return (trace, { status, isWhole, milliseconds }) => {
    const { requestId, method, route, problem, org, env, principal, traceId } = trace;
    let line = `{"level":30,"time":${clock.now()},"msg":"call","gateway":"${gateway}","request_id":"${requestId}"`;
    line += `,"method":"${method}","ms":${Math.round(milliseconds * 100) / 100}`;
    if (route !== undefined) line += `,"route":"${route}"`;
    if (status !== undefined) line += `,"status":${status}`;
    if (problem !== undefined) line += `,"problem":"${problem}"`;
    if (!isWhole) line += ',"cut_off":true';
    if (org !== undefined) line += `,"org":"${org}"`;
    if (env !== undefined) line += `,"env":"${env}"`;
    if (principal !== undefined) line += `,"principal":"${principal}"`;
    if (traceId !== undefined) line += `,"trace_id":"${traceId}"`;
    write(`${line}}\n`);
  };
}

/**
 * One short line for each call, for the developer at the terminal: `POST /app/demo/create/ticket 201 2.6 ms`. The query
 * is left out, because it holds values of fields.
 */
export function createTextCallLog(write: (line: string) => void): CallLog {
  return ({ method, target, problem }, { status, isWhole, milliseconds }) => {
    const path = target.replace(/\?.*$/s, '').replace(/[^!-~]/g, '?');
    const outcome = [status, status === undefined || !isWhole ? 'cut off' : undefined].filter(
      (word) => word !== undefined,
    );
    const time = `${milliseconds.toFixed(milliseconds < 100 ? 1 : 0)} ms`;
    write(`${method} ${path} ${outcome.join(' ')} ${time}${problem === undefined ? '' : `  ${problem}`}\n`);
  };
}

export type CallMetrics = (gateway: 'app' | 'management') => Pick<CallWatch, 'ended' | 'refused'>;

/** Five bounds: each is a line for every route and class of status. */
const secondsBounds = [0.005, 0.025, 0.1, 0.5, 2.5];

/** Rate, errors and duration of calls, by route and class of status. */
export function createCallMetrics(metrics: Metrics): CallMetrics {
  const seconds = metrics.histogram(
    { name: 'freehold_call_seconds', help: 'Duration of calls, from the request head until the response was sent.' },
    secondsBounds,
  );
  const refusals = metrics.counter({
    name: 'freehold_refused_connections_total',
    help: 'Connections that were refused and closed because their request was malformed or too slow.',
  });
  return (gateway) => {
    /** By route, method and class of status. */
    const series = new Map<string, Map<string, Histogram[]>>();
    const ofCalls = (route: string, method: string): Histogram[] => {
      const ofRoute = series.get(route) ?? new Map<string, Histogram[]>();
      if (ofRoute.size === 0) series.set(route, ofRoute);
      const ofMethod = ofRoute.get(method) ?? [];
      if (ofMethod.length === 0) ofRoute.set(method, ofMethod);
      return ofMethod;
    };
    const seriesOf = ({ method, route = 'none' }: CallTrace, statusClass: number): Histogram => {
      const known = ofCalls(route, method);
      known[statusClass] ??= seconds({
        gateway,
        method,
        route,
        status: statusClass === 0 ? 'none' : `${statusClass}xx`,
      });
      return known[statusClass];
    };
    return {
      ended: (trace, { status = 0, milliseconds }) => {
        seriesOf(trace, Math.floor(status / 100)).observe(milliseconds / 1000);
      },
      refused: (code) => refusals({ gateway, code }).add(),
    };
  };
}
