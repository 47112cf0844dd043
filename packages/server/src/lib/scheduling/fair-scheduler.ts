import { Problem } from '../problem.ts';

/** Whose work something is. */
export interface ShareKey {
  /** Orgs share what there is evenly, and the workspaces of an org share what the org has. */
  readonly org: string;
  readonly workspace: string;
}

/** The event loop; tests drive one by hand. */
export interface EventLoop {
  /** Milliseconds, which only grow. */
  now(): number;
  /** Runs this once what has arrived by now was read. */
  later(run: () => void): void;
  /** Runs this once all that is under way has ended or waits for something that is not here yet. */
  next(run: () => void): void;
}

interface TurnLimits {
  /** Of a round: one of the event loop, in which whatever has arrived is read first, and then work goes on that waits. */
  readonly round: {
    /** As long may the work of an org take that never waits. */
    readonly orgMilliseconds: number;
    readonly milliseconds: number;
    /** After so long the rest of those who wait go on waiting for the next round. */
    readonly waitingMilliseconds: number;
  };
  /** Milliseconds of a waiting call per time slice. Longer work is paid for by the turns that come. */
  readonly turnMilliseconds: number;
  /**
   * Of an org. A connection has one call at a time, so the connections there may be are a bound already: were it less, one
   * workspace could have the calls of its siblings refused.
   */
  readonly waitingMax: number;
}

const defaultLimits: TurnLimits = {
  round: { orgMilliseconds: 1, milliseconds: 2, waitingMilliseconds: 1 },
  turnMilliseconds: 0.25,
  waitingMax: 20_000,
};

/**
 * Decides which call may use the event loop next. As long as an org has had little of it, its calls go ahead at once;
 * further calls wait, and orgs take turns by the time that their work has taken, and so do the workspaces within one.
 */
export class FairScheduler {
  readonly #loop: EventLoop;
  readonly #limits: TurnLimits;
  readonly #orgs: Rotation<OrgShare>;
  /** Milliseconds of this round, of calls that went ahead at once. */
  #spent = 0;
  #started = 0;
  #isRoundToEnd = false;
  /** The call that went ahead last, as long as it is not known what it has cost. */
  #last: object | undefined;
  #lastOrg: OrgShare | undefined;
  #lastAt = 0;

  constructor(loop: EventLoop, limits: TurnLimits = defaultLimits) {
    this.#loop = loop;
    this.#limits = limits;
    const { turnMilliseconds } = limits;
    this.#orgs = new Rotation(() => new OrgShare(turnMilliseconds), turnMilliseconds);
  }

  /** The number of calls that have wanted to begin, in all. */
  get callsStarted(): number {
    return this.#started;
  }

  /**
   * A call wants to begin. Undefined where it may at once.
   * @param call identifies it when it leaves.
   * @param at when it came.
   * @throws Problem `rate_limited`, where too many calls of its org wait.
   */
  enter(call: object, shareKey: ShareKey, at: number): Promise<void> | undefined {
    this.#started += 1;
    if (this.#last !== undefined) this.#settle(at, this.#limits.round.orgMilliseconds * uncertainPart);
    const org = this.#orgs.of(shareKey.org);
    const { round, waitingMax } = this.#limits;
    if (org.waiting === 0 && org.used < round.orgMilliseconds && this.#spent < round.milliseconds) {
      this.#last = call;
      this.#lastOrg = org;
      this.#lastAt = at;
      return undefined;
    }
    if (org.waiting >= waitingMax)
      throw new Problem('rate_limited', 'too many calls of this org are waiting', { retry_after_seconds: 1 });
    return this.#wait(shareKey);
  }

  /** A call has ended: where nothing came in between, all that happened since it entered was its work. */
  leave(call: object): void {
    if (this.#last === call) this.#settle(this.#loop.now(), Number.POSITIVE_INFINITY);
  }

  /** Work that has taken its time lets others go first. Resolves when it is its turn again. */
  rejoin(shareKey: ShareKey): Promise<void> {
    return this.#wait(shareKey);
  }

  #wait({ org, workspace }: ShareKey): Promise<void> {
    this.#endRoundSoon();
    return new Promise((resolve) => {
      const shareKey = this.#orgs.of(org);
      const place = shareKey.workspaces.of(workspace);
      place.line.push(resolve);
      shareKey.waiting += 1;
      this.#orgs.join(org, shareKey);
      shareKey.workspaces.join(workspace, place);
    });
  }

  /**
   * The call that entered last is charged with the time since, but for work that went on elsewhere no more than
   * `atMost`.
   */
  #settle(until: number, atMost: number): void {
    const cost = Math.min(Math.max(0, until - this.#lastAt), atMost);
    if (this.#lastOrg !== undefined) this.#lastOrg.used += cost;
    this.#last = undefined;
    this.#lastOrg = undefined;
    this.#spent += cost;
    if (this.#spent >= this.#limits.round.orgMilliseconds / 2) this.#endRoundSoon();
  }

  #endRoundSoon(): void {
    if (this.#isRoundToEnd) return;
    this.#isRoundToEnd = true;
    this.#loop.later(() => this.#endRound());
  }

  #endRound(): void {
    const now = this.#loop.now();
    if (this.#last !== undefined) this.#settle(now, this.#limits.round.orgMilliseconds * uncertainPart);
    this.#isRoundToEnd = false;
    this.#spent = 0;
    this.#orgs.endRound((org) => {
      org.used = 0;
      org.workspaces.endRound();
    });
    this.#serve(now, now + this.#limits.round.waitingMilliseconds);
  }

  /** One after the other, so that it is known what each has cost. */
  #serve(now: number, until: number): void {
    const org = this.#orgs.next();
    const place = org?.workspaces.next();
    const resume = place?.line.shift();
    if (org === undefined || place === undefined || resume === undefined) return;
    org.waiting -= 1;
    if (place.line.length === 0) org.workspaces.part(place);
    if (org.waiting === 0) this.#orgs.part(org);
    resume();
    this.#loop.next(() => {
      const then = this.#loop.now();
      this.#orgs.charge(org, then - now);
      org.workspaces.charge(place, then - now);
      if (then < until) this.#serve(then, until);
      else if (this.#orgs.isWaiting) this.#endRoundSoon();
    });
  }
}

