import { type AppMailName, appMailNames } from '@freehold/contract/app-mails';
import type { mailsOfAppApi } from '@freehold/contract/management/settings/mails';
import type { BodyOf, ReplyOf } from '@freehold/contract/route';
import { type ConfigReader, effectiveValue } from '../../config/port.ts';
import { TemplateError } from '../../expressions/port.ts';
import { emailKey } from '../../lib/formats/email-key.ts';
import type { IdSource } from '../../lib/ids.ts';
import type { MaybePromise } from '../../lib/maybe-promise.ts';
import { invalidBody, notFound, Problem } from '../../lib/problem.ts';
import { type MailOut, requireMailer } from '../../mail/mailer.ts';
import type { Environment } from '../../tenancy/port.ts';
import type { MailThrottle } from '../realm/mailed-codes.ts';
import { appLinks } from '../settings/allowed-domains.ts';
import {
  failedExpression,
  type MailingApp,
  mailSettings,
  readMailText,
  sampleValues,
  writtenErrors,
} from './mail-settings.ts';
import {
  type CompiledText,
  compileMailText,
  defaultText,
  isAppMail,
  type MailKind,
  type MailText,
  type MailValues,
  mailKinds,
  variableMeanings,
} from './mail-text.ts';

type ShownMail = ReplyOf<typeof mailsOfAppApi.listAppMails>['items'][number];
type MailDraft = BodyOf<typeof mailsOfAppApi.previewAppMail>;

interface MailBuilder {
  readonly org: { readonly code: string; readonly name: string };
  readonly email: string;
}

/** Counts the mails of an org, and holds it to its plan. */
interface MailMeter {
  add(place: { readonly orgCode: string; readonly env: Environment }, kind: 'mails', by: number): void;
  /** @throws Problem `plan_limit_exceeded`. */
  check(orgCode: string, kind: 'mails'): MaybePromise<void>;
}

export interface MailDraftsDeps {
  readonly configs: Readonly<Record<Environment, ConfigReader>>;
  readonly newId: IdSource;
  readonly mailThrottle: MailThrottle;
  readonly mailMeter: MailMeter;
  /** Undefined where no mail is set up. */
  readonly mailOut: MailOut | undefined;
}

/** The mails of an app as its builders see them: what is set, and what a draft would be. */
export function createMailDrafts(deps: MailDraftsDeps) {
  return {
    list: async (builder: MailBuilder, env: Environment) => {
      const config = await deps.configs[env].current(builder.org.code);
      return appMailNames.map((name) => shownMail({ config, env }, builder, name));
    },
    /** @throws Problem `not_found`, `validation_failed`. */
    preview: async (
      builder: MailBuilder,
      { name, env }: { readonly name: string; readonly env: Environment },
      draft: MailDraft,
    ) => {
      const kind = kindOf(name);
      return writtenDraft(kind, await samples(deps, builder, { kind, env }), draft);
    },
    /** To the builder alone. @throws Problem `not_found`, `validation_failed`, `unavailable`, `rate_limited`, `plan_limit_exceeded`. */
    sendTest: (builder: MailBuilder & { readonly ip: string }, name: string, draft: MailDraft) =>
      sendTest(deps, builder, name, draft),
  };
}

function kindOf(name: string): MailKind {
  if (!isAppMail(name)) throw notFound();
  return mailKinds[name];
}

function shownMail(app: MailingApp, builder: MailBuilder, name: AppMailName): ShownMail {
  const kind = mailKinds[name];
  const { key: setting } = mailSettings[name];
  const stored = app.config.settings.get(setting);
  const values = samplesIn(app, builder, kind);
  return {
    name,
    setting,
    sent: kind.sent,
    variables: kind.variables.map((variable) => ({
      name: variable,
      meaning: variableMeanings[variable],
      sample: values[variable] ?? '',
    })),
    default: defaultText(kind),
    value: effectiveValue('test', mailSettings[name], stored),
    ...(stored !== undefined && 'prod_value' in stored
      ? { prod_value: effectiveValue('prod', mailSettings[name], stored) }
      : {}),
    version: stored?.version ?? 0,
  };
}

async function samples(
  { configs }: MailDraftsDeps,
  builder: MailBuilder,
  { kind, env }: { readonly kind: MailKind; readonly env: Environment },
): Promise<MailValues> {
  return samplesIn({ config: await configs[env].current(builder.org.code), env }, builder, kind);
}

/** The code of a sample opens nothing. */
function samplesIn({ config, env }: MailingApp, { org, email }: MailBuilder, { page }: MailKind): MailValues {
  const link = appLinks(config, env)?.(page, 'sample') ?? `https://app.example.com/#${page}=sample`;
  return { ...sampleValues, app: org.name, email, link };
}

/** @throws Problem `validation_failed`. */
function writtenDraft(kind: MailKind, values: MailValues, draft: MailDraft): MailText {
  const read = readMailText(kind, draft);
  if ('errors' in read) throw invalidBody(read.errors);
  const compiled = compileMailText(kind, read.value);
  if ('errors' in compiled) throw invalidBody(compiled.errors);
  const written = writtenWith(compiled, values);
  const errors = writtenErrors(written, values.link);
  if (errors.length > 0) throw invalidBody(errors);
  return written;
}

/** @throws Problem `validation_failed`. */
function writtenWith(compiled: CompiledText, values: MailValues): MailText {
  try {
    return compiled.write(values);
  } catch (error) {
    if (error instanceof TemplateError) throw invalidBody(failedExpression(error).errors);
    throw error;
  }
}

async function sendTest(
  deps: MailDraftsDeps,
  builder: MailBuilder & { readonly ip: string },
  name: string,
  draft: MailDraft,
): Promise<{ to: string }> {
  const kind = kindOf(name);
  const written = writtenDraft(kind, await samples(deps, builder, { kind, env: 'test' }), draft);
  const out = requireMailer(deps.mailOut);
  const { org, email: to, ip } = builder;
  deps.mailThrottle.take({ purpose: 'test', emailKey: `${name} ${emailKey(to)}`, ip });
  const checked = deps.mailMeter.check(org.code, 'mails');
  if (checked instanceof Promise) await checked;
  deps.mailMeter.add({ orgCode: org.code, env: 'test' }, 'mails', 1);
  const mail = { ...written, to, subject: `[test] ${written.subject}` };
  const answer = await out.deliver(mail, { org: org.code, id: deps.newId() });
  if (answer === 'sent') return { to };
  throw new Problem('unavailable', `the mail server has not taken the mail: ${answer.code}`);
}
