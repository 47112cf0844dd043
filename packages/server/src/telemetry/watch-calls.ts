import type { CallTrace } from '../gateway/call-trace.ts';
import type { CallWatch } from '../gateway/call-watch.ts';
import type { CallLog } from './call-log.ts';

export interface WatchCallsParts {
  /** Undefined where the log takes no such lines. */
  readonly log: CallLog | undefined;
}

/** What watches the calls of a gateway. */
export function watchCalls({ log }: WatchCallsParts): CallWatch {
  return {
    during: (_trace, _headers, work) => work(),
    ended: (trace, end) => {
      if (log !== undefined && !isProbe(trace)) log(trace, end);
    },
    refused: () => undefined,
  };
}

/** Asked every few seconds by whoever supervises the platform: nobody reads lines about that. */
function isProbe({ route }: CallTrace): boolean {
  return route === '/healthz' || route === '/readyz' || route === '/metrics';
}
