import { isEmailAddress } from '../../lib/formats/email-address.ts';
import { Problem } from '../../lib/problem.ts';
import type { Mail } from '../../mail/mailer.ts';
import type { Scope } from '../../store/port.ts';
import { blockFailure, Uncaught } from '../blocks/block-failure.ts';
import { countOpenRuns, type Run } from './run-rows.ts';

/** At most three bytes each, it fits into a value of the store. */
const charactersMax = 512 * 1024;

/** Of a workspace. */
export const openRunsMax = 1000;

/** @throws Problem `rate_limited` where so many runs are open that no further one may wait. */
export function assertMayWait(scope: Scope): Promise<void> {
  return assertFewOpen(scope, 'waits');
}

/** @throws Problem `rate_limited` where so many runs are open that no further one is begun without a caller who waits. */
export function assertMayStart(scope: Scope): Promise<void> {
  return assertFewOpen(scope, 'begins');
}

async function assertFewOpen(scope: Scope, verb: string): Promise<void> {
  if ((await countOpenRuns(scope, openRunsMax)) >= openRunsMax)
    throw new Problem('rate_limited', `no further run ${verb} while ${openRunsMax} runs of the workspace are open`);
}

/** @param what begins the sentence, with its verb. @throws Problem `block_failed` where a value is larger than is kept. */
export function assertFits(value: unknown, what: string): void {
  if (!fits(value)) throw tooLarge(what);
}

function fits(value: unknown): boolean {
  return (JSON.stringify(value) ?? '').length <= charactersMax;
}

function tooLarge(what: string): Problem {
  return blockFailure(`${what} at most ${charactersMax} characters`);
}

/** @throws Problem `block_failed` where a run cannot be stored with what it begins with. */
export function assertCanStart({ input, given }: Run): void {
  if (fits([input, given])) return;
  throw new Uncaught(tooLarge('what a run begins with that writes or waits has'), 'run');
}

const subjectCharactersMax = 1000;
const mailCharactersMax = 64 * 1024;

/** @throws Problem `block_failed` for a mail that is not to one address, or too long. */
export function assertMail({ to, subject, text }: Mail): void {
  if (!isEmailAddress(to)) throw blockFailure('a mail is sent to one address, and `to` is none');
  if (subject.length > subjectCharactersMax || text.length > mailCharactersMax)
    throw blockFailure(
      `a mail has a subject of at most ${subjectCharactersMax} characters, and a text of at most ${mailCharactersMax}`,
    );
}

/** Two bytes each, what the runs of this process may hold while they wait for others. */
const limits = { ofRun: 64 * 1024, ofOrg: 32 * 1024 * 1024, ofNode: 256 * 1024 * 1024 };

const message = 'the runs that are under way hold too many values';

/** A run's share of the memory for values of all runs of this process, until the run is over or suspended. */
export type HeldCharacters = ReturnType<typeof holdCharacters>;

export function createHeldCharacters({ ofRun, ofOrg, ofNode }: typeof limits = limits) {
  const held = new Map<string, number>();
  let inAll = 0;
  return (orgCode: string) => {
    let own = 0;
    let isOver = false;
    const change = (by: number): void => {
      own += by;
      inAll += by;
      const left = (held.get(orgCode) ?? 0) + by;
      if (left > 0) held.set(orgCode, left);
      else held.delete(orgCode);
    };
    return {
      /**
       * Small runs go on all the same.
       * @throws Problem `rate_limited` where the runs of its org hold too much; `unavailable` where all runs do.
       */
      add: (characters: number): void => {
        // A failed run does not wait for the values that its other branches still make.
        if (isOver) return;
        const isOrgFull = (held.get(orgCode) ?? 0) + characters > ofOrg;
        if ((isOrgFull || inAll + characters > ofNode) && own + characters > ofRun)
          throw new Problem(isOrgFull ? 'rate_limited' : 'unavailable', message, { retry_after_seconds: 1 });
        change(characters);
      },
      release: (): void => {
        isOver = true;
        change(-own);
      },
    };
  };
}

/** Of this process. */
export const holdCharacters = createHeldCharacters();
