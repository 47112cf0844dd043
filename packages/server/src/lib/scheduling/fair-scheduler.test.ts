import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Problem } from '../problem.ts';
import { scheduler } from './event-loop.ts';
import { type EventLoop, FairScheduler, type ShareKey } from './fair-scheduler.ts';

const limits = {
  round: { orgMilliseconds: 1, milliseconds: 2, waitingMilliseconds: 1 },
  turnMilliseconds: 0.25,
  waitingMax: 1000,
};

describe('fair turns', () => {
  test('let the calls of an org ahead at once until its share of a round is spent, and no call of another wait', async () => {
    const fixture = new Fixture();
    fixture.callsOf('greedy', 30, 0.125);
    assert.equal(fixture.started.length, 8);
    fixture.call('modest', 0.125);
    assert.deepEqual(fixture.started.slice(8), ['modest']);
    await fixture.run();
    assert.equal(fixture.started.length, 31);
  });

  test('let an org ahead at once again in the next round', async () => {
    const fixture = new Fixture();
    fixture.callsOf('a', 8, 0.125);
    await fixture.run();
    fixture.callsOf('a', 8, 0.125);
    assert.equal(fixture.started.length, 16);
  });

  test('have many orgs wait that together ask for too much at once', () => {
    const fixture = new Fixture();
    for (let org = 0; org < 100; org++) fixture.call(`org ${org}`, 0.125);
    assert.equal(fixture.started.length, 16);
  });

  test('have a call wait for no more than a turn of each other org', async () => {
    const fixture = new Fixture();
    for (const org of ['a', 'b', 'c']) fixture.callsOf(org, 500, 0.05);
    fixture.started.length = 0;
    fixture.wait('modest', 0.05);
    await fixture.run();
    // Five calls make a turn, and where it ends is only known when it is over.
    const before = fixture.started.slice(0, fixture.started.indexOf('modest'));
    for (const org of ['a', 'b', 'c']) assert.ok(before.filter((one) => one === org).length <= 6, before.join());
  });

  test('have a workspace wait for no more than a turn of another of its org', async () => {
    const fixture = new Fixture();
    fixture.callsOf('org/greedy', 500, 0.05);
    fixture.started.length = 0;
    fixture.call('org/modest', 0.05);
    assert.equal(fixture.started.length, 0);
    await fixture.run();
    assert.ok(fixture.started.indexOf('org/modest') <= 6, fixture.started.slice(0, 20).join());
  });

  test('give an org with many workspaces no more than another', async () => {
    const fixture = new Fixture();
    for (let place = 0; place < 50; place++) for (let call = 0; call < 4; call++) fixture.wait(`many/${place}`, 0.05);
    for (let call = 0; call < 200; call++) fixture.wait('one/only', 0.05);
    await fixture.run();
    const half = fixture.started.slice(0, 200).filter((name) => name.startsWith('many/')).length;
    assert.ok(half >= 90 && half <= 110, String(half));
  });

  test('go by the time that work takes, not by how often', async () => {
    const fixture = new Fixture();
    for (let call = 0; call < 40; call++) fixture.wait('dear', 1);
    for (let call = 0; call < 400; call++) fixture.wait('cheap', 0.1);
    await fixture.run();
    const first = fixture.started.slice(0, 220);
    const dear = first.filter((name) => name === 'dear').length;
    assert.ok(dear >= 18 && dear <= 22, String(dear));
  });

  test('have long work that lets others go first pay for the time it took', async () => {
    const fixture = new Fixture();
    fixture.long('export', 40, 1);
    for (let call = 0; call < 400; call++) fixture.wait('cheap', 0.1);
    await fixture.run();
    const slices = fixture.started.slice(0, 220).filter((name) => name === 'export').length;
    assert.ok(slices >= 17 && slices <= 22, String(slices));
  });

  test('take no time for work in which the call only waited', () => {
    const fixture = new Fixture();
    fixture.enter('a');
    fixture.loop.time += 500;
    fixture.enter('a');
    assert.deepEqual(fixture.started, ['a', 'a']);
  });

  test('refuse calls of an org of which too many wait, those alone, and no work that has begun', async () => {
    const fixture = new Fixture();
    fixture.callsOf('greedy', 1008, 0.125);
    assert.throws(
      () => fixture.call('greedy', 0.125),
      (error) => error instanceof Problem && error.status === 429 && error.details.retry_after_seconds === 1,
    );
    fixture.call('modest', 0.125);
    fixture.wait('greedy', 0.125);
    await fixture.run();
    assert.equal(fixture.started.length, 1010);
    fixture.call('greedy', 0.125);
    assert.equal(fixture.started.length, 1011);
  });

  test('share time evenly between those who wait, whatever they ask for', async () => {
    for (let seed = 1; seed <= 40; seed++) await shareEvenly(seed);
  });
});

