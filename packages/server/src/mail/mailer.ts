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
}

/** Writes a mail after the answer has gone, so that what it looks up costs no answer any time; undefined for none. */
export type Draft = () => Promise<Mail | undefined>;

/** @throws Problem `unavailable` where no mail is set up. */
export function requireMailer(mailer: Mailer | undefined): Mailer {
  if (mailer !== undefined) return mailer;
  throw new Problem('unavailable', 'this platform sends no mail: its operator has set none up');
}
