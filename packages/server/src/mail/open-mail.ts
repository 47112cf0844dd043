import type { Clock } from '../lib/clock.ts';
import { uuidv7Source } from '../lib/ids.ts';
import { createMailbox, type Inbox, type Mailbox } from './inbox.ts';
import { createMailOut } from './mail-out.ts';
import { createMailQueue } from './mail-queue.ts';
import type { Mailer, MailOut } from './mailer.ts';
import { createSmtpDelivery, type SmtpSettings } from './smtp-delivery.ts';

export interface OpenedMail {
  /** Undefined where no mail is set up. */
  readonly mailer: Mailer | undefined;
  /** Undefined alike. */
  readonly out: MailOut | undefined;
  /** In development without a server to send by. */
  readonly inbox: Inbox | undefined;
  /** Resolves when no mail of this thread waits any more. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

export interface MailOptions {
  readonly smtp: SmtpSettings | undefined;
  readonly isDevelopment: boolean;
  readonly clock: Clock;
  readonly onFault: (error: unknown) => void;
  /** What threads share; left out, this one keeps its own mails. */
  readonly shared?: SharedInbox | undefined;
}

export interface SharedInbox {
  readonly mailbox: Mailbox;
  /** Resolves when no mail of another thread waits that was sent before. */
  othersSettled(): Promise<unknown>;
}

export function openMail({ smtp, isDevelopment, clock, onFault, shared }: MailOptions): OpenedMail {
  if (smtp !== undefined) {
    const deliver = createSmtpDelivery(smtp);
    const mailer = createMailQueue({ deliver, onFault });
    const domain = smtp.from.slice(smtp.from.indexOf('@') + 1);
    const out = createMailOut({ deliver, domain });
    return { mailer, out, inbox: undefined, settled: () => mailer.settled(), close: () => mailer.close() };
  }
  const none = async (): Promise<void> => undefined;
  if (!isDevelopment) return { mailer: undefined, out: undefined, inbox: undefined, settled: none, close: none };
  const { deliver, mails } = shared?.mailbox ?? createMailbox(clock, uuidv7Source(clock));
  const mailer = createMailQueue({ deliver, onFault });
  const inbox: Inbox = {
    read: async () => {
      await Promise.all([mailer.settled(), shared?.othersSettled()]);
      return mails();
    },
  };
  const out = createMailOut({ deliver, domain: 'localhost' });
  return { mailer, out, inbox, settled: () => mailer.settled(), close: () => mailer.close() };
}