/** Orgs and workspaces that wait all the time, with work of random cost. */
async function shareEvenly(seed: number): Promise<void> {
  const random = randomFrom(seed);
  const fixture = new Fixture();
  const names = Array.from({ length: 2 + Math.floor(random() * 4) }, (_, org) =>
    Array.from({ length: 1 + Math.floor(random() * 4) }, (_, place) => `org ${org}/${place}`),
  );
  const dearest = 2;
  for (const name of names.flat()) {
    const scale = random() * dearest;
    for (let total = 0; total < 60; ) {
      const cost = 0.01 + random() * (scale - 0.01);
      fixture.wait(name, cost);
      total += Math.max(cost, 0.01);
    }
  }
  // As long as no owner is at its end.
  await fixture.run(40);
  const timeOf = (belongs: (name: string) => boolean) =>
    fixture.started.reduce((sum, name, index) => (belongs(name) ? sum + (fixture.costs[index] ?? 0) : sum), 0);
  const apart = 2 * (limits.turnMilliseconds + dearest);
  const orgs = names.map((_, org) => timeOf((name) => name.startsWith(`org ${org}/`)));
  assert.ok(Math.max(...orgs) - Math.min(...orgs) <= apart, `seed ${seed}: orgs had ${orgs.join(', ')}`);
  for (const places of names) {
    const had = places.map((place) => timeOf((name) => name === place));
    assert.ok(Math.max(...had) - Math.min(...had) <= apart, `seed ${seed}: workspaces had ${had.join(', ')}`);
  }
}

test('the event loop lets work come to its end, or to where it waits, before the next begins', async () => {
  const seen: string[] = [];
  const work = async (name: string) => {
    await scheduler.rejoin({ org: name, workspace: '' });
    for (let step = 0; step < 20; step++) {
      seen.push(name);
      await Promise.resolve();
    }
  };
  await Promise.all(['a', 'b', 'c'].map(work));
  assert.deepEqual(seen, [...Array(20).fill('a'), ...Array(20).fill('b'), ...Array(20).fill('c')]);
});

class HandLoop implements EventLoop {
  time = 0;
  #later: (() => void)[] = [];
  #next: (() => void)[] = [];

  now(): number {
    return this.time;
  }

  later(run: () => void): void {
    this.#later.push(run);
  }

  next(run: () => void): void {
    this.#next.push(run);
  }

  /** Until nothing is left to be done, or that time has come. */
  async run(until: number): Promise<void> {
    while (this.time < until && this.#later.length + this.#next.length > 0) {
      await settled();
      const runs = this.#next.length > 0 ? this.#next : this.#later;
      if (runs === this.#next) this.#next = [];
      else this.#later = [];
      for (const run of runs) run();
    }
    await settled();
  }
}

async function settled(): Promise<void> {
  for (let hop = 0; hop < 10; hop++) await Promise.resolve();
}

/** Calls by the names of their share keys, `org` or `org/workspace`, with their durations. */
class Fixture {
  readonly loop = new HandLoop();
  readonly turns = new FairScheduler(this.loop, limits);
  /** Whose calls have begun, in their order, and what they cost. */
  readonly started: string[] = [];
  readonly costs: number[] = [];

  call(name: string, cost: number): void {
    const call = {};
    const turn = this.turns.enter(call, shareKeyOf(name), this.loop.time);
    if (turn !== undefined) return void turn.then(() => this.#work(name, cost));
    this.#work(name, cost);
    this.turns.leave(call);
  }

  callsOf(name: string, count: number, cost: number): void {
    for (let index = 0; index < count; index++) this.call(name, cost);
  }

  /** Work that waits for its turn in any case. */
  wait(name: string, cost: number): void {
    void this.turns.rejoin(shareKeyOf(name)).then(() => this.#work(name, cost));
  }

  long(name: string, slices: number, cost: number): void {
    const resume = (left: number): void => {
      if (left === 0) return;
      void this.turns.rejoin(shareKeyOf(name)).then(() => {
        this.#work(name, cost);
        resume(left - 1);
      });
    };
    resume(slices);
  }

  /** A call that ends some other time. */
  enter(name: string): void {
    const turn = this.turns.enter({}, shareKeyOf(name), this.loop.time);
    if (turn === undefined) this.#work(name, 0);
  }

  run(milliseconds = Number.POSITIVE_INFINITY): Promise<void> {
    return this.loop.run(this.loop.time + milliseconds);
  }

  #work(name: string, cost: number): void {
    this.started.push(name);
    this.costs.push(cost);
    this.loop.time += cost;
  }
}

function shareKeyOf(name: string): ShareKey {
  const [org = '', workspace = ''] = name.split('/');
  return { org, workspace };
}

/** Numbers from 0 to 1 that are the same each time. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48271) % 2147483647;
    return state / 2147483647;
  };
}
