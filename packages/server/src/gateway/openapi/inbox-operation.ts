import { arrayOf, guid, type JsonSchema, objectOf, schemaReference, text, time } from '../../lib/json-schema.ts';
import { jsonContent, type Operation } from './operation.ts';
import { queryParameter } from './parameters.ts';

/** `handlers/management/inbox.ts` */
export const inboxOperation: Operation = {
  method: 'GET',
  path: '/inbox',
  operationId: 'readInbox',
  tag: 'operation',
  summary: 'The last mails, in development where no server is set up to send them; a page for browsers',
  access: 'public',
  parameters: [queryParameter('to', text, 'Those to this address.')],
  replies: [
    {
      status: 200,
      description: 'The mails, the last one first.',
      content: { ...jsonContent(objectOf({ items: arrayOf(schemaReference('ReceivedMail')) })), 'text/html': text },
    },
  ],
  problems: ['not_found', 'origin_refused'],
};

export const inboxSchemas: Readonly<Record<string, JsonSchema>> = {
  ReceivedMail: objectOf({ id: guid, to: text, subject: text, text, sent_at: time }),
};
