import type { CallTrace } from '../gateway/call-trace.ts';
import { type CallWatch, unwatched } from '../gateway/call-watch.ts';
import type { CallLog } from './call-log.ts';
import type { CallMetrics } from './call-metrics.ts';
import { isTraced, watchSpans } from './spans.ts';

export interface WatchCallsDeps {
  /** Undefined where the log takes no such lines. */
  readonly log: CallLog | undefined;
  readonly metrics: ReturnType<CallMetrics>;
  /** Notes those that failed. */
  readonly errors: Pick<CallWatch, 'answering' | 'ended'>;
}

/** What watches the calls of a gateway. */
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
