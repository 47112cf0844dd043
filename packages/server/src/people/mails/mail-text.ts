/** The text of a mail as an org sets it: checked when it is set, and written for each mail that is sent. */
import { type AppMailName, appMailNames, mailTextMax } from '@freehold/contract/app-mails';
import type { InputError } from '@freehold/contract/problem';
import {
  type CompiledTemplate,
  compileTemplate,
  stepsMax,
  type TemplateScope,
  withoutExpressions,
} from '../../expressions/port.ts';
import { wrong } from '../../lib/unknown-names.ts';
import {
  invitationMail,
  type MailSubject,
  mergeAccountsMail,
  plainName,
  resetPasswordMail,
  resetSuspendedMail,
  verifyEmailMail,
} from '../../mail/mail-texts.ts';
import { type Mail, oneLine } from '../../mail/mailer.ts';

export interface MailText {
  /** One line. */
  readonly subject: string;
  readonly text: string;
  /** The same as a page. Values are escaped in it. */
  readonly html?: string;
}

export interface CompiledText {
  /** @throws TemplateError where an expression fails for these values, or takes too long. */
  readonly write: (values: MailValues) => MailText;
}

/** A mail is checked in one turn of the event loop, so there are few, and they are short. */
const expressionsMax = 20;
const expressionCharactersMax = 1000;

/** The steps that the expressions of a mail may take together: about 12 ms. */
const mailSteps = 50_000;

/** A text ready to be written, or everything that is wrong with it. */
export function compileMailText(
  kind: MailKind,
  text: MailText,
): CompiledText | { readonly errors: readonly InputError[] } {
  if (expressionsIn(text) > expressionsMax)
    return wrong(`must have at most ${expressionsMax} expressions, in all its parts together`, '', 'too_many');
  if (charactersOfExpressions(text) > expressionCharactersMax)
    return wrong(
      `must have at most ${expressionCharactersMax} characters in its expressions, in all its parts together`,
      '',
      'too_long',
    );
  const scopes = scopesOf(kind);
  const subject = compileTemplate(text.subject, scopes.subject, '/subject');
  const plain = compileTemplate(text.text, scopes.body, '/text');
  const html = text.html === undefined ? undefined : compileTemplate(text.html, scopes.body, '/html', htmlText);
  const errors = [subject, plain, html].flatMap((part) => (isTemplate(part) ? [] : part));
  if (!isTemplate(subject) || !isTemplate(plain) || (html !== undefined && !isTemplate(html))) return { errors };
  return {
    write: (values) => {
      const { app, workspace, email, link } = values;
      const names = { app: plainName(app), workspace: plainName(workspace ?? ''), email, link };
      const effort = { steps: stepsMax - mailSteps };
      const part = (template: CompiledTemplate): string =>
        String(template.evaluate({ steps: {}, env: '', now: 0, ...names }, effort) ?? '');
      return {
        subject: [...oneLine(part(subject))].slice(0, mailTextMax.subject).join('').trim(),
        text: part(plain),
        ...(html === undefined ? {} : { html: part(html) }),
      };
    },
  };
}

/** Whether a mail has what it is sent for, in each of its parts. */
export function hasLink({ text, html }: MailText, link: string): { readonly text: boolean; readonly html: boolean } {
  return { text: text.includes(link), html: html?.includes(htmlText(link)) !== false };
}

/** Whether the part has no mistakes. An `undefined` part is left out. */
function isTemplate(part: CompiledTemplate | readonly InputError[] | undefined): part is CompiledTemplate | undefined {
  return !Array.isArray(part);
}

function expressionsIn({ subject, text, html = '' }: MailText): number {
  return [subject, text, html].reduce((sum, part) => sum + part.split('{{').length - 1, 0);
}

/** A text that is no template has none: what is wrong with it is found when it is read. */
function charactersOfExpressions({ subject, text, html = '' }: MailText): number {
  return [subject, text, html].reduce((sum, part) => {
    const rest = withoutExpressions(part, '');
    return typeof rest === 'string' ? sum + part.length - rest.length : sum;
  }, 0);
}

interface TemplateScopes {
  readonly subject: TemplateScope;
  readonly body: TemplateScope;
}

const known = new WeakMap<MailKind, TemplateScopes>();

/** A code in a subject would be in lists of mails and in notifications, so a subject reads no link. */
function scopesOf(kind: MailKind): TemplateScopes {
  const before = known.get(kind);
  if (before !== undefined) return before;
  const scopeOf = (variables: readonly MailVariable[]): TemplateScope => ({
    steps: new Map(),
    names: new Map(variables.map((name) => [name, 'string'])),
  });
  const made = {
    subject: scopeOf(kind.variables.filter((name) => name !== 'link')),
    body: scopeOf(kind.variables),
  };
  known.set(kind, made);
  return made;
}

/** A value as text of a page, wherever it is there: also in a tag whose author left the quotes out. */
function htmlText(text: string): string {
  return text.replace(/[^\w.:/?#\u0080-\u{10ffff}-]/gu, (character) => `&#${character.codePointAt(0)};`);
}

/** The values that a text may read. User-chosen names are one short line, in which mail programs find no link. */
export interface MailValues {
  readonly app: string;
  readonly workspace?: string | undefined;
  readonly email: string;
  readonly link: string;
}

type MailVariable = keyof MailValues;

/** A mail that the platform sends to the users of an app: when, with which values, and its own text. */
export interface MailKind {
  /** The time at which it is sent. */
  readonly sent: string;
  readonly variables: readonly MailVariable[];
  /** The page of the app that its link leads to. */
  readonly page: 'invitation' | 'reset-password' | 'verify-email';
  /** The subject of the platform's own text. */
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
