import { Type } from '@sinclair/typebox';
import { appMailNames, mailTextMax } from '../../app-mails.ts';
import { environment } from '../../parameters.ts';
import { reply, route } from '../../route.ts';
import { closed, itemsOf, named, oneOf, orNull, text } from '../../schema.ts';

/** Each text is a template that may read the variables of its mail; the subject reads no `link`. */
const texts = {
  subject: Type.String({ minLength: 1, maxLength: mailTextMax.subject, description: 'One line.' }),
  text: Type.String({
    minLength: 1,
    maxLength: mailTextMax.text,
    description: 'The mail as plain text. It has the link.',
  }),
  html: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: mailTextMax.html,
      description: 'The same as HTML, for mail programs that show it. It has the link. Values are escaped.',
    }),
  ),
};

export const MailText = named('MailText', closed(texts));

export const AppMail = named(
  'AppMail',
  Type.Object({
    name: oneOf(appMailNames),
    setting: Type.String({ description: 'The setting that has its text, such as `mail.verify_email`.' }),
    sent: Type.String({ description: 'When the mail is sent.' }),
    variables: Type.Array(Type.Object({ name: text, meaning: text, sample: text }), {
      description: 'What its text may read, with the values of a preview.',
    }),
    default: Type.Object({ subject: text, text }, { description: 'The platform’s own text.' }),
    value: orNull(Type.Object({ subject: text, text, html: Type.Optional(text) }), {
      description: 'The text of the setting; `null` for the platform’s own.',
    }),
    prod_value: Type.Optional(
      orNull(Type.Object({ subject: text, text, html: Type.Optional(text) }), {
        description: 'The text of the setting for production alone, if there is one.',
      }),
    ),
    version: Type.Integer({ minimum: 0, description: '0 if the setting was never made.' }),
  }),
);

export const WrittenMail = named('WrittenMail', Type.Object({ subject: text, text, html: Type.Optional(text) }));

export const mailsOfAppApi = {
  listAppMails: route({
    method: 'GET',
    path: '/org/mails',
    access: 'developer',
    tag: 'settings',
    summary: 'The mails to the app’s users',
    description:
      'With their texts and variables. The texts are the settings of the group `mail`, which are changed and promoted like all settings.',
    query: closed({ env: environment }),
    replies: { 200: reply('All mails.', itemsOf(AppMail)) },
  }),
  previewAppMail: route({
    method: 'POST',
    path: '/org/mails/:mail/preview',
    access: 'developer',
    tag: 'settings',
    summary: 'Shows a draft of a mail with sample values',
    description: 'Nothing is sent or stored.',
    query: closed({ env: oneOf(['test', 'prod'], { default: 'test', description: 'Whose page the link leads to.' }) }),
    body: MailText,
    replies: { 200: reply('The mail as it would be.', WrittenMail) },
    problems: ['not_found'],
    isRead: true,
    repeats: { notRemembered: 'changes nothing' },
  }),
  sendTestMail: route({
    method: 'POST',
    path: '/org/mails/:mail/test',
    access: 'developer',
    tag: 'settings',
    summary: 'Sends a draft of a mail to the caller’s own address',
    description:
      'It is written with sample values. Three times for each mail and 20 times from one network in 15 minutes. It counts as a mail of the org’s plan, and its link opens nothing.',
    body: MailText,
    replies: { 200: reply('The mail server has taken it.', Type.Object({ to: text })) },
    problems: ['not_found', 'rate_limited', 'plan_limit_exceeded', 'unavailable'],
    isRead: true,
    repeats: { notRemembered: 'sends a sample each time, as often as its throttle allows, and changes nothing' },
  }),
};
