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
    const out = createMailOut({ deliver, domain });
    return { mailer, out, inbox: undefined, close: () => mailer.close() };
  }
  const none = async (): Promise<void> => undefined;
  if (!isDevelopment) return { mailer: undefined, out: undefined, inbox: undefined, close: none };
  const { deliver, mails } = createMailbox(clock, uuidv7Source(clock));
  const mailer = createMailQueue({ deliver, onFault });
  const inbox: Inbox = {
    read: async () => {
      await mailer.settled();
      return mails();
    },
  };
  const out = createMailOut({ deliver, domain: 'localhost' });
  return { mailer, out, inbox, close: () => mailer.close() };
}
