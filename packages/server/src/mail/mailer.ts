import { setTimeout } from 'node:timers/promises';
import { isEmailAddress } from '../lib/formats/email-address.ts';
import { Problem } from '../lib/problem.ts';

/** Takes mails and sends them later: no answer waits for a mail, or tells whether there was one to send. */
export interface Mailer {
  /** Takes a mail, or what writes it when its turn comes. Never throws. */
  send(mail: Mail | Draft): void;
}

export interface Mail {
  readonly to: string;
  /** One line: whatever would make it two is taken out. */
  readonly subject: string;
  readonly text: string;
  /** The same as a page, for mail programs that show one. */
  readonly html?: string;
}

/** Sends the mails that apps write: each is answered for, and none delays the mails of sign-in. */
export interface MailOut {
  /** `id` becomes the Message-ID, so that a mail sent again is known as the same. Never throws. */
  deliver(mail: Mail, about: { readonly org: string; readonly id: string }): Promise<MailAnswer>;
}

/** `permanent`: sending it again would be answered alike. `code` names no address. */
export type MailAnswer = 'sent' | { readonly permanent: boolean; readonly code: string };

/** Writes a mail after the answer has gone, so that what it looks up costs no answer any time; undefined for none. */
export type Draft = () => Promise<Mail | undefined>;

/** @throws Problem `unavailable` where no mail is set up. */
export function requireMailer<M extends Mailer | MailOut>(mailer: M | undefined): M {
  if (mailer !== undefined) return mailer;
  throw new Problem('unavailable', 'this platform sends no mail: its operator has set none up');
}

/** A mailer that keeps what waits in memory: bounded, a few at once, each tried three times. */
interface MailQueue extends Mailer {
  /** Resolves when nothing waits and nothing is under way. */
  settled(): Promise<void>;
  /** Takes no more, and waits briefly for what it has. */
  close(): Promise<void>;
}

export interface MailQueueOptions {
  readonly deliver: Deliver;
  /** Reports mails that were not delivered, without their address or text. */
  readonly onFault: (error: unknown) => void;
  readonly pause?: Pause;
}

/** Hands one mail on, in one attempt. `id` is its Message-ID, without the angle brackets; left out, it gets one. */
export type Deliver = (mail: Mail, id?: string) => Promise<void>;

/** Resolves after the time, or when the signal says that there is no time left. */
type Pause = (milliseconds: number, signal: AbortSignal) => Promise<void>;

const waitingMax = 1000;
const parallelMax = 4;
const pausesMilliseconds = [2_000, 20_000] as const;
const closeMilliseconds = 5_000;

export function createMailQueue({ deliver, onFault, pause = sleep }: MailQueueOptions): MailQueue {
  const waiting: (Mail | Draft)[] = [];
  const awaited: (() => void)[] = [];
  const closing = new AbortController();
  let running = 0;
  const work = async (entry: Mail | Draft): Promise<void> => {
    try {
      const mail = typeof entry === 'function' ? await entry() : entry;
      if (mail !== undefined) await deliverPatiently(deliver, safeMail(mail), (time) => pause(time, closing.signal));
    } catch (error) {
      onFault(error);
    }
    running -= 1;
    next();
  };
  const next = (): void => {
    const entry = running < parallelMax ? waiting.shift() : undefined;
    if (entry !== undefined) {
      running += 1;
      void work(entry);
    } else if (running === 0 && waiting.length === 0) for (const resolve of awaited.splice(0)) resolve();
  };
  const settled = (): Promise<void> =>
    running === 0 && waiting.length === 0 ? Promise.resolve() : new Promise((resolve) => awaited.push(resolve));
  return {
    send: (mail) => {
      if (closing.signal.aborted || waiting.length >= waitingMax) {
        onFault(new Error('a mail was dropped: too many are waiting, or the platform is shutting down'));
        return;
      }
      waiting.push(mail);
      // Not in this turn, which belongs to the answer.
      setImmediate(next);
    },
    settled,
    close: async () => {
      closing.abort();
      const inTime = new AbortController();
      await Promise.race([settled().then(() => inTime.abort()), pause(closeMilliseconds, inTime.signal)]);
      const left = waiting.splice(0).length + running;
      if (left > 0) onFault(new Error(`${left} mails were not delivered before the end`));
    },
  };
}

async function deliverPatiently(deliver: Deliver, mail: Mail, pause: (time: number) => Promise<void>): Promise<void> {
  for (const time of [...pausesMilliseconds, undefined]) {
    try {
      return await deliver(mail);
    } catch (error) {
      if (time === undefined) throw new Error(`a mail could not be delivered: ${reasonOf(error)}`);
      await pause(time);
    }
  }
}

/** The answers of servers quote addresses, so only the codes of an answer are logged. */
export function reasonOf(error: unknown): string {
  const fields = new Map(Object.entries(error ?? {}));
  const codes = [fields.get('code'), fields.get('responseCode')]
    .map(String)
    .filter((code) => /^[A-Z\d_]{1,32}$/.test(code));
  return codes.length === 0 ? 'no reason was given' : codes.join(' ');
}

/** INVARIANT: nothing that becomes a header can begin another one. */
export function safeMail({ to, subject, ...bodies }: Mail): Mail {
  if (!isEmailAddress(to)) throw new Error('a mail was not sent: its recipient is not an address');
  return { to, subject: oneLine(subject), ...bodies };
}

export function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ');
}

async function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  await setTimeout(milliseconds, undefined, { signal }).catch(() => undefined);
}
