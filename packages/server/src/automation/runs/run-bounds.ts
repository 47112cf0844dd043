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
export function assertMayBegin(scope: Scope): Promise<void> {
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
export function assertCanBegin({ input, given }: Run): void {
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