/** Below 1, so that one call alone, of which it is not known how much of its time was work, keeps no other waiting. */
const uncertainPart = 0.9;

/** In turns. */
const debtMax = 100;

/** Those who wait, and those of whom something has to be remembered until the round ends. */
export class Rotation<T extends { credit: number }> {
  readonly #make: () => T;
  readonly #turnMilliseconds: number;
  readonly #known = new Map<string, T>();
  /** In the order of their turns. */
  readonly #waiting = new Map<T, string>();

  constructor(make: () => T, turnMilliseconds: number) {
    this.#make = make;
    this.#turnMilliseconds = turnMilliseconds;
  }

  get isWaiting(): boolean {
    return this.#waiting.size > 0;
  }

  get waiting(): Iterable<T> {
    return this.#waiting.keys();
  }

  of(name: string): T {
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const made = this.#make();
    this.#known.set(name, made);
    return made;
  }

  join(name: string, one: T): void {
    if (!this.#waiting.has(one)) this.#waiting.set(one, name);
  }

  part(one: T): void {
    this.#waiting.delete(one);
  }

  charge(one: T, milliseconds: number): void {
    one.credit = Math.max(one.credit - milliseconds, -debtMax * this.#turnMilliseconds);
  }

  /**
   * Whose slice is next: an owner that has used its slice goes to the end and gets another, but first has to be out of
   * debt.
   */
  next(): T | undefined {
    if (this.#waiting.size === 1) {
      const [only] = this.#waiting.keys();
      // It has no debt.
      if (only !== undefined && only.credit <= 0) only.credit = this.#turnMilliseconds;
      return only;
    }
    for (const [one, name] of this.#waiting) {
      if (one.credit > 0) return one;
      one.credit += this.#turnMilliseconds;
      this.#waiting.delete(one);
      this.#waiting.set(one, name);
    }
    return undefined;
  }

  /** An owner without waiting calls is forgotten. */
  endRound(each?: (one: T) => void): void {
    for (const [name, one] of this.#known) {
      each?.(one);
      if (!this.#waiting.has(one)) this.#known.delete(name);
    }
  }
}

class QueuedWork {
  credit = 0;
  readonly line: (() => void)[] = [];
}

class OrgShare {
  credit = 0;
  /** Milliseconds of this round. */
  used = 0;
  waiting = 0;
  readonly workspaces: Rotation<QueuedWork>;

  constructor(turnMilliseconds: number) {
    this.workspaces = new Rotation(() => new QueuedWork(), turnMilliseconds);
  }
}

interface PacerDeps {
  /** Milliseconds, which only grow. */
  readonly now: () => number;
  readonly pause: (milliseconds: number) => Promise<void>;
  /** The number of calls that have begun since the process did. */
  readonly callsStarted: () => number;
}

/** While calls come, a step is followed by so many pauses as long as it: background work has a seventh of the time. */
const pausesOfStep = 6;
/** So that no step, however long, keeps the work from going on. */
const pauseMillisecondsMax = 250;
/** Time of work without a pause: a job over few records is over at once, and those who wait for it are served. */
const atOnceMilliseconds = 1000;

/**
 * For background work, asked between two steps of it: while calls come it leaves them the greater part of the time, and
 * goes on under any load. Where none has come since the step began, or since a pause of its length, it goes on at once.
 * @param atOnce how many milliseconds of work are done before the first pause.
 */
export function createPacer(
  { now, pause, callsStarted }: PacerDeps,
  atOnce: number = atOnceMilliseconds,
): () => Promise<void> {
  let worked = 0;
  let startedAt = now();
  let seen = callsStarted();
  return async () => {
    const took = now() - startedAt;
    worked += took;
    for (let pauses = 0; worked > atOnce && pauses < pausesOfStep && callsStarted() > seen; pauses++) {
      seen = callsStarted();
      await pause(Math.min(took, pauseMillisecondsMax));
    }
    startedAt = now();
    seen = callsStarted();
  };
}
