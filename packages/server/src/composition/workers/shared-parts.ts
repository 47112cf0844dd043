import { createHookCallLog, type HookCallLog } from '../../automation/port.ts';
import type { BackupDesk } from '../../backup/backup-runner.ts';
import { type ConnectionCounts, createConnectionCounts } from '../../gateway/listener.ts';
import {
  createRateLimits,
  type LimitedCall,
  type RateLimitSettings,
  type RateLimits,
} from '../../gateway/rate-limits.ts';
import { asKept, createDecisionLog, type DecisionLog } from '../../iam/port.ts';
import {
  createRefusedOrigins,
  createThrottles,
  loginDoors,
  type RefusedOrigins,
  type SecretsVault,
  type Throttles,
} from '../../identity/port.ts';
import type { Clock } from '../../lib/clock.ts';
import { uuidv7Source } from '../../lib/ids.ts';
import { Problem } from '../../lib/problem.ts';
import type { SharedEpochs } from '../../lib/shared-slots.ts';
import { createMailbox, type Mailbox } from '../../mail/inbox.ts';
import type { Key, ScopeName } from '../../store/port.ts';
import type { ErrorLog } from '../../telemetry/error-log.ts';
import type { Environment } from '../../tenancy/port.ts';
import type { Diagnoses } from '../operations/diagnoses.ts';
import type { Calls, Services } from './calls.ts';
import type { Handler } from './channel.ts';
import type { WorkerState } from './worker-states.ts';

/** What a platform that is one of several workers shares with the others, in place of its own. */
export interface SharedParts {
  /** Names the worker, and its replacement. */
  readonly name: string;
  /** Names the process. */
  readonly nodeId: string;
  readonly epochs: Readonly<Record<'access' | 'revocations' | 'plans', SharedEpochs>>;
  readonly changesOf: Readonly<Record<Environment, (scope: ScopeName, key: Key) => number>>;
  readonly vault: SecretsVault;
  readonly counted: CountedParts;
  /** The main thread's, so that one look is under way at a time. */
  readonly diagnoses: Diagnoses;
  /** Asks every other worker. Those that end meanwhile are left out. */
  readonly askOthers: (topic: string, payload?: unknown) => Promise<readonly unknown[]>;
  readonly serve: (topic: string, handler: Handler) => void;
}

/** A question of one worker to all others, as it passes the main thread. */
export interface OthersAsked {
  readonly topic: string;
  readonly payload?: unknown;
}

/** What the main thread counts and keeps for all workers. */
export interface CountedParts {
  readonly throttles: Throttles;
  readonly refusedOrigins: RefusedOrigins;
  readonly rateLimits: RateLimits;
  readonly decisions: DecisionLog;
  readonly hookCalls: HookCallLog;
  readonly errorLog: ErrorLog;
  readonly workers: () => readonly WorkerState[];
  readonly mailbox: Mailbox;
  readonly backups: BackupDesk;
  readonly connections: (listener: string) => ConnectionCounts;
}

/** In the main thread: the services that every worker calls; connections are counted by {@link connectionServices}. */
export function countedServices(
  rateLimits: RateLimitSettings,
  clock: Clock,
  { errorLog, backups }: { readonly errorLog: ErrorLog; readonly backups: BackupDesk | undefined },
): Services {
  const { logins, mails } = createThrottles(clock);
  const limits = createRateLimits(rateLimits, clock);
  const mailbox = createMailbox(clock, uuidv7Source(clock));
  return {
    ...Object.fromEntries(loginDoors.map((door) => [`login ${door}`, { ...logins[door] }])),
    mails: { ...mails },
    origins: { ...createRefusedOrigins(clock) },
    rate: { take: (call: LimitedCall) => takenOf(limits, call) },
    decisions: { ...createDecisionLog(clock) },
    'hook calls': { ...createHookCallLog(clock) },
    errors: { ...errorLog },
    ...(backups && {
      backups: {
        check: () => backups.check(),
        begin: (...args: Parameters<BackupDesk['begin']>) => backups.begin(...args),
        test: (...args: Parameters<BackupDesk['test']>) => backups.test(...args),
        checkRemoval: (...args: Parameters<BackupDesk['checkRemoval']>) => backups.checkRemoval(...args),
        remove: (...args: Parameters<BackupDesk['remove']>) => backups.remove(...args),
        standing: () => backups.standing(),
      },
    }),
    mailbox: {
      deliver: (...[mail]: Parameters<Mailbox['deliver']>) => void mailbox.deliver(mail),
      mails: () => mailbox.mails(),
    },
  };
}

interface Taken {
  readonly replyHeaders: LimitedCall['replyHeaders'];
  readonly refusal: Pick<Problem, 'code' | 'message' | 'details'> | undefined;
}

/** The headers of the answer are set whether the call is refused or not. */
function takenOf(limits: RateLimits, call: LimitedCall): Taken {
  const trace = { ...call };
  try {
    limits.take(trace);
    return { replyHeaders: trace.replyHeaders, refusal: undefined };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const { code, message, details } = error;
    return { replyHeaders: trace.replyHeaders, refusal: { code, message, details } };
  }
}

