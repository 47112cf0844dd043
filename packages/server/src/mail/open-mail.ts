import type { ConsoleSite } from '../api/headers/console-cookie.ts';
import type { RoutesOfModule } from '../api/route.ts';
import type { Clock } from '../lib/clock.ts';
import { uuidv7Source } from '../lib/ids.ts';
import { Problem } from '../lib/problem.ts';
import { createFairSlots } from '../lib/scheduling/fair-slots.ts';
import { createMailbox, type Inbox } from './inbox.ts';
import {
  createMailQueue,
  type Deliver,
  type Mail,
  type MailAnswer,
  type Mailer,
  type MailOut,
  reasonOf,
  safeMail,
} from './mailer.ts';
import { mailRoutes } from './routes.ts';
import { createSmtpDelivery, type SmtpSettings } from './smtp-server.ts';

export interface OpenedMail {
  /** Undefined where no mail is set up. */
  readonly mailer: Mailer | undefined;
  /** Undefined alike. */
  readonly out: MailOut | undefined;
  /** In development without a server to send by. */
  readonly inbox: Inbox | undefined;
  readonly routes: RoutesOfModule;
  close(): Promise<void>;
}

interface MailOptions {
  readonly smtp: SmtpSettings | undefined;
  readonly isDevelopment: boolean;
  readonly site: ConsoleSite;
  readonly clock: Clock;
  readonly onFault: (error: unknown) => void;
}

export function openMail(options: MailOptions): OpenedMail {
  const senders = openSenders(options);
  return { ...senders, routes: { management: mailRoutes({ ...options, ...senders }) } };
}

function openSenders({ smtp, isDevelopment, clock, onFault }: MailOptions): Omit<OpenedMail, 'routes'> {
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

interface MailOutOptions {
  readonly deliver: Deliver;
  /** That of the address which mails come from: it ends their ids. */
  readonly domain: string;
  /** From the wait for a turn to the answer of the server. */
  readonly timeoutMilliseconds?: number;
}

/** One attempt for each mail: its sender stores what came of it, and decides whether to send it again. */
export function createMailOut({ deliver, domain, timeoutMilliseconds = 15_000 }: MailOutOptions): MailOut {
  const slots = createFairSlots({ perNode: 8, perOrg: 2, waitingPerOrg: 100, what: 'mails' });
  return {
    deliver: async (mail, { org, id }) => {
      const timeout = AbortSignal.timeout(timeoutMilliseconds);
      const late = Promise.withResolvers<MailAnswer>();
      const giveUp = (): void => late.resolve({ permanent: false, code: 'timeout' });
      timeout.addEventListener('abort', giveUp, { once: true });
      try {
        const attempt = slots.run(org, () => attemptOf(deliver, mail, `${idText(id)}@${domain}`), timeout);
        return await Promise.race([attempt, late.promise]);
      } catch (error) {
        if (error instanceof Problem) return { permanent: false, code: error.code };
        if (timeout.aborted) return late.promise;
        throw error;
      } finally {
        timeout.removeEventListener('abort', giveUp);
      }
    },
  };
}

async function attemptOf(deliver: Deliver, mail: Mail, id: string): Promise<MailAnswer> {
  let safe: Mail;
  try {
    safe = safeMail(mail);
  } catch {
    return { permanent: true, code: 'no_address' };
  }
  try {
    await deliver(safe, id);
    return 'sent';
  } catch (error) {
    return { permanent: isRefused(error), code: reasonOf(error) };
  }
}

/** With only the characters that a Message-ID takes unescaped (RFC 5322, 3.6.4). */
function idText(id: string): string {
  return id.replace(/[^\w-]+/g, '_');
}

/** Whether the server refuses this recipient or this text. What else it refuses, the operator can mend. */
function isRefused(error: unknown): boolean {
  const fields = new Map(Object.entries(error ?? {}));
  const status = Number(fields.get('responseCode'));
  return status >= 500 && status < 600 && ['RCPT TO', 'DATA'].includes(String(fields.get('command')));
}
