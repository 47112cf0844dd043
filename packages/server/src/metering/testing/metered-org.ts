/** An org whose usage nodes count in one store: for tests alone. */
import type { Clock } from '../../lib/clock.ts';
import type { Scope, Store } from '../../store/port.ts';
import { CallMeter } from '../call-meter.ts';
import { createLedger, type Ledger, type RecordsOf } from '../ledger.ts';
import { createPlanGate, type PlanGate } from '../plans/plan-gate.ts';
import { createPlans, type Plans } from '../plans.ts';
import { WorkLedger } from '../work-units/work-ledger.ts';

export const auditContext = { at: '', actor: { kind: 'operator', id: 'operator' }, request_id: '' } as const;
export const place = { orgCode: 'acme', env: 'test', tenantCode: 'main' } as const;
const counter = { pk: 'count', sk: 'order' };

export class SteppedClock implements Clock {
  #now: number;

  constructor(time: string) {
    this.#now = Date.parse(time);
  }

  now(): number {
    return this.#now;
  }

  advance(milliseconds: number): void {
    this.#now += milliseconds;
  }
}

export interface MeteredNode {
  readonly meter: CallMeter;
  readonly ledger: Ledger;
  readonly gate: PlanGate;
  readonly plans: Plans;
  readonly work: WorkLedger;
  /** The errors of reading usage. */
  readonly errors: unknown[];
  /** Writes as the runtime does: the gate is asked, and then the commit is made that moves the counter. */
  write(records: number, isRemoval?: boolean): Promise<void>;
}

export function orgScope(store: Store, env: 'test' | 'prod' = 'test'): Scope {
  return store.scope(`${env}:acme`);
}

export async function recordsStored(store: Store): Promise<number> {
  const [item] = await store.scope('acme-main').get([counter]);
  return Number(item?.value ?? 0);
}

/** @param counted how the records are added up, where that is of interest. */
export function openNode(store: Store, clock: Clock, node: string, counted?: RecordsOf): MeteredNode {
  const orgScopes = () => ({ test: orgScope(store, 'test'), prod: orgScope(store, 'prod') });
  const meter = new CallMeter({ clock, orgScopes, node });
  const ledger = createLedger(meter, orgScopes);
  const plans = createPlans({
    platform: store.scope('platform'),
    hasOrg: async () => true,
    changed: (orgCode) => {
      gate.forget(orgCode);
      work.forget(orgCode);
    },
  });
  const errors: unknown[] = [];
  const onError = (error: unknown) => void errors.push(error);
  const work = new WorkLedger({ clock, orgScopes, calendar: meter, plans, onError });
  const recordsOf =
    counted ?? (async () => [{ ...place, entity: 'order', records: await recordsStored(store) }] as const);
  const gate = createPlanGate({ clock, plans, ledger, meter, recordsOf });
  return {
    meter,
    ledger,
    gate,
    plans,
    work,
    errors,
    write: async (records, isRemoval = false) => {
      const pass = await gate.admit(place, { records, isRemoval });
      try {
        await store.scope('acme-main').commit([{ kind: 'add', ...counter, by: records }]);
      } catch (error) {
        pass.refused();
        throw error;
      }
      pass.written();
    },
  };
}
