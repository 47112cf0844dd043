import { networkKey } from '../../lib/network/network-key.ts';
import { Problem } from '../../lib/problem.ts';
import { Rotation } from '../../lib/scheduling/fair-scheduler.ts';

/** Who has a password hashed. */
export interface HashCaller {
  /** Whose app it is. Builders belong to no org before they have signed in: each network of theirs stands for one. */
  readonly org?: string;
  readonly ip: string;
}

/** How many hashes run at once, and how many may wait. */
export interface HashLimits {
  readonly parallelMax: number;
  readonly waitingMax: number;
  readonly perOrgMax: number;
  /** In all orgs together. */
  readonly perAddressMax: number;
  /** Less than an org's, so that one address alone closes no app. */
  readonly perAddressOfOrgMax: number;
  /** What has waited for so long is refused: on a busy machine a short line takes long, and a silent connection is cut. */
  readonly waitMilliseconds: number;
}

/**
 * Hashing is the dearest thing that a stranger may ask for. Orgs take turns, and so do the addresses within an org, so
 * that a flood of one is waited for by itself; what no other call of it would wait for in time is refused at once.
 */
export class HashScheduler {
  readonly #limits: HashLimits;
  readonly #orgs = new Rotation(() => new OrgLine(), oneHash);
  readonly #perAddress = new Map<string, number>();
  #running = 0;
  #waiting = 0;

  constructor(limits: HashLimits) {
    this.#limits = limits;
  }

  /** @throws Problem `rate_limited` where too many hashes of the asker wait, `unavailable` where too many of all do. */
  async run<T>(caller: HashCaller, work: () => Promise<T>): Promise<T> {
    if (this.#running < this.#limits.parallelMax) this.#running += 1;
    else await this.#turn(caller);
    try {
      return await work();
    } finally {
      const next = this.#next();
      if (next === undefined) this.#running -= 1;
      else next.resolve();
    }
  }

  #turn({ org: asked, ip }: HashCaller): Promise<void> {
    const address = networkKey(ip);
    const org = asked ?? address;
    const line = this.#orgs.of(org);
    const place = line.places.of(address);
    const { waitingMax, perOrgMax, perAddressMax, perAddressOfOrgMax, waitMilliseconds } = this.#limits;
    const ofAddress = this.#perAddress.get(address) ?? 0;
    if (line.length >= perOrgMax || ofAddress >= perAddressMax || place.line.length >= perAddressOfOrgMax)
      throw tooMany();
    if (this.#waiting >= waitingMax) this.#makeRoom(line);
    return new Promise((resolve, reject) => {
      const one: Waiting = { address, resolve, reject, timer: undefined };
      one.timer = setTimeout(() => this.#giveUp(line, place, one), waitMilliseconds).unref();
      place.line.push(one);
      line.places.join(address, place);
      line.length += 1;
      this.#orgs.join(org, line);
      this.#perAddress.set(address, ofAddress + 1);
      this.#waiting += 1;
    });
  }

  /** Where all places are taken, the org with the most of them gives one to an org that has less. */
  #makeRoom(line: OrgLine): void {
    const longest = longestOf(this.#orgs.waiting);
    const place = longest === undefined ? undefined : longestOf(longest.places.waiting);
    if (longest === undefined || place === undefined || longest.length <= line.length + 1)
      throw new Problem('unavailable', 'too many sign-ins are waiting', { retry_after_seconds: 1 });
    this.#taken(longest, place, place.line.pop())?.reject(tooMany());
  }

  #giveUp(line: OrgLine, place: QueuedHash, one: Waiting): void {
    const index = place.line.indexOf(one);
    if (index === -1) return;
    place.line.splice(index, 1);
    this.#taken(line, place, one)?.reject(tooMany());
  }

  #next(): Waiting | undefined {
    const line = this.#orgs.next();
    const place = line?.places.next();
    if (line === undefined || place === undefined) return undefined;
    this.#orgs.charge(line, oneHash);
    line.places.charge(place, oneHash);
    return this.#taken(line, place, place.line.shift());
  }

  #taken(line: OrgLine, place: QueuedHash, one: Waiting | undefined): Waiting | undefined {
    if (one === undefined) return undefined;
    clearTimeout(one.timer);
    line.length -= 1;
    this.#waiting -= 1;
    const left = (this.#perAddress.get(one.address) ?? 1) - 1;
    if (left > 0) this.#perAddress.set(one.address, left);
    else this.#perAddress.delete(one.address);
    if (place.length === 0) line.places.part(place);
    if (line.length === 0) this.#orgs.part(line);
    line.places.endRound();
    this.#orgs.endRound();
    return one;
  }
}

/** What a turn is worth. */
const oneHash = 1;

function tooMany(): Problem {
  return new Problem('rate_limited', 'too many sign-ins are waiting, try again in a second', {
    retry_after_seconds: 1,
  });
}

interface Waiting {
  readonly address: string;
  readonly resolve: () => void;
  readonly reject: (problem: Problem) => void;
  timer: NodeJS.Timeout | undefined;
}

/** The hashes of one address that wait in one org. */
class QueuedHash {
  credit = 0;
  readonly line: Waiting[] = [];

  get length(): number {
    return this.line.length;
  }
}

class OrgLine {
  credit = 0;
  length = 0;
  readonly places = new Rotation(() => new QueuedHash(), oneHash);
}

function longestOf<T extends { readonly length: number }>(lines: Iterable<T>): T | undefined {
  let longest: T | undefined;
  for (const line of lines) if (longest === undefined || line.length > longest.length) longest = line;
  return longest;
}
