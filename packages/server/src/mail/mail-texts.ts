import type { Mail } from './mailer.ts';

/** What a mail is about: the user-chosen name of an app, a workspace or an org, and the link. */
export interface MailSubject {
  readonly to: string;
  readonly name: string;
  readonly link: string;
}

export function resetPasswordMail({ to, name, link }: MailSubject): Mail {
  const place = plainName(name);
  return {
    to,
    subject: `Set a new password for ${place}`,
    text: letter(
      `someone asked for a new password for your account at ${place}. If that was you, set one here:`,
      link,
      'The link works once, for one hour. If it was not you, ignore this mail: nothing has changed.',
    ),
  };
}

export function verifyEmailMail({ to, name, link }: MailSubject): Mail {
  const place = plainName(name);
  return {
    to,
    subject: `Confirm your email for ${place}`,
    text: letter(
      `an account at ${place} was made with this address. If that was you, confirm that the address is yours:`,
      link,
      'The link works once, for 24 hours. If you made no account, do not follow it: ignore this mail.',
    ),
  };
}

/** For who has proved the address, when another account has it with a password. */
export function mergeAccountsMail({ to, name, link }: MailSubject): Mail {
  const place = plainName(name);
  return {
    to,
    subject: `Two accounts at ${place} have your address`,
    text: letter(
      `you have signed in at ${place} with this address. An older account there has the same address and a password, and ` +
        'the address was never confirmed there. Its password no longer works.',
      'If you made that account yourself, make both accounts one here. What the older one holds is yours then:',
      link,
      'The link works once, for 24 hours. If you did not make it, do not follow the link: someone else did, and what it ' +
        'holds is not yours.',
    ),
  };
}

/** A new password for an account of the same kind. */
export function resetSuspendedMail({ to, name, link }: MailSubject): Mail {
  const place = plainName(name);
  return {
    to,
    subject: `Set a new password for ${place}`,
    text: letter(
      `someone asked for a new password for an account at ${place} that has your address. The address was never confirmed ` +
        'there, and another account there has the same address.',
      'If you made that account yourself, set a new password here. It makes both accounts one:',
      link,
      'The link works once, for one hour. If you did not make it, do not follow the link: nothing has changed.',
    ),
  };
}

export function invitationMail({ to, name, link }: MailSubject): Mail {
  const place = plainName(name);
  return {
    to,
    subject: `You are invited to ${place}`,
    text: letter(
      `you are invited to ${place}. Accept the invitation here:`,
      link,
      'The link works once, for seven days. If you expect no invitation, ignore this mail.',
    ),
  };
}

function letter(...paragraphs: readonly string[]): string {
  return `${['Hello,', ...paragraphs].join('\n\n')}\n`;
}

const nameCharactersMax = 60;

/**
 * A name that a user has chosen, as a part of a sentence of the platform: one short line, and nothing in it that a mail
 * program would make a link of.
 */
function plainName(name: string): string {
  const words = name
    .replace(/[\p{C}\p{Z}]+/gu, ' ')
    .replace(/[.:/\\@]+(?=\S)/g, ' ')
    .trim();
  const characters = [...words];
  return characters.length <= nameCharactersMax ? words : `${characters.slice(0, nameCharactersMax).join('').trim()}…`;
}
