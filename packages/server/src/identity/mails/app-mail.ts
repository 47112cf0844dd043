import type { AppMailName } from '@freehold/contract/app-mails';
import { type ConfigSet, settingOf } from '../../config/port.ts';
import { TemplateError } from '../../expressions/port.ts';
import type { Mail } from '../../mail/mailer.ts';
import type { Environment } from '../../tenancy/port.ts';
import { mailSettings, writtenErrors } from './mail-settings.ts';
import {
  type CompiledText,
  compileMailText,
  type MailKind,
  type MailText,
  type MailValues,
  mailKinds,
} from './mail-text.ts';

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
