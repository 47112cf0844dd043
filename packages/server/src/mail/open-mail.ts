import type { Clock } from '../lib/clock.ts';
import { uuidv7Source } from '../lib/ids.ts';
import { createMailbox, type Inbox } from './inbox.ts';
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
  close(): Promise<void>;
}

export interface MailOptions {
  readonly smtp: SmtpSettings | undefined;
  readonly isDevelopment: boolean;
  readonly clock: Clock;
  readonly onFault: (error: unknown) => void;
}

export function openMail({ smtp, isDevelopment, clock, onFault }: MailOptions): OpenedMail {
  if (smtp !== undefined) {
    const deliver = createSmtpDelivery(smtp);
    const mailer = createMailQueue({ deliver, onFault });
    const domain = smtp.from.slice(smtp.from.indexOf('@') + 1);
    return { mailer, out: createMailOut({ deliver, domain }), inbox: undefined, close: () => mailer.close() };
  }
  if (!isDevelopment) return { mailer: undefined, out: undefined, inbox: undefined, close: async () => undefined };
  const { deliver, mails } = createMailbox(clock, uuidv7Source(clock));
  const mailer = createMailQueue({ deliver, onFault });
  const inbox: Inbox = {
    read: async () => {
      await mailer.settled();
      return mails();
    },
  };
  return { mailer, out: createMailOut({ deliver, domain: 'localhost' }), inbox, close: () => mailer.close() };
}
