import { Type } from '@sinclair/typebox';
import { route } from '../route.ts';
import { closed, guid, itemsOf, named, text, time } from '../schema.ts';

export const ReceivedMail = named(
  'ReceivedMail',
  Type.Object({ id: guid, to: text, subject: text, text, html: Type.Optional(text), sent_at: time }),
);

export const inboxApi = {
  readInbox: route({
    method: 'GET',
    path: '/inbox',
    access: 'public',
    tag: 'operation',
    summary: 'The last mails, in development',
    description: 'Without a mail server; a page for browsers.',
    query: closed({ to: Type.Optional(Type.String({ description: 'Only mails to this address.' })) }),
    replies: {
      200: {
        description: 'The mails, the latest first; in HTML a page with the same mails.',
        content: { 'application/json': itemsOf(ReceivedMail), 'text/html': text },
      },
    },
    problems: ['not_found', 'origin_refused'],
  }),
};
