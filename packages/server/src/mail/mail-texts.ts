import type { Mail } from './mailer.ts';

/** The subject of a mail: the user-chosen name of an app, a workspace or an org, and the link. */
export interface MailSubject {
  readonly to: string;
  readonly name: string;
  readonly link: string;
}

export function resetPasswordMail(about: MailSubject): Mail {
  return mailOf(about, (place) => [
    `Set a new password for ${place}`,
    `someone asked for a new password for your account at ${place}. If that was you, set one here:`,
    about.link,
    'The link works once, for one hour. If it was not you, ignore this mail: nothing has changed.',
  ]);
}

export function verifyEmailMail(about: MailSubject): Mail {
  return mailOf(about, (place) => [
    `Confirm your email for ${place}`,
    `an account at ${place} was made with this address. If that was you, confirm that the address is yours:`,
    about.link,
    'The link works once, for 24 hours. If you made no account, do not follow it: ignore this mail.',
  ]);
}

/** For who has proved the address, when another account has it with a password. */
export function mergeAccountsMail(about: MailSubject): Mail {
  return mailOf(about, (place) => [
    `Two accounts at ${place} have your address`,
    `you have signed in at ${place} with this address. An older account there has the same address and a password, and ` +
      'the address was never confirmed there. Its password no longer works.',
    'If you made that account yourself, make both accounts one here. What the older one holds is yours then:',
    about.link,
    'The link works once, for 24 hours. If you did not make it, do not follow the link: someone else did, and what it ' +
      'holds is not yours.',
  ]);
}

/** A new password for an account of the same kind. */
export function resetSuspendedMail(about: MailSubject): Mail {
  return mailOf(about, (place) => [
    `Set a new password for ${place}`,
    `someone asked for a new password for an account at ${place} that has your address. The address was never confirmed ` +
      'there, and another account there has the same address.',
    'If you made that account yourself, set a new password here. It makes both accounts one:',
    about.link,
    'The link works once, for one hour. If you did not make it, do not follow the link: nothing has changed.',
  ]);
}

export function invitationMail(about: MailSubject): Mail {
  return mailOf(about, (place) => [
    `You are invited to ${place}`,
    `you are invited to ${place}. Accept the invitation here:`,
    about.link,
    'The link works once, for seven days. If you expect no invitation, ignore this mail.',
  ]);
}

/** For the owner of an account that a builder has made in the test environment. */
export function newAccountMail(about: { readonly to: string; readonly name: string; readonly password: string }): Mail {
  return mailOf({ ...about, link: '' }, (place) => [
    `Your test account at ${place}`,
    `an account in the test environment of ${place} was made for this address. Sign in with the address and this password:`,
    about.password,
    'Change the password once you have signed in. If you expect no account, ignore this mail.',
  ]);
}

/** Tells the owner of an account what was done about it. */
export function securityNoticeMail({ to, sentence }: { readonly to: string; readonly sentence: string }): Mail {
  return mailOf({ to, name: 'Freehold', link: '' }, (place) => [
    `Your account at ${place}`,
    sentence,
    'If that was not you, change your password now, and tell an admin of your org.',
  ]);
}

function mailOf({ to, name }: MailSubject, write: (place: string) => readonly [subject: string, ...string[]]): Mail {
  const [subject, ...paragraphs] = write(plainName(name));
  return { to, subject, text: `${['Hello,', ...paragraphs].join('\n\n')}\n` };
}

const nameCharactersMax = 60;

/**
 * A name that a user has chosen, as a part of a sentence of the platform: one short line, and nothing in it that a mail
 * program would make a link of.
 */
export function plainName(name: string): string {
  const words = name
    .replace(/[\p{C}\p{Z}]+/gu, ' ')
    .replace(/[.:/\\@]+(?=\S)/g, ' ')
    .trim();
  const characters = [...words];
  return characters.length <= nameCharactersMax ? words : `${characters.slice(0, nameCharactersMax).join('').trim()}…`;
}
