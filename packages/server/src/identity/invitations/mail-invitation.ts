import { invitationMail } from '../../mail/mail-texts.ts';
import type { MailDeps } from '../people/set-password.ts';

/** How long every invitation is good. */
export const invitationMilliseconds = 7 * 24 * 60 * 60 * 1000;

export interface InvitationLink {
  readonly to: string;
  /** The address as its throttle knows it. */
  readonly emailKey: string;
  readonly link: string;
}

/**
 * Mails an invitation, where mail is set up and the address has not had too many: the sender has the link too.
 * @param nameOf what the invited person is to come into; undefined where it is no more.
 */
export function mailInvitation(
  { mailer, mailThrottle }: Pick<MailDeps, 'mailer' | 'mailThrottle'>,
  { to, emailKey, link }: InvitationLink,
  nameOf: () => Promise<string | undefined>,
): void {
  if (mailer === undefined || !mailThrottle.tryTake({ purpose: 'invitation', emailKey })) return;
  mailer.send(async () => {
    const name = await nameOf();
    return name === undefined ? undefined : invitationMail({ to, name, link });
  });
}
