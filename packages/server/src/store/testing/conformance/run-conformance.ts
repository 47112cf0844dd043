import { after, before, describe, test } from 'node:test';
import type { OpenedStore } from '../../port.ts';
import { allCases } from './all-cases.ts';
import { type Bench, type ConformanceCase, type OpenedSubject, type Subject, TestClock } from './bench.ts';

/** Registers a test for every promise of the port. An adapter's whole test of the port is one call of this. */
export function storeConformance(name: string, subject: Subject): void {
  describe(`the store on ${name}`, () => {
    let shared: Shared | undefined;
    before(async () => {
      shared = await openShared(subject);
    });
    after(() => shared?.dispose());
    for (const one of casesFor(subject)) {
      test(one.name, async () => {
        if (one.needs === undefined && shared !== undefined) await one.run(shared.bench());
        else await runAlone(one, subject);
      });
    }
  });
}

export function casesFor(subject: Subject): readonly ConformanceCase[] {
  return allCases.filter((one) => one.needs !== 'reopen' || subject.isDurable);
}

/** Rejects when the subject breaks the promise. */
export async function runAlone(one: ConformanceCase, subject: Subject): Promise<void> {
  const shared = await openShared(subject);
  try {
    await one.run(shared.bench());
  } finally {
    await shared.dispose();
  }
}

interface Shared {
  bench(): Bench;
  dispose(): Promise<void>;
}

async function openShared(subject: Subject): Promise<Shared> {
  const clock = new TestClock();
  const opened = await subject.open(clock);
  let benches = 0;
  return { bench: () => benchOn(opened, clock, `case#${++benches}`), dispose: () => opened.dispose() };
}

function benchOn(subject: OpenedSubject, clock: TestClock, name: string): Bench {
  const { store, maintenance } = subject.opened;
  let names = 0;
  const freshName = () => `${name}-${++names}`;
  return {
    store,
    maintenance,
    clock,
    scope: store.scope(freshName()),
    freshName,
    reopen: (): Promise<OpenedStore> => subject.reopen(),
  };
}
