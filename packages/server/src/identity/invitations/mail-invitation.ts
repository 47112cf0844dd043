import type { Draft } from '../../mail/mailer.ts';
import type { MailDeps } from '../people/set-password.ts';

/** How long every invitation is good. */
export const invitationMilliseconds = 7 * 24 * 60 * 60 * 1000;

/**
 * Mails an invitation, where mail is set up and the address has not had too many: the sender has the link too.
 * @param emailKey the address as its throttle knows it. @param draft gives none where what it invites to is no more.
 */
export function mailInvitation(
  { mailer, mailThrottle }: Pick<MailDeps, 'mailer' | 'mailThrottle'>,
  emailKey: string,
  draft: Draft,
): void {
  if (mailer !== undefined && mailThrottle.tryTake({ purpose: 'invitation', emailKey })) mailer.send(draft);
}
