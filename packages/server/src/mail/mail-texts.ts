import type { Mail } from './mailer.ts';

/** What a mail is about: the name of an app, a workspace or an org as somebody has chosen it, and where to go. */
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
      `somebody asked for a new password for your account at ${place}. If that was you, set one here:`,
      link,
      'The link is good once, for one hour. If it was not you, ignore this mail: nothing has changed.',
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
      'The link is good once, for 24 hours. If you made no account, do not follow it: ignore this mail.',
    ),
  };
}

export function invitationMail({ to, name, link }: MailSubject): Mail {
  const place = plainName(name);
  return {
    to,
    subject: `You are invited to ${place}`,
    text: letter(
      `you are invited to ${place}. Come in here:`,
      link,
      'The link is good once, for seven days. If you expect no invitation, ignore this mail.',
    ),
  };
}

function letter(...paragraphs: readonly string[]): string {
  return `${['Hello,', ...paragraphs].join('\n\n')}\n`;
}

const nameCharactersMax = 60;

/**
 * A name that somebody has chosen, as a part of a sentence of ours: one short line, and nothing in it that a mail
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
