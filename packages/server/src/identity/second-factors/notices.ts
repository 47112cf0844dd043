import { securityNoticeMail } from '../../mail/mail-texts.ts';
import type { Mailer } from '../../mail/mailer.ts';

/** Tells the owner of an account, where mail is set up, what was done about its second factors. */
export function notify(mailer: Mailer | undefined, to: string, sentence: string): void {
  mailer?.send(securityNoticeMail({ to, sentence }));
}

export function recoveryCodeUsed(left: number): string {
  return `a recovery code of your account was used. ${left} are left.`;
}
