import type { CallTrace, CallWatch } from '../gateway/call-trace.ts';
import { BoundedMap } from '../lib/bounded-map.ts';
import { type ErrorFault, type ErrorLog, faultOfError, type ShownError } from './error-log.ts';

type GatewayName = NonNullable<ShownError['gateway']>;

/** Notes the errors of one platform. Costs a request that succeeds nothing but a comparison. */
export interface ErrorNotes {
  /** Notes every fault before it is handled as ever. */
  noting(onFault: FaultHandler): FaultHandler;
  /** Notes the calls of a gateway that fail. */
  callsOf(gateway: GatewayName): Pick<CallWatch, 'answering' | 'ended'>;
  /** Remembers which job an error comes from, until it is noted. */
  failedIn(job: string, error: unknown): void;
  /** {@link noting}, and `within` for faults of some work, which names it where no job in it is known to have failed. */
  handlers(onFault: FaultHandler): FaultHandlers;
}

type FaultHandler = (error: unknown, requestId?: string) => void;

export interface FaultHandlers {
  readonly onFault: FaultHandler;
  readonly within: (work: string) => (error: unknown) => void;
}

/** Of requests that have failed and not ended yet. */
const waitingMax = 1000;

export function createErrorNotes(log: Pick<ErrorLog, 'add'>): ErrorNotes {
  const waiting = new BoundedMap<string, ErrorFault>(waitingMax);
  const jobs = new WeakMap<Error, string>();
  /** A store that is away may throw the same error to one job after the other. */
  const takeJob = (error: unknown): string | undefined => {
    if (!(error instanceof Error)) return undefined;
    const job = jobs.get(error);
    jobs.delete(error);
    return job;
  };
  const noting: ErrorNotes['noting'] = (onFault) => (error, requestId) => {
    if (requestId !== undefined) waiting.set(requestId, faultOfError(error));
    else log.add({ ...noRequest, job: takeJob(error) ?? null, fault: faultOfError(error) });
    onFault(error, requestId);
  };
  return {
    noting,
    callsOf: (gateway) => {
      const note = (trace: CallTrace, { status, isRefused }: { status: number | undefined; isRefused: boolean }) => {
        if (!isRefused && waiting.size === 0) return;
        const fault = waiting.get(trace.requestId);
        waiting.delete(trace.requestId);
        if (fault === undefined && (!isRefused || trace.route === '/readyz')) return;
        log.add({ ...ofCall(trace), gateway, status: status ?? null, fault: fault ?? null });
      };
      return {
        answering: (trace, status) => note(trace, { status, isRefused: status >= 500 }),
        // Here the fault came after the head of the answer, or instead of it.
        ended: (trace, { status }) => note(trace, { status, isRefused: false }),
      };
    },
    failedIn: (job, error) => {
      if (error instanceof Error) jobs.set(error, job);
    },
    handlers: (handle) => {
      const onFault = noting(handle);
      const within = (work: string) => (error: unknown) => {
        if (error instanceof Error && !jobs.has(error)) jobs.set(error, work);
        onFault(error);
      };
      return { onFault, within };
    },
  };
}

/** Of work in the background that failed. */
export const noRequest = {
  kind: 'background',
  ...{ request_id: null, gateway: null, method: null, route: null, status: null, problem: null, org: null, env: null },
} as const;

function ofCall({ requestId, method, route, problem, org, env }: CallTrace) {
  return {
    kind: 'request',
    request_id: requestId,
    method,
    route: route ?? null,
    problem: problem ?? null,
    org: org ?? null,
    env: env ?? null,
    job: null,
  } as const;
}
