import { inboxApi } from '@freehold/contract/management/inbox';
import type { ConsoleSite } from '../api/headers/console-cookie.ts';
import { preferredType } from '../api/headers/file-format.ts';
import { requireOwnHost } from '../api/headers/host.ts';
import { json } from '../api/reply.ts';
import type { AnyRoute } from '../api/route.ts';
import { serveReply } from '../api/serve.ts';
import { emailKey } from '../lib/formats/email-key.ts';
import { notFound } from '../lib/problem.ts';
import { type Inbox, inboxPage } from './inbox.ts';

export interface MailRouteDeps {
  /** Undefined where mails are sent, or none are. */
  readonly inbox: Inbox | undefined;
  readonly site: ConsoleSite;
}

/** The mails of a platform in development, for its developers. */
export function mailRoutes({ inbox, site }: MailRouteDeps): readonly AnyRoute[] {
  return [
    serveReply(inboxApi.readInbox, async ({ head, query: { to } }) => {
      if (inbox === undefined) throw notFound();
      requireOwnHost(site, head);
      const all = await inbox.read();
      const items = to === undefined ? all : all.filter((mail) => emailKey(mail.to) === emailKey(to));
      const expectedType = preferredType(head, ['text/html', 'application/json']);
      const reply = expectedType === 'text/html' ? inboxPage(items) : json(200, { items });
      return { ...reply, headers: { ...reply.headers, Vary: 'Accept' } };
    }),
  ];
}
