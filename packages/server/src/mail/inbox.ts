import { type Clock, timestamp } from '../lib/clock.ts';
import type { IdSource } from '../lib/ids.ts';
import type { Deliver } from './mail-queue.ts';
import type { Mail } from './mailer.ts';

/** Where mails end up in development: the last ones, for the developer to read and follow. */
export interface Inbox {
  /** The last mail first. Waits for those that were sent before. */
  read(): Promise<readonly ReceivedMail[]>;
}

export interface ReceivedMail extends Mail {
  readonly id: string;
  readonly sent_at: string;
}

const mailsMax = 200;

/** Where the inbox has its mails. */
interface Mailbox {
  readonly deliver: Deliver;
  /** The last mail first. */
  readonly mails: () => readonly ReceivedMail[];
}

export function createMailbox(clock: Clock, newId: IdSource): Mailbox {
  const mails: ReceivedMail[] = [];
  const deliver: Deliver = async (mail) => {
    mails.unshift({ id: newId(), ...mail, sent_at: timestamp(clock.now()) });
    mails.length = Math.min(mails.length, mailsMax);
  };
  return { deliver, mails: (): readonly ReceivedMail[] => [...mails] };
}
