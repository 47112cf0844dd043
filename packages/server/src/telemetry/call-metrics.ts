import type { CallTrace } from '../gateway/call-trace.ts';
import type { CallWatch } from '../gateway/call-watch.ts';
import type { Histogram, Metrics } from './metrics.ts';

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
