import { type AppMailName, appMailNames, mailTextMax } from '@freehold/contract/app-mails';
import type { InputError } from '@freehold/contract/problem';
import { type ConfigSet, type SettingType, settingOf } from '../../config/port.ts';
import { TemplateError } from '../../expressions/port.ts';
import { isObject, unknownMembers, wrong } from '../../lib/unknown-names.ts';
import type { Mail } from '../../mail/mailer.ts';
import type { Environment } from '../../tenancy/port.ts';
import {
  type CompiledText,
  compileMailText,
  hasLink,
  type MailKind,
  type MailText,
  type MailValues,
  mailKinds,
} from './mail-text.ts';

/** The text of each mail; `null` for the platform's own. */
export const mailSettings: Readonly<Record<AppMailName, SettingType<MailText | null>>> = {
  verify_email: settingOfMail('verify_email'),
  merge_accounts: settingOfMail('merge_accounts'),
  reset_password: settingOfMail('reset_password'),
  reset_suspended_password: settingOfMail('reset_suspended_password'),
  invitation: settingOfMail('invitation'),
};

export const mailSettingTypes: readonly SettingType<MailText | null>[] = appMailNames.map((name) => mailSettings[name]);

function settingOfMail(name: AppMailName): SettingType<MailText | null> {
  const kind = mailKinds[name];
  return {
    key: `mail.${name}`,
    description: `The text of a mail; \`null\` is the platform’s own. ${kind.sent}`,
    byDefault: null,
    schema: { anyOf: [schemaOf(kind), { type: 'null' }] },
    parse: (input) => (input === null ? { value: null } : readMailText(kind, input)),
  };
}

function schemaOf({ variables }: MailKind) {
  const part = (name: keyof typeof mailTextMax, description: string) => ({
    type: 'string',
    minLength: 1,
    maxLength: mailTextMax[name],
    description,
  });
  const readable = variables.map((variable) => `\`{{${variable}}}\``).join(', ');
  return {
    type: 'object',
    required: ['subject', 'text'],
    additionalProperties: false,
    properties: {
      subject: part('subject', 'One line, without `{{link}}`.'),
      text: part('text', `Plain text, with \`{{link}}\`. It may read ${readable}.`),
      html: part('html', 'The same as HTML, with `{{link}}`. Values are escaped.'),
    },
  };
}

/** Values that a text is checked with. A text that fails for other values later gives way to the platform's own. */
export const sampleValues: MailValues = {
  app: 'Example',
  workspace: 'Workspace',
  email: 'ann@example.com',
  link: 'https://app.example.com/#code=sample',
};

/** The text in its one form, or everything that is wrong with it. */
export function readMailText(
  kind: MailKind,
  input: unknown,
): { readonly value: MailText } | { readonly errors: readonly InputError[] } {
  if (!isObject(input)) return wrong('must be an object with `subject` and `text`, or `null`');
  const { subject, text, html } = input;
  const errors = [
    ...unknownMembers(input, Object.keys(mailTextMax)),
    ...partErrors('subject', subject),
    ...partErrors('text', text),
    ...(html === undefined ? [] : partErrors('html', html)),
  ];
  if (errors.length > 0) return { errors };
  const value = { subject: String(subject), text: String(text), ...(html === undefined ? {} : { html: String(html) }) };
  const found = contentErrors(kind, value);
  return found.length > 0 ? { errors: found } : { value };
}

const controls = { subject: /[\p{Cc}\p{Zl}\p{Zp}]/u, text: /[^\P{Cc}\n\r\t]/u, html: /[^\P{Cc}\n\r\t]/u };

function partErrors(part: keyof typeof mailTextMax, value: unknown): readonly InputError[] {
  const max = mailTextMax[part];
  const at = `/${part}`;
  if (typeof value !== 'string') return wrong(`\`${part}\` must be a text of 1 to ${max} characters`, at).errors;
  const length = [...value.slice(0, 2 * max + 1)].length;
  if (value.trim() === '') return wrong(`\`${part}\` must not be blank`, at, 'too_short').errors;
  if (length > max) return wrong(`\`${part}\` must have at most ${max} characters`, at, 'too_long').errors;
  if (!value.isWellFormed()) return wrong(`\`${part}\` has half of a character`, at, 'invalid_text').errors;
  if (!controls[part].test(value)) return [];
  const allowed =
    part === 'subject' ? 'must be one line without control characters' : 'must have no control characters';
  return wrong(`\`${part}\` ${allowed}`, at, 'control_character').errors;
}

function contentErrors(kind: MailKind, value: MailText): readonly InputError[] {
  if (value.html !== undefined && /<\s*script/i.test(value.html))
    return wrong('`html` must have no script: mail programs run none', '/html', 'script').errors;
  const compiled = compileMailText(kind, value);
  if ('errors' in compiled) return compiled.errors;
  try {
    return writtenErrors(compiled.write(sampleValues), sampleValues.link);
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    return failedExpression(error).errors;
  }
}

export function failedExpression({ message }: TemplateError): { readonly errors: readonly InputError[] } {
  return wrong(`an expression cannot be evaluated: ${message}`, '', 'invalid_expression');
}

/** The mistakes in a written mail. A mail with errors is not sent, but the platform's own text in its place. */
export function writtenErrors(written: MailText, link: string): readonly InputError[] {
  const has = hasLink(written, link);
  return [
    ...(written.subject === '' ? wrong('`subject` is blank for these values', '/subject', 'too_short').errors : []),
    ...(has.text ? [] : missingLink('text')),
    ...(has.html ? [] : missingLink('html')),
  ];
}

function missingLink(part: 'text' | 'html'): readonly InputError[] {
  return wrong(`\`${part}\` must have the link: write \`{{link}}\` where it stands`, `/${part}`, 'missing_link').errors;
}

/** Whose mails they are. */
export interface MailingApp {
  readonly env: Environment;
  readonly config: ConfigSet;
}

/**
 * A mail of an app with the text that it has set. A text that fails for these values, leaves the link out or has no subject
 * gives way to the platform's own: the link is what a mail is for.
 */
export function appMail({ config, env }: MailingApp, name: AppMailName, values: MailValues): Mail {
  const kind = mailKinds[name];
  const text = settingOf(config, env, mailSettings[name]);
  const { email: to, link } = values;
  const written = text === null ? undefined : writtenBy(compiledOf(kind, text), values);
  if (written !== undefined) return { to, ...written };
  return kind.write({ to, link, name: values[kind.about] ?? values.app });
}

function writtenBy(compiled: CompiledText | undefined, values: MailValues): MailText | undefined {
  try {
    const written = compiled?.write(values);
    return written !== undefined && writtenErrors(written, values.link).length === 0 ? written : undefined;
  } catch (error) {
    if (error instanceof TemplateError) return undefined;
    throw error;
  }
}

/** A configuration is kept for as long as it holds, and a text of it is compiled once. */
const compiledTexts = new WeakMap<MailText, { readonly compiled: CompiledText | undefined }>();

function compiledOf(kind: MailKind, text: MailText): CompiledText | undefined {
  const before = compiledTexts.get(text);
  if (before !== undefined) return before.compiled;
  const found = compileMailText(kind, text);
  const compiled = 'errors' in found ? undefined : found;
  compiledTexts.set(text, { compiled });
  return compiled;
}
