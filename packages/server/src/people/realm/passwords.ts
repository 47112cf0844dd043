import { type Argon2Parameters, argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import type { InputError } from '@freehold/contract/problem';
import { networkKey } from '../../lib/network/network-key.ts';
import { invalidBody, Problem } from '../../lib/problem.ts';
import { Rotation } from '../../lib/scheduling/fair-scheduler.ts';

/** Stores passwords as Argon2id (RFC 9106) in the PHC string format, off the thread that answers requests. */
export interface PasswordHasher {
  hash(password: string, caller: HashCaller): Promise<string>;
  /** @throws Error when `stored` is not an Argon2id PHC string: that is damage, not a wrong password. */
  verify(password: string, stored: string, caller: HashCaller): Promise<boolean>;
  /** Costs what `verify` costs, so that the time of an answer does not tell whether an account exists. */
  verifyAgainstNothing(password: string, caller: HashCaller): Promise<false>;
}

/**
 * Each hash holds 19 MiB and one of libuv's threads, which token signatures need too. It takes some 30 ms, so the last
 * waiting call of an org is served after two or three seconds.
 */
const defaultLimits: HashLimits = {
  parallelMax: 2,
  waitingMax: 512,
  perOrgMax: 128,
  perAddressMax: 128,
  perAddressOfOrgMax: 64,
  waitMilliseconds: 20_000,
};

/**
 * Every method may throw Problem `rate_limited` or `unavailable`, as `HashScheduler` says.
 * @param cost what a new hash costs; a stored one says its own cost
 */
export function createPasswordHasher(limits: Partial<HashLimits> = {}, cost = currentCost): PasswordHasher {
  const turns = new HashScheduler({ ...defaultLimits, ...limits });
  // No password matches it: it is not a hash, and only has the right size and cost.
  const decoy: StoredHash = { cost, salt: randomBytes(saltBytes), tag: randomBytes(tagBytes) };
  return {
    async hash(password, caller) {
      const salt = randomBytes(saltBytes);
      const tag = await turns.run(caller, () => derive(password, { cost, salt, tagLength: tagBytes }));
      return toPhc({ cost, salt, tag });
    },
    async verify(password, stored, caller) {
      const expected = fromPhc(stored);
      return await turns.run(caller, () => matches(password, expected));
    },
    async verifyAgainstNothing(password, caller) {
      await turns.run(caller, () => matches(password, decoy));
      return false;
    },
  };
}

const passwordBytesMax = 256;

/**
 * Says no to a password that is not worth a hash, or too short for a new one.
 * @throws Problem `validation_failed`.
 */
export function requirePassword(
  password: string,
  { member = 'password', minLength = 1 }: { readonly member?: string; readonly minLength?: number } = {},
): void {
  const error = checkPassword(password, minLength, member);
  if (error !== undefined) throw invalidBody([error]);
}

/**
 * The mistake in a password as input, if any. Length counts characters (code points) of the NFC form; its
 * UTF-8 form may have at most 256 bytes. At sign-in pass 1 as `minLength`: a rule made stricter later must not lock
 * out those who chose their password before.
 */
export function checkPassword(password: unknown, minLength: number, member = 'password'): InputError | undefined {
  const passwordError = (code: string, sentence: string): InputError => ({
    pointer: `/${member}`,
    code,
    message: `field \`${member}\` ${sentence}`,
  });
  if (typeof password !== 'string') return passwordError('wrong_type', 'must be a string');
  if (!password.isWellFormed() || password.includes('\0'))
    return passwordError('invalid_text', 'must not contain U+0000 or lone surrogates');
  // The first bound keeps a text of megabytes from being normalised. It refuses nothing that would fit afterwards,
  // since NFC leaves a third of the bytes at least: three parts of a Hangul syllable make one of their size.
  if (Buffer.byteLength(password) > passwordBytesMax * 3 || normalized(password).length > passwordBytesMax)
    return passwordError('too_long', `must have at most ${passwordBytesMax} bytes`);
  if ([...password.normalize('NFC')].length < minLength)
    return passwordError('too_short', `must have at least ${minLength} characters`);
  return undefined;
}

/**
 * NFC, as in the OpaqueString profile of RFC 8265: one keyboard sends `é` as one code point and another as two, and
 * the same typed password must match. Not NFKC, which would make different characters one (`²` and `2`, `ﬁ` and
 * `fi`) and so weaken what was chosen.
 */
function normalized(password: string): Buffer {
  return Buffer.from(password.normalize('NFC'), 'utf8');
}

export interface PasswordCost {
  readonly memoryKibibytes: number;
  readonly passes: number;
  readonly parallelism: number;
}

interface StoredHash {
  readonly cost: PasswordCost;
  readonly salt: Buffer;
  readonly tag: Buffer;
}

/** The first choice of the OWASP password storage cheat sheet: 19 MiB, two passes, one lane. */
const currentCost: PasswordCost = { memoryKibibytes: 19_456, passes: 2, parallelism: 1 };
const saltBytes = 16;
const tagBytes = 32;

/** A stored hash may ask for more than today's cost (it was made elsewhere), but not for a machine's whole memory. */
const costMax: PasswordCost = { memoryKibibytes: 131_072, passes: 10, parallelism: 4 };

async function matches(password: string, expected: StoredHash): Promise<boolean> {
  const { cost, salt, tag } = expected;
  return timingSafeEqual(await derive(password, { cost, salt, tagLength: tag.length }), tag);
}

interface Derivation {
  readonly cost: PasswordCost;
  readonly salt: Buffer;
  readonly tagLength: number;
}

function derive(password: string, { cost, salt, tagLength }: Derivation): Promise<Buffer> {
  const parameters: Argon2Parameters = {
    message: normalized(password),
    nonce: salt,
    parallelism: cost.parallelism,
    tagLength,
    memory: cost.memoryKibibytes,
    passes: cost.passes,
  };
  return new Promise((resolve, reject) => {
    argon2('argon2id', parameters, (error, tag) => (error === null ? resolve(tag) : reject(error)));
  });
}

function toPhc({ cost, salt, tag }: StoredHash): string {
  const { memoryKibibytes, passes, parallelism } = cost;
  return `$argon2id$v=19$m=${memoryKibibytes},t=${passes},p=${parallelism}$${unpadded(salt)}$${unpadded(tag)}`;
}

function unpadded(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('=', '');
}

/** Salt 8 to 64 bytes and tag 16 to 64 bytes, in base64 without padding. */
const phcForm = /^\$argon2id\$v=19\$m=(\d{1,9}),t=(\d{1,9}),p=(\d{1,9})\$([A-Za-z\d+/]{11,86})\$([A-Za-z\d+/]{22,86})$/;

function fromPhc(stored: string): StoredHash {
  const [, memory, passes, parallelism, salt, tag] = phcForm.exec(stored) ?? [];
  if (salt === undefined || tag === undefined) throw new Error('stored password hash is not an Argon2id PHC string');
  const cost = { memoryKibibytes: Number(memory), passes: Number(passes), parallelism: Number(parallelism) };
  if (cost.memoryKibibytes > costMax.memoryKibibytes || cost.passes > costMax.passes)
    throw new Error('stored password hash asks for more than this server spends on a password');
  if (cost.parallelism > costMax.parallelism)
    throw new Error('stored password hash asks for more lanes than this server grants');
  return { cost, salt: Buffer.from(salt, 'base64'), tag: Buffer.from(tag, 'base64') };
}

/** The caller who has a password hashed. */
export interface HashCaller {
  /** The org of the app. Builders belong to no org before they have signed in: each network of theirs counts as one. */
  readonly org?: string;
  readonly ip: string;
}

/** The number of concurrent hashes and of waiting ones. */
export interface HashLimits {
  readonly parallelMax: number;
  readonly waitingMax: number;
  readonly perOrgMax: number;
  /** In all orgs together. */
  readonly perAddressMax: number;
  /** Less than an org's, so that one address alone closes no app. */
  readonly perAddressOfOrgMax: number;
  /** A longer wait is refused: on a busy machine a short line takes long, and a silent connection is cut. */
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

  /** @throws Problem `rate_limited` if too many hashes of the caller wait, `unavailable` if too many of all do. */
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

  #turn({ org: requestedOrg, ip }: HashCaller): Promise<void> {
    const address = networkKey(ip);
    const org = requestedOrg ?? address;
    const line = this.#orgs.of(org);
    const place = line.places.of(address);
    const { waitingMax, perOrgMax, perAddressMax, perAddressOfOrgMax, waitMilliseconds } = this.#limits;
    const ofAddress = this.#perAddress.get(address) ?? 0;
    if (line.length >= perOrgMax || ofAddress >= perAddressMax || place.line.length >= perAddressOfOrgMax)
      throw tooMany();
    if (this.#waiting >= waitingMax) this.#makeRoom(line);
    return new Promise((resolve, reject) => {
      const one: WaitingHash = { address, resolve, reject, timer: undefined };
      one.timer = setTimeout(() => this.#giveUp(line, place, one), waitMilliseconds).unref();
      place.line.push(one);
      line.places.join(address, place);
      line.length += 1;
      this.#orgs.join(org, line);
      this.#perAddress.set(address, ofAddress + 1);
      this.#waiting += 1;
    });
  }

  /** If all places are taken, the org with the most of them gives one to an org that has less. */
  #makeRoom(line: OrgLine): void {
    const longest = longestOf(this.#orgs.waiting);
    const place = longest === undefined ? undefined : longestOf(longest.places.waiting);
    if (longest === undefined || place === undefined || longest.length <= line.length + 1)
      throw new Problem('unavailable', 'too many sign-ins are waiting', { retry_after_seconds: 1 });
    this.#taken(longest, place, place.line.pop())?.reject(tooMany());
  }

  #giveUp(line: OrgLine, place: QueuedHash, one: WaitingHash): void {
    const index = place.line.indexOf(one);
    if (index === -1) return;
    place.line.splice(index, 1);
    this.#taken(line, place, one)?.reject(tooMany());
  }

  #next(): WaitingHash | undefined {
    const line = this.#orgs.next();
    const place = line?.places.next();
    if (line === undefined || place === undefined) return undefined;
    this.#orgs.charge(line, oneHash);
    line.places.charge(place, oneHash);
    return this.#taken(line, place, place.line.shift());
  }

  #taken(line: OrgLine, place: QueuedHash, one: WaitingHash | undefined): WaitingHash | undefined {
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

/** The weight of a hash. */
const oneHash = 1;

function tooMany(): Problem {
  return new Problem('rate_limited', 'too many sign-ins are waiting, try again in a second', {
    retry_after_seconds: 1,
  });
}

interface WaitingHash {
  readonly address: string;
  readonly resolve: () => void;
  readonly reject: (problem: Problem) => void;
  timer: NodeJS.Timeout | undefined;
}

/** The hashes of one address that wait in one org. */
class QueuedHash {
  credit = 0;
  readonly line: WaitingHash[] = [];

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
