/** The mails that the platform sends to the users of an app: when, with which values, and its own text of each. */
import { type AppMailName, appMailNames } from '@freehold/contract/app-mails';
import {
  invitationMail,
  type MailSubject,
  mergeAccountsMail,
  resetPasswordMail,
  resetSuspendedMail,
  verifyEmailMail,
} from '../../mail/mail-texts.ts';
import type { Mail } from '../../mail/mailer.ts';

/** What a text may read. Names that users have chosen are one short line, in which mail programs find no link. */
export interface MailValues {
  readonly app: string;
  readonly workspace?: string | undefined;
  readonly email: string;
  readonly link: string;
}

export type MailVariable = keyof MailValues;

export interface MailKind {
  /** When it is sent. */
  readonly sent: string;
  readonly variables: readonly MailVariable[];
  /** The page of the app that its link leads to. */
  readonly page: 'invitation' | 'reset-password' | 'verify-email';
  /** What the platform's own text is about. */
  readonly about: 'app' | 'workspace';
  readonly write: (about: MailSubject) => Mail;
}

const ofAccount: readonly MailVariable[] = ['app', 'email', 'link'];

export const mailKinds: Readonly<Record<AppMailName, MailKind>> = {
  verify_email: {
    sent: 'A user signs up with a password, or asks for the mail again. The link verifies the address; it is valid for 24 hours.',
    variables: ofAccount,
    page: 'verify-email',
    about: 'app',
    write: verifyEmailMail,
  },
  merge_accounts: {
    sent: 'A user has proved an address that another account has with a password. The link makes both accounts one; it is valid for 24 hours.',
    variables: ofAccount,
    page: 'verify-email',
    about: 'app',
    write: mergeAccountsMail,
  },
  reset_password: {
    sent: 'A user has forgotten the password. The link sets a new one; it is valid for one hour.',
    variables: ofAccount,
    page: 'reset-password',
    about: 'app',
    write: resetPasswordMail,
  },
  reset_suspended_password: {
    sent: 'The same for an account whose password is suspended, because another account has verified its address. The link also makes both accounts one.',
    variables: ofAccount,
    page: 'reset-password',
    about: 'app',
    write: resetSuspendedMail,
  },
  invitation: {
    sent: 'A member invites an address into a workspace, or sends the invitation again. The link accepts it; it is valid for seven days.',
    variables: ['app', 'workspace', 'email', 'link'],
    page: 'invitation',
    about: 'workspace',
    write: invitationMail,
  },
};

export const variableMeanings: Readonly<Record<MailVariable, string>> = {
  app: 'the name of the app, which is that of the org',
  workspace: 'the name of the workspace',
  email: 'the address that the mail goes to',
  link: 'the link with the code, which works once',
};

export function isAppMail(name: string): name is AppMailName {
  return appMailNames.some((one) => one === name);
}

/** The platform's own text as a template, which says the same. */
export function defaultText({ about, write }: MailKind): { readonly subject: string; readonly text: string } {
  const { subject, text } = write({ to: '', name: `{{${about}}}`, link: '{{link}}' });
  return { subject, text };
}
