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
