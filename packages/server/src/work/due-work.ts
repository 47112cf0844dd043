/**
 * Work of the queue `automation`: the automation that an org has configured, due at a time. Each item says that there
 * is work in its scope, and its job takes it, moves it or removes it. Passes last as long as others take to answer, so
 * they go on beside each other, within a share for each org: a slow receiver of one org delays no other.
 */
import type { Clock } from '../lib/clock.ts';
import { type Item, type Scope, ScopeClosed } from '../store/port.ts';
import { json, table } from '../store/table.ts';
import { type Environment, ownerOfScope } from '../tenancy/port.ts';
import { defer, type JobSpace, type Take } from './work-queue.ts';

/** Something due, and where. Whose it is, the scope says alone: nothing in the value names an org or a workspace. */
export interface DueWork {
  readonly env: Environment;
  readonly scope: Scope;
  readonly orgCode: string;
  /** Undefined in the scope of an org. */
  readonly tenantCode: string | undefined;
  readonly item: Item;
}

/** One pass over what is due. What it leaves due comes again with the next. */
export type DueHandler = (work: DueWork) => Promise<void>;

export interface DueJob {
  /** The `job` member of the items that it handles. */
  readonly name: string;
  readonly run: DueHandler;
  /** It delivers events: these and all else of an org have a share each, so no dead endpoint holds up the others. */
  readonly isDelivery?: true;
}

export interface DueSpace extends JobSpace {
  readonly env: Environment;
}

/** The timers of a scope, by name. By `job` it finds its job, whose own the other members are. */
export const timers = table(
  (name: string) => ({ pk: 'due', sk: name }),
  json<{ readonly job: string }>('piece of due work', { job: 'string' }),
);

/** Concurrent passes on a node, of all orgs. They mostly wait for others. */
export const passesAtOnce = 256;
const afterFailureMilliseconds = 5000;

export function handlingDue(
  jobs: readonly DueJob[],
  { clock, onError }: { readonly clock: Clock; readonly onError: (error: unknown) => void },
): Take<DueSpace> {
  return ({ env, store }, { scope: name, item }) => {
    const owner = ownerOfScope(name);
    if (owner === undefined) return undefined;
    const scope = store.scope(name);
    const named = timers.row(scope, item).value.job;
    const job = jobs.find(({ name: own }) => own === named);
    // That of a newer release, which another node runs.
    if (job === undefined) return undefined;
    return {
      share: `${env} ${owner.orgCode} ${job.isDelivery === true ? 'deliveries' : 'others'}`,
      run: () =>
        job.run({ env, scope, ...owner, item }).catch(async (error: unknown) => {
          if (error instanceof ScopeClosed) throw error;
          onError(error);
          const at = clock.now() + afterFailureMilliseconds;
          await defer(scope, item, { at, queue: 'automation' }).catch(onError);
        }),
    };
  };
}
