/** The text of a mail as an org sets it: checked when it is set, and written for each mail that is sent. */
import { mailTextMax } from '@freehold/contract/app-mails';
import type { InputError } from '@freehold/contract/problem';
import { wrong } from '../../config/port.ts';
import {
  compileTemplate,
  stepsMax,
  type Template,
  type TemplateScope,
  withoutExpressions,
} from '../../expressions/port.ts';
import { oneLine } from '../../mail/mail-queue.ts';
import { plainName } from '../../mail/mail-texts.ts';
import type { MailKind, MailValues, MailVariable } from './mail-kinds.ts';

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

/** What the expressions of a mail may take together: about 12 ms. */
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
      const part = (template: Template): string =>
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

/** Where it is `undefined` there is no such part. */
function isTemplate(part: Template | readonly InputError[] | undefined): part is Template | undefined {
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

interface Scopes {
  readonly subject: TemplateScope;
  readonly body: TemplateScope;
}

const known = new WeakMap<MailKind, Scopes>();

/** A code in a subject would be in lists of mails and in notifications, so a subject reads no link. */
function scopesOf(kind: MailKind): Scopes {
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

/** A value as text of a page, wherever it stands there: also in a tag whose author left the quotes out. */
function htmlText(text: string): string {
  return text.replace(/[^\w.:/?#\u0080-\u{10ffff}-]/gu, (character) => `&#${character.codePointAt(0)};`);
}
