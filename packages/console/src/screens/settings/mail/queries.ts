import type { AppMail } from '@freehold/contract/management/settings/mails';
import type { Read } from '@freehold/contract/schema';
import { queryOptions } from '@tanstack/react-query';
import { call } from '../../../api/call.ts';
import type { Environment } from '../../../api/session.ts';
import { keyOfKind } from '../../../components/item-versions.tsx';

export type Mail = Read<typeof AppMail>;

export interface MailText {
  readonly subject: string;
  readonly text: string;
  readonly html?: string | undefined;
}

/** The texts are settings, so a changed setting has them read again. */
export const mailsQuery = (env: Environment) =>
  queryOptions({
    queryKey: [keyOfKind('settings'), 'mails', env],
    queryFn: ({ signal }) => call('listAppMails', { query: { env }, signal }),
  });

/** The draft with sample values, or the refusal that says what is wrong with it. */
export const previewQuery = (env: Environment, mail: string, draft: MailText) =>
  queryOptions({
    queryKey: ['mail preview', env, mail, draft],
    queryFn: ({ signal }) => call('previewAppMail', { params: { mail }, query: { env }, body: draft, signal }),
    retry: false,
    gcTime: 0,
  });

/** What a mail is called here. */
export const mailLabels: Readonly<Record<string, string>> = {
  verify_email: 'Confirm the email',
  merge_accounts: 'Two accounts, one address',
  reset_password: 'New password',
  reset_suspended_password: 'New password, address shared',
  invitation: 'Invitation',
};

/** What holds in production: the value for it alone, where there is one. */
export function textIn(env: Environment, { value, prod_value }: Pick<Mail, 'value' | 'prod_value'>): MailText | null {
  return env === 'prod' && prod_value !== undefined ? prod_value : value;
}