/** In the main thread: the connections of one worker, which end with it. */
export function connectionServices(all: Map<string, ConnectionCounts>): {
  readonly services: Services;
  releaseAll(): void;
} {
  const held = new Map<string, number>();
  // What a worker has asked for may arrive behind the news of its end.
  let hasEnded = false;
  const countsOf = (listener: string): ConnectionCounts => {
    const known = all.get(listener) ?? createConnectionCounts();
    all.set(listener, known);
    return known;
  };
  const note = (key: string, by: number): void => {
    const left = (held.get(key) ?? 0) + by;
    if (left <= 0) held.delete(key);
    else held.set(key, left);
  };
  const release = (listener: string, address: string): void => {
    note(`${listener} ${address}`, -1);
    countsOf(listener).release(address);
  };
  return {
    services: {
      connections: {
        take: (listener: string, address: string, max: number) => {
          const isTaken = !hasEnded && countsOf(listener).take(address, max);
          if (isTaken) note(`${listener} ${address}`, 1);
          return isTaken;
        },
        release: (listener: string, address: string) => {
          if (!hasEnded) release(listener, address);
        },
      },
    },
    releaseAll: () => {
      hasEnded = true;
      for (const [key, count] of [...held]) {
        const [listener = '', address = ''] = key.split(' ');
        for (let left = count; left > 0; left--) release(listener, address);
      }
    },
  };
}

/** In a worker: the same parts, which the main thread answers for. */
export function countedParts(calls: Pick<Calls, 'call'>, settings: RateLimitSettings): CountedParts {
  const of =
    <T>(service: string, method: string) =>
    (...args: readonly unknown[]): T =>
      calls.call(service, method, ...args) as T;
  const login = (door: string) => ({
    check: of<void>(`login ${door}`, 'check'),
    recordFailure: of<void>(`login ${door}`, 'recordFailure'),
    recordSuccess: of<void>(`login ${door}`, 'recordSuccess'),
  });
  const isLimited = settings.principal !== undefined || settings.org !== undefined;
  return {
    throttles: {
      logins: { app: login('app'), org: login('org'), operator: login('operator') },
      mails: { take: of<void>('mails', 'take'), tryTake: of<boolean>('mails', 'tryTake') },
    },
    refusedOrigins: {
      note: of<void>('origins', 'note'),
      of: of<ReturnType<RefusedOrigins['of']>>('origins', 'of'),
    },
    rateLimits: { take: isLimited ? (trace) => take(of<Taken>('rate', 'take'), trace) : () => undefined },
    decisions: {
      // Shortened here: what is compared in a decision may be as long as a body, and the main thread is that of all.
      add: (orgCode, decision) => calls.call('decisions', 'add', orgCode, asKept(decision)) as string,
      find: of<ReturnType<DecisionLog['find']>>('decisions', 'find'),
      latest: of<ReturnType<DecisionLog['latest']>>('decisions', 'latest'),
    },
    hookCalls: {
      noteUnsigned: of<void>('hook calls', 'noteUnsigned'),
      noteRefused: of<void>('hook calls', 'noteRefused'),
      noteAccepted: of<void>('hook calls', 'noteAccepted'),
      of: of<ReturnType<HookCallLog['of']>>('hook calls', 'of'),
      lastOf: of<ReturnType<HookCallLog['lastOf']>>('hook calls', 'lastOf'),
    },
    errorLog: {
      add: of<void>('errors', 'add'),
      list: of<ReturnType<ErrorLog['list']>>('errors', 'list'),
    },
    workers: of<readonly WorkerState[]>('workers', 'all'),
    mailbox: {
      deliver: async ({ to, subject, text }) => calls.call('mailbox', 'deliver', { to, subject, text }) as undefined,
      mails: of<ReturnType<Mailbox['mails']>>('mailbox', 'mails'),
    },
    backups: {
      check: of<void>('backups', 'check'),
      begin: of<void>('backups', 'begin'),
      test: of<void>('backups', 'test'),
      checkRemoval: of<void>('backups', 'checkRemoval'),
      remove: of<void>('backups', 'remove'),
      standing: of<ReturnType<BackupDesk['standing']>>('backups', 'standing'),
    },
    connections: (listener) => ({
      take: (address, max) => calls.call('connections', 'take', listener, address, max) as boolean,
      release: (address) => void calls.call('connections', 'release', listener, address),
    }),
  };
}

function take(ask: (call: LimitedCall) => Taken, trace: LimitedCall): void {
  const { org, env, principal, builder } = trace;
  const { replyHeaders, refusal } = ask({ org, env, principal, builder, replyHeaders: undefined });
  trace.replyHeaders = replyHeaders;
  if (refusal !== undefined) throw new Problem(refusal.code, refusal.message, refusal.details);
}
